"""What is published: the newest version of each table, and the first rows of its snapshot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark_dms.dbt_session import DbtSession, Row
from pyspark_dms.errors import DmsError

_COUNTS = ("rows_before", "rows_inserted", "rows_updated", "rows_deleted", "rows_after")

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


def newest_versions(dbt: DbtSession, run_date: str | None = None) -> list[PublishedVersion]:
    """The version of each table that counts at the end of a date (default: now).

    Empty if nothing was ever published. A table without a version of that very date comes with
    its newest one before it.

    Raises:
        DmsError: dbt could not run the query.
    """
    condition = f"run_date <= date'{run_date}'" if run_date else "true"
    counts = ", ".join(
        f"if(is_own, {name}, {'rows_after' if name == 'rows_before' else '0'}) as {name}"
        for name in _COUNTS
        if name != "rows_after"
    )
    # Before the first run there is no version history to ask.
    sql = f"""
        {{% set versions = load_relation(ref("dms_snapshots", "snapshot_versions")) %}}
        {{% if versions %}}
        select
            source_name, table_name, version, layout, rows_after, {counts},
            if(is_own, action, 'unchanged') as action,
            cast(shown_date as string) as run_date
        from (
            select versions.*, shown.shown_date, versions.run_date = shown.shown_date as is_own
            from {{{{ versions }}}} as versions
            inner join (
                -- Of the dates that readers see now, the newest one of each table.
                select
                    source_name,
                    table_name,
                    max(run_date) as shown_date,
                    max_by(shown_version, run_date) as version
                from ({{{{ dms_snapshots.shown_dates_sql(versions) }}}})
                where {condition}
                group by source_name, table_name
            ) as shown
                on
                    versions.source_name = shown.source_name
                    and versions.table_name = shown.table_name
                    and versions.version = shown.version
        )
        {{% else %}}
        select null as source_name where false
        {{% endif %}}
    """
    versions = [PublishedVersion(**row) for row in dbt.query(sql)]
    return sorted(versions, key=lambda version: (version.source_name, version.table_name))


def asked_versions(
    dbt: DbtSession, run_date: str | None, tables: Sequence[str]
) -> list[PublishedVersion]:
    """The newest versions up to a date of the tables that a person names; see `newest_versions`.

    Args:
        dbt: where to ask.
        run_date: the date, YYYY-MM-DD; None for the newest.
        tables: by source and table name with a dot between, or by the name of their snapshot;
            none for all.

    Raises:
        DmsError: nothing is published up to that date, or not of a table, or dbt could not ask.
    """
    versions = newest_versions(dbt, run_date)
    until = f" up to {run_date}" if run_date else ""
    if not versions:
        raise DmsError(
            "E420",
            f"Nothing is published{until}. Publish with: dbt run --vars '{{run_date: YYYY-MM-DD}}'",
        )
    labels = {f"{version.source_name}.{version.table_name}": version for version in versions}
    by_name = labels | {
        name: version
        for version in versions
        for name in (version.snapshot_model, version.table_name)
    }
    if unknown := [table for table in tables if table not in by_name]:
        raise DmsError(
            "E420",
            f"{unknown[0]} is not published{until}. There are: {', '.join(sorted(labels))}",
        )
    return [by_name[table] for table in tables] or versions


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
