"""Figures: a function for each kind collects the numbers and gives a `Drawing`; five primitives in `draw` draw them all."""
