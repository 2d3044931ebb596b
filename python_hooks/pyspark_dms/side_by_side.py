"""Work that waits on the network more than it computes, for many things side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Done = TypeVar("Done")


def side_by_side(
    work: Callable[[Given], Done], given: Iterable[Given], at_once: int = 16
) -> list[Done]:
    """Do work for each of some things, at most for so many at once; the results in their order."""
    with ThreadPoolExecutor(at_once) as threads:
        return [*threads.map(work, given)]
