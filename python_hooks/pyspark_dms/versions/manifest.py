"""The manifest of a version: what is in it, and what it builds on.

Dates are text as YYYY-MM-DD, moments of the index are names of runs (20201113T060000000000Z), other
moments are text in UTC. What a manifest says never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from types import NoneType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from pyspark_dms.errors import DmsError

ALTER = "alter"
# What a run makes of a table.
OF_RUNS = ("build", "merge", ALTER)
BACKFILL = "backfill"
REAPPLY = "reapply"
REPLAY = "replay"
ROLLBACKS = ("rollback", "rollback_to")
VACUUM = "vacuum"


# Entries of lists that were read, by what read them and their identity, each with its source.
Known = dict[tuple[Any, int], tuple[Any, Any]]


@dataclass(frozen=True)
class FileRef:
    """An upload of a file: its path and its entity tag."""

    path: str
    etag: str


@dataclass(frozen=True)
class Partition:
    """A folder of rows.

    Attributes:
        partition: the value of ``partition_date``; None for the whole table.
        location: the folder.
        rows: how many.
        files: names of its files, relative to it; None where a manifest of before does not say.
    """

    partition: str | None
    location: str
    rows: int
    files: tuple[str, ...] | None


@dataclass(frozen=True)
class ShownDate:
    """A date, and the version that readers see for it."""

    run_date: str
    version: int


@dataclass(frozen=True)
class StagedFolder:
    """What a run has staged: its changes, the report of its files, its rejects (None: none).

    `fingerprint` names the declaration that the files were read under.
    """

    run_date: str
    folder: str
    report: str
    rejects: str | None
    fingerprint: str


@dataclass(frozen=True)
class Shard:
    """Where one of several folders of a table stands: its load generation, and its last file."""

    name: str
    generation: int
    last_file_seq: int


class Linked(Protocol):
    """What a version says of the versions it comes from; see `Manifest`."""

    @property
    def current_version(self) -> int: ...
    @property
    def restored_version(self) -> int | None: ...
    @property
    def base_version(self) -> int | None: ...


class Step(Linked, Protocol):
    """A version without what is long in it: enough to walk from one to another."""

    @property
    def version(self) -> int: ...
    @property
    def action(self) -> str: ...
    @property
    def run_date(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def feed_location(self) -> str | None: ...
    @property
    def files(self) -> tuple[FileRef, ...]: ...
    @property
    def excluded_files(self) -> tuple[FileRef, ...]: ...
    @property
    def included_files(self) -> tuple[FileRef, ...]: ...
    @property
    def rows_before(self) -> int: ...
    @property
    def rows_inserted(self) -> int: ...
    @property
    def rows_updated(self) -> int: ...
    @property
    def rows_deleted(self) -> int: ...
    @property
    def rows_after(self) -> int: ...
    @property
    def started_at(self) -> str: ...
    @property
    def finished_at(self) -> str | None: ...


@dataclass(frozen=True)
class Manifest:
    """A version of a table.

    Attributes:
        version: its number, from 1.
        action: what made it: build, merge, alter, or the name of an operation.
        run_date: the date whose end its state is of.
        current_version: the version whose state is the current one with it; itself, except where
            it only adds an earlier date.
        restored_version: the version whose state it takes again; None if it was made of changes.
        base_version: the version it was built on; None for none.
        root: the folder of the table.
        layout: how the table was declared to be divided.
        fingerprint: names the declaration it was made under.
        declarations: what the fingerprints of it and of its staged folders stand for, as JSON.
        generation: the load generation that it stands on.
        last_file_seq: the place of the last file applied in that generation.
        shards: of a table with several folders where each of them stands.
        indexed_from, indexed_through: what its run has looked at of the index.
        partitions: its rows.
        dates: all dates that readers see with it, but those that show it unchanged.
        staged: the folders that its state can be built from.
        feed_location: the changes that it brought; None for none.
        feed_dates: the dates of the change feed; None without one.
        files: what it applied itself.
        load_files: the full load files that its state was built from.
        excluded_files: what no run takes, because it was rolled back.
        included_files: what was excluded and is taken again.
        rows_before, rows_inserted, rows_updated, rows_deleted, rows_after: rows.
        run: the run that made it.
        started_at, finished_at: when that was; not finished before it is committed.
    """

    version: int
    action: str
    run_date: str
    current_version: int
    restored_version: int | None
    base_version: int | None
    root: str
    layout: str
    fingerprint: str
    declarations: Mapping[str, str] = field(repr=False)
    generation: int
    last_file_seq: int
    shards: tuple[Shard, ...]
    indexed_from: str | None
    indexed_through: str | None
    partitions: tuple[Partition, ...]
    dates: tuple[ShownDate, ...]
    staged: tuple[StagedFolder, ...]
    feed_location: str | None
    feed_dates: tuple[ShownDate, ...] | None
    files: tuple[FileRef, ...]
    load_files: tuple[FileRef, ...]
    excluded_files: tuple[FileRef, ...]
    included_files: tuple[FileRef, ...]
    rows_before: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    rows_after: int
    run: str
    started_at: str
    finished_at: str | None

    @classmethod
    def from_json(cls, values: Mapping[str, Any], known: Known | None = None) -> Manifest:
        """Read a manifest from a dictionary, as JSON has it; what has no field is left out.

        An empty list may be None, except `feed_dates`.

        Args:
            values: the dictionary.
            known: where the entries of lists are kept that were read; one that is in the lists of
                a thousand manifests is then read once.

        Raises:
            DmsError: a field is missing or of another type, or it points to no earlier version.
        """
        manifest: Manifest = _record(cls, values, "", {} if known is None else known)
        if not 1 <= manifest.current_version <= manifest.version:
            raise _not_earlier(manifest, "current_version")
        if any(shown.version > manifest.version for shown in manifest.dates):
            raise DmsError("E425", f"dates of version {manifest.version} show a later one")
        for name in ("restored_version", "base_version"):
            earlier = getattr(manifest, name)
            if earlier is not None and not 1 <= earlier < manifest.version:
                raise _not_earlier(manifest, name)
        return manifest

    @property
    def has_no_files(self) -> bool:
        """Whether it was made of nothing, so that it can be read under any declaration."""
        return has_no_files(self.rows_after, self.indexed_through)

    def to_json(self) -> dict[str, Any]:
        """The dictionary that `from_json` reads: plain values, lists and dictionaries."""
        fields: dict[str, Any] = plain(self)
        return fields


def has_no_files(rows_after: int, indexed_through: str | None) -> bool:
    """Whether a version was made of nothing."""
    return not rows_after and not indexed_through


def shown(dates: Mapping[str, int]) -> tuple[ShownDate, ...]:
    """Dates with the versions that they show, as a manifest has them."""
    return tuple(ShownDate(date, version) for date, version in sorted(dates.items()))


def plain(value: Any) -> Any:
    """What is in a manifest as JSON has it: plain values, lists and dictionaries."""
    if is_dataclass(value):
        return {name: plain(one) for name, one in vars(value).items()}
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return {key: plain(one) for key, one in value.items()} if isinstance(value, Mapping) else value


# ------------------------------------------------------------------------------ reading

_Reader = Callable[[Any, str, Known], Any]
_Record = TypeVar("_Record")
_KINDS = {str: "a text", int: "a whole number"}


def _record(cls: Callable[..., _Record], values: Any, place: str, known: Known) -> _Record:
    """Read a dataclass; `place` says where it is, as ``partitions[2].``."""
    if not isinstance(values, Mapping):
        raise _wrong(place.rstrip(".") or "the manifest", values, "an object")
    missing = [name for name, _ in _readers(cls) if name not in values]
    if missing:
        raise DmsError("E425", f"{place}{missing[0]} is missing")
    return cls(**{name: read(values[name], place + name, known) for name, read in _readers(cls)})


@lru_cache
def _readers(cls: Any) -> tuple[tuple[str, _Reader], ...]:
    """The fields of a dataclass, each with what reads its type."""
    types = get_type_hints(cls)
    return tuple((one.name, _reader(types[one.name])) for one in fields(cls))


def _reader(wanted: Any) -> _Reader:
    origin, inner = get_origin(wanted), get_args(wanted)
    if NoneType in inner:
        read_some = _reader(Union[tuple(one for one in inner if one is not NoneType)])  # noqa: UP007
        return lambda value, place, known: None if value is None else read_some(value, place, known)
    if origin is tuple:
        read_one = _reader(inner[0])
        return lambda value, place, known: _many(value, place, read_one, known)
    if origin is not None:
        return lambda value, place, known: _texts(value, place)
    if isinstance(wanted, type) and is_dataclass(wanted):
        return lambda value, place, known: _record(wanted, value, f"{place}.", known)
    return lambda value, place, known: _scalar(value, place, wanted)


def _many(value: Any, place: str, read_one: _Reader, known: Known) -> tuple[Any, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise _wrong(place, value, "a list")
    entries = []
    for number, one in enumerate(value):
        if (key := (read_one, id(one))) not in known:
            known[key] = (one, read_one(one, f"{place}[{number}]", known))
        entries.append(known[key][1])
    return tuple(entries)


def _texts(value: Any, place: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(place, value, "an object")
    return {_scalar(key, place, str): _scalar(value[key], f"{place}.{key}", str) for key in value}


def _scalar(value: Any, place: str, wanted: type) -> Any:
    # True is a number in Python, and in no manifest.
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise _wrong(place, value, _KINDS[wanted])
    return value


def _wrong(place: str, value: Any, wanted: str) -> DmsError:
    return DmsError("E425", f"{place} is {value!r:.60}, which is not {wanted}")


def _not_earlier(manifest: Manifest, name: str) -> DmsError:
    return DmsError(
        "E425", f"{name} of version {manifest.version} is {getattr(manifest, name)}, no earlier one"
    )
