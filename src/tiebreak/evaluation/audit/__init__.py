"""Whether splits are plausible, representative and like the real use: one file for each kind of check."""
