"""What vacuum keeps, as the plan of the operation says it.

What is below the areas and not needed, `pyspark_dms.versions.vacuum` finds and deletes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pyspark_dms.counted import counted
from pyspark_dms.versions.histories import open_folders
from pyspark_dms.versions.history_jobs import history_rows
from pyspark_dms.versions.kept import kept_folders, kept_versions
from pyspark_dms.versions.states import TableState

Job = Mapping[str, Any]
Said = dict[str, Any]


def kept(entry: Job, state: TableState, now: datetime) -> Said:
    """Where the runs of a table write, and what must stay there.

    Args:
        entry: ``change_feed``, whether the table has one; ``days``, for which versions are kept
            that readers have seen (None: all versions are kept); ``roots``, the folders of its
            ``reports``, ``rejects`` and ``staged``
            changes; and ``histories``, each with ``root`` and all its partitions: ``dates`` and
            ``folders``, as `pyspark_dms.versions.history_jobs.history` has them.
        state: where it stands.
        now: the start of the command.

    Returns:
        ``areas``, as `pyspark_dms.versions.vacuum.parse_job` has them, and ``kept``, which says how
        many versions are.
    """
    days, roots = entry["days"], entry["roots"]
    since = None if days is None else now - timedelta(days=days)
    numbers = kept_versions(state, since, change_feed=entry["change_feed"])
    folders = kept_folders(state, numbers)
    areas = [
        {"root": state.shown.current.root, "needed": [*folders.rows, *folders.feed]},
        _area(roots["reports"], folders.reports),
        _area(roots["rejects"], folders.rejects),
        _area(roots["staged"], folders.staged),
        *(_history_area(one, state, numbers) for one in entry["histories"]),
    ]
    said = f"{len(numbers)} of {counted(state.newest, 'version')}"
    if days is not None:
        said = f"{said}, the last {counted(days, 'day')} and what is shown"
    return {"areas": areas, "kept": said}


def _area(root: str, needed: Iterable[str], depth: int = 1) -> Said:
    """The last parts of the addresses of folders tell which they are, however the root is written.

    Args:
        root: the folder that is looked through.
        needed: folders in it.
        depth: how far they are below it.
    """
    names = dict.fromkeys("/".join(one.rstrip("/").split("/")[-depth:]) for one in needed)
    return {"root": root, "needed": [f"{root}/{name}" for name in names]}


def _history_area(history: Job, state: TableState, kept: Sequence[int]) -> Said:
    """What readers see of a history, and what it would go on from if a kept version were newest."""
    closed, _ = history_rows(history["dates"], history["folders"])
    needed = [*history["folders"], *open_folders(state.steps, closed, kept)]
    return _area(history["root"], needed, depth=3)
