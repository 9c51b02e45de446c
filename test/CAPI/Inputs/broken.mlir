func.func @f() {
  goat.nothing
}
