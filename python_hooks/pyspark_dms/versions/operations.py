"""What an operation does with a table: a plan that macros carry out.

`rollback`, `rollback_to`, `reapply` and `vacuum` commit a copy of an earlier version. For `replay`
and `backfill` SQL writes rows first, and the plan says from what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from pyspark_dms.counted import counted
from pyspark_dms.landing.file_states import UploadsLeft
from pyspark_dms.versions.backfills import (
    LEAVE_OUT,
    DateToMake,
    check_counting,
    check_generations,
    date_to_make,
)
from pyspark_dms.versions.feeds import feed_base
from pyspark_dms.versions.lineage import is_current
from pyspark_dms.versions.manifest import Manifest, Partition
from pyspark_dms.versions.reapplies import IncludedAgain, check_included, included_report
from pyspark_dms.versions.rollbacks import (
    needed_feed_folders,
    needed_partitions,
    restore,
    restore_report,
    vacuumed,
)
from pyspark_dms.versions.states import Command, Table, TableState, check_layout, replayed_dates
from pyspark_dms.versions.targets import is_at, named_version, rollback_target


@dataclass(frozen=True)
class OperationPlan:
    """What an operation does with one table.

    Attributes:
        would: what it would do, as `dry_run` prints it.
        did: what it has done, once it has.
        finishes: whether it publishes what a dead command has left, and nothing else.
        commit: the version to commit; None for none, or if SQL has to write rows first.
        target: the version whose files are shown again.
        partitions: the partitions whose files must be as that version says.
        folders: the folders that must be there.
        builds_on: the versions that must be readable as the table is declared now.
    """

    would: str
    did: str
    finishes: bool = False
    commit: Manifest | None = None
    target: int | None = None
    partitions: tuple[Partition, ...] = ()
    folders: tuple[str, ...] = ()
    builds_on: tuple[Manifest, ...] = ()


def unfinished(table: Table, state: TableState, *, is_shown: bool) -> OperationPlan | None:
    """What comes before any operation: what a dead command has left is published.

    Args:
        table: the table.
        state: where it stands.
        is_shown: whether its snapshot table is there.

    Returns:
        None if there is nothing of the kind.

    Raises:
        DmsError: the table is declared to be divided otherwise than it was published.
    """
    check_layout(table, state.shown.current)
    if state.is_published and is_shown:
        return None
    text = (
        f"{table.label}: a command died, or is at work, while it published version "
        f"{state.newest} ({state.shown.newest.action}). {{}}, and nothing else done. "
        "Give the command again for more."
    )
    return OperationPlan(
        text.format("That would be finished"), text.format("That is finished now"), finishes=True
    )


def rollback(table: Table, state: TableState, command: Command) -> OperationPlan:
    """Go back to before the last change.

    Raises:
        DmsError: there is none, or the version before was published in another layout.
    """
    return restored(table, state, rollback_target(table, state), "rollback", command)


def rollback_to(
    table: Table, state: TableState, to: str | int | None, command: Command
) -> OperationPlan:
    """Go back to a version, or to a date.

    Raises:
        DmsError: there is no such version, or it was published in another layout.
    """
    target = named_version(table, state, to)
    if is_at(state, target):
        text = f"{table.label}: is at the state of version {target} already"
        return OperationPlan(text, text)
    return restored(table, state, target, "rollback_to", command)


def restored(
    table: Table, state: TableState, target: int, action: str, command: Command
) -> OperationPlan:
    """Go to the state that readers had with a version, and say what that changes.

    Raises:
        DmsError: it was published in another layout.
    """
    going = restore(table, state, target, action, command)
    needed = needed_partitions(table, state, going)
    feed = needed_feed_folders(state, going)
    would, did = (
        "\n    ".join(restore_report(table, state, going, dry_run=dry_run))
        for dry_run in (True, False)
    )
    return OperationPlan(
        would,
        did,
        commit=going.manifest,
        target=target,
        partitions=needed,
        folders=(*dict.fromkeys(one.location for one in needed), *feed),
        builds_on=_with_files(going.shown.current),
    )


def included_again(
    table: Table, again: IncludedAgain, left: UploadsLeft, run_command: str
) -> OperationPlan:
    """Let runs take the files of a rollback again that has others above it.

    Args:
        table: the table.
        again: the files.
        left: which of them the index knows to be left.
        run_command: the run of `again.run_date`, as it can be pasted.

    Raises:
        DmsError: one is missing, or none is left.
    """
    check_included(table, again, left.missing, left.count)
    would, did = (
        included_report(table, again, left.count, run_command, dry_run=dry_run)
        for dry_run in (True, False)
    )
    return OperationPlan(would, did, commit=again.manifest)


def vacuum(table: Table, state: TableState, command: Command) -> OperationPlan:
    """Delete files that nothing needs; the dates that were given up go with them."""
    text = ""
    if table.history and state.given_up_dates:
        text = (
            f"{table.label}: readers {{}}no longer see {', '.join(state.given_up_dates)}, whose "
            "version was given up. To make it again: dbt run-operation backfill"
        )
    manifest = vacuumed(state, command)
    return OperationPlan(text.format("would "), text.format(""), commit=manifest)


def replay(table: Table, state: TableState) -> OperationPlan:
    """Build the state again from the full load and all changes in staging."""
    current = state.shown.current
    would = (
        f"{table.label}: would build the state of {current.run_date} from the full load and all "
        f"changes in staging, and show it instead of version {state.newest} "
        f"({counted(current.rows_after, 'row')})"
    )
    return OperationPlan(would, "", builds_on=_with_files(current))


def replayed(state: TableState) -> dict[str, object]:
    """What the version of a replay says, beside what the merge has counted.

    It stands under the declaration by which the files were staged; what was declared since has no
    values yet.
    """
    current = state.shown.current.to_json()
    dates = replayed_dates(state)
    kept = ("base_version", "fingerprint", "declarations", "staged", "files", "load_files")
    return {
        **{name: current[name] for name in kept},
        "action": "replay",
        "rows_before": 0,
        "rows_deleted": 0,
        "dates": [{"run_date": date, "version": dates[date]} for date in sorted(dates)],
    }


@dataclass(frozen=True)
class Backfill:
    """The dates that a backfill makes of a table.

    Attributes:
        plan: what is said and checked.
        making: the dates, in their order.
        doubtful: those of them for which files may lack, because a newer full load was published.
    """

    plan: OperationPlan
    making: tuple[DateToMake, ...] = ()
    doubtful: tuple[DateToMake, ...] = ()

    @property
    def dates(self) -> tuple[str, ...]:
        """The dates."""
        return tuple(one.date for one in self.making)


def backfill(
    table: Table, state: TableState, missing: Sequence[str], advice: str = LEAVE_OUT
) -> Backfill:
    """Make the missing dates of a range.

    Args:
        table: the table.
        state: where it stands.
        missing: the dates, in their order.
        advice: what a person can do if one cannot be made.

    Raises:
        DmsError: one cannot be built on what was before it.
    """
    if not missing:
        text = f"{table.label}: no date is missing"
        return Backfill(OperationPlan(text, text))
    check_counting(table, state, missing[0], advice)
    making = tuple(date_to_make(state, date) for date in missing)
    doubtful = tuple(one for one in making if check_generations(table, state, one, advice))
    current = state.shown.current
    built_on = {one.built_on.version: one.built_on for one in making}
    would = f"{table.label}: would make the snapshots of {', '.join(missing)}"
    plan = OperationPlan(
        would, "", builds_on=tuple({current.version: current, **built_on}.values())
    )
    return Backfill(plan, making, doubtful)


def folders_to_look_at(
    table: Table, state: TableState, versions: Mapping[int, Manifest]
) -> dict[str, object]:
    """The folders of all versions, for repair.

    Args:
        table: the table.
        state: where it stands.
        versions: its versions with their partitions.

    Returns:
        ``folders``, each with its ``location``, ``partition``, ``rows`` and ``files``, and the
        ``versions`` that have it (without those of which a manifest does not name the files);
        ``shown``, the versions that readers see, or that a run builds on or compares with;
        ``buildable``, those whose staged
        folders have all of their state.
    """
    folders: dict[str, dict[str, Any]] = {}
    for number, version in versions.items():
        for one in version.partitions:
            known = folders.setdefault(
                one.location,
                {**asdict(one), "files": set(one.files or ()), "versions": []},
            )
            known["versions"].append(number)
            known["rows"] = max(known["rows"], one.rows)
            if known["files"] is not None:
                known["files"] = None if one.files is None else known["files"] | {*one.files}
    current = state.shown.current
    shown = {*state.shown.dates.values(), current.version, current.base_version}
    if table.change_feed:
        shown.add(feed_base(state.shown.newest, current.run_date, None))
    return {
        "folders": [
            {**one, "files": sorted(one["files"])}
            for one in folders.values()
            # Of manifests of long ago nobody knows the names of the files.
            if one["files"] is not None
        ],
        "shown": sorted(number for number in shown if number is not None),
        "buildable": [number for number in state.steps if is_current(state.steps, number)],
    }


def versions_table(table: Table, state: TableState | None, limit: int) -> str:
    """The newest versions of a table, as lines for people."""
    if state is None:
        return f"{table.label} (0 versions)\n  nothing was ever published"
    known = (number for number in range(state.newest, 0, -1) if number in state.steps)
    shown = {*state.shown.dates.values()}
    rows: list[Sequence[str | int]] = [_HEADINGS]
    for number in reversed([*islice(known, limit)]):
        version = state.steps[number]
        readers = "see it" if number in shown else ""
        if number == state.shown.current.version:
            readers = "current"
        rows.append(
            (
                number, version.run_date, version.action, version.restored_version or "",
                version.base_version or "", version.rows_before, version.rows_inserted,
                version.rows_updated, version.rows_deleted, version.rows_after,
                len(version.files), (version.finished_at or "")[:19], readers,
            )
        )  # fmt: skip
    title = f"{table.label} ({counted(state.newest, 'version')})"
    return "\n".join([title, *_aligned(rows)])


_HEADINGS = (
    "version", "date", "action", "of", "base", "before", "+", "~", "-", "after", "files",
    "finished (UTC)", "readers",
)  # fmt: skip


def _aligned(rows: Sequence[Sequence[str | int]]) -> list[str]:
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    return [
        (
            "  "
            + "  ".join(
                str(cell).rjust(width) if isinstance(cell, int) else str(cell).ljust(width)
                for cell, width in zip(row, widths, strict=True)
            )
        ).rstrip()
        for row in rows
    ]


def _with_files(version: Manifest) -> tuple[Manifest, ...]:
    return () if version.has_no_files else (version,)
