"""Search: table, ordering, endgame and midgame kernels, and the driver of one search process."""
