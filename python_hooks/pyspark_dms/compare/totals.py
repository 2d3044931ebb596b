"""Control totals: what a table holds, in few numbers that both sides can count.

A total of a column is how many rows have a value in it, and the sum of the checksums of these
values; the total of the table, under the name ``*``, is the same of whole rows. They are kept as
the dbt seed ``control_totals``, which the data test ``equals_control_totals`` reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark_dms.compare.dialects import Dialect, row_text
from pyspark_dms.compare.forms import ComparedColumn

COLUMNS = (
    "source_name", "table_name", "run_date", "column_name", "form", "row_count", "checksum",
)  # fmt: skip
WHOLE_ROW = "*"


def totals_sql(
    dialect: Dialect,
    relation: str,
    table: tuple[str, str],
    run_date: str,
    columns: Sequence[ComparedColumn],
) -> str:
    """The query of a source for the control totals of a table, as rows of the seed.

    Args:
        dialect: the SQL of the source.
        relation: the table there, quoted.
        table: source and table name as declared.
        run_date: the date whose end the state of the source is of.
        columns: those that are compared.
    """
    named = [(WHOLE_ROW, "", "count(*)", columns)]
    for column in columns:
        counted = f"count({dialect.text(column)})"
        named.append((column.name, column.form, counted, [column]))
    aggregates, cases = [], ([], [], [], [])  # type: ignore[var-annotated]
    for number, (name, form, counted, summed) in enumerate(named):
        text = row_text(dialect, summed)
        checksum = f"sum({dialect.number(dialect.hash(text))})"
        if name != WHOLE_ROW:
            # NULL has no value, so that it has no part in the sum. A date of zeros is NULL too.
            value = dialect.text(summed[0])
            checksum = (
                f"sum(case when {value} is not null then {dialect.number(dialect.hash(text))} end)"
            )
        aggregates.append(f"    {counted} as n{number}, {checksum} as s{number}")
        values = (_literal(name), _literal(form), f"n{number}", f"coalesce(s{number}, 0)")
        for case, value in zip(cases, values, strict=True):
            case.append(f"when {number} then {value}")
    name_case, form_case, count_case, sum_case = (
        f"case number {' '.join(case)} end" for case in cases
    )
    numbers = " union all ".join(
        f"select {number}{' as number' if number == 0 else ''}" for number in range(len(named))
    )
    source_name, table_name = table
    return (
        f"select\n"
        f"    {_literal(source_name)} as source_name,\n"
        f"    {_literal(table_name)} as table_name,\n"
        f"    {_literal(run_date)} as run_date,\n"
        f"    {name_case} as column_name,\n"
        f"    {form_case} as form,\n"
        f"    {count_case} as row_count,\n"
        f"    {sum_case} as checksum\n"
        f"from (\n  select\n" + ",\n".join(aggregates) + f"\n  from {relation}\n) as totals\n"
        f"cross join (\n  {numbers}\n) as numbers\n"
        "order by column_name"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
