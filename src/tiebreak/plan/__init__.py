"""What is to be measured: models, data, splits and metrics, and what identifies each."""
