"""What survives: finished cells, in memory or in a database."""
