"""A table without Spark: its files, its versions, and what each command makes of them.

The rules are those of `pyspark_dms.versions`. What only stands in for other parts is as plain as
can be: rows are the set of files they come from, and a run takes the files of the newest full load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import ParamSpec, TypeVar

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.backfills import (
    backfilled_fields,
    check_generations,
    date_to_make,
    missing_dates,
)
from pyspark_dms.versions.feeds import feed_dates
from pyspark_dms.versions.histories import ClosedRows, open_folders, plan_history
from pyspark_dms.versions.kept import kept_folders, kept_versions
from pyspark_dms.versions.lineage import applied_versions
from pyspark_dms.versions.manifest import (
    FileRef,
    Manifest,
    Partition,
    StagedFolder,
    shown,
)
from pyspark_dms.versions.reapplies import include_again
from pyspark_dms.versions.rollbacks import needed_feed_folders, needed_partitions, restore, vacuumed
from pyspark_dms.versions.run_versions import base_of_run
from pyspark_dms.versions.states import (
    Command,
    Recorded,
    Shown,
    Table,
    TableState,
    next_fields,
    replayed_dates,
    table_state,
    with_recorded,
)
from pyspark_dms.versions.targets import is_at, named_version, reapply_target, rollback_target
from tests.versions.made import manifest

_START = datetime(2020, 12, 1, tzinfo=UTC)
Rows = frozenset[FileRef]
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class RunVersions:
    """The versions that a run needs: the newest, the current one, and what it is built on."""

    newest: Manifest | None = None
    current: Manifest | None = None
    base: Manifest | None = None


def newest_date(shown: Shown) -> str:
    """The newest published date; no run may be for an earlier one."""
    return max((shown.current.run_date, *shown.dates))


def run_versions(
    versions: Mapping[int, Manifest], newest: int | None, run_date: str, *, full_refresh: bool
) -> RunVersions:
    """The versions that a run needs; `newest` is None for a table that was never published.

    The same date again starts where it started before.
    """
    if newest is None:
        return RunVersions()
    manifest = versions[newest]
    current = versions[manifest.current_version]
    number = base_of_run(
        current.version, current.base_version, current.run_date, run_date,
        full_refresh=full_refresh,
    )  # fmt: skip
    return RunVersions(manifest, current, None if number is None else versions[number])


def backfilled(version: Manifest, shown: Shown, built_on: Manifest) -> Manifest:
    """A version of a missing date, which leaves the current state as it is.

    Args:
        version: what the merge of the date has made.
        shown: what readers see before it.
        built_on: the version it is built on; staging was read as that was declared.
    """
    return Manifest.from_json(version.to_json() | backfilled_fields(shown, built_on))


@dataclass(frozen=True)
class File:
    """A file of the landing area: its date and load generation, and when it came."""

    ref: FileRef
    date: str
    generation: int
    is_load: bool
    came: int


def text(moment: int) -> str:
    """A moment as the index has it."""
    return f"{moment:06}"


def finished(moment: int) -> datetime:
    """When a command of a moment ends: every four hours one."""
    return _START + timedelta(hours=4 * moment)


def chosen(
    pending: Iterable[File], base_generation: int | None, *, was_rolled_back: bool
) -> tuple[str, list[File]] | None:
    """The action and the files of a run; None if a full load is missing, so that it fails."""
    files = [*pending]
    newest = max((file.generation for file in files), default=0)
    if base_generation is not None and newest < base_generation:
        return "none", []
    taken = [file for file in files if file.generation == newest]
    if newest == base_generation:
        return "merge", taken
    has_load = any(file.is_load for file in taken)
    may_build = has_load or (base_generation is None and not (was_rolled_back and newest > 1))
    return ("build", taken) if may_build else None


class Landing:
    """The files that DMS has written, each as it was uploaded last."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.known: dict[FileRef, File] = {}
        self.generation = 0

    def write_load(self, name: str, moment: int) -> None:
        self.generation += 1
        self._write(File(FileRef(name, "1"), "", self.generation, True, moment))

    def write_changes(self, name: str, date: str, moment: int) -> None:
        self._write(File(FileRef(name, "1"), date, self.generation, False, moment))

    def write_again(self, name: str, moment: int) -> None:
        before = self.files[name]
        ref = replace(before.ref, etag=f"{int(before.ref.etag) + 1}")
        self._write(replace(before, ref=ref, came=moment))

    def _write(self, file: File) -> None:
        self.files[file.ref.path] = self.known[file.ref] = file

    def up_to(self, date: str) -> list[File]:
        return [file for file in self.files.values() if file.date <= date]


class Refused(Exception):
    """A command that changes nothing: it was refused, or there was nothing to do."""


class Versions:
    """The versions of a table, made by commands."""

    def __init__(self, landing: Landing, *, history: bool, change_feed: bool) -> None:
        self.landing = landing
        self.table = Table("hr.people", "dates", history, change_feed, "dbt run --full-refresh")
        self.fingerprint = 1
        self.versions: dict[int, Manifest] = {}
        self.recorded: dict[int, Recorded] = {}
        self.rows: dict[str, Rows] = {}
        self.feed: set[str] = set()
        self.staged: dict[str, tuple[File, ...]] = {}
        self.closed: dict[str, ClosedRows] = {}
        self.taken_by_history: dict[str, Rows] = {}
        self.visible: Shown | None = None

    @property
    def newest(self) -> int | None:
        return max(self.versions, default=None)

    # ------------------------------------------------------------------------- runs

    def run(self, date: str, moment: int, *, full_refresh: bool, dies: bool) -> None:
        """Run a date; `dies`: after the commit."""
        known = run_versions(self.versions, self.newest, date, full_refresh=full_refresh)
        now = (
            table_state(self.versions, known.newest.version, self.recorded)
            if known.newest
            else None
        )
        if now and date < newest_date(now.shown):
            raise Refused
        base = self._with_recorded(known.base)
        plan = self._plan(known.newest, base, date)
        if plan is None:
            raise Refused
        action, taken = plan
        current = known.current
        is_altered = current is not None and current.fingerprint != f"{self.fingerprint}"
        is_repeated = (
            current is not None and current.run_date == date
            and not full_refresh and not is_altered
            and {file.ref for file in taken} == {*current.files}
        )  # fmt: skip
        if not taken and not base:
            raise Refused
        if now and not now.is_published:
            self._publish(now)
            now = replace(now, published=now.newest)
        start = base.indexed_through if base else None
        if now and current and (is_repeated or (not taken and not is_altered and (
            current.run_date != date
        ))):  # fmt: skip
            self._show_unchanged(now, date, start, dies=dies)
            return
        if base and action != "build" and base.partitions[0].location not in self.rows:
            raise Refused
        version = self._made(now, base, date, "alter" if not taken else action, taken, moment)
        self.versions[version.version] = version
        if not dies:
            record = {version.version: Recorded((), version.indexed_from, version.indexed_through)}
            self.recorded |= record
            self.visible = table_state(self.versions, version.version, self.recorded).shown

    def _plan(
        self, newest: Manifest | None, base: Manifest | None, date: str
    ) -> tuple[str, list[File]] | None:
        """The files that a run takes: of what came since the version before its base, or waits."""
        excluded = {*newest.excluded_files} if newest else set()
        pending = [file for file in self.landing.up_to(date) if file.ref not in excluded]
        if base and newest:
            applied = {*base.files, *base.load_files}
            wanted = {*newest.included_files} - self.applied(base.version)
            pending = [
                file for file in pending
                if file.ref not in applied and (
                    base.indexed_from is None
                    or text(file.came) > base.indexed_from
                    or file.date > base.run_date
                    or file.ref in wanted
                )
            ]  # fmt: skip
        return chosen(pending, base.generation if base else None, was_rolled_back=bool(excluded))

    def _show_unchanged(self, now: TableState, date: str, start: str | None, *, dies: bool) -> None:
        current = now.shown.current
        is_shown = date == current.run_date or date in now.shown.dates
        if dies or (is_shown and now.is_published):
            if is_shown:
                raise Refused
            return
        came = max(file.came for file in self.landing.files.values())
        self._record(current.version, () if is_shown else (date,), start, text(came))
        if now.newest != current.version:
            self._record(now.newest, ())
        self.visible = table_state(self.versions, now.newest, self.recorded).shown

    def _is_unchanged(self, state: TableState, date: str) -> bool:
        current = state.shown.current
        if date <= newest_date(state.shown) or current.fingerprint != f"{self.fingerprint}":
            return False
        plan = self._plan(state.shown.newest, current, date)
        return plan is not None and not plan[1]

    def _record(
        self, version: int, dates: tuple[str, ...],
        indexed_from: str | None = None, indexed_through: str | None = None,
    ) -> None:  # fmt: skip
        known = self.recorded.get(version, Recorded())
        seen = (indexed_from, indexed_through)
        if indexed_through is None:
            seen = (known.indexed_from, known.indexed_through)
        self.recorded[version] = Recorded(tuple(sorted({*known.dates, *dates})), *seen)

    def _made(
        self, now: TableState | None, base: Manifest | None, date: str, action: str,
        taken: list[File], moment: int,
    ) -> Manifest:  # fmt: skip
        number = now.next_version if now else 1
        refs = tuple(file.ref for file in taken)
        rows = Partition(None, f"rows/{number}", 1, ("0",))
        if action == "alter":
            assert base
            rows = base.partitions[0]
        else:
            before = (
                self.rows[base.partitions[0].location] if base and action == "merge" else Rows()
            )
            self.rows[rows.location] = before | {*refs}
            self.staged[f"staged/{number}"] = tuple(taken)
        folder = StagedFolder(date, f"staged/{number}", f"report/{number}", None, "1")
        generation = max(
            (file.generation for file in taken), default=base.generation if base else 1
        )
        loads = tuple(file.ref for file in taken if file.is_load)
        is_same_load = base and base.generation == generation
        came = [text(file.came) for file in taken]
        start = base.indexed_through if base else None
        feed_location = f"feed/{number}" if self.table.change_feed and taken else None
        if feed_location:
            self.feed.add(feed_location)
        made = manifest(
            number,
            on=base.version if base else None,
            action=action,
            run_date=date,
            fingerprint=f"{self.fingerprint}",
            generation=generation,
            indexed_from=start,
            indexed_through=max(came + ([start] if start else []), default=None),
            partitions=(rows,),
            staged=(base.staged if base else ()) + ((folder,) if taken else ()),
            feed_location=feed_location,
            files=refs,
            load_files=(base.load_files if base and is_same_load else ()) + loads,
            started_at=_written(moment),
            finished_at=_written(moment),
        )
        return replace(made, **next_fields(now.shown if now else None, date, number, self.table))

    # ------------------------------------------------------------------- operations

    def _state(self) -> TableState:
        """Where the table stands; what a dead command left half published is finished instead."""
        if self.newest is None:
            raise Refused
        state = table_state(self.versions, self.newest, self.recorded)
        if not state.is_published:
            self._publish(state)
            raise Refused
        return state

    def _publish(self, state: TableState) -> None:
        self.visible = state.shown
        seen = state.to_record
        self._record(state.newest, seen.dates, seen.indexed_from, seen.indexed_through)

    def _commit(
        self, state: TableState, new: Manifest, moment: int, *, meanwhile: str | None, dies: bool
    ) -> TableState:
        """Commit and publish; `meanwhile`: a run records an unchanged date before that."""
        new = replace(new, finished_at=_written(moment))
        if meanwhile and self._is_unchanged(state, meanwhile):
            self._show_unchanged(state, meanwhile, state.shown.current.indexed_through, dies=False)
        self.versions[new.version] = new
        if dies:
            raise Refused
        after = table_state(self.versions, new.version, self.recorded)
        self._publish(after)
        published = table_state(self.versions, new.version, self.recorded)
        assert published.shown == after.shown
        return published

    def rollback(self, moment: int, **how: object) -> None:
        state = self._state()
        self._restore(
            state, _or_refused(rollback_target, self.table, state), "rollback", moment, how
        )

    def rollback_to(self, to: int | str, moment: int, **how: object) -> None:
        state = self._state()
        target = _or_refused(named_version, self.table, state, to)
        if is_at(state, target):
            raise Refused
        self._restore(state, target, "rollback_to", moment, how)

    def reapply(self, moment: int, **how: object) -> None:
        state = self._state()
        target = reapply_target(state)
        if target is not None:
            self._restore(state, target, "reapply", moment, how)
            return
        again = _or_refused(include_again, self.table, state, _command(moment))
        # Those that were uploaded again are taken anyway.
        there = {file.ref for file in self.landing.files.values()}
        if there.isdisjoint(again.files):
            raise Refused
        self._commit(state, again.manifest, moment, **how)  # type: ignore[arg-type]

    def _restore(
        self, state: TableState, target: int, action: str, moment: int, how: Mapping[str, object]
    ) -> None:
        going = restore(self.table, state, target, action, _command(moment))
        folders = [one.location for one in needed_partitions(self.table, state, going)]
        if not self.rows.keys() >= {*folders} or not self.feed >= {
            *needed_feed_folders(state, going)
        }:
            raise Refused
        self._commit(state, going.manifest, moment, **how)  # type: ignore[arg-type]

    def replay(self, moment: int, **how: object) -> None:
        state = self._state()
        current, number = state.shown.current, state.next_version
        staged = [file for folder in current.staged for file in self.staged[folder.folder]]
        rows = Partition(None, f"rows/{number}", 1, ("0",))
        self.rows[rows.location] = frozenset(
            file.ref for file in staged if file.generation == current.generation
        )
        feed = f"feed/{number}" if self.table.change_feed else None
        self.feed |= {feed} if feed else set()
        new = replace(
            current,
            version=number, action="replay", current_version=number, restored_version=None,
            partitions=(rows,), dates=shown(replayed_dates(state)), feed_location=feed,
            feed_dates=feed_dates(
                state.shown.newest, current.run_date, number, is_asked_for=self.table.change_feed
            ),
            excluded_files=state.shown.newest.excluded_files,
            included_files=state.shown.newest.included_files,
        )  # fmt: skip
        self._commit(state, new, moment, **how)  # type: ignore[arg-type]

    def backfill(self, from_date: str, to_date: str, moment: int, **how: object) -> None:
        state = self._state()
        dates = _or_refused(missing_dates, self.table, state, from_date, to_date)
        for date in dates:
            # What belongs to a newer full load, the index knows.
            if _or_refused(check_generations, self.table, state, date_to_make(state, date)):
                raise Refused
        for date in dates:
            state = self._commit(state, self._backfilled(state, date), moment, **how)  # type: ignore[arg-type]

    def _backfilled(self, state: TableState, date: str) -> Manifest:
        making, number, current = date_to_make(state, date), state.next_version, state.shown.current
        rows = Partition(None, f"rows/{number}", 1, ("0",))
        staged = [
            file for folder in current.staged for file in self.staged[folder.folder]
            if file.generation == making.built_on.generation and file.date <= date
            and (making.before is None or (folder.run_date > making.before and not file.is_load))
        ]  # fmt: skip
        base = making.built_on if making.before else None
        before = self.rows[base.partitions[0].location] if base else Rows()
        self.rows[rows.location] = before | {file.ref for file in staged}
        version = replace(
            making.built_on,
            version=number, run_date=date, restored_version=None,
            base_version=base.version if base else None,
            partitions=(rows,), dates=shown({**state.shown.dates, date: number}), files=(),
            feed_location=None,
            excluded_files=state.shown.newest.excluded_files,
            included_files=state.shown.newest.included_files,
        )  # fmt: skip
        return backfilled(version, state.shown, making.built_on)

    def vacuum(self, since: datetime, moment: int, **how: object) -> None:
        state = self._state()
        kept = kept_versions(state, since, change_feed=self.table.change_feed)
        folders = kept_folders(state, kept)
        self._check_open_rows(kept)
        rows = {folder for folder in self.rows if folder not in folders.rows}
        feed = self.feed.difference(folders.feed)
        staged = {folder for folder in self.staged if folder not in folders.staged}
        if not (rows or feed):
            raise Refused
        self._commit(state, vacuumed(state, _command(moment)), moment, **how)  # type: ignore[arg-type]
        for folder in rows:
            del self.rows[folder]
        for folder in staged:
            del self.staged[folder]
        self.feed -= feed

    # -------------------------------------------------------------------- a history

    def snapshot(self) -> None:
        """Bring a history up to date, as `dbt snapshot` does."""
        if self.newest is None or self.newest not in self.recorded:
            raise Refused
        closed = [self.closed[date] for date in sorted(self.closed, reverse=True)]
        plan = plan_history(self.versions, self.newest, self.recorded, closed, None)
        if not plan.runs:
            raise Refused
        taken = self.taken_by_history[plan.base.rows.open] if plan.base else Rows()
        for run in plan.runs:
            assert run.starts_at is None or run.starts_at[:10] <= run.manifest.run_date
            taken |= {*run.manifest.files}
        last = plan.runs[-1].manifest
        for date in plan.stale:
            del self.closed[date]
        rows = ClosedRows(
            last.run_date, last.version, f"closed/{self.newest}", f"open/{self.newest}"
        )
        self.closed[last.run_date] = rows
        self.taken_by_history[rows.open] = taken

    def _check_open_rows(self, kept: Iterable[int]) -> None:
        """Whatever version is had again, a history has the rows that it goes on from."""
        closed = [self.closed[date] for date in sorted(self.closed, reverse=True)]
        folders = open_folders(self.versions, closed, [*kept])
        for number in kept:
            plan = plan_history(self.versions, number, self.recorded, closed, None)
            assert not plan.base or plan.base.rows.open in folders

    # ------------------------------------------------------------------- what it says

    def applied(self, number: int) -> Rows:
        """The files whose changes are in the state of a version."""
        lineage = applied_versions(self.versions, number)
        return frozenset(ref for one in lineage for ref in self.versions[one].files)

    def _with_recorded(self, version: Manifest | None) -> Manifest | None:
        if version is None:
            return None
        return with_recorded(version, self.recorded.get(version.version, Recorded()))


def _command(moment: int) -> Command:
    return Command(f"run {moment}", _written(moment))


def _written(moment: int) -> str:
    return f"{finished(moment):%Y-%m-%d %H:%M:%S.%f}"


def _or_refused(
    function: Callable[_Given, _Result], *args: _Given.args, **kwargs: _Given.kwargs
) -> _Result:
    try:
        return function(*args, **kwargs)
    except DmsError as error:
        raise Refused(f"{error}") from error
