"""What was measured: metrics with a direction, score tables, paired differences."""
