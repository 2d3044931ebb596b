"""``compare --print-sql``: a query that gives the totals which the data test expects."""

import csv
import io
from collections.abc import Sequence

import pytest

from tests.compare.conftest import Compare
from tests.compare.databases import Database, make_table
from tests.support.project import Project

COLUMNS = {"id": "int", "name": "string", "weight": "double", "seen": "timestamp", "day": "date"}
TYPES = {
    "id": "int", "name": "varchar(20)", "weight": "double precision", "seen": "timestamp",
    "day": "date",
}  # fmt: skip
SEED = (
    "source_name: string", "table_name: string", "run_date: date", "column_name: string",
    "form: string", "row_count: bigint", "checksum: 'decimal(38,0)'",
)  # fmt: skip


@pytest.mark.thorough
def test_the_printed_query_gives_totals_that_the_data_test_accepts_until_something_changes(
    database: Database, project: Project, compare: Compare
) -> None:
    table = project.declare("totalled", COLUMNS, ["id"], control_totals=True)
    table.write_load(
        (1, "it's", 0.1, None, None), (2, None, None, None, None), (3, "", -2.5, None, None)
    )
    # For which DMS writes NULL.
    no_day = "'0000-00-00'" if database.name == "mariadb" else "null"
    rows = [["1", "'it''s'", "0.1", "null", no_day], ["2", "null", "null", "null", "null"]]
    make_table(
        database,
        "hr",
        "totalled",
        TYPES | ({"seen": "timestamp null"} if database.name == "mariadb" else {}),
        ["id"],
        [*rows, ["3", "''", "-2.5", "null", "null"]],
    )
    assert project.run("2020-11-13").ok

    def printed_sql(*arguments: str) -> str:
        printed = compare("hr.totalled", "--print-sql", *arguments)
        assert printed.exit_code == 0, printed.output
        return printed.output[printed.output.index("select") :].strip().removesuffix(";")

    sql = printed_sql()
    earlier: list[Sequence[object]] = []

    def feed() -> None:
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow([column.split(":")[0] for column in SEED])
        writer.writerows([*earlier, *database.query(sql)])
        seeds = project.folder / "seeds"
        seeds.mkdir(exist_ok=True)
        (seeds / "control_totals.csv").write_text(out.getvalue())
        types = "".join(f"        {column}\n" for column in SEED)
        (seeds / "_seeds.yml").write_text(
            f"seeds:\n  - name: control_totals\n    config:\n      column_types:\n{types}"
        )

    feed()
    project.write_properties(
        [
            {
                "name": "totalled_snapshot",
                "data_tests": [
                    {"equals_control_totals": {"arguments": {"totals": "ref('control_totals')"}}}
                ],
            }
        ]
    )
    assert project.dbt("seed").ok
    tested = project.dbt("test", "--select", "test_name:equals_control_totals")
    assert tested.ok, tested.errors
    assert len([name for name in tested.models if name.startswith("equals_control_totals")]) == 1
    database.execute("update hr.totalled set weight = 0.10000000000000002 where id = 1")
    feed()
    assert project.dbt("seed").ok
    assert not project.dbt("test", "--select", "test_name:equals_control_totals").ok

    # Totals of the first date without two columns; on the next date no row is left.
    database.execute("update hr.totalled set weight = 0.1 where id = 1")
    earlier += [row for row in database.query(sql) if row[3] in ("id", "seen")]
    earlier += [[*row[:2], "2020-11-13", "gone", "text", 0, 0] for row in earlier[:1]]
    table.write_changes(
        "20201114-100000000", *(("D", n, None, None, None, None) for n in (1, 2, 3))
    )
    # The date of the totals still waits for its run.
    sql = printed_sql("--run-date", "2020-11-14")
    assert project.run("2020-11-14").ok
    database.execute("delete from hr.totalled")
    feed()
    assert project.dbt("seed").ok
    # A column that is not declared is a difference, even without values.
    wrong = project.dbt("test", "--select", "test_name:equals_control_totals")
    assert "Got 1 result" in wrong.errors, wrong.errors
    del earlier[-1]
    feed()
    assert project.dbt("seed").ok
    right = project.dbt("test", "--select", "test_name:equals_control_totals")
    assert right.ok, right.errors
    database.execute("insert into hr.totalled (id) values (7)")
    feed()
    assert project.dbt("seed").ok
    assert not project.dbt("test", "--select", "test_name:equals_control_totals").ok
