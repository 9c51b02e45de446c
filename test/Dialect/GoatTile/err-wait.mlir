// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.wait refuses a negative number of groups.

func.func @wait_pending(%g: !goat_tile.group) {
  // expected-error@+1 {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  goat_tile.wait %g pending = -1
  return
}
