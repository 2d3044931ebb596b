"""The reader of one file, without Spark: what takes too many cases for a run of dbt each."""
