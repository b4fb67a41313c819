"""Data and splits checked before anything is measured, one file for each kind of check."""
