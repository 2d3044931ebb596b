"""Rules of the checks of rows that are no SQL: what is many, and what is then proposed."""

import pytest

from tests.declaration.harness import Macros


@pytest.mark.parametrize(
    ("reinserted", "inserts", "limit", "severity"),
    [
        # The source filled its table again after a TRUNCATE.
        (60, 60, None, "warning"),
        (10, 10, None, "warning"),
        (10, 20, None, "warning"),
        # Some each night are what a source does that deletes and inserts.
        (1, 1, None, None),
        (9, 9, None, None),
        (10, 21, None, None),
        (0, 0, None, None),
        # A declared limit is the only one.
        (60, 60, 1, None),
        (1, 1, 0.5, "error"),
        (1, 2, 0.5, None),
        (1, 100, 0, "error"),
        (0, 100, 0, None),
        (0, 0, 0, None),
    ],
)
def test_inserts_of_keys_that_are_there_are_many(
    reinserted: int, inserts: int, limit: float | None, severity: str | None
) -> None:
    assert Macros().reinsert_severity(reinserted, inserts, limit) == severity
