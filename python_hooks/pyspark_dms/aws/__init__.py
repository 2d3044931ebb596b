"""What runs on AWS only: EMR, and the events of S3."""
