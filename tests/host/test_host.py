"""A dbt project with models of its own takes the macros as a package, and keeps what it has."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from development.emulator import MariaDb
from pyspark_dms.cli import main
from tests.compare.databases import MariaDbSource, make_table
from tests.support.engines import LocalEngine
from tests.support.host import Host
from tests.support.project import Project

METADATA = {
    "dms_files", "dms_rejects", "dms_staged_files", "snapshot_dates",
    "snapshot_versions",
}  # fmt: skip


def new_host(engine: LocalEngine, folder: Path) -> Host:
    host = Host(folder, engine)
    host.write_load((1, "sales"), (2, "stock"))
    host.write_changes("20201114-100000000", ("U", 2, "sales"), ("I", 3, "stock"))
    installed = host.dbt("deps")
    assert installed.ok, installed.error
    return host


@pytest.fixture(scope="module")
def host(local_engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Host:
    """The host after two dates."""
    host = new_host(local_engine, tmp_path_factory.mktemp("host"))
    for date in ("2020-11-13", "2020-11-14"):
        result = host.run("build", date, colour="blue")
        assert result.ok, result.errors
    return host


@pytest.fixture
def state(host: Host) -> Iterator[str]:
    """What dbt knew of the last run, for --state."""
    folder = host.folder / "state"
    folder.mkdir()
    shutil.copy(host.folder / "target/manifest.json", folder)
    yield str(folder)
    shutil.rmtree(folder)


def test_a_host_has_its_own_models_and_the_metadata_tables_but_nothing_of_the_sample(
    host: Host,
) -> None:
    declared = {"stg_hr__people", "people_snapshot", "people_changes"}
    assert host.listed("--resource-type", "model") == METADATA | declared | {
        "people_by_team", "people_log", "floors",
    }  # fmt: skip
    assert host.listed("--resource-type", "source") == {"people", "teams"}
    assert host.listed("--resource-type", "snapshot") == {"people_history"}
    assert host.listed("--resource-type", "exposure") == set()
    assert host.listed("--resource-type", "unit_test") == set()
    manifest = json.loads((host.folder / "target/manifest.json").read_text(encoding="utf-8"))
    assert [name for name in manifest["docs"] if "overview" in name] == ["doc.dbt.__overview__"]


def test_models_on_the_current_state_and_on_the_changes_of_a_declared_table_follow_it(
    host: Host,
) -> None:
    assert host.rows("reports.headcount", "team, people") == [("sales", 2), ("stock", 1)]
    assert host.rows("reports.floors", "team, people, floor") == [("sales", 2, 1), ("stock", 1, 2)]
    log = host.rows("reports.people_log", "cast(run_date as string), kind, id, team_after")
    assert log == [
        ("2020-11-13", "insert", 1, "sales"),
        ("2020-11-13", "insert", 2, "stock"),
        ("2020-11-14", "insert", 3, "stock"),
        ("2020-11-14", "update", 2, "sales"),
    ]
    closed = host.rows("people_history where dbt_valid_to is not null", "id, team")
    assert closed == [(2, "stock")]


def test_each_table_is_in_the_schema_that_the_host_gives_it(host: Host) -> None:
    assert host.tables("dms") == METADATA
    assert host.tables("landing") == {"stg_hr__people"}
    assert host.tables("reports") == {"headcount", "people_log", "floors"}
    assert host.tables() == {
        "people_snapshot", "people_current", "people_changes", "people_history", "teams",
    }  # fmt: skip


def test_what_the_host_says_of_its_own_tables_holds_for_these_and_for_no_declared_one(
    host: Host,
) -> None:
    def provider(table: str) -> str:
        described = host.query(f"describe extended {host.schema}{table}")
        return next(str(row[1]) for row in described if row[0] == "Provider").lower()

    assert provider("_reports.headcount") == "orc"
    assert provider("_landing.stg_hr__people") == provider(".people_snapshot") == "parquet"


def test_a_variable_of_the_host_is_taken_and_one_misspelt_of_ours_is_not(host: Host) -> None:
    result = host.run("run", "2020-11-14", "--select", "people_by_team", region="south")
    assert result.ok, result.errors
    assert host.rows("reports.headcount", "distinct region") == [("south",)]
    assert "run-date is no variable" in host.dbt("parse", "--vars", "{run-date: x}").error


def test_empty_and_defer_work_for_the_models_of_the_host_and_stop_those_of_declared_tables(
    host: Host, state: str
) -> None:
    other = f"{host.schema}_dev"
    deferred = host.dbt(
        "run", "--select", "people_by_team", "--defer", "--state", state, schema=other
    )
    assert deferred.ok, deferred.errors
    assert host.rows("reports.headcount", "sum(people)", schema=other) == [(3,)]
    assert host.tables(schema=other) == host.tables("dms", schema=other) == set()
    empty = host.dbt("run", "--empty", "--select", "people_by_team", schema=host.schema)
    assert empty.ok, empty.errors
    assert host.rows("reports.headcount", "count(*)") == [(0,)]
    for flags in (["--empty"], ["--defer", "--state", state]):
        refused = host.dbt("run", "--select", "people_snapshot", *flags)
        assert f"{flags[0]}: not with the tables of DMS" in refused.error
    assert host.run("run", "2020-11-14", "--select", "people_by_team").ok


@pytest.mark.thorough
def test_a_change_of_a_report_is_all_that_is_modified(host: Host, state: str) -> None:
    report = host.folder / "models/reports/floors.sql"
    report.write_text(report.read_text() + "-- changed\n")
    assert host.listed("--select", "state:modified", "--state", state) == {"floors"}
    assert host.listed("--select", "tag:report", "--resource-type", "model") == {
        "people_by_team", "people_log", "floors",
    }  # fmt: skip


@pytest.mark.thorough
def test_a_report_that_failed_is_retried_and_told_by_dbt_alone(host: Host) -> None:
    report = host.folder / "models/reports/floors.sql"
    whole = report.read_text()
    report.write_text("select no_such_column from " + whole.split("from ", 1)[1])
    variables = "{run_date: 2020-11-14, region: west}"
    printed = host.printed(
        "run", "--select", "metadata +people_snapshot floors", "--vars", variables
    )
    assert "no_such_column" in printed
    assert "Tables of 2020-11-14: 1 unchanged." in printed
    assert "failed  floors" not in printed
    report.write_text(whole)
    retried = host.dbt("retry")
    assert retried.ok, retried.errors
    assert {name for name in retried.models if "-on-run-" not in name} == {"floors"}


@pytest.mark.thorough
def test_data_tests_that_passed_are_not_run_again_and_operations_find_the_declared_tables(
    host: Host,
) -> None:
    assert host.dbt("test").ok
    again = host.printed("test")
    assert "Not run again: 3 tests of 1 table." in again
    arguments = ["--args", "{select: hr.people, dry_run: false}"]
    undone = host.printed("run-operation", "rollback", *arguments)
    assert host.rows("people_current", "id, team") == [(1, "sales"), (2, "stock")], undone
    again = host.printed("run-operation", "reapply", *arguments)
    assert host.rows("people_current", "id, team")[-1] == (3, "stock"), again


@pytest.mark.thorough
def test_the_commands_show_what_the_host_has_of_its_declared_tables(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBT_LOG_PATH", str(host.folder / "logs"))
    again = host.run("run", "2020-11-14")
    assert again.ok, again.errors
    said = {}
    for command in (
        ["report"],
        ["show", "hr.people"],
        ["docs"],
        ["discover", str(host.dms_root), "--check"],
        ["scaffold", "--check"],
    ):
        with host.environment():
            ran = CliRunner().invoke(main, [*command, "--project-dir", str(host.folder)])
        assert ran.exit_code == 0, ran.output
        said[command[0]] = ran.output
    assert "Tables of 2020-11-14: 1 unchanged" in said["report"]
    assert re.search(r"people_snapshot.*3 of 3 rows", said["show"])
    assert "with pages of 1 table" in said["docs"]
    page = (host.folder / "target/docs/tables/hr.people.html").read_text(encoding="utf-8")
    assert "people_by_team" in page


@pytest.mark.thorough
def test_compare_finds_the_tables_where_the_host_has_them(
    host: Host, server: MariaDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = MariaDbSource(server)
    source.new_schema("hr")
    rows = [["1", "'sales'"], ["2", "'sales'"], ["3", "'stock'"]]
    make_table(source, "hr", "people", {"id": "int", "team": "varchar(9)"}, ["id"], rows)
    monkeypatch.setenv("DBT_LOG_PATH", str(host.folder / "logs"))
    for name, value in source.environment().items():
        monkeypatch.setenv(name, value)
    command = ["compare", "hr.people", "--wait", "0", "--project-dir", str(host.folder)]
    with host.environment():
        equal = CliRunner().invoke(main, command)
        source.execute("update hr.people set team = 'gone' where id = 3")
        different = CliRunner().invoke(main, command)
        # The change of person 2 is staged for a later date than that.
        earlier = CliRunner().invoke(main, [*command, "--run-date", "2020-11-13"])
    assert equal.exit_code == 0, equal.output
    assert different.exit_code == 1, different.output
    assert "different: id = 3: team" in " ".join(different.output.split())
    assert "waiting: id = 2" in " ".join(earlier.output.split()), earlier.output


@pytest.mark.thorough
def test_a_host_goes_on_with_what_a_clone_has_published(
    local_engine: LocalEngine, tmp_path: Path
) -> None:
    clone = Project(tmp_path / "clone", local_engine)
    people = clone.declare("people", {"id": "int", "team": "string"}, ["id"], change_feed=True)
    people.write_load((1, "sales"))
    assert clone.run("2020-11-13").ok
    host = new_host(local_engine, tmp_path)
    host.schema, host.dms_root = clone.schema, clone.dms_root
    settings = {key: value for key, value in host.settings().items() if key != "models"}
    (host.folder / "dbt_project.yml").write_text(json.dumps(settings))
    selected = ("--select", "metadata +people_snapshot")
    again = host.run("run", "2020-11-13", *selected)
    assert again.ok, again.errors
    assert again.message("people_snapshot") == "unchanged since version 1, 1 row"
    people.write_changes("20201114-100000000", ("I", 2, "stock"))
    assert host.run("run", "2020-11-14", *selected).ok
    assert people.current() == [(1, "sales"), (2, "stock")]


def test_without_a_declared_table_and_without_dispatch_the_package_does_nothing(
    local_engine: LocalEngine, tmp_path: Path
) -> None:
    host = new_host(local_engine, tmp_path)
    for folder in ("models/sources/hr", "models/staging", "models/snapshots", "models/reports"):
        shutil.rmtree(host.folder / folder)
    (host.folder / "snapshots/snapshots.yml").unlink()
    (host.folder / "macros/snapshot.sql").unlink()
    (host.folder / "models/own.sql").write_text("select 1 as one\n")
    settings = {key: value for key, value in host.settings().items() if key != "dispatch"}
    (host.folder / "dbt_project.yml").write_text(json.dumps(settings))
    for command in (["build"], ["run", "--empty", "--select", "own"], ["test"]):
        result = host.dbt(*command)
        assert result.ok, result.errors
    assert host.rows("own", "*") == [(1,)]
