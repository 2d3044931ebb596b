"""What is deleted, by itself."""
