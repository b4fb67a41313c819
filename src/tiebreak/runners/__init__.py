"""Runners: where cells are measured, in this process, in worker processes, or on a cluster."""

BATCH_SECONDS = 0.2
"""Seconds of work in a batch: what may be lost when everything is killed."""
