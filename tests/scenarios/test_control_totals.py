"""Control totals: what the source had, as the seed that `equals_control_totals` reads."""

import csv
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import NewProject
from tests.support.engines import REPOSITORY
from tests.support.project import Project, take_sample

TEST = "test_name:equals_control_totals"
TESTS = [
    f"equals_control_totals_{table}_snapshot_ref_control_totals_"
    for table in (
        "departments", "dept_emp", "employees", "product", "productorder", "salaries", "store",
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def sample(new_project: NewProject) -> Project:
    project = new_project("totals")
    take_sample(project)
    return project


def seed_file(project: Project) -> Path:
    return project.folder / "seeds" / "control_totals.csv"


def plant(project: Project, run_date: str, table: str, column: str, **changes: str) -> None:
    """Write other totals for one column of a date."""
    with seed_file(project).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    place = {"table_name": table, "run_date": run_date, "column_name": column}
    (row,) = [one for one in rows if place.items() <= one.items()]
    row.update(changes)
    with seed_file(project).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.thorough
def test_the_sample_proves_itself_and_wrong_totals_fail(sample: Project) -> None:
    # Without dbt seed, nothing is missed.
    assert sample.run("2020-11-13").ok
    unseeded = sample.dbt("test", "--select", TEST)
    assert unseeded.ok, unseeded.errors
    assert set(TESTS) <= set(unseeded.models)

    # Of today: no change is of a day behind the newest totals.
    assert sample.dbt("seed").ok
    built = sample.dbt("build")
    assert built.ok, built.errors
    assert set(TESTS) <= set(built.models)

    # Both the date that has totals of its own, and the newest one.
    right = seed_file(sample).read_text(encoding="utf-8")
    plant(sample, "2020-11-13", "store", "city", checksum="1")
    plant(sample, "2020-11-15", "salaries", "*", row_count="7")
    assert sample.dbt("seed").ok
    wrong = sample.dbt("test", "--select", TEST)
    assert wrong.failed == [TESTS[5], TESTS[6]]

    # Behind a change of a later day, the totals of the day before say nothing of the newest date.
    store = sample.dms_root / "retail" / "store" / "2020" / "11"
    change = next((store / "14").glob("*.parquet")).read_bytes()
    (store / "20").mkdir()
    (store / "20" / "20201120-100000000.parquet").write_bytes(change)
    seed_file(sample).write_text(right, encoding="utf-8")
    plant(sample, "2020-11-15", "store", "city", checksum="2")
    assert sample.dbt("seed").ok
    assert sample.dbt("run").ok
    later = sample.dbt("test", "--select", TEST)
    assert later.ok, later.errors

    # Nor do they behind a new full load, which has what the source has since.
    load = next((sample.dms_root / "employees" / "departments").glob("LOAD*"))
    pq.write_table(pq.read_table(load)[:-1], load)
    assert sample.dbt("run").ok
    loaded = sample.dbt("test", "--select", TEST)
    assert loaded.ok, loaded.errors


@pytest.mark.thorough
def test_totals_of_an_unchanged_date_are_compared_without_a_history(
    new_project: NewProject,
) -> None:
    project = new_project("newest_only")
    take_sample(project)
    file = project.folder / "models" / "sources" / "retail" / "store.yml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("dms:\n", "dms:\n              history: false\n", 1), "utf-8")
    for run_date in ("2020-11-13", "2020-11-14", "2020-11-15"):
        assert project.run(run_date).ok
    plant(project, "2020-11-15", "store", "city", checksum="1")
    assert project.dbt("seed").ok
    assert project.dbt("test", "--select", TEST).failed == [TESTS[6]]


@pytest.mark.thorough
def test_a_table_without_any_totals_in_the_seed_fails(
    new_project: NewProject, capsys: pytest.CaptureFixture[str]
) -> None:
    project = new_project("no_totals")
    names = ["people", "later"]
    for name in names:
        table = project.declare(name, {"id": "int"}, ["id"], control_totals=True)
        table.write_load((1,))
    away = project.declare("away", {"id": "int"}, ["id"], control_totals=True, active=False)
    compared = {"equals_control_totals": {"arguments": {"totals": "ref('control_totals')"}}}
    models = [*(f"{name}_snapshot" for name in names), away.snapshot_model]
    project.write_properties([{"name": name, "data_tests": [compared]} for name in models])
    shutil.copytree(REPOSITORY / "seeds", project.folder / "seeds")
    header = seed_file(project).read_text(encoding="utf-8").split("\n")[0]
    rows = [f"hr,{name},2030-01-01,*,,1,1" for name in ("poeple", "later")]
    seed_file(project).write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    assert project.run("2020-11-13").ok
    assert project.dbt("seed").ok
    capsys.readouterr()
    result = project.dbt("test", "--select", TEST)
    assert result.failed == ["equals_control_totals_people_snapshot_ref_control_totals_"]
    assert "hr.people: the seed control_totals has no row of it" in capsys.readouterr().out


def test_the_seed_of_the_sample_has_a_row_for_each_column_of_each_date() -> None:
    with (REPOSITORY / "seeds" / "control_totals.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["table_name"] for row in rows}) == 7
    assert {row["run_date"] for row in rows} == {"2020-11-13", "2020-11-14", "2020-11-15"}
    names = {(row["table_name"], row["run_date"], row["column_name"]) for row in rows}
    assert len(names) == len(rows)
