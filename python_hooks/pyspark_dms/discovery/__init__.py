"""From a DMS root to declarations: what is there, what it looks like, what a person must decide."""
