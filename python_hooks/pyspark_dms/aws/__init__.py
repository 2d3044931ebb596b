"""What runs on AWS only: EMR, the events of S3, and the versions of tables in Glue."""
