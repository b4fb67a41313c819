"""Cells measured on a Dask cluster."""
