"""What is published: the newest version of each table, and the first rows of its snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark_dms.dbt_session import DbtSession, Row
from pyspark_dms.errors import DmsError, raise_all

_CHANGES = ("rows_inserted", "rows_updated", "rows_deleted")

_JSON_OPTIONS = "'ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'"


@dataclass(frozen=True)
class PublishedVersion:
    """A version of a table, as the version history has it; counts are rows, dates YYYY-MM-DD.

    Of a date without changes the action is ``unchanged``.
    """

    source_name: str
    table_name: str
    run_date: str
    version: int
    action: str
    layout: str
    rows_before: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    rows_after: int

    @property
    def snapshot_model(self) -> str:
        """Name of the snapshot table."""
        return f"{self.table_name}_snapshot"

    @property
    def rows_filter(self) -> str:
        """The condition that finds its rows in the snapshot table."""
        if self.layout.startswith("current state only"):
            return "true"
        return f"snapshot_date = date'{self.run_date}'"


def newest_versions(
    dbt: DbtSession, run_date: str | None = None, tables: Sequence[str] = ()
) -> list[PublishedVersion]:
    """The version of each table that counts at the end of a date (default: now).

    Empty if nothing was ever published. A table without a version of that very date comes with
    its newest one before it.

    Args:
        dbt: where to ask.
        run_date: the date, YYYY-MM-DD; None for the newest.
        tables: by source and table name with a dot between, or by the name of their snapshot;
            none for all.

    Raises:
        DmsError: one of the tables is not published up to that date, or its versions cannot be
            read; or dbt could not ask.
    """
    found = {label: said for label, said in dbt.call("print_seen", until=run_date).items() if said}
    labels = {name: label for label in sorted(found) for name in _names(label)}
    if found and (unknown := [table for table in tables if table not in labels]):
        raise DmsError(
            "E420",
            f"{unknown[0]} is not published{_until(run_date)}. "
            f"There are: {', '.join(sorted(found))}",
        )
    asked = [labels[table] for table in tables if found] or sorted(found)
    raise_all(
        [DmsError("E425", found[label]["error"]) for label in asked if "error" in found[label]]
    )
    return [_published(label, found[label]) for label in asked]


def _names(label: str) -> tuple[str, ...]:
    table_name = label.partition(".")[2]
    return table_name, f"{table_name}_snapshot", label


def _until(run_date: str | None) -> str:
    return f" up to {run_date}" if run_date else ""


def _published(label: str, said: Mapping[str, Any]) -> PublishedVersion:
    source_name, _, table_name = label.partition(".")
    date, facts = said["date"], dict(said["version"])
    if facts["run_date"] != date:
        facts |= dict.fromkeys(_CHANGES, 0)
        facts |= {"run_date": date, "action": "unchanged", "rows_before": facts["rows_after"]}
    return PublishedVersion(source_name=source_name, table_name=table_name, **facts)


def asked_versions(
    dbt: DbtSession, run_date: str | None, tables: Sequence[str]
) -> list[PublishedVersion]:
    """The same; there has to be one.

    Raises:
        DmsError: as `newest_versions`, or nothing is published up to that date.
    """
    versions = newest_versions(dbt, run_date, tables)
    if not versions:
        raise DmsError(
            "E420",
            f"Nothing is published{_until(run_date)}. "
            "Publish with: dbt run --vars '{run_date: YYYY-MM-DD}'",
        )
    return versions


def first_rows(
    dbt: DbtSession, versions: Sequence[PublishedVersion], row_count: int
) -> list[list[Row]]:
    """Up to ``row_count`` rows of each version's snapshot, in one query; no order is implied.

    Raises:
        DmsError: dbt could not run the query.
    """
    selects = [
        f"""(
            select {number} as number, to_json(struct(*), map({_JSON_OPTIONS})) as line
            from {{{{ dms_snapshots.shown_table("{version.snapshot_model}") if execute }}}}
            where {version.rows_filter}
            limit {row_count}
        )"""
        for number, version in enumerate(versions)
    ]
    found: list[list[Row]] = [[] for _ in versions]
    if selects:
        for row in dbt.query(" union all ".join(selects)):
            found[row["number"]].append(_parsed(row["line"]))
    return found


def _parsed(line: str) -> Row:
    # Numbers stay as they are written, so that a price of 10.00 is not shown as 10.0.
    row: Row = json.loads(line, parse_float=str)
    return row
