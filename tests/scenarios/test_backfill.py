"""Dates that are made later than a full refresh or a reload: of all their files, or not at all."""

import json

import pytest

from pyspark_dms.declared import METADATA_MODELS
from tests.conftest import NewProject
from tests.scenarios.test_shards import change, declare, load
from tests.support.project import Table

COLUMNS = {"id": "int", "name": "string"}
WITH_OLD_KEY = {**COLUMNS, "BI_id": "int"}
WIDE = {**COLUMNS, "size": "int"}

pytestmark = pytest.mark.thorough


def only(run_date: str) -> dict[str, str]:
    return {"from_date": run_date, "to_date": run_date}


def test_a_date_before_a_full_refresh_has_the_rows_of_the_full_load(
    new_project: NewProject,
) -> None:
    project = new_project("refreshed_backfill")
    log = project.declare("log", COLUMNS, [])
    people = project.declare("people", COLUMNS, ["id"])
    partial = project.declare("parts", WIDE, ["id"], image="partial")
    moved = project.declare("moved", COLUMNS, ["id"], before_image_prefix="BI_")
    for table in (log, people, moved):
        table.write_load((1, "Ann"), (2, "Bo"))
    partial.write_load((1, "Ann", 7), (2, "Bo", 8))
    assert project.run("2020-11-13").ok

    for table in (log, people):
        table.write_changes("20201114-100000000", ("I", 3, "Cy"))
        table.write_changes("20201115-100000000", ("I", 4, "Di"))
    partial.write_changes("20201114-100000000", ("U", 1, "Anna"), columns=COLUMNS)
    moved.write_changes(
        "20201114-100000000", ("U", 2, "Ann", 1), ("U", 1, "Bo", 2), columns=WITH_OLD_KEY
    )
    result = project.run("2020-11-16", "--full-refresh")
    assert result.ok, result.errors
    project.operate("backfill", select="*", **only("2020-11-14"), dry_run=False)
    rows = [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    assert {name: table.snapshot("2020-11-14") for name, table in project.tables.items()} == {
        "log": rows,
        "people": rows,
        "parts": [(1, "Anna", 7), (2, "Bo", 8)],
        "moved": [(1, "Bo"), (2, "Ann")],
    }


def test_a_date_without_files_that_only_a_reload_has_seen_is_not_made(
    new_project: NewProject,
) -> None:
    project = new_project("reloaded_backfill")
    names = ("before", "behind", "keyless", "taken", "refreshed", "ignored")
    tables = {
        name: project.declare(name, COLUMNS, [] if name == "keyless" else ["id"]) for name in names
    }
    for table in tables.values():
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    for table in tables.values():
        table.write_changes("20201114-100000000", ("I", 2, "Bo"))
    assert project.run("2020-11-15").ok

    # What is written before the reload belongs to the load before, and the rest to the new one.
    for name in ("before", "keyless"):
        tables[name].write_changes("20201116-100000000", ("I", 3, "Cy"))
    ignored = tables.pop("ignored")
    gone = ignored.write_changes("20201116-100000000", ("X", 3, "?"))
    assert not project.run_tables("2020-11-17", [ignored]).ok
    gone.unlink()
    for table in (*tables.values(), ignored):
        table.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"), (9, "new"))
    given = {"run_date": "2020-11-17", "allow_missing_files": [ignored.label]}
    models = [METADATA_MODELS, ignored.staging_model, ignored.snapshot_model]
    assert project.dbt("run", "--vars", json.dumps(given), "--select", *models).ok
    tables["behind"].write_changes("20201116-100000000", ("I", 4, "Di"))
    refreshed = tables.pop("refreshed")
    assert project.run_tables("2020-11-17", list(tables.values())).ok
    assert project.run_tables("2020-11-17", [refreshed], "--full-refresh").ok

    def backfill(table: Table, run_date: str, fails: bool) -> str:
        operate = project.operate_in_vain if fails else project.operate
        return operate("backfill", select=table.label, **only(run_date), dry_run=False)

    for name in ("before", "behind", "keyless"):
        told = backfill(tables[name], "2020-11-16", fails=True)
        assert f"hr.{name}: the snapshot of 2020-11-16 would lack 1 file" in told
        assert f"hr/{name}/20201116-100000000.parquet" in told
        assert "Nothing was changed" in told
        assert tables[name].dates() == ["2020-11-13", "2020-11-15", "2020-11-17"]
    # The full refresh has staged nothing that came before the reload.
    assert "hr/refreshed/20201114-100000000.parquet" in backfill(
        refreshed, "2020-11-14", fails=True
    )
    assert "hr/refreshed/LOAD00000001.parquet" in backfill(refreshed, "2020-11-12", fails=True)

    # The way that docs/how-to/operations.md names.
    before = tables["before"]
    project.operate("rollback_to", select=before.label, to="2020-11-15", dry_run=False)
    assert project.run_tables("2020-11-16", [before]).ok
    project.operate("reapply", select=before.label, dry_run=False)
    assert project.run_tables("2020-11-17", [before]).ok
    rows = [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    assert before.snapshot("2020-11-16") == rows
    assert before.snapshot("2020-11-17") == [*rows, (9, "new")]

    # Nothing is missing where the date before has all files, or staging has them, or where a
    # person has said that what is gone is not needed.
    for table in (tables["taken"], refreshed, ignored):
        backfill(table, "2020-11-16", fails=False)
        assert table.snapshot("2020-11-16") == [(1, "Ann"), (2, "Bo")]
    for name in ("keyless", "taken"):
        backfill(tables[name], "2020-11-14", fails=False)
        assert tables[name].snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo")]
    backfill(tables["taken"], "2020-11-12", fails=False)
    assert tables["taken"].snapshot("2020-11-12") == [(1, "Ann")]


def test_of_several_folders_the_files_of_each_are_looked_for(new_project: NewProject) -> None:
    project = new_project("reloaded_folder_backfill")
    people = declare(project, "people", ["eu", "us"])
    for shard in ("eu", "us"):
        load(people, shard, (1, "Ann"))
    assert project.run("2020-11-13").ok
    change(people, "us", "20201114-100000000", ("I", 2, "Bo"))
    for shard in ("eu", "us"):
        change(people, shard, "20201115-100000000", ("I", 3, "Cy"))
    load(people, "eu", (1, "Ann"), (3, "Cy"))
    assert project.run("2020-11-16").ok

    # The load of eu hides its own file, and not that of the same name in the other folder.
    told = project.operate_in_vain(
        "backfill", select="*", from_date="2020-11-14", to_date="2020-11-15"
    )
    assert "the snapshot of 2020-11-15 would lack 1 file" in told
    assert "hr/people/eu/20201115-100000000.parquet" in told
    project.operate("backfill", select="*", **only("2020-11-14"), dry_run=False)
    assert people.snapshot("2020-11-14") == [(1, "Ann", "eu"), (1, "Ann", "us"), (2, "Bo", "us")]
