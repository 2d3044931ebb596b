"""One module per command: what it takes, what it prints. The work is done elsewhere."""
