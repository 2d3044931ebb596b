"""Plans what vacuum keeps: reads the version log, and asks the rules of kept versions.

Macros ask by the data source ``dms_versions``; see `pyspark_dms.versions.jobs`. What is below the
areas of the answer and not needed, `pyspark_dms.versions.vacuum` finds and deletes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark_dms import stores
from pyspark_dms.counted import counted
from pyspark_dms.errors import DmsError
from pyspark_dms.versions import recorded
from pyspark_dms.versions.histories import open_folders
from pyspark_dms.versions.history_jobs import history_rows
from pyspark_dms.versions.kept import kept_folders, kept_versions
from pyspark_dms.versions.read_state import LoggedVersions, logged_versions, read_state
from pyspark_dms.versions.recorded import Records
from pyspark_dms.versions.states import TableState, check_published

Job = Mapping[str, Any]
Said = dict[str, Any]
_ROWS_OF_VERSION = re.compile(r"(.+)-(\d+)")


def vacuum(job: Job) -> Said:
    """Where the runs of tables write, and what must stay there.

    Args:
        job: ``started_at`` (seconds since 1970); ``logs``, the folders of snapshot_versions,
            dms_staged_files and dms_rejects; and ``tables``, each with ``label``; ``change_feed``,
            whether it has one; ``days``, for which versions are kept that readers have seen (None:
            all versions are kept); ``staged``, the folder of its changes; and ``histories``, each
            with ``root`` and all its partitions: ``dates`` and ``folders``, as
            `pyspark_dms.versions.history_jobs.history` has them.

    Returns:
        By label ``areas``, as `pyspark_dms.versions.vacuum.parse_job` has them, and ``kept``, which
        says how many versions are. Or ``error``.
    """
    records = recorded.read(job["root"])

    def said(entry: Job) -> Said:
        try:
            return _planned(job, entry, records)
        except DmsError as problem:
            return {"error": str(problem)}

    # One by one: the manifests of all versions of one table are much at once already.
    return {entry["label"]: said(entry) for entry in job["tables"]}


def _planned(job: Job, entry: Job, records: Records) -> Said:
    label, days, logs = entry["label"], entry["days"], job["logs"]
    versions = logged_versions(job["root"], label)
    check_published(label, versions.newest or None)
    state = read_state(versions, records, label)
    assert state
    now = datetime.fromtimestamp(job["started_at"], UTC)
    since = None if days is None else now - timedelta(days=days)
    kept = kept_versions(state, since, change_feed=entry["change_feed"])
    folders = kept_folders(state, kept)
    areas = [
        {"root": state.shown.current.root, "needed": [*folders.rows, *folders.feed]},
        _rows_area(f"{logs['snapshot_versions']}/{label}", versions),
        _area(f"{logs['dms_staged_files']}/{label}", folders.reports),
        _area(f"{logs['dms_rejects']}/{label}", folders.rejects),
        _area(entry["staged"], folders.staged),
        *(_history_area(one, state, kept) for one in entry["histories"]),
    ]
    said = f"{len(kept)} of {counted(state.newest, 'version')}"
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


def _rows_area(root: str, versions: LoggedVersions) -> Said:
    """The rows of snapshot_versions: of each version those of the command that has committed it.

    Versions of which there is one folder only are not read.
    """
    of_version = defaultdict(list)
    for name in stores.folders_in(root):
        if found := _ROWS_OF_VERSION.fullmatch(name):
            of_version[int(found[2])].append((found[1], name))
    needed = []
    for number, folders in of_version.items():
        if number > versions.newest:
            continue
        is_read = len(folders) > 1 and number in versions
        writer = versions.said(number, ())["commit_id"] if is_read else None
        needed += [name for token, name in folders if writer in (None, token)]
    return _area(root, needed)


def _history_area(history: Job, state: TableState, kept: Sequence[int]) -> Said:
    """What readers see of a history, and what it would go on from if a kept version were newest."""
    closed, _ = history_rows(history["dates"], history["folders"])
    needed = [*history["folders"], *open_folders(state.steps, closed, kept)]
    return _area(history["root"], needed, depth=3)
