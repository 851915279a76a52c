"""Training of the pattern evaluation: labelled positions from public games, and the fit of the weights."""
