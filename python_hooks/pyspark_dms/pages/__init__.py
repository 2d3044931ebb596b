"""Pages for people: the report of a run and the documentation of tables."""
