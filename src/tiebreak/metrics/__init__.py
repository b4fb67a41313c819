"""Predictions into scores, as scikit-learn computes them."""
