"""Including files again that a rollback excluded, where versions were published since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark_dms.counted import numbered
from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.versions.lineage import lineage_changes, previous_version
from pyspark_dms.versions.manifest import REAPPLY, ROLLBACKS, FileRef, Manifest
from pyspark_dms.versions.rollbacks import FileChoice, copy_of
from pyspark_dms.versions.states import (
    ALL_VERSIONS,
    NOTHING_CHANGED,
    Command,
    Table,
    TableState,
)


@dataclass(frozen=True)
class IncludedAgain:
    """Letting runs take the files of a rollback that has others above it.

    Attributes:
        versions: the undone versions that have these files, in their order.
        files: the files.
        manifest: the version to commit: the same state, with other files to take.
        run_date: the first date whose run takes them all.
    """

    versions: tuple[int, ...]
    files: tuple[FileRef, ...]
    manifest: Manifest
    run_date: str


def include_again(table: Table, state: TableState, command: Command) -> IncludedAgain:
    """Let the next run take the files of the newest rollback that has others above it.

    Raises:
        DmsError: there are no such files.
    """
    versions = excluded_versions(state)
    if not versions:
        raise DmsError(
            "E416",
            sentences(
                f"{table.label}: no file is excluded that the full load of today would take, so "
                "there is nothing to reapply",
                NOTHING_CHANGED,
                "Any version that the lake still has: dbt run-operation rollback_to",
            ),
        )
    newest = state.shown.newest
    of_versions = {file for number in versions for file in state.steps[number].files}
    files = tuple(file for file in newest.excluded_files if file in of_versions)
    excluded = tuple(file for file in newest.excluded_files if file not in of_versions)
    choice = FileChoice(excluded, tuple(dict.fromkeys([*newest.included_files, *files])))
    dates = [state.shown.current.run_date, *state.shown.dates]
    return IncludedAgain(
        versions=versions,
        files=tuple(sorted(files, key=lambda file: file.path)),
        manifest=copy_of(state, state.newest, state.shown, REAPPLY, choice, command),
        run_date=max(dates + [state.steps[number].run_date for number in versions]),
    )


def excluded_versions(state: TableState) -> tuple[int, ...]:
    """The versions that the newest rollback undid, of which files are still excluded.

    What belongs to an earlier full load than the current state is not asked for. Each of several
    folders has full loads of its own.
    """
    versions, current = state.steps, state.shown.current
    excluded = {*state.shown.newest.excluded_files}

    def is_holding(number: int) -> bool:
        version = versions[number]
        of_today = bool(current.shards) or version.generation >= current.generation
        return of_today and not excluded.isdisjoint(version.files)

    for number in range(state.newest, 0, -1) if excluded else ():
        before = previous_version(versions, number)
        if before and number in versions and versions[number].action in ROLLBACKS:
            undone, _ = lineage_changes(versions, before, number)
            if found := sorted(filter(is_holding, undone)):
                return tuple(found)
    return ()


def check_included(table: Table, again: IncludedAgain, missing: Sequence[str], left: int) -> None:
    """Check that files can be included again.

    Args:
        table: the table.
        again: the files.
        missing: the paths of those that the index knows to be missing.
        left: how many are as they were, and of no load that another one replaced.

    Raises:
        DmsError: one is missing, or none is left.
    """
    if left and not missing:
        return
    are = "is" if len(missing) == 1 else "are"
    why, way_out = (
        (
            f"{len(missing)} {are} missing, for instance {missing[0]}",
            "Put them back as they were and let dbt run index them, or go",
        )
        if missing
        else (
            "all were uploaded again, or belong to a full load that another full load replaces",
            "What was uploaded last is taken by dbt run; or go",
        )
    )
    raise DmsError(
        "E417",
        sentences(
            f"{table.label}: the files of undone {numbered('version', again.versions)} cannot be "
            f"included again: {why}",
            NOTHING_CHANGED,
            f"{way_out} to a version that has them while its files are in the lake: "
            f"{ALL_VERSIONS}, then rollback_to",
        ),
    )


def included_report(
    table: Table, again: IncludedAgain, left: int, run_command: str, *, dry_run: bool
) -> str:
    """What including files again does, or has done.

    Args:
        table: the table.
        again: the files.
        left: how many of them the next run takes.
        run_command: the run of `again.run_date`, as it can be pasted.
        dry_run: whether nothing was done.
    """
    return (
        f"{table.label}: the files of undone {numbered('version', again.versions)} "
        f"{'would be' if dry_run else 'are'} no longer excluded: {left}. Versions were published "
        "since, so readers see them when a run has put them in their place among the other "
        f"changes: {run_command}, or that of any later date"
    )
