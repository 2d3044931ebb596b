"""Going to an earlier state, and which files runs take after that.

A version is never changed: `rollback`, `rollback_to` and `reapply` make a copy of an earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark_dms.counted import counted, numbered
from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.versions.lineage import applied_versions, counting, lineage_changes
from pyspark_dms.versions.manifest import REAPPLY, VACUUM, FileRef, Manifest, Partition, shown
from pyspark_dms.versions.states import (
    ALL_VERSIONS,
    NOTHING_CHANGED,
    Command,
    Shown,
    Table,
    TableState,
    shows_current,
    versions_at,
)

_NAMED_PATHS = 3


@dataclass(frozen=True)
class FileChoice:
    """The files that no run takes, and those that runs take again; no file is in both."""

    excluded: tuple[FileRef, ...]
    included: tuple[FileRef, ...]


@dataclass(frozen=True)
class Restore:
    """Going to the state that readers had with an earlier version.

    Attributes:
        target: that version.
        shown: what readers saw with it.
        manifest: the version to commit.
        undone: the versions whose changes readers no longer see, in their order.
        excluded: files that runs took until now, and do not take from here on.
        replaced: paths of which the state has an earlier upload than one of those.
        gone, again: dates that readers no longer see, or see again.
    """

    target: int
    shown: Shown
    manifest: Manifest
    undone: tuple[int, ...]
    excluded: tuple[FileRef, ...]
    replaced: tuple[str, ...]
    gone: tuple[str, ...]
    again: tuple[str, ...]


def restore(table: Table, state: TableState, target: int, action: str, command: Command) -> Restore:
    """Go to the state that readers had with an earlier version, as the next version.

    Raises:
        DmsError: it was published in another layout.
    """
    then = _dates_kept(state, versions_at(state.versions, target, state.recorded))
    _check_layout(table, target, then.current)
    undone, _ = lineage_changes(state.steps, state.newest, target)
    choice = (
        # Nothing was published since, so all is as it was.
        FileChoice(then.newest.excluded_files, then.newest.included_files)
        if action == REAPPLY
        else _choice_after(state, target, undone)
    )
    before = {*state.shown.newest.excluded_files}
    excluded = tuple(file for file in choice.excluded if file not in before)
    return Restore(
        target=target,
        shown=then,
        manifest=copy_of(state, target, then, action, choice, command),
        undone=tuple(sorted(undone)),
        excluded=excluded,
        replaced=_replaced(state, target, excluded),
        gone=_missing_in(then, state.shown) if table.history else (),
        again=_missing_in(state.shown, then) if table.history else (),
    )


def _dates_kept(state: TableState, then: Shown) -> Shown:
    """What readers see with a version, and unchanged dates of the state that it does not undo.

    A rollback that takes back a date that was filled in takes back that date only.
    """
    if not shows_current(state, then.newest.current_version):
        return then
    unchanged = {
        date: version
        for date, version in state.shown.dates.items()
        if date not in then.dates and shows_current(state, version)
    }
    return replace(then, dates={**then.dates, **unchanged})


def vacuumed(state: TableState, command: Command) -> Manifest:
    """The version that a vacuum makes: the same state, for which commands at work have to wait.

    Without the dates that were given up: nothing says which of their files must stay.
    """
    newest = state.shown.newest
    choice = FileChoice(newest.excluded_files, newest.included_files)
    gone = {*state.given_up_dates}
    dates = {date: one for date, one in state.shown.dates.items() if date not in gone}
    then = replace(state.shown, dates=dates)
    return copy_of(state, state.newest, then, VACUUM, choice, command)


def copy_of(
    state: TableState, target: int, then: Shown, action: str, choice: FileChoice, command: Command
) -> Manifest:
    """The next version, which takes an earlier state again.

    Args:
        state: where the table stands.
        target: the version to go to.
        then: what readers saw with it.
        action: the operation.
        choice: which files runs take from here on.
        command: what makes the version.
    """
    return replace(
        then.current,
        version=state.next_version,
        action=action,
        current_version=state.next_version,
        restored_version=target,
        dates=shown(then.dates),
        feed_dates=then.newest.feed_dates,
        excluded_files=choice.excluded,
        included_files=choice.included,
        run=command.run,
        started_at=command.started_at,
        finished_at=None,
    )


def _choice_after(state: TableState, target: int, undone: Sequence[int]) -> FileChoice:
    """Excluded is what was applied since, unless the state before has it too.

    A version that a full refresh or another run of its date has replaced since counts, too: readers
    go back to before it. What was included again since then is excluded again, as it was then.
    """
    versions, newest, then = state.steps, state.shown.newest, state.steps[target]
    excluded = dict.fromkeys(newest.excluded_files)
    since = (number for number in range(target + 1, state.newest + 1) if number in versions)
    for number in sorted({*undone, *since}):
        excluded.update(dict.fromkeys(versions[number].files))
    was_included = {*then.included_files}
    excluded.update(
        dict.fromkeys(file for file in newest.included_files if file not in was_included)
    )
    for number in applied_versions(versions, target) if excluded else ():
        for file in versions[number].files:
            excluded.pop(file, None)
    included = dict.fromkeys([*newest.included_files, *then.included_files])
    return FileChoice(tuple(excluded), tuple(file for file in included if file not in excluded))


def _replaced(state: TableState, target: int, excluded: Sequence[FileRef]) -> tuple[str, ...]:
    """Paths of which the state has another upload: what reads such a file again fails (E205)."""
    paths = {file.path for file in excluded}
    if not paths:
        return ()
    applied = applied_versions(state.steps, target)
    found = {file.path for number in applied for file in state.steps[number].files}
    return tuple(sorted(found & paths))


def _missing_in(there: Shown, other: Shown) -> tuple[str, ...]:
    return tuple(sorted(date for date in other.dates if date not in there.dates))


def _check_layout(table: Table, target: int, current: Manifest) -> None:
    if current.layout != table.layout:
        raise DmsError(
            "E414",
            sentences(
                f"{table.label}: version {target} was published as {current.layout}, "
                f"the table is now {table.layout}",
                NOTHING_CHANGED,
                f"Go to a version of the same layout: {ALL_VERSIONS}",
            ),
        )


def needed_partitions(table: Table, state: TableState, going: Restore) -> tuple[Partition, ...]:
    """The partitions that must be there, so that a state can be shown again."""
    wanted = {
        version: None
        for date, version in going.shown.dates.items()
        if table.history and state.shown.dates.get(date) != version
    }
    # What was given up has no partitions that are known; its date is left out.
    there = counting(state.steps, wanted)
    with_partitions = state.read_with("partitions")
    of_dates = (
        one for version in wanted if version in there for one in with_partitions[version].partitions
    )
    found = dict.fromkeys([*going.shown.current.partitions, *of_dates])
    return tuple(partition for partition in found if partition.rows)


def needed_feed_folders(state: TableState, going: Restore) -> tuple[str, ...]:
    """The folders of changes that readers of the feed do not see now, and would see again."""
    there = {date.version for date in state.shown.newest.feed_dates or ()}
    fed = {date.version: None for date in going.shown.newest.feed_dates or ()}
    folders = (state.steps[one].feed_location for one in fed if one not in there)
    return tuple(dict.fromkeys(folder for folder in folders if folder))


def check_folders(table: Table, target: int, missing: Sequence[str]) -> None:
    """Check that no folder of a state is missing.

    Raises:
        DmsError: some are.
    """
    if missing:
        folders = "\n  ".join(missing)
        raise DmsError(
            "E415",
            sentences(
                f"{table.label}: version {target} cannot be restored; its files were vacuumed, or "
                f"deleted by hand, for instance below\n  {folders}\n",
                NOTHING_CHANGED,
                f"Choose another version ({ALL_VERSIONS}), or build the table again with "
                f"{table.rebuild_command}",
            ),
        )


def restore_report(table: Table, state: TableState, going: Restore, *, dry_run: bool) -> list[str]:
    """What a restore does, or has done: the first line names the table."""
    current, rows = going.shown.current, counted(going.shown.current.rows_after, "row")
    went, would, are = ("would go", "would ", "would be") if dry_run else ("went", "", "are")
    lines = [
        f"{table.label}: {went} from version {state.newest} to the state of version {going.target} "
        f"({current.run_date}, {rows})" + ("" if dry_run else f", as version {state.next_version}")
    ]
    if going.gone:
        lines.append(f"dates that readers {would}no longer see: {', '.join(going.gone)}")
    if going.again:
        lines.append(f"dates that readers {would}see again: {', '.join(going.again)}")
    return lines + _file_lines(going, are)


def _file_lines(going: Restore, are: str) -> list[str]:
    """What becomes of the files of the undone versions."""
    lines, undone = [], numbered("version", going.undone) if going.undone else ""
    if going.excluded:
        of = f"of {undone}" if undone else "that reapply had included again, and"
        lines.append(
            f"files {of} that {are} excluded, so that no run takes them until reapply: "
            f"{len(going.excluded)}"
        )
    elif undone:
        lines.append(f"no files {are} excluded: version {going.target} has those of {undone} too")
    if going.replaced:
        more = len(going.replaced) - _NAMED_PATHS
        lines.append(
            f"the state has an earlier upload of {', '.join(going.replaced[:_NAMED_PATHS])}"
            + (f" and {more} more" if more > 0 else "")
            + ", which is no longer there. Runs of later dates go on, but --full-refresh fails "
            "(E205) until it is uploaded again"
        )
    return lines
