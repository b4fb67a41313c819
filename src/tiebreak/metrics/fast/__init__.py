"""Exact metrics that are faster than scikit-learn's, one file for each kind."""
