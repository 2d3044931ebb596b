from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms import stores
from pyspark_dms.versions.numbered import NumberedLog


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the store from here on."""
    requests: list[str] = []

    def count(name: str) -> None:
        ask: Callable[..., Any] = getattr(stores, name)

        def counted(path: str, *others: Any) -> Any:
            requests.append(f"{name} {Path(path).name}")
            return ask(path, *others)

        monkeypatch.setattr(stores, name, counted)

    for name in ("create_object", "first_names", "read_object"):
        count(name)
    return requests


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many objects of a numbered log were read side by side, each time from here on."""
    counts: list[int] = []
    read_at_once = NumberedLog.read_at_once

    def counted(log: NumberedLog, numbers: Iterable[int], readers: ThreadPoolExecutor) -> None:
        unread = {number for number in numbers if number not in log._bodies}
        counts.extend([len(unread)] if unread else [])
        read_at_once(log, unread, readers)

    monkeypatch.setattr(NumberedLog, "read_at_once", counted)
    return counts
