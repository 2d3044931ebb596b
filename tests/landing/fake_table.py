"""A table without Spark: a landing area in memory, runs that list and plan it, versions of them.

people = FakeTable()
people.write_load((1, "Ann"))
people.write_changes("20201114-100000000", ("U", 1, "Anna"))
people.run("2020-11-14")
assert people.rows == [(1, "Anna")]
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pyspark_dms.landing.events import FileKey, ListedFolder, ListedObject, ObjectEvent, Run, end_of
from pyspark_dms.landing.facts import FilePlan, TableFacts, Version
from pyspark_dms.landing.file_names import classify, classify_transactions
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.objects import decide
from pyspark_dms.landing.planning import plan_files
from pyspark_dms.landing.stray_events import ignore_missing
from pyspark_dms.versions.manifest import FileRef, Manifest
from tests.versions.made import manifest

Row = tuple[Any, ...]
ROOT = "s3://dms/hr/people/"
TRANSACTIONS = "s3://dms/transactions/"
RUN_COMMAND = "dbt run --select +people_snapshot"
ALLOW_MISSING = f"{RUN_COMMAND} --vars '{{allow_missing_files: [hr.people]}}'"
REBUILD_COMMAND = f"{RUN_COMMAND} --full-refresh"
# Later than all dates that runs are for, as a backlog of files is seen.
FIRST_MOMENT = datetime(2026, 1, 1, 6, tzinfo=UTC)
_Staged = tuple[IndexedFile, tuple[Row, ...]]


@dataclass
class StoredFile:
    """What the store has: rows (None: it cannot be read) and the time it was written."""

    rows: tuple[Row, ...] | None
    modified_at: datetime
    etag: str


class History(dict[int, Manifest]):
    """Versions by number that know whether one was asked for."""

    is_asked = False

    def __getitem__(self, number: int) -> Manifest:
        self.is_asked = True
        return super().__getitem__(number)


@dataclass(frozen=True)
class Committed:
    """A version of the version history.

    Attributes:
        line: the files that its state was built from, oldest first, with their rows.
        staged: those of them that it applied itself.
    """

    version: int
    run_date: date
    action: str
    generation: int
    last_file_seq: int
    base_version: int | None
    restored_version: int | None
    indexed_from: datetime | None
    indexed_through: datetime | None
    line: tuple[_Staged, ...]
    staged: tuple[_Staged, ...]

    @property
    def files(self) -> frozenset[FileKey]:
        return frozenset((file.path, file.etag) for file, _ in self.staged)

    @property
    def rows(self) -> list[Row]:
        return replayed(self.line)


@dataclass
class Ran:
    """How a run ended.

    Attributes:
        plan: what was planned.
        error: why the table failed; empty if it did not.
        said: the warnings, as text.
        asked_history: whether the plan needed the files of earlier versions.
    """

    plan: FilePlan
    error: str
    said: str
    asked_history: bool
    events: list[ObjectEvent] = field(default_factory=list)


def replayed(line: Iterable[_Staged]) -> list[Row]:
    """The rows of files: of each path the upload that was staged last, in their order."""
    newest: dict[str, _Staged] = {}
    for file, rows in line:
        newest[file.path] = (file, rows)
    state: dict[Any, Row] = {}
    for file, rows in sorted(newest.values(), key=lambda one: (one[0].file_seq, one[0].path)):
        for row in rows:
            if file.kind == "load":
                state[row[0]] = row
            elif row[0] == "D":
                state.pop(row[1], None)
            else:
                state[row[1]] = row[1:]
    return [state[key] for key in sorted(state)]


class FakeTable:
    """A declared table, its files, what the index has of them, and its versions."""

    def __init__(self, **facts: Any) -> None:
        self.path: str = facts.pop("path", ROOT)
        self.facts = facts
        self.files: dict[str, StoredFile] = {}
        self.events: list[ObjectEvent] = []
        self.versions: list[Committed] = []
        self.unchanged: dict[int, tuple[date, datetime | None, datetime | None]] = {}
        self.dates: dict[str, list[Row]] = {}
        self.excluded: frozenset[FileKey] = frozenset()
        self.included: frozenset[FileKey] = frozenset()
        self.now = FIRST_MOMENT
        self.listed_after: str | None = None
        self.listing_problem: str | None = None
        self.shift = timedelta()
        # Whether runs are given allow_missing_files.
        self.allows_missing = False

    # ------------------------------------------------------------- the landing area

    def write(self, path: str, rows: tuple[Row, ...] | None, at: datetime | None = None) -> str:
        """Write a file as an object store has it: the same content has the same entity tag."""
        self.now += timedelta(minutes=1)
        etag = hashlib.md5(repr(rows).encode()).hexdigest()[:8]
        self.files[path] = StoredFile(rows, at or self.now, etag)
        return path

    def write_load(
        self,
        *rows: Row,
        name: str = "LOAD00000001.parquet",
        at: datetime | None = None,
        broken: bool = False,
        folder: str | None = None,
    ) -> str:
        return self.write((folder or self.path) + name, None if broken else rows, at)

    def write_changes(
        self,
        name: str,
        *rows: Row,
        at: datetime | None = None,
        broken: bool = False,
        folder: str | None = None,
    ) -> str:
        path = f"{folder or self.path}{name}.parquet"
        return self.write(path, None if broken else rows, at)

    def touch(self, path: str) -> None:
        """Write a file again as it was."""
        self.write(path, self.files[path].rows)

    def remove(self, *paths: str) -> list[tuple[str, StoredFile]]:
        return [(path, self.files.pop(path)) for path in paths]

    def put_back(self, removed: list[tuple[str, StoredFile]], later: bool = True) -> None:
        """Put files back as they were; a store gives them a new time."""
        for path, stored in removed:
            self.now += timedelta(minutes=1)
            stored = replace(stored, modified_at=self.now) if later else stored
            self.files[path] = stored

    def move(self, path: str, to: str, at: datetime | None = None) -> None:
        stored = self.files.pop(path)
        self.now += timedelta(minutes=1)
        self.files[to] = replace(stored, modified_at=at or self.now)

    # ------------------------------------------------------------------------- runs

    def list_folders(self) -> tuple[list[ListedObject], list[ListedFolder]]:
        """What a listing of the table's folders finds."""
        folders = [self.path]
        if transactions := self.facts.get("transaction_path"):
            folders.append(transactions)
        listed, objects = [], []
        for folder in folders:
            found = [path for path in self.files if path.startswith(folder)]
            if folder == self.path and self.listed_after is not None:
                found = [path for path in found if path > self.listed_after]
            after = self.listed_after if folder == self.path else None
            problem = self.listing_problem if folder == folders[-1] else None
            count = len(found) if folder == self.path else None
            listed.append(ListedFolder(folder, after, count, problem))
            for path in sorted(found):
                objects.append(self._listed(path, folder == self.path))
        return objects, listed

    def _listed(self, path: str, is_own: bool) -> ListedObject:
        name = classify(path) if is_own else classify_transactions(path)
        stored = self.files[path]
        return ListedObject(
            path=path,
            kind=name.kind,
            file_time=name.file_time + self.shift if name.file_time else None,
            other_time=name.other_time,
            name_order=name.name_order,
            size=10,
            etag=stored.etag,
            modified_at=stored.modified_at,
        )

    def index(self, run_date: str) -> list[ObjectEvent]:
        """List the table, and add what differs to the index."""
        self.now += timedelta(minutes=1)
        run = Run(date.fromisoformat(run_date), self.now)
        objects, folders = self.list_folders()
        events = decide(
            self.events, objects, folders, self.load_files, self.excluded, run, self.file_format
        )
        if self.allows_missing:
            events += ignore_missing([*self.events, *events], run)
        self.events += events
        return events

    @property
    def file_format(self) -> str:
        """The key ``format``."""
        return self.facts.get("file_format", "auto")

    @property
    def load_files(self) -> set[FileKey]:
        """The full load files that any version has applied."""
        return {
            (file.path, file.etag)
            for version in self.versions
            for file, _ in version.staged
            if file.kind == "load"
        }

    def plan(self, run_date: str, full_refresh: bool = False) -> tuple[FilePlan, bool]:
        """Plan a run of a date; tells whether the files of earlier versions were needed."""
        run = Run(date.fromisoformat(run_date), self.now)
        facts = self.table_facts(run.run_date, full_refresh)
        plan = plan_files(self.events, facts, run)
        assert isinstance(facts.history, History)
        return plan, facts.history.is_asked

    def run(self, run_date: str, full_refresh: bool = False, is_indexed: bool = False) -> Ran:
        """Run a date; the table must not fail."""
        ran = self.try_run(run_date, full_refresh, is_indexed)
        assert not ran.error, ran.error
        return ran

    def fail(self, run_date: str, full_refresh: bool = False) -> str:
        """Run a date; gives the reason why the table failed."""
        ran = self.try_run(run_date, full_refresh)
        assert ran.error, ran.plan
        return ran.error

    def try_run(self, run_date: str, full_refresh: bool = False, is_indexed: bool = False) -> Ran:
        events = [] if is_indexed else self.index(run_date)
        plan, asks = self.plan(run_date, full_refresh)
        said = "\n".join(f"{what}. {advice}" for what, advice in plan.warnings)
        error = plan.error or self._reading_error(plan)
        if plan.error:
            assert plan.files == ()
            assert re.search(r" \[E\d{3}\]$", plan.error), plan.error
        if not error:
            self._publish(plan, date.fromisoformat(run_date), full_refresh)
        return Ran(plan, error, said, asks, events)

    def _reading_error(self, plan: FilePlan) -> str:
        for file in plan.files:
            stored = self.files.get(file.path)
            if stored is None or stored.etag != file.etag.partition("#")[0]:
                return f"not as it was indexed: {file.path}"
            if stored.rows is None:
                return f"broken: {file.path}"
        return ""

    def _publish(self, plan: FilePlan, run_date: date, full_refresh: bool) -> None:
        if plan.action == "none":
            assert plan.shown_version is not None
            shown = self.versions[plan.shown_version - 1]
            self.unchanged[shown.version] = (run_date, plan.indexed_from, plan.indexed_through)
            self.dates[f"{run_date}"] = shown.rows
            return
        base = self._base(run_date, full_refresh)
        staged = tuple((file, self.files[file.path].rows or ()) for file in plan.files)
        line = (base.line if base and plan.action == "merge" else ()) + staged
        self._commit(
            Committed(
                version=len(self.versions) + 1,
                run_date=run_date,
                action=plan.action,
                generation=plan.generation,
                last_file_seq=plan.last_file_seq,
                base_version=base.version if base else None,
                restored_version=None,
                indexed_from=plan.indexed_from,
                indexed_through=plan.indexed_through,
                line=line,
                staged=staged,
            )
        )

    def _commit(self, version: Committed) -> None:
        self.versions.append(version)
        self.dates[f"{version.run_date}"] = version.rows

    # --------------------------------------------------------------------- versions

    @property
    def rows(self) -> list[Row]:
        """The current rows."""
        return self.versions[-1].rows

    def _base(self, run_date: date, full_refresh: bool) -> Committed | None:
        current = self.versions[-1] if self.versions else None
        if current is None or full_refresh:
            return None
        if current.run_date == run_date:
            return self.versions[current.base_version - 1] if current.base_version else None
        return current

    def table_facts(self, run_date: date, full_refresh: bool = False) -> TableFacts:
        """What a run of a date is told."""
        current = self.versions[-1] if self.versions else None
        base = self._base(run_date, full_refresh)
        start: str | None = self.facts.get("cdc_start_date")
        return TableFacts(
            label="hr.people",
            path=self.path,
            transaction_path=self.facts.get("transaction_path"),
            cdc_start_date=date.fromisoformat(start) if start else None,
            on_missing_files=self.facts.get("on_missing_files", "warn"),
            full_refresh=full_refresh,
            run_command=RUN_COMMAND,
            rebuild_command=REBUILD_COMMAND,
            current=self._version(current),
            base=self._version(base),
            excluded=self.excluded,
            included=self.included,
            history=History({one.version: self.past(one) for one in self.versions}),
            has_key=self.facts.get("has_key", True),
            file_format=self.file_format,
            allows_missing=self.allows_missing,
            allow_missing_command=ALLOW_MISSING,
        )

    def _version(self, version: Committed | None) -> Version | None:
        if version is None:
            return None
        nothing = (version.run_date, version.indexed_from, version.indexed_through)
        newest_date, start, end = self.unchanged.get(version.version, nothing)
        return Version(
            version=version.version,
            run_date=version.run_date,
            newest_date=max(newest_date, version.run_date),
            generation=version.generation,
            last_file_seq=version.last_file_seq,
            base_version=version.base_version,
            rows_after=len(version.rows),
            indexed_from=start if end else version.indexed_from,
            indexed_through=end or version.indexed_through,
            files=version.files,
            load_files=frozenset(
                (file.path, file.etag) for file, _ in version.line if file.kind == "load"
            ),
        )

    @staticmethod
    def past(version: Committed) -> Manifest:
        """A version as the version log has it."""
        files = tuple(FileRef(*key) for key in version.files)
        return manifest(
            version.version, on=version.base_version, of=version.restored_version, files=files
        )

    def lineage(self, number: int) -> list[Committed]:
        """The versions whose changes are in the state of one."""
        version = self.versions[number - 1]
        while version.restored_version:
            version = self.versions[version.restored_version - 1]
        return [version, *(self.lineage(version.base_version) if version.base_version else [])]

    def _files_of(self, number: int) -> frozenset[FileKey]:
        return frozenset().union(*(version.files for version in self.lineage(number)))

    def roll_back(self, to: int) -> None:
        """Go back to the state of a version: what was applied since is excluded."""
        then = self._files_of(to)
        undone = self._files_of(len(self.versions)) - then
        self.excluded = (self.excluded | undone) - then
        self._restore(to, "rollback")

    def reapply(self, number: int) -> None:
        """Take back a rollback after which nothing was published: go to the state before it."""
        self.excluded -= self._files_of(number)
        self._restore(number, "reapply")

    def include_again(self, *numbers: int) -> None:
        """Take back a rollback over which others were published: the next run takes its files."""
        files = frozenset().union(*(self.versions[number - 1].files for number in numbers))
        self.included |= self.excluded & files
        self.excluded -= files
        self._restore(len(self.versions), "reapply")

    def _restore(self, number: int, action: str) -> None:
        restored = self.versions[number - 1]
        version = len(self.versions) + 1
        self._commit(replace(restored, version=version, action=action, restored_version=number))

    # ---------------------------------------------------------------- what is known

    @property
    def actions(self) -> list[str]:
        return [version.action for version in self.versions]

    def last_event(self, path: str) -> ObjectEvent:
        """The last event of an object."""
        found = [event for event in self.events if event.path == path]
        return max(found, key=lambda event: event.indexed_at)

    def is_waiting(self, path: str, run_date: str) -> bool:
        """Whether a change file is after a date."""
        file_time = classify(path).file_time
        return file_time is not None and file_time >= end_of(date.fromisoformat(run_date))
