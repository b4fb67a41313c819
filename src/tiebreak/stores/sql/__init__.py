"""Stores in a database: SQLite or PostgreSQL, one logic for both."""
