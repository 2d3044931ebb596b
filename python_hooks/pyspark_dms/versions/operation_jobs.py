"""Plans operations and publishing: reads the version log, and asks the rules.

Macros ask by the data source ``dms_versions``; see `pyspark_dms.versions.jobs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.file_states import UploadsLeft, uploads_left
from pyspark_dms.landing.index import known_events, parse_log
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions import operations, recorded
from pyspark_dms.versions.backfills import (
    BRING_BACK,
    DateToMake,
    backfilled_fields,
    check_range,
    missing_dates,
)
from pyspark_dms.versions.lineage import counting
from pyspark_dms.versions.manifest import FileRef
from pyspark_dms.versions.operations import OperationPlan
from pyspark_dms.versions.read_state import (
    LoggedVersions,
    NextVersion,
    logged_versions,
    read_state,
    said_manifest,
    said_next,
    said_of_tables,
    said_shown,
)
from pyspark_dms.versions.reapplies import include_again
from pyspark_dms.versions.recorded import Records
from pyspark_dms.versions.rollbacks import check_folders
from pyspark_dms.versions.states import Command, Table, TableState, check_published, versions_at
from pyspark_dms.versions.targets import reapply_target
from pyspark_dms.versions.vacuum_jobs import kept
from pyspark_dms.versions.written_files import RecordedFolder, changed_files

Job = Mapping[str, Any]
Said = dict[str, Any]
_RUN_DATE = "<run_date>"


# ------------------------------------------------------------------------------ states


def states(job: Job) -> Said:
    """Where tables stand: what readers are to see, and what is needed to show it.

    Args:
        job: ``wanted`` by label, each with ``number`` (a version; without it the newest), ``base``
            (a version that is needed too); for a version that is made of changes ``next``, with the
            fields of `NextVersion`; and, if the state is published, ``publishes`` and
            ``since_last`` (whether readers see now what was published whole last; else nobody knows
            what they see).

    Returns:
        By label: ``newest``, ``current`` and ``base``, whole manifests; ``dates``, the version of
        each; ``next`` and ``feed_base``, as `said_next` has them; ``record``, what to record
        once it is published whole; if it is published ``before`` (the same of what they see now),
        ``partitions`` of the dates that differ, by version, and ``given_up_dates``: those of them
        whose version was given up, which no date of ``dates`` is.
        Or ``error``. Of a table without versions there is nothing.
    """
    records = recorded.read(job["root"])
    wanted = job["wanted"]
    return said_of_tables(
        wanted, lambda label: _said_state(job["root"], label, wanted[label], records)
    )


def _said_state(root: str, label: str, wanted: Mapping[str, Any], records: Records) -> Said:
    versions = logged_versions(root, label)
    state = read_state(versions, records, label, wanted.get("number"))
    base, coming = wanted.get("base"), wanted.get("next")
    before = state.shown if state else None
    own = said_next(versions, before, NextVersion(**coming), base) if coming else {}
    if state is None:
        return {"newest": None, "current": None, "base": None, "dates": {}, **own}
    said = said_shown(versions, state.shown) | {
        **own,
        "base": said_manifest(versions, versions[base]) if base else None,
        "record": {"version": state.newest, **asdict(state.to_record)},
    }
    if not wanted.get("publishes"):
        return said
    since = state.published_before if wanted.get("since_last") else None
    before = versions_at(versions, since, state.recorded) if since else None
    dates, shown_before = state.shown.dates, before.dates if before else {}
    differing = {date: one for date, one in dates.items() if shown_before.get(date) != one}
    with_partitions = versions.read_with("partitions")
    there = counting(with_partitions, differing.values())
    given_up = [date for date, one in sorted(differing.items()) if one not in there]
    return said | {
        "dates": {date: one for date, one in dates.items() if date not in given_up},
        "before": said_shown(versions, before) if before else None,
        "given_up_dates": given_up,
        "partitions": {
            number: [asdict(one) for one in with_partitions[number].partitions]
            for number in sorted(there)
        },
    }


def published_state(root: str, label: str, number: int, *, since_last: bool = True) -> Said:
    """What readers are to see with a version, and what they see now; see `states`."""
    wanted = {"number": number, "publishes": True, "since_last": since_last}
    return states({"root": root, "wanted": {label: wanted}})[label]


def published(job: Job) -> Said:
    """Record that a version is published whole, unless a run has recorded a date meanwhile.

    Args:
        job: ``run``; ``source_name``, ``table_name`` and the ``number`` of the version; ``dates``,
            those that readers see and those that were given up.

    Returns:
        By label: ``newest``, the number of the newest version once that is recorded. Of a run that
        has recorded a date meanwhile ``state``, to publish that before: what readers are to see,
        whatever they see now. Or ``error``.
    """
    root, number = job["root"], job["number"]
    table = {name: job[name] for name in ("source_name", "table_name")}
    label = ".".join(table.values())
    now = states({"root": root, "wanted": {label: {"number": number}}})[label]
    if "error" in now:
        return {label: now}
    if now["dates"].keys() != {*job["dates"]}:
        return {label: {"state": published_state(root, label, number, since_last=False)}}
    recorded.record(root, job["run"], [table | now["record"]])
    # A command that commits a newer one from here on finds this one recorded.
    return {label: {"newest": logged_versions(root, label).newest}}


# -------------------------------------------------------------------------- operations


@dataclass(frozen=True)
class _Asked:
    """An operation on one table, and what it reads.

    Attributes:
        job: the job; see `operation`.
        entry: what the job says of the table.
        versions: its versions.
        records: what commands recorded.
    """

    job: Job
    entry: Mapping[str, Any]
    versions: LoggedVersions
    records: Records

    @cached_property
    def table(self) -> Table:
        names = ("label", "layout", "history", "change_feed", "rebuild_command")
        return Table(**{name: self.entry[name] for name in names})

    @cached_property
    def command(self) -> Command:
        return Command(self.job["run"], self.job["started_at"])

    @cached_property
    def found(self) -> TableState | None:
        """Where the table stands; None if it was never published."""
        if not self.job["root"]:
            return None
        return read_state(self.versions, self.records, self.table.label)

    @cached_property
    def state(self) -> TableState:
        """Where the table stands.

        Raises:
            DmsError: it was never published.
        """
        check_published(self.table.label, self.found.newest if self.found else None)
        assert self.found
        return self.found

    def said_next(self, run_date: str, *, change_feed: bool) -> Said:
        """What the next version has of the state before it; it is built on nothing."""
        layout, history = self.table.layout, self.table.history
        coming = NextVersion(run_date, self.state.next_version, layout, history, change_feed)
        return said_next(self.versions, self.state.shown, coming, None)

    def argument(self, name: str) -> Any:
        """An argument of the operation."""
        return self.job["arguments"].get(name)

    def uploads_left(self, files: Iterable[FileRef]) -> UploadsLeft:
        """Which uploads the index knows to be left."""
        events, _ = known_events(parse_log(self.job["files"]), [self.table.label])
        excluded = {(file.path, file.etag) for file in self.state.shown.newest.excluded_files}
        asked = [(file.path, file.etag) for file in files]
        return uploads_left(events[self.table.label], asked, excluded)


def operation(job: Job) -> Said:
    """Plan an operation for some tables, and change nothing.

    Args:
        job: ``operation``, its ``arguments``, ``tables`` (the fields of `Table`, ``run_command``
            with <run_date> in it, and ``is_shown``: whether the snapshot table is there; for a
            vacuum what `pyspark_dms.versions.vacuum_jobs.kept` needs), ``files`` (the index, as the
            job of ``dms_index`` has it; only reapply reads it), ``run`` and ``started_at``.

    Returns:
        By label: ``would`` and ``did``, what is said of it; ``state``, as `states` gives it,
        with ``version``, the number of the next version; ``finishes``, ``commit``, ``builds_on``
        and ``target``, as `OperationPlan` has them; ``changed_files``, what somebody has changed in
        the partitions that are shown again; what the operation has of its own. Or ``error``.
    """
    # Before the first run there is no log.
    records = recorded.read(job["root"]) if job["root"] else Records()

    def said(entry: Mapping[str, Any]) -> Said:
        asked = _Asked(job, entry, logged_versions(job["root"], entry["label"]), records)
        try:
            return _said_plan(asked, alone=len(job["tables"]) == 1)
        except DmsError as problem:
            return {"error": str(problem)}

    return {entry["label"]: said(entry) for entry in job["tables"]}


def _said_plan(asked: _Asked, *, alone: bool) -> Said:
    if asked.job["operation"] == "versions":
        text = operations.versions_table(asked.table, asked.found, asked.argument("limit"))
        return {"would": text, "did": text}
    if asked.found is None and not alone:
        text = f"{asked.table.label}: nothing was ever published, so there is nothing to do"
        return {"would": text, "did": text}
    is_shown = asked.entry["is_shown"]
    plan = operations.unfinished(asked.table, asked.state, is_shown=is_shown)
    own: Said = {}
    if plan is None:
        plan, own = _PLANS[asked.job["operation"]](asked)
    changed = _changed_files(asked.table, plan)
    versions, state = asked.versions, asked.state
    return {
        "would": plan.would,
        "did": plan.did,
        "finishes": plan.finishes,
        "commit": plan.commit.to_json() if plan.commit else None,
        "builds_on": [said_manifest(versions, one) for one in plan.builds_on],
        "target": plan.target,
        "changed_files": changed,
        "state": said_shown(versions, state.shown) | {"version": state.next_version},
        **own,
    }


def _changed_files(table: Table, plan: OperationPlan) -> str | None:
    """What somebody has changed in the folders that a plan needs; None if nothing.

    Raises:
        DmsError: one has no files.
    """
    recorded = [RecordedFolder(one.partition, one.location, one.files) for one in plan.partitions]
    locations = [one.location for one in recorded]
    files = dict(zip(locations, side_by_side(stores.data_files, locations), strict=True))
    others = [folder for folder in plan.folders if not files.get(folder)]
    there = zip(others, side_by_side(stores.has_objects, others), strict=True)
    check_folders(table, plan.target or 0, [folder for folder, has_any in there if not has_any])
    changed = (changed_files(one, files[one.location]) for one in recorded)
    return next(filter(None, changed), None)


def _rollback(asked: _Asked) -> tuple[OperationPlan, Said]:
    return operations.rollback(asked.table, asked.state, asked.command), {}


def _rollback_to(asked: _Asked) -> tuple[OperationPlan, Said]:
    to = asked.argument("to")
    return operations.rollback_to(asked.table, asked.state, to, asked.command), {}


def _reapply(asked: _Asked) -> tuple[OperationPlan, Said]:
    table, state = asked.table, asked.state
    target = reapply_target(state)
    if target is not None:
        return operations.restored(table, state, target, "reapply", asked.command), {}
    again = include_again(table, state, asked.command)
    command = asked.entry["run_command"].replace(_RUN_DATE, again.run_date)
    left = asked.uploads_left(again.files)
    return operations.included_again(table, again, left, command), {}


def _vacuum(asked: _Asked) -> tuple[OperationPlan, Said]:
    now = datetime.fromisoformat(asked.command.started_at).replace(tzinfo=UTC)
    plan = operations.vacuum(asked.table, asked.state, asked.command)
    return plan, kept(asked.entry, asked.state, now)


def _replay(asked: _Asked) -> tuple[OperationPlan, Said]:
    state, has_feed = asked.state, asked.table.change_feed
    own = asked.said_next(state.shown.current.run_date, change_feed=has_feed)
    return operations.replay(asked.table, state), {"manifest": operations.replayed(state), **own}


def _backfill(asked: _Asked) -> tuple[OperationPlan, Said]:
    """The dates that are missing, and those for which the index has to be asked for files.

    Or the ``dates`` that repair makes again, because their files cannot be built in another way.
    """
    if again := asked.argument("dates"):
        state = asked.state.without_dates(again)
        found = operations.backfill(asked.table, state, again, BRING_BACK)
    else:
        first, last = (str(asked.argument(name)) for name in ("from_date", "to_date"))
        check_range(first, last)
        missing = missing_dates(asked.table, asked.state, first, last)
        found = operations.backfill(asked.table, asked.state, missing)
    return found.plan, {
        "dates": found.dates,
        "doubtful": [_said_date(asked, one) for one in found.doubtful],
    }


def _said_date(asked: _Asked, making: DateToMake) -> Said:
    return {
        "date": making.date,
        "has_before": making.before is not None,
        "applied": making.applied,
        "built_on": said_manifest(asked.versions, making.built_on),
    }


def _backfill_date(asked: _Asked) -> tuple[OperationPlan, Said]:
    """One of these dates, when those before it are made; or one that repair makes again."""
    date = asked.argument("date")
    found = operations.backfill(asked.table, asked.state.without_dates([date]), [date])
    (making,) = found.making
    own = {
        **asked.said_next(date, change_feed=False),
        "before": making.before,
        "loaded_through": making.loaded_through,
        "built_on": said_manifest(asked.versions, making.built_on),
        "manifest": backfilled_fields(asked.state.shown, making.built_on),
        "doubtful": [_said_date(asked, one) for one in found.doubtful],
    }
    return found.plan, own


def _repair(asked: _Asked) -> tuple[OperationPlan, Said]:
    """The folders of all versions, and which versions readers see or are built on."""
    return OperationPlan("", ""), {
        "repair": operations.folders_to_look_at(
            asked.table, asked.state, asked.versions.read_with("partitions")
        )
    }


_PLANS: Mapping[str, Callable[[_Asked], tuple[OperationPlan, Said]]] = {
    "rollback": _rollback,
    "rollback_to": _rollback_to,
    "reapply": _reapply,
    "vacuum": _vacuum,
    "replay": _replay,
    "backfill": _backfill,
    "backfill_date": _backfill_date,
    "repair": _repair,
}
