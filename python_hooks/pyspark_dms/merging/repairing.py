"""Brings the files of published versions back to what the version history says of them.

A folder that only has files more loses these. The rows of any other folder that was changed are
built again from staged changes, in a folder of their own, and written under the names that the
manifests have: so each date, and each version to go back to or to build on, is as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.merging.lake_rows import Part, chunks, open_part, parts_of, schema_of
from pyspark_dms.reading.columns import Column, parse_column
from pyspark_dms.reading.output import writing
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions.written_files import (
    RecordedFolder,
    differences,
    names_below,
    parse_folder,
)

REPORT_SCHEMA = pa.schema(
    [
        ("location", pa.string()),
        ("partition", pa.string()),
        ("action", pa.string()),
        ("version", pa.int32()),
        ("is_shown", pa.bool_()),
        ("files", pa.list_(pa.string())),
        ("rows", pa.int64()),
        ("more", pa.list_(pa.string())),
        ("missing", pa.list_(pa.string())),
        ("versions", pa.list_(pa.int32())),
    ]
)


@dataclass(frozen=True)
class PublishedFolder:
    """A folder of the version history.

    Attributes:
        recorded: its partition and files.
        rows: how many it had when it was written.
        versions: the numbers of the versions that have it.
    """

    recorded: RecordedFolder
    rows: int
    versions: frozenset[int]


@dataclass(frozen=True)
class FoundFolder:
    """What a folder has: all names, and the rows of recorded files (None: one is unreadable)."""

    names: tuple[str, ...]
    rows: int | None


def plan_repairs(
    folders: Iterable[tuple[PublishedFolder, FoundFolder]],
    shown: frozenset[int],
    buildable: frozenset[int],
) -> Iterator[dict[str, Any]]:
    """Decide what is to be done about each folder that is not as it was written.

    Args:
        folders: the folders of all versions.
        shown: the versions that readers see, and those that a run builds on.
        buildable: the versions that have all that they were built from in their manifest.

    Returns:
        Rows of `REPORT_SCHEMA`. ``action`` is ``delete`` (of the files more), ``build`` (from the
        staged changes of the version), ``backfill`` (of the dates that show the version) or
        ``leave`` (nothing shows it, and nothing can build it).
    """
    for folder, found in folders:
        is_shown = bool(folder.versions & shown)
        if not found.names and not is_shown:
            # Vacuum has deleted it.
            continue
        differing = differences(folder.recorded.names, found.names)
        is_whole = not differing.missing and found.rows == folder.rows
        if is_whole and not differing.more:
            continue
        able = folder.versions & buildable
        if is_whole:
            action = "delete"
        elif able:
            action = "build"
        else:
            action = "backfill" if is_shown else "leave"
        # Of versions that are shown the newest has most of the folders, so few are built.
        version = max(able & shown or able or folder.versions)
        yield {
            "location": folder.recorded.location,
            "partition": folder.recorded.partition,
            "action": action,
            "version": version,
            "is_shown": is_shown,
            "files": folder.recorded.names,
            "rows": folder.rows,
            "more": differing.more,
            "missing": differing.missing,
            "versions": sorted(folder.versions),
        }


def repair(job: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
    """Restore folders if the job has ``columns``, and say otherwise what is to be done.

    Args:
        job: that of `restore` or of `look`.
    """
    return restore(job) if "columns" in job else look(job)


def look(job: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
    """Report what is to be done, as `REPORT_SCHEMA`.

    Args:
        job: ``folders`` (partitions with ``rows`` and ``versions``), ``shown`` and ``buildable``.
    """
    folders = [
        PublishedFolder(parse_folder(one), one["rows"], frozenset(one["versions"]))
        for one in job["folders"]
    ]
    found = side_by_side(_find, [folder.recorded for folder in folders])
    pairs = zip(folders, found, strict=True)
    yield _report(plan_repairs(pairs, frozenset(job["shown"]), frozenset(job["buildable"])))


def restore(job: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
    """Make some folders what the manifests say, and report what was there.

    Args:
        job: ``table``, ``columns`` (lists of name and type) and ``folders``: partitions with
            ``rows`` and ``built``, the folder of the rows that were built again, or None if only
            files more are to be deleted.

    Raises:
        RefusedObject: the store did not delete, read or write a file.
        DmsError: a folder is not as recorded afterwards.
    """
    columns = [parse_column(*column) for column in job["columns"]]
    for one in job["folders"]:
        folder = parse_folder(one)
        deleted = _restore(folder, one["rows"], one["built"], columns)
        found = _find(folder)
        if found.rows != one["rows"] or differences(folder.names, found.names):
            raise DmsError(
                "E424",
                f"{job['table']}: {folder.location} has {found.rows} rows after it was restored, "
                f"and {one['rows']} are recorded. Its earlier files are deleted. Does something "
                "else write there? Then give the command again.",
            )
        yield _report([{"location": folder.location, "rows": found.rows, "more": deleted}])


def _report(rows: Iterable[Mapping[str, Any]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([*rows], schema=REPORT_SCHEMA)


def _find(folder: RecordedFolder) -> FoundFolder:
    files = stores.data_files(folder.location)
    names = names_below(folder.location, files)
    counted = [file for name, file in zip(names, files, strict=True) if name in folder.names]
    try:
        rows = sum(open_part(Part(one.path, one.size)).metadata.num_rows for one in counted)
    except (pa.ArrowException, OSError):
        return FoundFolder(tuple(names), None)
    return FoundFolder(tuple(names), rows)


def _restore(
    folder: RecordedFolder, row_count: int, built: str | None, columns: Sequence[Column]
) -> list[str]:
    """Delete what is more, or all, and write what was built; returns the deleted names."""
    files = stores.data_files(folder.location)
    names = names_below(folder.location, files)
    kept = folder.names if built is None else ()
    gone = [name for name in names if name not in kept]
    # First all goes: until the last file is written, names are missing, and no run builds on it.
    address = stores.folder_address(folder.location)
    # On a local disk Hadoop would compare a file with the checksum of the one before it.
    ours = {*gone, *folder.names}.difference(kept) if "://" not in address else set[str]()
    checksums = [f".{name}.crc" for name in sorted(ours)]
    if refused := stores.delete_objects([f"{address}{name}" for name in [*gone, *checksums]]):
        raise refused[0]
    if built is not None:
        _write(built, address, folder.names, row_count, columns)
    return gone


def _write(
    built: str, address: str, names: Sequence[str], row_count: int, columns: Sequence[Column]
) -> None:
    """Write the rows of a folder to files of these names, about as many to each."""
    of_file = -(-row_count // len(names))
    rows = chunks(parts_of(built), columns)
    for name in names:
        written = 0
        with writing(f"{address}{name}", schema_of(columns)) as output:
            # The last one takes what is left.
            while written < of_file or name == names[-1]:
                some = next(rows, None)
                if some is None:
                    break
                output.write(some)
                written += some.num_rows
