"""Where a table stands, read from the version log as far as a command asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from pyspark_dms.errors import DmsError
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions import log
from pyspark_dms.versions.feeds import feed_base
from pyspark_dms.versions.lineage import walk
from pyspark_dms.versions.manifest import Known, Manifest, plain
from pyspark_dms.versions.numbered import NumberedLog
from pyspark_dms.versions.recorded import Records
from pyspark_dms.versions.states import Recorded, Shown, TableState, next_fields, table_state

# Rules walk from a version to those before it: so many are read side by side.
_AT_ONCE = 16


def said_of_tables(labels: Iterable[str], say: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """What is said of tables by label, asked side by side; of one it may be an ``error``."""

    def said(label: str) -> dict[str, Any]:
        try:
            return say(label)
        except DmsError as problem:
            return {"error": str(problem)}

    asked = [*labels]
    return dict(zip(asked, side_by_side(said, asked, at_once=32), strict=True))


def read_version(
    numbered: NumberedLog, number: int, fields: Iterable[str], known: Known | None = None
) -> Manifest:
    """A version with some of its long fields.

    Args:
        numbered: the log of its table.
        number: its number.
        fields: the long fields.
        known: see `Manifest.from_json`.

    Raises:
        DmsError: its object is missing, damaged or was given up.
    """
    said = log.read_manifest(numbered, number, fields)
    try:
        read = Manifest.from_json(dict.fromkeys(log.CUMULATIVE) | said, known)
        if read.version != number:
            raise DmsError("E425", f"version is {read.version}")
    except DmsError as problem:
        raise numbered.damaged(number, f"is damaged ({problem.args[1]})") from problem
    return read


class _Read(Mapping[int, Manifest]):
    """The versions of a table by number, each read when it is asked for, with some long fields."""

    def __init__(self, numbered: NumberedLog, fields: tuple[str, ...]) -> None:
        self._log = numbered
        self._fields = fields
        self._read: dict[int, Manifest] = {}
        self._known: Known = {}

    def __getitem__(self, number: int) -> Manifest:
        if number not in self._read:
            if not 1 <= number <= self._log.numbers.newest:
                raise KeyError(number)
            self._read_before(number)
            self._read[number] = read_version(self._log, number, self._fields, self._known)
        return self._read[number]

    def _read_before(self, number: int) -> None:
        """Read a version and those before it, unless it was read with others."""
        if not self._log.has_read(self._objects([number])):
            self._read_at_once(range(max(number - _AT_ONCE, 0) + 1, number + 1))

    def _read_at_once(self, numbers: Iterable[int]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as readers:
            self._log.read_at_once(self._objects(numbers), readers)

    def _objects(self, numbers: Iterable[int]) -> set[int]:
        """The objects that say all of some versions that is asked for."""
        own = {*numbers}
        return own | {*map(self._log.checkpoint_of, own)} if self._fields else own

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int) or not 1 <= number <= self._log.numbers.newest:
            return False
        self._read_before(number)
        return self._log.counts(number)

    def __iter__(self) -> Iterator[int]:
        for number in range(1, len(self) + 1):
            if number % _AT_ONCE == 1:
                self._read_at_once(range(number, min(number + _AT_ONCE, len(self) + 1)))
            if number in self:
                yield number

    def __len__(self) -> int:
        return self._log.numbers.newest


class LoggedVersions(_Read):
    """The versions of a table by number, each read when it is asked for.

    A version that a person has given up is none of them; asking for it raises E425.
    """

    def __init__(self, numbered: NumberedLog) -> None:
        super().__init__(numbered, log.CUMULATIVE)
        self._with: dict[tuple[str, ...], _Read] = {}

    @property
    def newest(self) -> int:
        """The number of the newest version; 0 if there is none."""
        return self._log.newest_counting(self._log.numbers.newest)

    def read_with(self, *fields: str) -> Mapping[int, Manifest]:
        """The same versions with some fields that are long, and no others of these."""
        return self._with.setdefault(fields, _Read(self._log, fields))

    @property
    def next(self) -> int:
        """The number of the version that comes next."""
        return self._log.numbers.newest + 1

    def said(self, number: int) -> dict[str, Any]:
        """A manifest with all that its object says, as JSON has it."""
        return log.read_manifest(self._log, number, log.CUMULATIVE)


class PastVersions(_Read):
    """The versions of a table by number, without what is long in them, for the plan of a run.

    With one are read, side by side, those that its state comes from, and no others.
    """

    def __init__(self, root: str, label: str) -> None:
        not_done = "Nothing of this table was published."
        super().__init__(log.table_log(root, label, not_done), ())

    def _read_before(self, number: int) -> None:
        if self._log.has_read([number]):
            return
        numbers = {number}
        # What was given up when it stood last is in no lineage, and may be back.
        with suppress(KeyError):
            numbers.update(walk(self._links, number))
        self._read_at_once(numbers)

    @cached_property
    def _links(self) -> Mapping[int, Any]:
        """What the newest version says of all: how one leads to another."""
        last = self._log.numbers.newest
        self._read_at_once([last])
        newest = self._log.newest_counting(last)
        return {
            row["version"]: SimpleNamespace(**row) for row in log.read_lineage(self._log, newest)
        }

    def _objects(self, numbers: Iterable[int]) -> set[int]:
        # A version whose checkpoint was given up does not count.
        own = {*numbers}
        return own | {*map(self._log.checkpoint_of, own)}


def logged_versions(root: str, label: str) -> LoggedVersions:
    """The versions of a table in the version log below ``root``."""
    return LoggedVersions(log.table_log(root, label))


def recorded_versions(records: Records, label: str) -> dict[int, Recorded]:
    """What commands recorded of the versions of a table that were published whole."""
    return {
        number: Recorded(tuple(seen["dates"]), seen["indexed_from"], seen["indexed_through"])
        for number, seen in records.versions(label).items()
    }


def read_state(
    versions: LoggedVersions, records: Records, label: str, number: int | None = None
) -> TableState | None:
    """Where a table stands with a version; None if it was never published.

    Args:
        versions: its versions.
        records: what commands recorded.
        label: the table, as ``hr.people``.
        number: the version; None for the newest.

    Raises:
        DmsError: an object of the log is missing or damaged.
    """
    newest = number or versions.newest
    if not newest:
        return None
    return table_state(versions, newest, recorded_versions(records, label), records.last(label))


def said_shown(versions: LoggedVersions, shown: Shown) -> dict[str, Any]:
    """What readers see with a version, as macros have it: whole manifests, and dates."""
    return {
        "newest": said_manifest(versions, shown.newest),
        "current": said_manifest(versions, shown.current),
        "dates": dict(shown.dates),
    }


@dataclass(frozen=True)
class NextVersion:
    """A version that is made of changes, before it is.

    Attributes:
        run_date: its run date.
        version: its number.
        layout, history, change_feed: of the table, as it is declared; see `Table`.
    """

    run_date: str
    version: int
    layout: str
    history: bool
    change_feed: bool


def said_next(
    versions: LoggedVersions, before: Shown | None, coming: NextVersion, base: int | None
) -> dict[str, Any]:
    """What a version has of the state before it, as macros have it.

    Args:
        versions: the versions of the table.
        before: what readers see before it; None at the first.
        coming: the version.
        base: the version that it is built on; None for nothing.

    Returns:
        ``next``, fields of its manifest, as `next_fields` has them; ``feed_base``, the whole
        manifest of the version that its changes in the feed start from.
    """
    newest = before.newest if before else None
    number = feed_base(newest, coming.run_date, base) if coming.change_feed else None
    return {
        "next": plain(next_fields(before, coming.run_date, coming.version, coming)),
        "feed_base": said_manifest(versions, versions[number]) if number else None,
    }


def said_manifest(versions: LoggedVersions, manifest: Manifest) -> dict[str, Any]:
    """A version as macros have it: its manifest, and what else its object says."""
    own = manifest.to_json() | {"has_no_files": manifest.has_no_files}
    return versions.said(manifest.version) | own
