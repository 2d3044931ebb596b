"""What commands recorded: versions that are published whole, their unchanged dates, passed tests.

One object per command, in a numbered log of its own. Each says all that was recorded since its
checkpoint, and a checkpoint all that was ever recorded, so that reading is two objects whatever the
age. The order is that of the numbers; no clock decides anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from operator import itemgetter
from typing import Any
from uuid import uuid4

from pyspark_dms.versions.numbered import NumberedLog, Outcome

FOLDER = "_commands"
Row = Mapping[str, Any]
# What is recorded of a table, and of all by label, as `Records` has it.
OfTable = Mapping[str, Any]
Tables = Mapping[str, OfTable]


@dataclass(frozen=True)
class Records:
    """What commands recorded so far.

    Attributes:
        number: that of the last command; 0 if none has recorded anything.
        tables: by label. ``published`` are ranges of versions, ``last`` is the one that was
            recorded last, ``dates`` days and ranges of days
            (as 2020-11-13/2020-11-15) by version, ``indexed`` what the last of them had seen of the
            index, with that date, ``passed`` tests with the version and the indexing they had seen.
    """

    number: int = 0
    tables: Tables = field(default_factory=dict)

    def version(self, label: str, version: int) -> dict[str, Any]:
        """What is recorded of a version.

        Returns:
            ``dates``, the unchanged dates that show it, in order, and ``indexed_from`` and
            ``indexed_through``, what they have seen of the index; None: what its manifest says.
        """
        ranges = self._of(label, "dates", {}).get(f"{version}", [])
        seen = self._of(label, "indexed", {}).get(f"{version}", [None, None, ""])
        return {"dates": _days(ranges), "indexed_from": seen[0], "indexed_through": seen[1]}

    def versions(self, label: str) -> dict[int, dict[str, Any]]:
        """What is recorded of each version that was published whole, by its number, in order."""
        return {
            number: self.version(label, number)
            for first, last in self._of(label, "published", [])
            for number in range(first, last + 1)
        }

    def passed(self, label: str, version: int, indexed_at: str | None) -> list[str]:
        """The tests that passed on a version after an indexing."""
        tests: Mapping[str, Any] = self._of(label, "passed", {})
        return sorted(test for test, on in tests.items() if on == [version, indexed_at])

    def last(self, label: str) -> int:
        """The version that a command has published last; 0 if none has.

        It is not the newest one if that was given up, or while a command is late.
        """
        last: int = self._of(label, "last", self.newest(label))
        return last

    def newest(self, label: str) -> int:
        """The newest version that was published whole; 0 if none was."""
        return max((last for _, last in self._of(label, "published", [])), default=0)

    def rows_since(self, before: Records) -> Iterator[dict[str, Any]]:
        """What was recorded after an earlier state, as rows of snapshot_dates.

        There is a row for each version that was published whole since, or has another unchanged
        date or a later look at the index, with those dates only.
        """
        for label, of_table in self.tables.items():
            earlier = before.tables.get(label, {})
            if of_table == earlier:
                continue
            source_name, _, table_name = label.partition(".")
            numbers = {
                int(number)
                for kind in ("dates", "indexed")
                for number, value in of_table.get(kind, {}).items()
                if value != earlier.get(kind, {}).get(number)
            }
            numbers |= {*_numbers(of_table)} - {*_numbers(earlier)}
            for number in sorted(numbers):
                seen = self.version(label, number)
                known = before.version(label, number)["dates"]
                own = {"source_name": source_name, "table_name": table_name, "version": number}
                yield own | seen | {"dates": [day for day in seen["dates"] if day not in known]}

    def tested(self, label: str) -> dict[str, Any]:
        """Which tests need not be run again: what is published has not changed since they passed.

        Returns:
            ``indexed_at``, the last indexing that runs of the table have looked at (None: no run
            has), and ``passed``, the tests that passed after it on the newest published version.
        """
        seen = [one[1] for one in self._of(label, "indexed", {}).values()]
        indexed_at = max(seen, default=None)
        passed = self.passed(label, self.newest(label), indexed_at)
        return {"indexed_at": indexed_at, "passed": passed}

    def _of(self, label: str, kind: str, none: Any) -> Any:
        return self.tables.get(label, {}).get(kind, none)


def read(root: str, number: int | None = None) -> Records:
    """Read what commands recorded: one request for the newest number, and two objects.

    Args:
        root: the folder of the version log.
        number: the last command that counts; None: the newest.

    Raises:
        DmsError: an object is missing or damaged, or the store refuses it.
    """
    log = _log(root)
    number = log.numbers.newest if number is None else number
    return Records(number, _until(log, number))


def newest_number(root: str) -> int:
    """The number of the last command that has recorded something, for one request; 0 for none."""
    return _log(root).numbers.newest


def record(
    root: str, run: str, published: Sequence[Row] = (), passed: Sequence[Row] = ()
) -> int | None:
    """Record what a command has done, behind all that others have recorded.

    Args:
        root: the folder of the version log.
        run: the name of the run, for whoever looks at the object.
        published: rows with ``source_name``, ``table_name``, ``version`` (that is published whole),
            ``dates`` (the unchanged dates that show it) and, if they know more of the index than
            its manifest says, ``indexed_from`` and ``indexed_through``.
        passed: rows with ``source_name``, ``table_name``, ``version``, ``indexed_at``, ``test``.

    Returns:
        The number of the object; None if there was nothing to record.

    Raises:
        DmsError: an object is missing or damaged, or the store refuses one.
    """
    if not published and not passed:
        return None
    own = [*map(_of_published, published), *map(_of_passed, passed)]
    log, token = _log(root), uuid4().hex
    while True:
        number = log.numbers.newest + 1
        is_checkpoint = log.checkpoint_of(number) == number
        before = _until(log, number - 1) if is_checkpoint else _since_checkpoint(log, number - 1)
        said = {"run": run, "tables": fold([before, *own])}
        if log.create(number, said, token) is Outcome.CREATED:
            return number
        log.forget_numbers()


def fold(records: Iterable[Tables]) -> Tables:
    """All that some records say together; those that stand later in the order are later.

    A version has the dates of all of its records. What its dates have seen of the index is that of
    its last date, because a command of an earlier date may end later; the record of an operation
    knows nothing of it. Of tests count those that passed on the newest version: an older one is
    never published again.
    """
    of_tables: dict[str, list[OfTable]] = {}
    for record in records:
        for label, of_table in record.items():
            of_tables.setdefault(label, []).append(of_table)
    return {label: reduce(_both, records) for label, records in of_tables.items()}


def _log(root: str) -> NumberedLog:
    return NumberedLog(f"{root}/{FOLDER}", FOLDER, "Nothing was run.")


def _until(log: NumberedLog, number: int) -> Tables:
    """All that was recorded up to a number; what was given up is missing, and nothing else."""
    if not number:
        return {}
    with ThreadPoolExecutor(2) as readers:
        log.read_at_once({number, log.checkpoint_of(number)}, readers)
    newest = log.newest_counting(number)
    if newest in (0, log.checkpoint_of(newest)):
        return _said(log, newest) if newest else {}
    return fold([_until(log, log.checkpoint_of(newest)), _said(log, newest)])


def _since_checkpoint(log: NumberedLog, number: int) -> Tables:
    """What was recorded up to a number, without its checkpoint and what is older."""
    newest = log.newest_counting(number)
    return _said(log, newest) if newest > log.checkpoint_of(number) else {}


def _said(log: NumberedLog, number: int) -> Tables:
    tables = log.body(number).get("tables")
    if not isinstance(tables, dict):
        raise log.damaged(number, "is damaged (tables)")
    return tables


def _both(earlier: OfTable, later: OfTable) -> OfTable:
    both = dict(earlier)
    if "published" in later:
        both["published"] = _union([*both.get("published", []), *later["published"]])
        both["last"] = later.get("last", later["published"][-1][-1])
    for kind, choose in (("dates", _all_days), ("indexed", _of_last_date), ("passed", _newest)):
        if kind in later:
            known = both.get(kind, {})
            both[kind] = known | {
                key: choose(known[key], value) if key in known else value
                for key, value in later[kind].items()
            }
    if passed := both.get("passed"):
        newest = max(version for version, _ in passed.values())
        both["passed"] = {test: on for test, on in passed.items() if on[0] == newest}
    return both


def _all_days(earlier: Iterable[str], later: Iterable[str]) -> list[str]:
    return _texts(_union([*map(_ordinals, earlier), *map(_ordinals, later)]))


def _of_last_date(earlier: list[Any], later: list[Any]) -> list[Any]:
    return max(later, earlier, key=itemgetter(2))


def _newest(earlier: list[Any], later: list[Any]) -> list[Any]:
    return max(later, earlier, key=itemgetter(0))


def _ordinals(text: str) -> list[int]:
    """A day, or a range of days, as the numbers of its first and last day."""
    first, _, last = text.partition("/")
    return [date.fromisoformat(day).toordinal() for day in (first, last or first)]


def _texts(ranges: Iterable[list[int]]) -> list[str]:
    days = ([f"{date.fromordinal(day)}" for day in one] for one in ranges)
    return [first if first == last else f"{first}/{last}" for first, last in days]


def _union(ranges: Iterable[list[int]]) -> list[list[int]]:
    """Ranges, both ends included, as few of them as there can be."""
    joined: list[list[int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = [joined[-1][0], max(last, joined[-1][1])]
        else:
            joined.append([first, last])
    return joined


def _of_published(row: Row) -> Tables:
    version, dates = row["version"], sorted(row.get("dates") or ())
    of_table: dict[str, Any] = {"published": [[version, version]], "last": version}
    if dates:
        of_table["dates"] = {f"{version}": _all_days(dates, [])}
    if row.get("indexed_through"):
        seen = [row.get("indexed_from"), row["indexed_through"], max(dates, default="")]
        of_table["indexed"] = {f"{version}": seen}
    return {_label(row): of_table}


def _of_passed(row: Row) -> Tables:
    return {_label(row): {"passed": {row["test"]: [row["version"], row["indexed_at"]]}}}


def _numbers(of_table: OfTable) -> Iterator[int]:
    """The versions of a table that were published whole."""
    for first, last in of_table.get("published", []):
        yield from range(first, last + 1)


def _label(row: Row) -> str:
    return f"{row['source_name']}.{row['table_name']}"


def _days(ranges: Iterable[str]) -> list[str]:
    return [
        f"{date.fromordinal(day)}"
        for first, last in map(_ordinals, ranges)
        for day in range(first, last + 1)
    ]
