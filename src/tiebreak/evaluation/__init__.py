"""Measuring: models fitted and scored on splits, each cell once."""
