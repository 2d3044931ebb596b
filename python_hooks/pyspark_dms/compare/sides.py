"""One table on both sides: what is published, asked through dbt, and the source."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark_dms.compare.dialects import (
    NULL_MARK,
    SEPARATOR,
    Dialect,
    can_be_looked_up,
    row_text,
)
from pyspark_dms.compare.forms import ComparedColumn, canonical
from pyspark_dms.compare.source import Source
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.versions.published import PublishedVersion

# The values of a row, or of its key, as texts in the order of the columns.
Texts = tuple[str | None, ...]
Key = Texts
# How many rows a query of the source looks up by their keys.
_LOOKED_UP = 500


@dataclass(frozen=True)
class Domain:
    """Rows of a table that are cut into groups, the same on both sides.

    Attributes:
        start, end: the first and the last value of the first key column, which is a whole number;
            None for all rows.
        width: how many values of it make a group; None where rows are dealt to groups by the
            checksum of their key.
        groups: how many groups there are.
    """

    start: int | None
    end: int | None
    width: int | None
    groups: int


@dataclass(frozen=True)
class Group:
    """What a side says of a group: its rows, their checksum, the ends of the first key column."""

    rows: int
    checksum: int
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Shard:
    """The one of several folders of a table whose rows are compared.

    Attributes:
        column: the column that says which folder a row came from; the source has none like it.
        value: what that column says of this folder.
    """

    column: str
    value: str


@dataclass(frozen=True)
class ComparedTable:
    """What is compared: the columns that both sides have, the keys first among them.

    Attributes:
        label: source and table name, as declared.
        keys: the key columns.
        columns: all of them.
        shard: the folder whose rows are compared; None for all rows.
    """

    label: str
    keys: tuple[ComparedColumn, ...]
    columns: tuple[ComparedColumn, ...]
    shard: Shard | None = None

    @property
    def range_column(self) -> ComparedColumn | None:
        """The key column by which the source can be read in ranges."""
        return self.keys[0] if self.keys[0].is_integer else None

    def by_key(self, rows: Iterable[Sequence[str | None]]) -> dict[Key, Texts]:
        """Rows that came as texts by their keys, each value in the one way to write it."""
        found = {}
        for row in rows:
            texts = tuple(
                canonical(column.form, text) for column, text in zip(self.columns, row, strict=True)
            )
            found[texts[: len(self.keys)]] = texts
        return found

    def key_digest(self, key: Key) -> str:
        """The MD5 of a key, as both sides have it; see `dialects.row_text`."""
        parts = []
        for column, text in zip(self.keys, key, strict=True):
            length = f"{len(text)}:" if text is not None and column.is_of_any_length else ""
            parts.append(NULL_MARK if text is None else f"{length}{text}")
        # It names rows and guards nothing.
        return hashlib.md5(SEPARATOR.join(parts).encode(), usedforsecurity=False).hexdigest()


class PublishedSide:
    """The rows of one published state, asked in few queries: each starts a job of Spark."""

    def __init__(self, dbt: DbtSession, version: PublishedVersion, table: ComparedTable) -> None:
        self._dbt = dbt
        self._table = table
        shown = f"dms_snapshots.shown_table({json.dumps(version.snapshot_model)})"
        self._of_shard = _shard_filter(table.shard)
        self._rows = (
            f"{{{{ {shown} if execute }}}} where {version.rows_filter} and {self._of_shard}"
        )
        column = table.range_column
        self._first = (
            f"{{{{ dms_snapshots.sql_name({json.dumps(column.name)}) }}}}" if column else "null"
        )
        self._keys = ", ".join(_call("compared_text_sql", key) for key in table.keys)

    def bounds(self) -> tuple[int, int | None, int | None]:
        """How many rows there are, and the ends of the first key column if it is a whole number."""
        row = self._dbt.query(
            f"select cast(count(*) as string) as row_count,"
            f" cast(min({self._first}) as string) as low,"
            f" cast(max({self._first}) as string) as high from {self._rows}"
        )[0]
        return int(row["row_count"]), _int(row["low"]), _int(row["high"])

    def groups(self, domain: Domain) -> dict[int, Group]:
        """What the groups of a domain hold."""
        rows = self._dbt.query(f"""
            select
                group_number, cast(count(*) as string) as row_count,
                cast(sum(checksum) as string) as checksum,
                cast(min(first) as string) as low, cast(max(first) as string) as high
            from (
                select
                    {self._group(domain)} as group_number, {self._first} as first,
                    {_call("compared_checksum_sql", self._table.columns)} as checksum
                from {self._rows} and {self._within(domain)}
            )
            group by group_number
        """)
        return {
            int(row["group_number"]): Group(
                int(row["row_count"]), int(row["checksum"]), _int(row["low"]), _int(row["high"])
            )
            for row in rows
        }

    def digests(self, domain: Domain, groups: Collection[int]) -> dict[Key, str]:
        """The MD5 of each row of some groups, by its key; half of it, for there are few."""
        rows = self._dbt.query(f"""
            select collect_list(row) as rows
            from (
                select
                    {self._group(domain)} as group_number,
                    array({self._keys},
                        substr(md5({_call("compared_row_sql", self._table.columns)}), 1, 16)) as row
                from {self._rows} and {self._within(domain)}
            )
            where group_number in ({", ".join(map(str, sorted(groups)))})
            group by group_number
        """)
        return {tuple(key): digest for row in rows for *key, digest in row["rows"]}

    def look_up(self, keys: Collection[Key]) -> dict[Key, Texts]:
        """The rows of some keys."""
        if not keys:
            return {}
        texts = ", ".join(_call("compared_text_sql", one, True) for one in self._table.columns)
        found = self._dbt.query(
            f"select array({texts}) as row from {self._rows} and {self.of_keys(keys)}"
        )
        return self._table.by_key(row["row"] for row in found)

    def changed_later(self, staging_model: str, run_date: str, keys: Collection[Key]) -> set[Key]:
        """Those keys of which staging has a change that a date behind `run_date` has applied."""
        staging = f"dms_snapshots.named_relation({json.dumps(staging_model)})"
        found = self._dbt.query(
            f"select distinct array({self._keys}) as row_key"
            f" from {{{{ {staging} if execute }}}}"
            f" where _dms_run_date > date'{run_date}' and {self._of_shard}"
            f" and {self.of_keys(keys)}"
        )
        return {tuple(row["row_key"]) for row in found}

    def of_keys(self, keys: Collection[Key]) -> str:
        """The condition that finds the rows of some keys."""
        digests = ", ".join(f"'{self._table.key_digest(key)}'" for key in keys)
        condition = f"md5({_call('compared_row_sql', self._table.keys)}) in ({digests})"
        if self._table.range_column:
            # Of whole numbers Parquet knows which parts of a file have none of them.
            first = ", ".join(
                sorted({str(key[0]) for key in keys if key[0] is not None}) or ["null"]
            )
            condition = f"{self._first} in ({first}) and {condition}"
        return condition

    def _group(self, domain: Domain) -> str:
        if domain.width is None:
            checksum = _call("compared_checksum_sql", self._table.keys)
            return f"cast({checksum} % {domain.groups} as bigint)"
        return f"(cast({self._first} as bigint) - ({domain.start})) div {domain.width}"

    def _within(self, domain: Domain) -> str:
        if domain.start is None:
            return "true"
        return f"{self._first} between {domain.start} and {domain.end}"


class SourceSide:
    """The same rows at the source, read by ranges of the key where it has whole numbers."""

    def __init__(self, source: Source, table: ComparedTable, relation: Sequence[str]) -> None:
        self._source = source
        self._table = table
        self._dialect: Dialect = source.dialect
        self._relation = ".".join(map(self._dialect.quoted, relation))
        column = table.range_column
        self._first = self._dialect.quoted(column.source.name) if column else "null"
        self._keys = ", ".join(self._dialect.text(key) for key in table.keys)

    def bounds(self) -> tuple[int | None, int | None]:
        """The ends of the first key column; an index of it is all that is looked at.

        None where it is NULL in some row: no range has that, so all rows are looked at as one.
        """
        as_text = self._dialect.as_text
        low, high, has_null = self._source.rows(
            f"select {as_text(f'min({self._first})')}, {as_text(f'max({self._first})')},"
            f" exists(select 1 from {self._relation} where {self._first} is null)"
            f" from {self._relation}"
        )[0]
        return (None, None) if has_null else (_int(low), _int(high))

    def group_queries(self, domain: Domain, counted: Mapping[int, Group]) -> list[str]:
        """The queries for the groups of a domain, each of about as many rows as it may look at.

        Args:
            domain: the rows.
            counted: what the published side has in each group: how the rows are distributed.
        """
        if domain.width is None:
            return [self._groups_sql(domain, self._within(domain.start, domain.end))]
        assert domain.start is not None
        assert domain.end is not None
        queries, rows, first = [], 0, domain.start
        for number in sorted(counted):
            rows += counted[number].rows
            last = domain.start + (number + 1) * domain.width - 1
            if rows >= self._source.limits.range_size and last < domain.end:
                queries.append(self._groups_sql(domain, self._within(first, last)))
                rows, first = 0, last + 1
        queries.append(self._groups_sql(domain, self._within(first, domain.end)))
        return queries

    def groups(self, queries: Sequence[str]) -> Iterator[dict[int, Group]]:
        """The answers to such queries, one after the other."""
        for rows in self._source.rows_of_all(queries):
            yield {
                int(number): Group(int(count), int(checksum), _int(low), _int(high))
                for number, count, checksum, low, high in rows
            }

    def digests(self, domain: Domain, groups: Collection[int]) -> dict[Key, str]:
        """The MD5 of each row of some groups, by its key; half of it, for there are few."""
        digest = f"left({self._digest(self._table.columns)}, 16)"
        if domain.width is None:
            numbers = ", ".join(map(str, sorted(groups)))
            within = self._within(domain.start, domain.end)
            conditions = [f"{within} and {self._group(domain)} in ({numbers})"]
        else:
            assert domain.start is not None
            conditions = [
                self._within(
                    domain.start + first * domain.width,
                    domain.start + (last + 1) * domain.width - 1,
                )
                for first, last in _runs(sorted(groups))
            ]
        queries = [
            f"select {self._keys}, {digest} from {self._relation} where {condition}"
            for condition in conditions
        ]
        return {
            tuple(key): found for rows in self._source.rows_of_all(queries) for *key, found in rows
        }

    def look_up(self, keys: Collection[Key]) -> dict[Key, Texts]:
        """The rows of some keys."""
        texts = ", ".join(map(self._dialect.shown, self._table.columns))
        found: dict[Key, Texts] = {}
        asked = list(keys)
        for start in range(0, len(asked), _LOOKED_UP):
            some = asked[start : start + _LOOKED_UP]
            digests = ", ".join(f"'{self._table.key_digest(key)}'" for key in some)
            condition = f"{self._digest(self._table.keys)} in ({digests})"
            values: list[str] = []
            # So that the source can use an index. The checksum alone decides: to a collation, more
            # than one key may be what is asked for.
            places = []
            for place, column in enumerate(self._table.keys):
                parts = sorted({part for key in some if (part := key[place]) is not None})
                if (
                    can_be_looked_up(column)
                    and parts
                    and all(key[place] is not None for key in some)
                ):
                    marks = ", ".join(["%s"] * len(parts))
                    name = self._dialect.quoted(column.source.name).replace("%", "%%")
                    places.append(f"{name} in ({marks})")
                    values += parts
            # Of a driver, a percent sign begins a value.
            doubled = f"select {texts} from {self._relation} where {condition}"
            doubled = doubled.replace("%", "%%") if values else doubled
            sql = " and ".join([doubled, *places])
            found |= self._table.by_key(self._source.rows(sql, values))
        return found

    def _groups_sql(self, domain: Domain, condition: str) -> str:
        dialect = self._dialect
        number = dialect.number(self._digest(self._table.columns))
        # A row that is too long for the database has no checksum, and must not look like none.
        return (
            f"select {self._group(domain)} as group_number, count(*),"
            f" {dialect.as_text(f'sum(coalesce({number}, 0))')},"
            f" {dialect.as_text(f'min({self._first})')}, {dialect.as_text(f'max({self._first})')}"
            f" from {self._relation} where {condition} group by 1"
        )

    def _digest(self, columns: Sequence[ComparedColumn]) -> str:
        return self._dialect.hash(row_text(self._dialect, columns))

    def _group(self, domain: Domain) -> str:
        if domain.width is None:
            number = self._dialect.number(self._digest(self._table.keys))
            return f"{number} % {domain.groups}"
        assert domain.start is not None
        return self._dialect.group(self._first, domain.start, domain.width)

    def _within(self, start: int | None, end: int | None) -> str:
        if start is None:
            return "1 = 1"
        return f"{self._first} between {start} and {end}"


def _shard_filter(shard: Shard | None) -> str:
    if shard is None:
        return "true"
    column, value = (json.dumps(one, ensure_ascii=False) for one in (shard.column, shard.value))
    name = f"{{{{ dms_snapshots.sql_name({column}) }}}}"
    return f"{name} = {{{{ dms_snapshots.sql_string({value}) }}}}"


def _int(text: object) -> int | None:
    return None if text is None else int(str(text))


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of consecutive numbers."""
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = number
    if first is not None and last is not None:
        yield first, last


def _call(macro: str, columns: ComparedColumn | Sequence[ComparedColumn], *more: bool) -> str:
    """A call of a macro, for dbt to put the SQL in."""

    def named(column: ComparedColumn) -> dict[str, str]:
        return {"name": column.name, "data_type": column.data_type, "form": column.form}

    given = named(columns) if isinstance(columns, ComparedColumn) else [*map(named, columns)]
    arguments = [json.dumps(given), *map(json.dumps, more)]
    return f"{{{{ dms_snapshots.{macro}({', '.join(arguments)}) }}}}"
