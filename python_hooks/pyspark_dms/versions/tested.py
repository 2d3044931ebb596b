"""What data tests compare a table with: its newest published version, and the tests it passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.read_state import said_of_tables
from pyspark_dms.versions.recorded import Records

_FACTS = (
    "version", "run_date", "rows_before", "rows_inserted", "rows_deleted", "rows_after"
)  # fmt: skip


def tested(job: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of tables before their data tests run.

    Args:
        job: ``root`` (the folder of the version log) and ``tables``, their labels (None: all).

    Returns:
        By label ``newest`` and ``published``, numbers of versions; ``indexed_at`` and ``passed``,
        as `Records.tested` has them; and ``current``, the version that readers see as the newest
        state: `_FACTS`, ``newest_date``, the last unchanged date that shows it or its run date, and
        ``files``, the names of its files (None: they are not known). Or ``error``. A table without
        versions has none of it.
    """
    root, asked = job["root"], job["tables"]
    records = recorded.read(root)
    labels = log.tables(root) if asked is None else asked
    return said_of_tables(labels, lambda label: _said(root, label, records))


def _said(root: str, label: str, records: Records) -> dict[str, Any]:
    versions = log.table_log(root, label)
    if not (newest := versions.newest_counting(versions.numbers.newest)):
        return {}
    number = versions.number_in(newest, "current_version") or newest
    current = log.read_manifest(versions, number, ("partitions",), newest)
    dates = records.version(label, number)["dates"]
    return {
        "newest": newest,
        "published": records.last(label),
        **records.tested(label),
        "current": {name: current[name] for name in _FACTS}
        | {
            "newest_date": max([current["run_date"], *dates]),
            "files": _files(current["partitions"]),
        },
    }


def _files(partitions: Iterable[Mapping[str, Any]]) -> list[str] | None:
    names: list[str] = []
    for one in partitions:
        if one["files"] is None:
            return None
        names += one["files"]
    return names
