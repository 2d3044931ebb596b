"""What other engines read of what is published."""
