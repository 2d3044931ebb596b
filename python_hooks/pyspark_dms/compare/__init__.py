"""Compares what is published with the database that it comes from."""
