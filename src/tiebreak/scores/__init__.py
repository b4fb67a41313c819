"""Measured scores: metrics with a direction, score tables, paired differences."""
