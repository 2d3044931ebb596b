"""docs/reference/dms.md names tests; a test that is renamed is renamed there."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_every_test_that_the_docs_name_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", (REPOSITORY / "docs/reference/dms.md").read_text()))
    sources = [path.read_text() for path in (REPOSITORY / "tests").rglob("test_*.py")]
    there = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.M)}
    assert named
    assert named - there == set()
