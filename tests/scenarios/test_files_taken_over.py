"""Files of staging and of earlier versions that become files of a version as they are."""

from datetime import date
from pathlib import Path

import pyarrow.parquet as pq

from tests.conftest import NewProject
from tests.support.project import Table, local_path


def files_of(table: Table, run_date: str) -> list[Path]:
    return sorted(table.location(run_date).glob("*.parquet"))


def test_a_load_is_not_written_twice_nor_what_no_change_touches(new_project: NewProject) -> None:
    project = new_project("taken_over")
    # The staged file of each load is larger, and not twice as large.
    project.set_variables(file_bytes=6000)
    loaded = [(n, f"name {n * 7919 % 1000003}") for n in range(300)]
    for name, key in (("keyed", ["id"]), ("keyless", [])):
        table = project.declare(name, {"id": "int", "name": "string"}, key)
        table.write_load(*loaded)
        table.write_changes("20201114-100000000", ("I", 300, "new"))
        table.write_changes("20201115-100000000", ("I", 301, "newer"))
    columns = {"id": "int", "name": "string", "day": "date"}
    dated = project.declare("dated", columns, ["id"], partition_date="day")
    by_day = [(n, "same", date(2020, 1, 1 + n // 100)) for n in range(300)]
    dated.write_load(*by_day)
    dated.write_changes("20201114-100000000", ("U", 150, "new", date(2020, 1, 2)))
    for day in ("2020-11-13", "2020-11-14", "2020-11-15"):
        assert project.run(day).ok
    assert dated.snapshot("2020-11-13") == by_day
    by_day[150] = (150, "new", date(2020, 1, 2))
    assert dated.current() == by_day
    found = project.query(
        f"select distinct partition_date, input_file_name() from {project.schema}.dated_snapshot"
        " where snapshot_date = '2020-11-14' order by 1"
    )
    # The one with the change is written; it has the columns of the table only.
    assert ["_dms_is_load" in pq.read_schema(local_path(file)).names for _, file in found] == [
        True, False, True,
    ]  # fmt: skip
    keyed, keyless = project.tables["keyed"], project.tables["keyless"]
    for table in keyed, keyless:
        assert table.snapshot("2020-11-13") == loaded
        assert table.snapshot("2020-11-14") == [*loaded, (300, "new")]
        assert table.current() == [*loaded, (300, "new"), (301, "newer")]
        (first,) = files_of(table, "2020-11-13")
        assert "_dms_is_load" in pq.read_schema(first).names
    (first,) = files_of(keyless, "2020-11-13")
    second, third = files_of(keyless, "2020-11-14"), files_of(keyless, "2020-11-15")
    assert [len(second), len(third)] == [2, 2]
    assert any(map(first.samefile, second))
    assert any(map(first.samefile, third))
    # A file with a range that the new key is behind is written with it.
    (written,) = files_of(keyed, "2020-11-14")
    assert pq.read_schema(written).names == ["id", "name"]
