"""Tests of the project; helpers are in tests.support."""
