"""Stores of finished cells, in memory or in a database."""
