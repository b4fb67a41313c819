"""Runners: where cells are measured, in this process, in worker processes, or on a cluster."""
