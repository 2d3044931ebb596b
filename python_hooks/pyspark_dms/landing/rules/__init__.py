"""The rules of planning: small functions that warn or fail a table; `planning` has their lists."""
