"""A list as what is new in it since an earlier one: ranges of that, and added entries between them.

``[[0, 30], {"add": ["x"]}, [31, 40]]`` is: the first 30 entries of the earlier list, an ``x``, and
nine more, without the one at 30. Whatever was added, removed or moved, the order is kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

Steps = list[Any]


def difference(earlier: Sequence[Any], later: Sequence[Any]) -> Steps:
    """The steps that make one list from another; entries are compared as JSON has them."""
    # In nearly all cases there is only something behind it, and this is ten times as fast.
    if earlier and json.dumps(later[: len(earlier)]) == json.dumps(earlier):
        more = [*later[len(earlier) :]]
        return [[0, len(earlier)], {"add": more}] if more else [[0, len(earlier)]]
    texts = [json.dumps(entry) for entry in earlier]
    places = {text: place for place, text in reversed([*enumerate(texts)])}
    steps: Steps = []
    end = 0  # where the range at the end of the steps ends, if there is one
    for entry in later:
        text = json.dumps(entry)
        last = steps[-1] if steps else None
        if isinstance(last, list) and end < len(texts) and texts[end] == text:
            end += 1
            last[1] = end
        elif text in places:
            end = places[text] + 1
            steps.append([end - 1, end])
        elif isinstance(last, dict):
            last["add"].append(entry)
        else:
            steps.append({"add": [entry]})
    return steps


def applied(earlier: Sequence[Any], steps: Steps) -> list[Any]:
    """The list that the steps make.

    Raises:
        ValueError: they are not steps from this list.
    """
    later: list[Any] = []
    for step in steps:
        if isinstance(step, dict):
            later += step["add"]
            continue
        start, stop = step
        if not 0 <= start < stop <= len(earlier):
            raise ValueError(f"{step} of {len(earlier)} entries")
        later += earlier[start:stop]
    return later
