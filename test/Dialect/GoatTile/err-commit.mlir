// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.commit refuses an empty group.

func.func @commit_nothing() {
  // expected-error@+1 {{'goat_tile.commit' op expected 1 or more operands, but found 0}}
  %g = "goat_tile.commit"() : () -> !goat_tile.group
  return
}
