"""The commands of ``python -m pyspark_dms``."""
