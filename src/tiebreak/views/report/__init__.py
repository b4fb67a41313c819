"""The report: one HTML file that opens offline, with its data inside."""
