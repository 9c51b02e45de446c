// Written by hand: what a launcher does with tensor maps and clusters.
