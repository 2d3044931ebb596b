"""Published versions: what they are made of, and what no version needs any more."""
