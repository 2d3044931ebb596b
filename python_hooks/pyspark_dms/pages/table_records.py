"""What is known of each declared table: its declaration, its lineage, its versions and runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark_dms.dbt_session import DbtSession, Row
from pyspark_dms.secrets import without_secrets

# What a page shows of a table: its newest versions and as many dates, run dates and rejects.
VERSIONS = 120
RUNS = 30
REJECTS = 50

_ORDERS = {
    "file": "as DMS wrote the changes: by file, then by row",
    "change_seq": "by the change sequence of DMS",
    "timestamp": "by commit time, then by file and row",
}


@dataclass(frozen=True)
class Column:
    """A declared column; its type is as declared, the description may be empty."""

    name: str
    data_type: str
    description: str


@dataclass(frozen=True)
class Version:
    """One version of a table, as the version history has it; counts are rows.

    Attributes:
        run_date: the date whose end the state is of, as YYYY-MM-DD.
        action: what made it, in the words of the version history.
        of: the version whose state was taken again; None for what was made from changes.
        base: the version it was built on; None for none.
        file_count: how many files it applied.
        started_at, finished_at: in UTC, as YYYY-MM-DD HH:MM:SS.
        readers: ``current``, ``see it`` (under a snapshot date) or empty.
    """

    number: int
    run_date: str
    action: str
    of: int | None
    base: int | None
    rows_before: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    rows_after: int
    file_count: int
    started_at: str
    finished_at: str
    readers: str


@dataclass(frozen=True)
class TableRun:
    """What a run date brought; without a version, nothing of it was published."""

    run_date: str
    file_count: int
    row_count: int
    reject_count: int
    version: int | None


@dataclass(frozen=True)
class Reject:
    """A row that waits for its cause to be corrected; ``row_number`` counts from 1 in the file."""

    run_date: str
    path: str
    row_number: int
    reason: str


@dataclass(frozen=True)
class Lineage:
    """A model, snapshot or exposure behind a table.

    Attributes:
        kind: what it is, such as ``staging`` or ``dashboard``.
        unique_id: dbt's name of it.
        made_from: the names of those behind the table that it reads, and the table's own.
    """

    name: str
    kind: str
    unique_id: str
    made_from: tuple[str, ...]


@dataclass(frozen=True)
class TableRecord:
    """Everything a page tells of a table.

    Attributes:
        unique_id: dbt's name of the source table.
        description: as declared; empty if there is none.
        declared_in: the YAML file, relative to the project.
        facts: what matters most of the declaration, in words: heading and text.
        settings: every key of the declaration with its value as JSON, and whether it is written
            there and not a default.
        lineage: what is made of it, in the order of the flow.
        versions: the newest, newest first.
        shown: the version that readers see under each of the newest dates, oldest first; for a
            table without history the last state of each run date.
        has_earlier: whether there are dates before those.
        runs: the newest run dates, newest first.
        reject_count: how many rejects are open; ``rejects`` are the newest of them.
    """

    source_name: str
    table_name: str
    unique_id: str
    description: str
    declared_in: str
    columns: tuple[Column, ...]
    facts: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str, bool], ...]
    lineage: tuple[Lineage, ...]
    versions: tuple[Version, ...]
    shown: tuple[tuple[str, Version], ...]
    has_earlier: bool
    runs: tuple[TableRun, ...]
    rejects: tuple[Reject, ...]
    reject_count: int

    @property
    def label(self) -> str:
        """How messages call the table."""
        return f"{self.source_name}.{self.table_name}"


def read_table_records(dbt: DbtSession, manifest: Mapping[str, Any]) -> list[TableRecord]:
    """Everything about every declared table, by name.

    Args:
        dbt: the project, with the lake to ask.
        manifest: what dbt wrote of the project.

    Raises:
        DmsError: dbt could not run a query.
    """
    found = dbt.call("print_page_records", versions=VERSIONS, runs=RUNS, rejects=REJECTS)
    versions = _by_table(found["versions"])
    runs = _by_table(found["runs"])
    rejects = _by_table(found["rejects"])
    records = []
    for declaration in found["declared"]:
        unique_id = declaration["unique_id"]
        source = manifest["sources"][unique_id]
        table = (source["source_name"], source["name"])
        history = sorted(versions.get(table, []), key=lambda row: -int(row["version"]))
        seen = found["seen"].get(".".join(table), {})
        newest, shown, has_earlier = _versions(history, seen.get("dates", {}))
        rejected = rejects.get(table, [])
        records.append(
            TableRecord(
                source_name=table[0],
                table_name=table[1],
                unique_id=unique_id,
                description=source["description"],
                declared_in=source["original_file_path"],
                columns=_columns(source),
                facts=_facts(declaration, table[1]),
                settings=_settings(declaration, source),
                lineage=_lineage(unique_id, manifest),
                versions=newest,
                shown=shown,
                has_earlier=has_earlier,
                runs=_runs(runs.get(table, [])),
                rejects=_rejects(rejected),
                reject_count=rejected[0]["reject_count"] if rejected else 0,
            )
        )
    return sorted(records, key=lambda record: (record.source_name, record.table_name))


def _by_table(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    tables: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        tables.setdefault((row["source_name"], row["table_name"]), []).append(row)
    return tables


def _columns(source: Mapping[str, Any]) -> tuple[Column, ...]:
    return tuple(
        Column(column["name"], column.get("data_type") or "", column.get("description") or "")
        for column in source["columns"].values()
    )


def _facts(declaration: Mapping[str, Any], table_name: str) -> tuple[tuple[str, str], ...]:
    if declaration["problems"]:
        return (("Refused", "; ".join(declaration["problems"])),)
    settings = declaration["settings"]
    commit_times = "not declared"
    if settings["timestamp_column"]:
        commit_times = f"{settings['timestamp_column']}, in {settings['timestamp_timezone']}"
    deletes = "captured: a delete removes the row"
    if not settings["captures_deletes"]:
        deletes = "not captured: the task writes inserts only"
    facts = [
        ("Key", ", ".join(settings["primary_keys"]) or "none: every insert is kept"),
        ("Deletes", deletes),
        ("Order", _ORDERS[settings["order_by"]]),
        ("Layout", f"{declaration['layout']}, {table_name}_snapshot; {table_name}_current"),
        ("Commit times", commit_times),
        ("Files", path if isinstance(path := settings["path"], str) else ", ".join(path)),
    ]
    if not settings["active"]:
        facts.insert(0, ("Not active", "declared, but not run yet"))
    return tuple(facts)


def _settings(
    declaration: Mapping[str, Any], source: Mapping[str, Any]
) -> tuple[tuple[str, str, bool], ...]:
    written = source["config"]["meta"]["dms"]
    return tuple(
        (key, json.dumps(value, ensure_ascii=False), isinstance(written, dict) and key in written)
        for key, value in declaration["settings"].items()
    )


def _lineage(unique_id: str, manifest: Mapping[str, Any]) -> tuple[Lineage, ...]:
    """What is made of a source table, children behind their parents."""
    children = manifest["child_map"]
    places = {unique_id: 0}
    waiting = [unique_id]
    while waiting:
        parent = waiting.pop()
        for child in children.get(parent, []):
            if places.get(child, 0) <= places[parent]:
                places[child] = places[parent] + 1
                waiting.append(child)
    source = manifest["sources"][unique_id]
    names = {unique_id: f"{source['source_name']}.{source['name']}"}
    found = []
    for node_id in sorted(places, key=lambda node_id: (places[node_id], node_id)):
        node = manifest["nodes"].get(node_id) or manifest["exposures"].get(node_id)
        if node and node["resource_type"] in ("model", "snapshot", "exposure"):
            names[node_id] = node.get("label") or node["name"]
            parents = [names[name] for name in manifest["parent_map"][node_id] if name in names]
            found.append(Lineage(names[node_id], _kind(node), node_id, tuple(sorted(parents))))
    return tuple(found)


def _kind(node: Mapping[str, Any]) -> str:
    if node["resource_type"] == "exposure":
        return str(node["type"])
    kinds = {
        "dms_staging": "staging",
        "dms_snapshot": "snapshot",
        "dms_feed": "change feed",
        "snapshot": "history",
    }
    return kinds.get(node["config"]["materialized"], node["resource_type"])


def _versions(
    history: list[Row], dates: Mapping[str, int]
) -> tuple[tuple[Version, ...], tuple[tuple[str, Version], ...], bool]:
    """The newest versions of a table, the dates with theirs, and whether there are earlier dates.

    Args:
        history: its rows, newest version first.
        dates: the version that each date shows.
    """
    if not history:
        return (), (), False
    newest = history[0]
    recent = [row for row in history if row["is_recent"]]
    if newest["layout"].startswith("current state only"):
        # It keeps no earlier date: what there was is what the history says, oldest version first.
        seen: Collection[int] = ()
        dates = {
            row["run_date"]: _origin(row["version"], recent)
            for row in reversed(recent)
            if row["run_date"] <= newest["run_date"]
        }
        has_earlier = newest["version"] > len(recent)
    else:
        seen = {*dates.values()}
        has_earlier = len(dates) > VERSIONS
    versions = {row["version"]: _version(row, newest, seen) for row in history}
    shown = tuple(
        (date, versions[dates[date]])
        for date in sorted(dates)[-VERSIONS:]
        # The rows of a version that was given up may be gone.
        if dates[date] in versions
    )
    return tuple(versions[row["version"]] for row in recent), shown, has_earlier


def _origin(number: int, history: Iterable[Row]) -> int:
    """The version that made a state: a copy, such as that of a vacuum, leads to it."""
    copied = {row["version"]: row["restored_version"] for row in history}
    while copied[number] in copied:
        number = copied[number]
    return number


def _version(row: Row, newest: Row, seen: Collection[int]) -> Version:
    readers = "see it" if row["version"] in seen else ""
    return Version(
        number=row["version"],
        run_date=row["run_date"],
        action=row["action"],
        of=row["restored_version"],
        base=row["base_version"],
        rows_before=row["rows_before"],
        rows_inserted=row["rows_inserted"],
        rows_updated=row["rows_updated"],
        rows_deleted=row["rows_deleted"],
        rows_after=row["rows_after"],
        file_count=row["file_count"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        readers="current" if row["version"] == newest["current_version"] else readers,
    )


def _runs(rows: Iterable[Row]) -> tuple[TableRun, ...]:
    runs = [
        TableRun(
            run_date=row["run_date"],
            file_count=row["file_count"],
            row_count=row["row_count"],
            reject_count=row["reject_count"],
            version=row["version"],
        )
        for row in rows
    ]
    return tuple(sorted(runs, key=lambda run: run.run_date, reverse=True))


def _rejects(rows: Iterable[Row]) -> tuple[Reject, ...]:
    rejects = [
        Reject(row["run_date"], row["path"], row["row_number"], without_secrets(row["reason"]))
        for row in rows
    ]
    return tuple(sorted(rejects, key=lambda reject: (reject.path, reject.row_number)))
