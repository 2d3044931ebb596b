"""Manifests with few words: what a test does not say has a value that is right for a merge."""

from __future__ import annotations

from typing import Any

from pyspark_dms.versions.manifest import FileRef, Manifest, Partition, Shard, ShownDate
from pyspark_dms.versions.states import Table

PEOPLE = Table("hr.people", "dates", True, False, "dbt run --full-refresh")


def day(number: int) -> str:
    """A date of November 2020."""
    return f"2020-11-{number:02}"


def files(names: str) -> tuple[FileRef, ...]:
    """Files by their names, as ``a b``; another upload of a file is ``a.2``."""
    refs = []
    for name in names.split():
        path, _, upload = name.partition(".")
        refs.append(FileRef(path, upload or "1"))
    return tuple(refs)


def names(refs: tuple[FileRef, ...]) -> str:
    """The opposite of `files`, in the order of names."""
    return " ".join(sorted(ref.path + ("" if ref.etag == "1" else f".{ref.etag}") for ref in refs))


def manifest(
    version: int,
    *,
    on: int | None = None,
    of: int | None = None,
    date: int = 13,
    applied: str = "",
    excluded: str = "",
    included: str = "",
    dates: dict[int, int] | None = None,
    shards: dict[str, int] | None = None,
    **fields: Any,
) -> Manifest:
    """A version.

    Args:
        version: its number.
        on: the version it was built on.
        of: the version that it restores.
        date: its run date, a day of the month.
        applied, excluded, included: files, as `files` reads them.
        dates: the version of each day that readers see with it; by default its own day.
        shards: the load generation of each folder.
        fields: other fields of `Manifest`.
    """
    shown = {date: version} if dates is None else dates
    return Manifest(
        **{
            "version": version,
            "action": "build" if on is None else "merge",
            "run_date": day(date),
            "current_version": version,
            "restored_version": of,
            "base_version": on,
            "root": "lake/people",
            "layout": "dates",
            "fingerprint": "1",
            "declarations": {"1": "{}"},
            "generation": 1,
            "last_file_seq": 0,
            "shards": tuple(Shard(*one, 0) for one in (shards or {}).items()),
            "indexed_from": None,
            "indexed_through": None,
            "partitions": (Partition(None, f"lake/people/{version}", version, ("0.parquet",)),),
            "dates": tuple(ShownDate(day(one), shown[one]) for one in sorted(shown)),
            "staged": (),
            "feed_location": None,
            "feed_dates": None,
            "files": files(applied),
            "load_files": (),
            "excluded_files": files(excluded),
            "included_files": files(included),
            "rows_before": 0,
            "rows_inserted": 0,
            "rows_updated": 0,
            "rows_deleted": 0,
            "rows_after": version,
            "run": f"run {version}",
            "started_at": f"2020-12-{version:02} 06:00:00.000000",
            "finished_at": f"2020-12-{version:02} 06:10:00.000000",
            **fields,
        }
    )


def by_number(*manifests: Manifest) -> dict[int, Manifest]:
    """The versions of a table."""
    return {one.version: one for one in manifests}
