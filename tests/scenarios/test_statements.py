"""Which statements a run sends: what each costs is the business of the benchmarks."""

import json
import re
from collections import Counter
from datetime import date
from typing import Any

import pyarrow.parquet as pq
import pytest

from pyspark_dms.declared import METADATA_MODELS
from tests.conftest import NewProject
from tests.support.project import Project, local_path

COLUMNS = {"id": "int", "name": "string"}


@pytest.fixture(scope="module")
def ran(new_project: NewProject) -> Project:
    """A project with one table, run for two dates; the second has no changes."""
    project = new_project("statements")
    people = project.declare("people", COLUMNS, ["id"], change_feed=True)
    people.write_load((1, "Ann"))
    project.query(f"create schema if not exists {project.schema}")
    project.query(f"create view {project.schema}.a_view as select 1 as one")
    for run_date in ("2020-11-13", "2020-11-14"):
        result = project.run(run_date)
        assert result.ok, result.errors
    return project


def statements(project: Project) -> str:
    return (project.folder / "logs/dbt.log").read_text()


def test_no_run_reads_every_table_of_the_schema_and_the_docs_still_have_columns(
    ran: Project,
) -> None:
    assert "show tables in" in statements(ran)
    # Only those of our own, which are asked for by name.
    assert "show table extended" in statements(ran)
    assert "like '*'" not in statements(ran)
    ran.dbt("docs", "generate")
    catalog = (ran.folder / "target/catalog.json").read_text()
    for name in ("people_snapshot", "snapshot_date", "stg_hr__people"):
        assert f'"{name}"' in catalog


def sent(log: str) -> Counter[str]:
    """How many statements each model sent."""
    return Counter(re.findall(r'"node_id": "[^"]*\.([^".]+)"', log))


def test_an_unchanged_table_costs_one_statement_and_a_changed_one_a_dozen(
    new_project: NewProject,
) -> None:
    project = new_project("counted")
    tables = [project.declare(name, COLUMNS, ["id"]) for name in ("changed", "same", "other")]
    for table in tables:
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    tables[0].write_changes("20201114-100000000", ("U", 1, "Anna"), ("I", 2, "Bo"))
    assert project.run("2020-11-14").ok
    log = statements(project).split("Running with dbt=")[2]
    found = sent(log)
    assert found["stg_hr__same"] == 0
    assert found["same_snapshot"] == 1
    assert found["stg_hr__changed"] == 2
    assert found["changed_snapshot"] == 8
    # Whatever the number of tables.
    assert found["dms_files"] <= 12
    for name in ("staged_files", "rejects"):
        assert found[f"dms_{name}"] == 0
    for name in ("snapshot_versions", "snapshot_dates"):
        assert found[name] == 0
    assert tables[0].current() == [(1, "Anna"), (2, "Bo")]
    assert tables[1].snapshot("2020-11-14") == [(1, "Ann")]
    assert len(tables[1].versions()) == 1
    project.operate("rollback", select="hr.changed", dry_run=False)
    assert statements(project).count("On macro_rollback: /*") == 20
    assert tables[0].current() == [(1, "Ann")]


def test_an_unchanged_table_costs_its_change_feed_nothing(ran: Project) -> None:
    first, second = statements(ran).split("Running with dbt=")[1:3]
    feed = f"{ran.schema}.people_changes"
    parts = (f"create table if not exists {feed}", f"alter table {feed}")
    for part in parts:
        assert part in first.replace("`", "")
        assert part not in second.replace("`", "")
    # But a new column is there as soon as it is declared.
    ran.declare("people", {**COLUMNS, "city": "string"}, ["id"], change_feed=True)
    assert ran.run("2020-11-15").ok
    assert ran.query(f"select city_after from {feed} where name_after = 'Ann'") == [(None,)]


def test_the_index_waits_for_no_other_model(ran: Project) -> None:
    manifest = json.loads((ran.folder / "target/manifest.json").read_text())
    assert manifest["nodes"]["model.dms_snapshots.dms_files"]["depends_on"]["nodes"] == []


def test_what_is_to_be_typed_next_goes_to_the_target_that_was_given(ran: Project) -> None:
    told = ran.operate("replay", select="hr.people")
    assert "To do it: dbt run-operation replay --args '{select: hr.people, dry" in told
    target = ("--target", str(ran.engine.environment["DMS_TARGET"]))
    told = ran.operate("replay", *target, select="hr.people")
    assert f"To do it: dbt run-operation replay {' '.join(target)} --args '{{select" in told


@pytest.mark.thorough
def test_a_rollback_and_its_reapply_are_seen_by_runs_that_find_nothing_new(
    new_project: NewProject,
) -> None:
    project = new_project("nothing_newer")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    for day in ("13", "14", "15"):
        assert project.run(f"2020-11-{day}").ok
    people.write_changes("20201116-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-16").ok
    for run_date in ("2020-11-17", "2020-11-18"):
        project.operate("rollback", select="hr.people", dry_run=False)
        assert project.run(run_date).ok
        assert people.current() == [(1, "Ann")]
        project.operate("reapply", select="hr.people", dry_run=False)
        assert project.run(run_date).ok
        assert people.current() == [(1, "Anna")]


def test_wide_rows_are_not_shuffled_to_find_the_newest_change_of_each_key(
    new_project: NewProject,
) -> None:
    project = new_project("narrow")
    people = project.declare("people", {**COLUMNS, "city": "string"}, ["id"])
    people.write_load(*((i, f"name {i}", "Bern") for i in range(5)))
    assert project.run("2020-11-14").ok
    people.write_changes("20201115-100000000", ("U", 1, "Z", "15"), ("U", 1, "A", "15"))
    people.write_changes("20201115-110000000", ("D", 2, None, None), ("I", 2, "15", None))
    people.write_changes("20201115-120000000", ("D", 3, None, None))
    assert project.run("2020-11-15").ok
    changes = f"{people.location('2020-11-15').parent}-beside/changes"
    columns = pq.read_table(changes).column_names
    assert columns == ["id", "_dms_op", "_dms_generation", "_dms_file_seq", "_dms_row"]
    assert people.snapshot("2020-11-15") == [
        (0, "name 0", "Bern"), (1, "A", "15"), (2, "15", None), (4, "name 4", "Bern"),
    ]  # fmt: skip


def test_of_a_table_with_a_business_date_keys_and_dates_are_shuffled(
    new_project: NewProject,
) -> None:
    project = new_project("narrow_dated")
    columns = {**COLUMNS, "seen_on": "date", "city": "string"}
    people = project.declare("people", columns, ["id"], partition_date="seen_on")
    spring, summer = date(2020, 3, 1), date(2020, 6, 1)
    people.write_load((1, "Ann", spring, "Bern"), (2, "Ben", spring, None), (3, "Cy", summer, None))
    assert project.run("2020-11-14").ok
    moves = ("U", 1, "Ann", summer, "Basel"), ("U", 1, "Ann", None, "Chur")
    people.write_changes("20201115-100000000", *moves, ("D", 3, None, None, None))
    people.write_changes("20201115-110000000", ("I", 4, "Di", summer, None), ("D", 4, *[None] * 3))
    people.write_changes("20201115-120000000", ("I", 3, "Cy", summer, "Davos"))
    assert project.run("2020-11-15").ok
    assert people.snapshot("2020-11-15") == [
        (1, "Ann", None, "Chur"), (2, "Ben", spring, None), (3, "Cy", summer, "Davos"),
    ]  # fmt: skip
    written = next(place for place in people.versions()[-1]["locations"] if "2020-06-01" in place)
    changes = f"{local_path(written).parent.parent}-beside/changes"
    place = ["_dms_op", "_dms_generation", "_dms_file_seq", "_dms_row"]
    assert pq.read_table(changes).column_names == ["id", "seen_on", *place, "_dms_partition"]


@pytest.mark.thorough
def test_what_an_earlier_command_staged_is_not_read_by_a_later_declaration(
    new_project: NewProject,
) -> None:
    project = new_project("staged_before")
    with_city = {**COLUMNS, "city": "string"}
    people = project.declare("people", COLUMNS, ["id"], on_schema_change="ignore")
    people.write_load((1, "Ann", "Bern"), columns=with_city)
    assert project.run("2020-11-14").ok
    people.write_changes("20201115-100000000", ("U", 1, "Anna", "Basel"), columns=with_city)
    assert project.run("2020-11-15", "--select", METADATA_MODELS, people.staging_model).ok
    people = project.declare("people", with_city, ["id"])
    # Its staging gets the column, but no values.
    dates = {"from_date": "2020-11-13", "to_date": "2020-11-13"}
    project.operate("backfill", select=people.label, **dates, dry_run=False)
    assert people.dates() == ["2020-11-13", "2020-11-14"]
    # The staged file has no city, and the city of Anna is not NULL.
    errors = project.run("2020-11-15", "--select", people.snapshot_model).errors
    assert "version 2 was published after its files were indexed" in errors
    assert "dbt run --select +people_snapshot --vars '{run_date: 2020-11-15}'" in errors
    assert "2020-11-15" not in people.dates()
    assert project.run("2020-11-15").ok
    assert people.snapshot("2020-11-15") == [(1, "Anna", "Basel")]


@pytest.mark.thorough
def test_what_an_earlier_command_could_not_stage_whole_is_not_published(
    new_project: NewProject,
) -> None:
    project = new_project("staged_in_part")
    texts = {"id": "string", "name": "string"}
    bad = project.declare("bad", COLUMNS, ["id"])
    bad.write_load((1, "Ann"))
    wide = project.declare("wide", COLUMNS, ["id"], on_schema_change="append_new_columns")
    wide.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    bad.write_changes("20201114-100000000", ("U", 1, "Anna"))
    rows = [("I", "7", "Gil"), ("I", "seven", "Hal"), ("I", "8", "Ida")]
    bad.write_changes("20201114-110000000", *rows, columns=texts)
    # Both types of the new column cannot be had.
    for hour, kind, value in (("10", "string", "Basel"), ("11", "int", 4051)):
        new = {**COLUMNS, "city": kind}
        wide.write_changes(f"20201114-{hour}0000000", ("U", 1, "Anna", value), columns=new)
    assert not project.run("2020-11-14").ok
    result = project.run("2020-11-14", "--select", bad.snapshot_model, wide.snapshot_model)
    for table in (bad, wide):
        assert "or not all of them" in result.message(table.snapshot_model)
        assert table.dates() == ["2020-11-13"]


@pytest.mark.thorough
def test_a_plan_that_was_carried_out_is_not_given_again_under_another_declaration(
    new_project: NewProject,
) -> None:
    project = new_project("carried_out")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    people = project.declare("people", COLUMNS, ["id"], on_bad_row="quarantine")
    errors = project.run("2020-11-14", "--select", people.snapshot_model).errors
    assert "hr.people: its declaration has changed since version 2 of run_date" in errors
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Anna")]
    # Indexed once more before the declaration was edited, that finds nothing new.
    people = project.declare("people", COLUMNS, ["id"])
    assert project.run("2020-11-14", "--select", METADATA_MODELS).ok
    people = project.declare("people", COLUMNS, ["id"], on_bad_row="quarantine")
    errors = project.run("2020-11-14", "--select", people.snapshot_model).errors
    assert "hr.people: its declaration has changed since version 2 of run_date" in errors
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Anna")]
    assert project.run("2020-11-14").ok
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Anna")]


@pytest.mark.thorough
def test_what_an_earlier_command_staged_is_not_read_under_another_key(
    new_project: NewProject,
) -> None:
    project = new_project("staged_by_another_key")
    parts = project.declare("parts", {"part": "int", "of": "int"}, ["part", "of"])
    parts.write_load((1, 1), (6, 3), (10, 2))
    parts.write_load((5, 3), (6, 3), (8, 4), name="LOAD00000002.parquet")
    people = project.declare("people", COLUMNS, ["id", "name"])
    people.write_load((1, "Ann"), (1, "Bo"))
    staging = [people.staging_model, parts.staging_model]
    assert project.run("2020-11-14", "--select", METADATA_MODELS, *staging).ok
    parts = project.declare("parts", {"part": "int", "of": "int"}, ["of", "part"])
    # From file to file the first and last keys, put in this order, rise; what is between does not.
    errors = project.run("2020-11-14", "--select", parts.snapshot_model).errors
    assert "hr.parts: its files for run_date 2020-11-14 are not staged as" in errors
    people = project.declare("people", COLUMNS, ["id"])
    # The keys of the staged load rise from row to row, which those of now do not.
    errors = project.run("2020-11-14", "--select", people.snapshot_model).errors
    assert "hr.people: its files for run_date 2020-11-14 are not staged as" in errors
    assert people.dates() == []
    assert project.run("2020-11-14").ok
    assert people.current() == [(1, "Bo")]
    assert parts.current() == [(1, 1), (5, 3), (6, 3), (8, 4), (10, 2)]


@pytest.mark.thorough
def test_what_an_earlier_command_staged_is_not_read_under_other_settings(
    new_project: NewProject,
) -> None:
    project = new_project("staged_by_other_settings")
    columns = {**COLUMNS, "note": "string"}
    arriving: dict[str, tuple[dict[str, str], list[tuple[object, ...]], dict[str, Any]]] = {
        "image": (COLUMNS, [("U", 1, "Anna")], {"image": "partial"}),
        "before_image_prefix": (
            {**columns, "BI_id": "int"},
            [("U", 9, "Anna", "x", 1)],
            {"before_image_prefix": "BI_"},
        ),
        "order_by": (
            {**columns, "at": "string"},
            [
                ("U", 1, "Anna", "x", "2020-11-14 09:00:00"),
                ("U", 1, "An", "x", "2020-11-14 08:00:00"),
            ],
            {"timestamp_column": "at", "order_by": "timestamp"},
        ),
        "renamed_from": (
            {"id": "int", "nick": "string", "note": "string"},
            [("U", 1, "Anna", "x")],
            {"renamed_from": {"name": ["nick"]}},
        ),
    }
    for key in arriving:
        table = project.declare(key, columns, ["id"], on_schema_change="ignore")
        table.write_load((1, "Ann", "x"), (2, "Bo", "y"))
    assert project.run("2020-11-13").ok
    for key, (written, changes, _) in arriving.items():
        project.tables[key].write_changes("20201114-100000000", *changes, columns=written)
    staging = [table.staging_model for table in project.tables.values()]
    assert project.run("2020-11-14", "--select", METADATA_MODELS, *staging).ok
    for key, (_, _, settings) in arriving.items():
        project.declare(key, columns, ["id"], on_schema_change="ignore", **settings)
    snapshots = [table.snapshot_model for table in project.tables.values()]
    result = project.run("2020-11-14", "--select", *snapshots)
    for table in project.tables.values():
        assert "are not staged as it is declared now" in result.message(table.snapshot_model)
        assert table.dates() == ["2020-11-13"]
    assert project.run("2020-11-14").ok
    for key, table in project.tables.items():
        number = 9 if key == "before_image_prefix" else 1
        assert (number, "Anna", "x") in table.current()
        assert len(table.current()) == 2
