"""Showing the answer: text, tables, plots; nothing here computes a statistic."""
