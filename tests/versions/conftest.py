from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms import stores


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
