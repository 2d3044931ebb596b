"""Facts about runs of the project, by behaviour: one sentence per test."""
