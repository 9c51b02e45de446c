// (C1) is broken here
// (C3) is broken here
