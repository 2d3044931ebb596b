"""The version log: one object per version of a table, its manifest; creating it is the commit.

A manifest has the keys of `SCHEMAS["snapshot_versions"]`, its table and its version. The object
says of long lists only what is new since its checkpoint, so a whole manifest is two objects,
whatever its age. ``lineage`` has what is short of all versions up to this one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.versions.deltas import applied, difference
from pyspark_dms.versions.lineage import generations_of
from pyspark_dms.versions.manifest import has_no_files
from pyspark_dms.versions.metadata import SCHEMAS
from pyspark_dms.versions.numbered import Body, NumberedLog, Outcome
from pyspark_dms.versions.run_versions import base_of_run, said_to_index

Manifest = dict[str, Any]

# What is long and changes little from version to version.
CUMULATIVE = ("partitions", "dates", "staged", "feed_dates", "load_files", "declarations")
# What of it a run asks of a table that does not change.
HEAD = ("partitions", "load_files")
# What each object records of all versions, so that rules about them need no other manifest.
LINEAGE = (
    "version", "action", "run_date", "current_version", "restored_version", "base_version",
    "generation", "shards", "last_file_seq", "feed_location", "finished_at", "file_count",
)  # fmt: skip
_KEYS = tuple(SCHEMAS["snapshot_versions"].names)
_LISTS = ("shards", "files", "excluded_files", "included_files", *HEAD)
# A shorter one is written whole: it costs less than to read a second object.
_WHOLE_BYTES = 1000
# Reading waits on the network more than it computes.
_AT_ONCE = 32


@dataclass(frozen=True)
class Wanted:
    """What to read of a table.

    Attributes:
        run_date: the date of a run that needs the newest version, the one that is current with it
            and the one that it starts from. Dates, staged folders and declarations are left out:
            only a table that changes needs them. None: not wanted.
        full_refresh: whether that run builds the table from nothing.
        shards: name and path of each of several folders that the table is declared with.
        declared_as: whether those say the declaration that they were made under.
        versions: numbers of versions to read.
        after: whether to read all that count and are newer than this one. None: not wanted.
        fields: which long fields these versions have; without any, each is one object.
        lineage: whether to read `LINEAGE` of all versions, in one or two objects.
    """

    run_date: str | None = None
    full_refresh: bool = False
    shards: tuple[tuple[str, str], ...] = ()
    declared_as: bool = False
    versions: tuple[int, ...] = ()
    after: int | None = None
    fields: tuple[str, ...] = CUMULATIVE
    lineage: bool = False


@dataclass(frozen=True)
class TableVersions:
    """What was read of a table.

    Attributes:
        newest: the number of the newest version that counts; 0 if there is none.
        next: the number of the version that comes next.
        known: manifests by ``newest``, ``current`` and ``base``; None where there is none.
        index: what the index asks of them; see `run_versions.said_to_index`.
        manifests: those by version that were asked for.
        lineage: of all versions that count, oldest first.
    """

    newest: int
    next: int
    known: Mapping[str, Manifest | None] = field(default_factory=dict)
    index: Mapping[str, Any] = field(default_factory=dict)
    manifests: Mapping[int, Manifest] = field(default_factory=dict)
    lineage: tuple[Manifest, ...] = ()


def tables(root: str) -> list[str]:
    """The labels of the tables that have versions, in order.

    Raises:
        RefusedObject: the store does not list them.
    """
    return [name for name in stores.folders_in(root) if not name.startswith("_")]


def read(root: str, wanted: Mapping[str, Wanted]) -> dict[str, TableVersions | DmsError]:
    """Read tables of a version log side by side, each in as few requests as it takes.

    The newest number is one request. What a run needs of an unchanged table is one object more; of
    one with long lists two. A whole manifest is two objects.

    Args:
        root: the folder of the log.
        wanted: what to read, by the labels of the tables.

    Returns:
        What was read by label or, where an object is damaged or the store refuses it, the error.
    """
    with ThreadPoolExecutor(_AT_ONCE) as tables, ThreadPoolExecutor(_AT_ONCE) as objects:

        def read_table(label: str) -> TableVersions | DmsError:
            try:
                return _read_table(table_log(root, label), wanted[label], objects)
            except DmsError as problem:
                return problem

        return dict(zip(wanted, tables.map(read_table, wanted), strict=True))


def nothing(wanted: Wanted) -> TableVersions:
    """What is read of a table where there is no log yet."""
    known = dict.fromkeys(("newest", "current", "base")) if wanted.run_date else {}
    return TableVersions(0, 1, known, said_to_index(None, None, None, ()))


def create(
    root: str, manifest: Mapping[str, Any], token: str, log: NumberedLog | None = None
) -> Outcome:
    """Commit a version: create its object, unless another command has taken its number.

    Args:
        root: the folder of the log.
        manifest: the whole one, with the table and the number, as `TableVersions.next` has it. Keys
            that are none of a manifest are left out.
        token: what no other command has, such as dbt's ``invocation_id``: a command that does not
            know whether it has committed may try again with it.
        log: that of the table, if something was read of it.

    Raises:
        DmsError: the version before is missing, or an object that the new one builds on is damaged.
        RefusedObject: the store does not take it, or cannot say whether it has.
    """
    number = manifest["version"]
    log = log or table_log(root, f"{manifest['source_name']}.{manifest['table_name']}")
    checkpoint, lineage = None, []
    whole = dict(manifest)
    if number > 1:
        with ThreadPoolExecutor(2) as readers:
            log.read_at_once((number - 1, log.checkpoint_of(number - 1)), readers)
        if before := log.newest_counting(number - 1):
            lineage = _long(log, before, "lineage")
        if (whole_one := log.checkpoint_of(number)) != number and log.counts(whole_one):
            checkpoint = log.body(whole_one)
    said = packed(whole, checkpoint, [*lineage, lineage_row(whole)])
    return log.create(number, said, token)


def lineage_row(manifest: Body) -> list[Any]:
    """The values of `LINEAGE` of a version."""
    own = {**manifest, "file_count": len(manifest.get("files") or ())}
    return [own.get(key) for key in LINEAGE]


def table_log(
    root: str, label: str, not_done: str = "Nothing was done with this table."
) -> NumberedLog:
    """The numbered log of a table."""
    return NumberedLog(f"{root}/{label}", label, not_done)


def _read_table(log: NumberedLog, wanted: Wanted, readers: ThreadPoolExecutor) -> TableVersions:
    last = log.numbers.newest
    after = wanted.after
    numbers = [*wanted.versions] if after is None else [*range(after + 1, last + 1)]
    objects = {last, *numbers} - {0}
    if wanted.fields:
        objects |= {log.checkpoint_of(number) for number in numbers}
    log.read_at_once(objects, readers)
    newest = log.newest_counting(last)
    if after is not None:
        numbers = [number for number in numbers if log.counts(number)]
    known = _known(log, newest, wanted)
    return TableVersions(
        newest,
        next=last + 1,
        known=known,
        index=said_to_index(**known, readded=_readded(log, known, wanted)) if known else {},
        manifests={number: read_manifest(log, number, wanted.fields) for number in numbers},
        lineage=tuple(read_lineage(log, newest)) if wanted.lineage and newest else (),
    )


def _known(log: NumberedLog, newest: int, wanted: Wanted) -> dict[str, Manifest | None]:
    if wanted.run_date is None:
        return {}
    known: dict[str, Manifest | None] = dict.fromkeys(("newest", "current", "base"))
    fields = (*HEAD, "declarations") if wanted.declared_as else HEAD
    if not newest:
        return known
    number = log.number_in(newest, "current_version") or newest
    known["newest"] = read_manifest(log, newest, fields)
    known["current"] = current = read_manifest(log, number, fields, newest)
    its_base = log.number_in(number, "base_version")
    base = base_of_run(
        number, its_base, current["run_date"], wanted.run_date, full_refresh=wanted.full_refresh
    )
    if base:
        known["base"] = current if base == number else read_manifest(log, base, fields, number)
    return known


def _readded(
    log: NumberedLog, known: Mapping[str, Manifest | None], wanted: Wanted
) -> list[Mapping[str, str]]:
    """The full load files of folders that are declared again, as they were when they were left."""
    newest, current = known["newest"], known["current"]
    there = {shard["name"] for shard in (current["shards"] if current else None) or ()}
    again = [one for one in wanted.shards if there and one[0] not in there]
    files: list[Mapping[str, str]] = []
    lineage = read_lineage(log, newest["version"]) if newest and again else []
    for name, path in again:
        had = (
            row["version"]
            for row in reversed(lineage)
            if any(shard["name"] == name for shard in row["shards"] or ())
        )
        last = next((number for number in had if log.counts(number)), None)
        loads = _long(log, last, "load_files") if last else []
        files += [file for file in loads if file["path"].startswith(path)]
    return files


def read_lineage(log: NumberedLog, number: int) -> list[Manifest]:
    """`LINEAGE` of the versions up to one, oldest first."""
    try:
        return [dict(zip(LINEAGE, row, strict=True)) for row in _long(log, number, "lineage")]
    except (TypeError, ValueError) as problem:
        raise log.damaged(number, "is damaged (lineage)") from problem


def read_manifest(
    log: NumberedLog, number: int, fields: Iterable[str], needed_by: int | None = None
) -> Manifest:
    """A manifest as SQL reads it from `snapshot_versions`, with some of its long fields.

    Beside that what follows from it: ``generations`` (see `live_generations`) and ``has_no_files``.
    """
    body = log.body(number, needed_by)
    manifest: Manifest = {key: body.get(key) for key in _KEYS if key not in CUMULATIVE}
    manifest |= {name: _long(log, number, name) for name in fields}
    declarations = manifest.get("declarations") or {}
    manifest |= {name: [] for name in _LISTS if name in manifest and manifest[name] is None}
    shards = [shard["generation"] for shard in manifest["shards"] or ()]
    return manifest | {
        "generations": generations_of(manifest["generation"], shards),
        "has_no_files": has_no_files(manifest["rows_after"], manifest["indexed_through"]),
        "last_date": body.get("last_date"),
        "declared_as": declarations.get(manifest["fingerprint"]),
    }


def packed(manifest: Body, checkpoint: Body | None, lineage: Sequence[Any]) -> Body:
    """What the object of a manifest says: of long fields only what is new since its checkpoint.

    Args:
        manifest: the whole one.
        checkpoint: what the object of its checkpoint says; None if it is one itself.
        lineage: rows of the versions up to this one.
    """
    # Who has committed it stands in the object itself.
    said = {key: manifest.get(key) for key in _KEYS if key != "commit_id"}
    said["last_date"] = max((shown["run_date"] for shown in said["dates"] or ()), default=None)
    said["lineage"] = lineage
    if checkpoint is None:
        return said
    new: dict[str, Any] = {}
    for name in (*CUMULATIVE, "lineage"):
        size = len(json.dumps(said[name]))
        if size < _WHOLE_BYTES:
            continue
        steps = difference(_entries(checkpoint.get(name)), _entries(said[name]))
        if 2 * len(json.dumps(steps)) < size:
            new[name] = steps
            del said[name]
    return said | {"from": checkpoint["number"], "new": new} if new else said


def _long(log: NumberedLog, number: int, name: str) -> Any:
    """A long field of a version, whole."""
    body = log.body(number)
    try:
        if name not in body.get("new", {}):
            return body[name]
        entries = applied(_entries(log.body(body["from"], number)[name]), body["new"][name])
        return dict(entries) if name == "declarations" else entries
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise log.damaged(number, f"is damaged ({name})") from problem


def _entries(value: Any) -> list[Any]:
    """A list or a map as a list; those of a map are pairs."""
    return [*value.items()] if isinstance(value, Mapping) else [*(value or ())]
