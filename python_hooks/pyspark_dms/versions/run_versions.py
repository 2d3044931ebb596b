"""Which version a run starts from, and what the index needs to know of versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Said = dict[str, Any]
# What `pyspark_dms.landing.facts` reads of a version, beside its files.
_OF_VERSION = (
    "version", "run_date", "generation", "last_file_seq", "base_version", "rows_after",
    "indexed_from", "indexed_through", "run", "shards",
)  # fmt: skip


def base_of_run(
    current: int, base: int | None, current_date: str, run_date: str, *, full_refresh: bool
) -> int | None:
    """The version that a run starts from: the current one, but for its date again that before it.

    Args:
        current: the version that is current.
        base: the version that this was built on; None for nothing.
        current_date: the run date of this.
        run_date: the date of the run.
        full_refresh: whether the run builds the table from nothing.
    """
    if full_refresh:
        return None
    return base if current_date == run_date else current


def said_to_index(
    newest: Mapping[str, Any] | None,
    current: Mapping[str, Any] | None,
    base: Mapping[str, Any] | None,
    readded: Iterable[Mapping[str, Any]],
) -> Said:
    """What the index asks of versions, as `pyspark_dms.landing.facts.parse_table` reads it.

    Args:
        newest: the manifest of the newest version; None at the first.
        current: that of the current one.
        base: that of the version that the run starts from.
        readded: the full load files of folders that are declared again.
    """
    if newest is None or current is None:
        none: list[Any] = []
        return {
            "newest": None, "current": None, "base": None,
            "load_files": none, "excluded": none, "included": none,
        }  # fmt: skip
    return {
        "newest": newest["version"],
        "current": _version(current, max(current["run_date"], newest["last_date"] or "")),
        "base": _version(base, base["run_date"]) if base else None,
        "load_files": pairs([*current["load_files"], *readded]),
        "excluded": pairs(newest["excluded_files"]),
        "included": pairs(newest["included_files"]),
    }


def pairs(files: Iterable[Mapping[str, Any]] | None) -> list[list[str]]:
    """Files as pairs of path and entity tag."""
    return [[file["path"], file["etag"]] for file in files or ()]


def _version(manifest: Mapping[str, Any], newest_date: str) -> Said:
    return {
        **{name: manifest[name] for name in _OF_VERSION},
        "newest_date": newest_date,
        "files": pairs(manifest["files"]),
        "load_files": pairs(manifest["load_files"]),
    }
