"""Posteriors over models and datasets."""
