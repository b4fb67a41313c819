"""The command line: one file per command, and what a well-behaved process does."""
