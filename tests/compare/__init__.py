"""Comparing what is published with its source: MariaDB and PostgreSQL, both real."""
