"""Random streams of changes for tests in which each stream costs a table in a row of dbt runs."""

import os
from collections.abc import Iterator
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

_Stream = TypeVar("_Stream")
# How many tables share the runs of a project.
_TABLES = 20


def random_streams(strategy: SearchStrategy[_Stream], count: int) -> Iterator[list[_Stream]]:
    """Draw streams, as many at a time as a project has tables.

    They are the same ones each time; ``DMS_PROPERTY_SEED`` gives others.

    Args:
        strategy: draws a stream.
        count: how many in all; ``DMS_PROPERTY_STREAMS`` overrides it.
    """
    count = int(os.environ.get("DMS_PROPERTY_STREAMS", count))
    drawn: list[_Stream] = []

    @seed(int(os.environ.get("DMS_PROPERTY_SEED", "1")))
    # Smaller ones are not looked for: whoever fails is printed whole.
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(stream: _Stream) -> None:
        drawn.append(stream)

    draw()
    assert len(drawn) >= count, f"only {len(drawn)} of {count} streams were drawn"
    for first in range(0, count, _TABLES):
        yield drawn[first : min(first + _TABLES, count)]
