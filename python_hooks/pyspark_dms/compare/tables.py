"""From the names of published tables to comparisons: what is compared, and what came of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pyspark_dms.compare.comparison import (
    Comparison,
    Difference,
    Progress,
    Settings,
    compare_sides,
)
from pyspark_dms.compare.forms import ComparedColumn, SourceColumn, form_of
from pyspark_dms.compare.sides import ComparedTable, Key, PublishedSide, Shard, SourceSide
from pyspark_dms.compare.source import Source
from pyspark_dms.compare.waiting import DeclaredTable, LandedChanges, read_declared
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.errors import DmsError
from pyspark_dms.versions.published import PublishedVersion

State = Literal["equal", "different", "not compared"]


@dataclass(frozen=True)
class TableOutcome:
    """What came of a table.

    Attributes:
        table: source and table name, as declared.
        run_date: the date whose published state was compared.
        relation: the table at the source.
        state: equal, different, or not compared for `reason`.
        keys: the names of the key columns.
        comparison: what was found; None if it was not compared.
        undeclared: columns of the source that are not declared, and so not compared.
        ignored: columns that were not to be compared.
        shard: the one of several folders whose rows were compared; empty for all rows.
        queries: how many the source was asked.
        seconds: how long it took.
    """

    table: str
    run_date: str
    relation: str
    state: State
    keys: tuple[str, ...] = ()
    comparison: Comparison | None = None
    reason: str = ""
    undeclared: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    shard: str = ""
    queries: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Pair:
    """A table and where it comes from.

    Attributes:
        table: what is compared.
        declared: the declaration.
        relation: schema and table at the source.
        undeclared: columns of the source that are not declared.
    """

    table: ComparedTable
    declared: DeclaredTable
    relation: tuple[str, str]
    undeclared: tuple[str, ...] = field(default=())


def read_pair(
    dbt: DbtSession,
    source: Source,
    label: str,
    relation: tuple[str, str] | None = None,
    ignored: Collection[str] = (),
    shard: str | None = None,
) -> Pair:
    """Find a table at the source, and how each column of it is compared.

    Args:
        dbt: where to ask for the declaration.
        source: the database.
        label: source and table name, as declared.
        relation: schema and table at the source; None where they are called as they are declared.
        ignored: columns that are not compared.
        shard: of a table with several folders the one that this source has; None for all rows.

    Raises:
        DmsError: there is no such table, or some column cannot be compared.
    """
    declared = read_declared(dbt, label)
    chosen = _shard(declared, ignored, shard)
    schema, name = relation or (label.split(".", 1)[0], label.split(".", 1)[1])
    found = {column.name.lower(): column for column in source.columns(schema, name)}
    nothing = "Nothing of it was compared."
    if not found:
        raise DmsError(
            "E653",
            f"{label}: the source has no table {schema}.{name} that this login may see. {nothing} "
            "Name it with --source-table SCHEMA.TABLE, or grant select.",
        )
    settings = declared.settings
    declared_columns = [
        (column.name, column.data_type)
        for column in settings.columns
        if not (chosen and column.name == chosen.column)
    ]
    columns = compared_columns(
        f"{label}: ",
        declared_columns,
        declared.keys,
        found.values(),
        ignored,
        settings.trim,
        (*settings.lower, *settings.unaccent),
    )
    by_name = {column.name.lower(): column for column in columns}
    keys = tuple(by_name[key.lower()] for key in declared.keys if key.lower() in by_name)
    declared_names = {column.name.lower() for column in settings.columns}
    undeclared = tuple(one.name for lower, one in found.items() if lower not in declared_names)
    return Pair(ComparedTable(label, keys, columns, chosen), declared, (schema, name), undeclared)


def _shard(declared: DeclaredTable, ignored: Collection[str], value: str | None) -> Shard | None:
    """The folder that is compared, which the user names unless one source has the rows of all."""
    column = declared.settings.shard_column
    nothing = "Nothing of it was compared."
    if not column:
        if value is None:
            return None
        raise DmsError("E652", f"{declared.label}: it has no shard_column. {nothing} Omit --shard.")
    if value is None:
        if column.lower() in (name.lower() for name in ignored):
            return None
        of_all = f" If this source has the rows of all, leave their column out: --ignore {column}."
        raise DmsError(
            "E652",
            f"{declared.label}: it has several folders. {nothing} Name the one that this source "
            f"has: --shard {declared.shards[0]}.{'' if column in declared.keys else of_all}",
        )
    if value not in declared.shards:
        raise DmsError(
            "E652",
            f"{declared.label}: it has no shard {value}. {nothing} "
            f"There are: {', '.join(declared.shards)}.",
        )
    return Shard(column, value)


def compared_columns(
    where: str,
    declared: Sequence[tuple[str, str]],
    primary_keys: Sequence[str],
    found: Iterable[SourceColumn],
    ignored: Collection[str] = (),
    trimmed: Collection[str] = (),
    folded: Collection[str] = (),
) -> tuple[ComparedColumn, ...]:
    """How each column is compared, the key columns first.

    Args:
        where: what a message begins with.
        declared: name and type of each declared column.
        primary_keys: the names of the key columns.
        found: the columns of the source.
        ignored: columns that are not compared.
        trimmed: columns of text whose blanks at the end do not count.
        folded: columns whose case or accents are not those of the source.

    Raises:
        DmsError: some column cannot be compared.
    """
    by_name = {column.name.lower(): column for column in found}
    left_out = {name.lower() for name in ignored}
    columns = {}
    for name, data_type in declared:
        if name.lower() in left_out:
            continue
        there = by_name.get(name.lower())
        if there is None:
            raise DmsError(
                "E653",
                f"{where}the source table has no column {name}. Nothing of it was compared. "
                f"If DMS adds it, leave it out with --ignore {name}.",
            )
        if name in folded:
            raise DmsError(
                "E652",
                f"{where}column {name} is declared with lower or unaccent, so its values are not "
                "those of the source. Nothing of it was compared. "
                f"Leave it out with --ignore {name}.",
            )
        form = form_of(data_type, there.kind)
        if form is None:
            raise DmsError(
                "E652",
                f"{where}column {name} is declared as {data_type} and is {there.type_name} at the "
                "source, which cannot be compared. Nothing of it was compared. "
                f"Leave it out with --ignore {name}.",
            )
        if form == "text" and name in trimmed:
            form = "char"
        columns[name.lower()] = ComparedColumn(name, data_type, form, there)
    keys = [columns[key.lower()] for key in primary_keys if key.lower() in columns]
    return (*keys, *(column for column in columns.values() if column not in keys))


def compare_table(
    dbt: DbtSession,
    source: Source,
    version: PublishedVersion,
    pair: Pair,
    settings: Settings,
    progress: Progress,
) -> Comparison:
    """Compare a published state with the source.

    Raises:
        DmsError: it cannot be compared.
    """
    _check_keys(pair)
    here = PublishedSide(dbt, version, pair.table)
    there = SourceSide(source, pair.table, pair.relation)
    waiting = LandedChanges(dbt, pair.table, version, here)
    return compare_sides(pair.table, here, there, waiting, settings, progress)


def _check_keys(pair: Pair) -> None:
    declared, keys = pair.declared.keys, pair.table.keys
    if shard := pair.table.shard:
        declared = tuple(key for key in declared if key != shard.column)
    if not declared:
        problem = "the table has no primary key, so that no row can be found on the other side"
    elif len(keys) < len(declared):
        problem = "a column of the primary key is ignored"
    elif any(key.form in ("double", "real") for key in keys):
        problem = "a column of the primary key is a floating number"
    else:
        return
    raise DmsError(
        "E652",
        f"{pair.table.label}: {problem}. Nothing of it was compared. "
        "Its control totals can be: compare --print-sql, docs/how-to/compare.md.",
    )


def outcome_json(outcome: TableOutcome, sample: int) -> dict[str, Any]:
    """What came of a table, as it is written to JSON and shown; with some of its keys."""
    report: dict[str, Any] = {
        "table": outcome.table,
        "run_date": outcome.run_date,
        "source_table": outcome.relation,
        "state": outcome.state,
        "reason": outcome.reason,
        "columns_undeclared": list(outcome.undeclared),
        "columns_ignored": list(outcome.ignored),
        "shard": outcome.shard,
        "queries_of_source": outcome.queries,
        "seconds": round(outcome.seconds, 1),
    }
    found = outcome.comparison
    if found is None:
        return report
    return {
        **report,
        "rows_here": found.rows_here,
        "rows_there": found.rows_there,
        "only_here": len(found.only_here),
        "only_there": len(found.only_there),
        "different": len(found.different),
        "waiting": len(found.waiting),
        "keys_not_looked_at": found.keys_unread,
        "rows_not_looked_at": found.rows_unread,
        "columns_different": found.columns,
        "key_columns": list(outcome.keys),
        "sample": {
            "only_here": _keys(found.only_here, sample),
            "only_there": _keys(found.only_there, sample),
            "different": [
                {"key": list(one.key), "columns": list(one.columns)}
                for one in found.different[:sample]
            ],
            "waiting": [list(key) for key in found.waiting[:sample]],
        },
    }


def _keys(differences: Sequence[Difference], sample: int) -> list[list[str | None]]:
    return [list(one.key) for one in differences[:sample]]


def key_text(key: Key) -> str:
    """A key as a person reads it."""
    return ", ".join("NULL" if part is None else part for part in key)
