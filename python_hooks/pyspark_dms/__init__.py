"""Read what AWS DMS writes to object storage, from Spark."""
