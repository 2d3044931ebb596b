"""Tests of the DMS emulator, against a real MariaDB."""
