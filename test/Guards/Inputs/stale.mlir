return %a
