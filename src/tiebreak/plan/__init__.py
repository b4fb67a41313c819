"""The plan of a measurement: models, data, splits and metrics, and what identifies each."""
