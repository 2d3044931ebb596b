"""Tests of the DMS stand-in, against a real MariaDB."""
