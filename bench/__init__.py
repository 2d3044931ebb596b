"""Measures the pipeline beside plain Spark, in one run on one machine."""
