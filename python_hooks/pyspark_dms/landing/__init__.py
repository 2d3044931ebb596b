"""The landing area: what DMS has written there, and what each object is."""
