"""Measuring on a Dask cluster."""
