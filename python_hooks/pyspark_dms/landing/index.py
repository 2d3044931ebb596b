"""Indexes the landing area and plans the run: once per command, for all of its tables.

The table dms_files holds events: what was seen of each object. One run reads the events of
before, lists the folders, appends what differs, and says for each table what is to be done. How
that is decided stands in `pyspark_dms.landing.objects` and `pyspark_dms.landing.planning`; here is
what reads and writes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa

from pyspark_dms.errors import DmsError
from pyspark_dms.landing.events import ObjectEvent, Run
from pyspark_dms.landing.facts import FilePlan, TableFacts, parse_shards, parse_table
from pyspark_dms.landing.listing import ListedTable, Listing, list_table, start_after
from pyspark_dms.landing.objects import decide, without_repeats
from pyspark_dms.landing.shards import Folder, events_of, folders_of, plan_table
from pyspark_dms.landing.stray_events import ignore_missing
from pyspark_dms.landing.strays import ANY_FORMAT
from pyspark_dms.landing.waiting_rows import row_count
from pyspark_dms.release import check_release
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions import recorded
from pyspark_dms.versions.lineage import live_generations, reloaded_folders
from pyspark_dms.versions.manifest import Step
from pyspark_dms.versions.metadata import moment, read_rows, write_rows
from pyspark_dms.versions.read_state import PastVersions
from pyspark_dms.versions.recorded import Records

# More partitions than these are put together into one, so that reading the index does not cost
# a request for every run there ever was.
MOST_PARTITIONS = 24

_MOMENT = pa.timestamp("us", "UTC")
EVENT_SCHEMA = pa.schema(
    [
        ("source_name", pa.string()),
        ("table_name", pa.string()),
        ("path", pa.string()),
        ("kind", pa.string()),
        ("file_time", _MOMENT),
        ("size", pa.int64()),
        ("etag", pa.string()),
        ("modified_at", _MOMENT),
        ("generation", pa.int32()),
        ("file_seq", pa.int64()),
        ("problem", pa.string()),
        ("indexed_at", _MOMENT),
    ]
)
PLAN_SCHEMA = pa.schema([("label", pa.string()), ("run", pa.string()), ("plan", pa.string())])


@dataclass(frozen=True)
class Log:
    """A metadata table with a partition for each run: its folder, and that of each partition."""

    root: str
    folders: tuple[str, ...]


@dataclass(frozen=True)
class IndexJob:
    """All that indexing needs, as the options of the data source give it.

    Attributes:
        run: the date and the start of the run.
        files: the table dms_files.
        version_log: the folder of the version log; None before there is one.
        tables: what the macro landing_tables says of each table, by its label.
        writes: whether to append what differs and to record the plans; else these say how many
            rows wait too.
        late_file_days: the variable of that name; see `pyspark_dms.landing.listing.start_after`.
    """

    run: Run
    files: Log
    version_log: str | None
    tables: Mapping[str, Mapping[str, Any]]
    late_file_days: int | None
    writes: bool = True


def parse_job(text: str) -> IndexJob:
    """Read the option ``job`` of the data source: JSON with the fields of `IndexJob`.

    Raises:
        DmsError: the macros that wrote it are of another release.
    """
    fields = json.loads(text)
    check_release(fields.get("release"))
    return IndexJob(
        run=Run(date.fromisoformat(fields["run_date"]), moment(fields["run"])),
        files=parse_log(fields["files"]),
        version_log=fields["version_log"],
        tables={entry["label"]: entry for entry in fields["tables"]},
        late_file_days=fields["late_file_days"],
        writes=fields.get("writes", True),
    )


def parse_log(fields: Mapping[str, Any]) -> Log:
    """Read a metadata table of an option: ``root``, and ``partitions`` relative to it."""
    root = fields["root"]
    return Log(root, tuple(f"{root}/{partition}" for partition in fields["partitions"]))


def index(job: IndexJob) -> pa.RecordBatch:
    """Append what differs to the index, and plan all tables.

    Returns:
        Rows of `PLAN_SCHEMA`: one per table, whose plan is JSON. The first row has no label; its
        plan says how many events were added, and which partitions these replace.
    """
    known, held = known_events(job.files, job.tables)
    added = _list(job, known)
    count = sum(len(events) for events in added.values())
    replaced: list[str] = []
    if count and job.writes:
        events = _to_table(job, added)
        if len(job.files.folders) >= MOST_PARTITIONS:
            events, replaced = pa.concat_tables([held, events]), _names(job.files)
        write_rows(f"{job.files.root}/{job.run.run_date}/{job.run.name}", EVENT_SCHEMA, [events])
    records = recorded.read(job.version_log) if job.version_log else Records()
    added_text = json.dumps({"added": count, "replaced": replaced})
    rows = [{"label": "", "run": job.run.name, "plan": added_text}]
    # Some may have to read earlier versions.
    plans = side_by_side(
        lambda label: _plan(job, label, known[label] + added[label], records), job.tables
    )
    for (label, entry), plan in zip(job.tables.items(), plans, strict=True):
        # What commands without the index ask before they take the plan.
        paths = [shard["path"] for shard in entry.get("shards") or ()] or [entry["path"]]
        plan |= {"has_added": count > 0, "paths": [*paths, entry["transaction_path"]]}
        if not job.writes:
            plan["row_count"] = row_count(plan["files"])
        rows.append({"label": label, "run": job.run.name, "plan": json.dumps(plan)})
    if job.writes:
        folder = f"{job.files.root}/plans/{job.run.run_date:%Y%m%d}/{job.run.name}"
        write_rows(folder, PLAN_SCHEMA, [pa.Table.from_pylist(rows[1:], schema=PLAN_SCHEMA)])
    return pa.RecordBatch.from_pylist(rows, schema=PLAN_SCHEMA)


def waiting_files(job: IndexJob) -> dict[str, FilePlan]:
    """What a run of the job's date would take of each table, behind what readers see now.

    Lists and plans as `index` does, and writes nothing.
    """
    known, _ = known_events(job.files, job.tables)
    added = _list(job, known)
    plans = {}
    for label, entry in job.tables.items():
        # Also of a date that is published already: what it has is not read again.
        facts = parse_table({**entry, "base": entry["current"]}, _past(job, label))
        plans[label] = plan_table(known[label] + added[label], facts, job.run)
    return plans


def _past(job: IndexJob, label: str) -> Mapping[int, Step]:
    """The versions of a table; each is read when its plan asks for it."""
    return PastVersions(job.version_log, label) if job.version_log else {}


def _list(job: IndexJob, known: Mapping[str, list[ObjectEvent]]) -> dict[str, list[ObjectEvent]]:
    """List the folders of all tables; the new events of each table."""
    added: dict[str, list[ObjectEvent]] = {label: [] for label in job.tables}
    asked = []
    for label, entry in job.tables.items():
        folders = _folders(entry, known[label])
        own = events_of(folders, known[label])
        asked += [(entry, *pair) for pair in zip(folders, own, strict=True)]
    for (entry, *_), new in zip(
        asked, side_by_side(lambda one: _new(job, *one), asked), strict=True
    ):
        added[entry["label"]] += new
    return added


def _names(log: Log) -> list[str]:
    return [folder.removeprefix(f"{log.root}/") for folder in log.folders]


def known_events(
    files: Log, labels: Collection[str]
) -> tuple[dict[str, list[ObjectEvent]], pa.Table]:
    """The events of some tables, by label, and the rows of all tables; each event once."""
    tables = side_by_side(lambda folder: read_rows(folder, EVENT_SCHEMA), files.folders)
    # A partition that was put together with others may be there beside them: for a moment, or
    # until the next are put together, if a command died before it had dropped them.
    held = pa.concat_tables([EVENT_SCHEMA.empty_table(), *tables])
    held = held.group_by(EVENT_SCHEMA.names, use_threads=False).aggregate([])
    known: dict[str, list[ObjectEvent]] = defaultdict(list)
    columns = [held[name].to_pylist() for name in EVENT_SCHEMA.names]
    for source_name, table_name, *values in zip(*columns, strict=True):
        label = f"{source_name}.{table_name}"
        if label in labels:
            known[label].append(ObjectEvent(*values))
    return defaultdict(list, {label: without_repeats(known[label]) for label in known}), held


def _folders(entry: Mapping[str, Any], known: Sequence[ObjectEvent]) -> list[Folder]:
    shards = [(shard["name"], shard["path"]) for shard in entry.get("shards") or ()]
    return folders_of(entry["path"], shards, parse_shards(entry["current"]), known)


def _new(
    job: IndexJob, entry: Mapping[str, Any], folder: Folder, known: Sequence[ObjectEvent]
) -> Sequence[ObjectEvent]:
    listed = ListedTable(
        path=folder.path,
        after=start_after(known, job.late_file_days),
        timezone=entry["timezone"],
        transaction_path=entry["transaction_path"],
    )
    return folder.as_recorded(_decide(job.run, entry, known, list_table(listed)))


def _decide(
    run: Run, entry: Mapping[str, Any], known: Sequence[ObjectEvent], listing: Listing
) -> list[ObjectEvent]:
    def files(name: str) -> set[tuple[str, str]]:
        return {(path, etag) for path, etag in entry[name]}

    taken, excluded = files("load_files"), files("excluded")
    events = decide(
        known,
        listing.objects,
        listing.folders,
        taken,
        excluded,
        run,
        entry.get("format", ANY_FORMAT),
    )
    if entry.get("allows_missing"):
        events += ignore_missing([*known, *events], run)
    return events


def _to_table(job: IndexJob, added: Mapping[str, Sequence[ObjectEvent]]) -> pa.Table:
    rows = []
    for label, events in added.items():
        names = {name: job.tables[label][name] for name in ("source_name", "table_name")}
        rows += [{**names, **vars(event)} for event in events]
    return pa.Table.from_pylist(rows, schema=EVENT_SCHEMA)


def _plan(
    job: IndexJob, label: str, events: Sequence[ObjectEvent], records: Records
) -> dict[str, Any]:
    """The plan of one table: its entry, and what the run has to do."""
    entry = job.tables[label]
    dated = {
        **entry,
        **{name: _with_recorded(label, entry[name], records) for name in ("current", "base")},
    }
    facts = parse_table(dated, _past(job, label))
    newest = entry["newest"]
    plan = plan_table(events, facts, job.run)
    if problem := _date_problem(job.run, facts, entry):
        plan = replace(plan, files=(), error=str(problem))
    return {
        "label": label,
        "run_date": f"{job.run.run_date}",
        "run": job.run.name,
        "full_refresh": facts.full_refresh,
        "newest": newest,
        "base_version": facts.base.version if facts.base else None,
        "unchanged_dates": (
            records.version(label, facts.current.version)["dates"] if facts.current else []
        ),
        # What readers see is all of a version once the end of a run has recorded it.
        "is_published": (newest or 0) == records.last(label),
        **_plain(plan),
        "generations": live_generations(plan),
        "reloaded_shards": _reloaded(plan, facts),
    }


def _reloaded(plan: FilePlan, facts: TableFacts) -> tuple[str | None, ...]:
    """The folders whose full load replaces that of the current version."""
    current = facts.current
    if current is None or facts.full_refresh:
        return ()
    return reloaded_folders(plan, current.generation, current.shards.values())


def _plain(plan: FilePlan) -> dict[str, Any]:
    return {
        **asdict(plan),
        "indexed_from": _name(plan.indexed_from),
        "indexed_through": _name(plan.indexed_through),
    }


def _with_recorded(
    label: str, version: Mapping[str, Any] | None, records: Records
) -> dict[str, Any] | None:
    """A version with its last unchanged date, and with what its unchanged dates have seen."""
    if version is None:
        return None
    seen = records.version(label, version["version"])
    known = dict(version)
    if seen["dates"]:
        known["newest_date"] = max(known["newest_date"], seen["dates"][-1])
    if seen["indexed_through"]:
        known["indexed_from"] = seen["indexed_from"] or known["indexed_from"]
        known["indexed_through"] = seen["indexed_through"]
    return known


def _name(value: datetime | None) -> str | None:
    return f"{value.astimezone(UTC):%Y%m%dT%H%M%S%fZ}" if value else None


def _date_problem(run: Run, facts: TableFacts, entry: Mapping[str, Any]) -> DmsError | None:
    """Why a run date cannot be run, if it cannot."""
    current = facts.current
    if current and current.newest_date > run.run_date:
        return DmsError(
            "E406",
            f"{facts.label}: run_date {run.run_date} is before the newest published one, "
            f"{current.newest_date}. Nothing of this table was published. "
            f"Run {current.newest_date} or later. To fill in a date: dbt run-operation backfill. "
            "dbt run-operation rollback_to goes back, but excludes the files that it undoes.",
        )
    started = entry["current"]["run"] if current and current.run_date == run.run_date else None
    if started and started > run.name:
        return DmsError(
            "E401",
            f"{facts.label}: another command has published version {entry['newest']} of run_date "
            f"{run.run_date}. It started at {moment(started):%Y-%m-%d %H:%M:%S} (UTC), after this "
            "one. Nothing of this table was published. Run the same command again; if no other "
            "was at work, the clocks of two machines differ.",
        )
    return None
