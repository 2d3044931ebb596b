"""Writes the state of a table after changes."""
