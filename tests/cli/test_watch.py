"""The command ``watch``: files land, and just the tables concerned are run; ``trigger-zip``."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from pyspark_dms.aws.events import WatchedTable
from pyspark_dms.aws.watch import Watch
from pyspark_dms.cli import main
from pyspark_dms.errors import DmsError
from tests.conftest import NewProject

Land = Callable[..., None]


@pytest.fixture
def tables(tmp_path: Path) -> list[WatchedTable]:
    return [
        WatchedTable(
            f"hr.{name}", f"{tmp_path}/hr/{name}/", (f"stg_hr__{name}", f"{name}_snapshot")
        )
        for name in ("people", "orders")
    ]


@pytest.fixture
def land(tmp_path: Path) -> Land:
    def write(path: str, content: str = "x") -> None:
        target = tmp_path / "hr" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)

    return write


def declare(project: Path, *paths: str) -> None:
    """Make a project with a table hr.t0, hr.t1 … for each path."""
    (project / "dbt_project.yml").write_text("name: a_project\n")
    (project / "models/sources").mkdir(parents=True)
    tables = [
        {"name": f"t{number}", "config": {"meta": {"dms": {"path": path}}}}
        for number, path in enumerate(paths)
    ]
    content = {"sources": [{"name": "hr", "tables": tables}]}
    (project / "models/sources/hr.yml").write_text(yaml.safe_dump(content))


class Runs:
    """Takes the tables of each run; may fail, or do something while it runs."""

    def __init__(self) -> None:
        self.tables: list[list[str]] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.succeed = True
        self.told: list[str] = []

    def __call__(self, tables: Sequence[WatchedTable]) -> bool:
        self.tables.append([table.label for table in tables])
        self.meanwhile()
        return self.succeed


@pytest.fixture
def runs() -> Runs:
    return Runs()


@pytest.fixture
def watch(tables: list[WatchedTable], runs: Runs) -> Watch:
    return Watch(tables, runs, runs.told.append)


def test_the_first_look_runs_what_has_files(watch: Watch, runs: Runs, land: Land) -> None:
    land("people/LOAD00000001.parquet")
    land("orders/readme.txt")
    watch.look()
    assert runs.tables == [["hr.people"]]


def test_a_new_file_runs_its_table_once(watch: Watch, runs: Runs, land: Land) -> None:
    land("people/LOAD00000001.parquet")
    land("orders/LOAD00000001.parquet")
    watch.look()
    land("orders/2020/11/14/20201114-100000000.parquet")
    watch.look()
    watch.look()
    assert runs.tables == [["hr.people", "hr.orders"], ["hr.orders"]]


def test_a_file_written_again_counts_as_new(watch: Watch, runs: Runs, land: Land) -> None:
    land("people/LOAD00000001.parquet")
    watch.look()
    land("people/LOAD00000001.parquet", "longer")
    watch.look()
    assert runs.tables == [["hr.people"], ["hr.people"]]


def test_what_lands_during_a_run_is_found_by_the_next_look(
    watch: Watch, runs: Runs, land: Land
) -> None:
    land("people/LOAD00000001.parquet")
    runs.meanwhile = lambda: land("people/20201114-100000000.parquet")
    watch.look()
    runs.meanwhile = lambda: None
    watch.look()
    watch.look()
    assert runs.tables == [["hr.people"], ["hr.people"]]


def test_a_file_with_the_changes_of_all_tables_runs_each_of_them(
    tables: list[WatchedTable], runs: Runs, land: Land, tmp_path: Path
) -> None:
    both = [replace(table, transaction_path=f"{tmp_path}/hr/cdc/") for table in tables]
    watch = Watch(both, runs, runs.told.append)
    land("cdc/CDC_TXN-20201114100000000.csv")
    watch.look()
    watch.look()
    assert runs.tables == [["hr.people", "hr.orders"]]


def test_a_failed_run_is_told_with_what_to_do(watch: Watch, runs: Runs, land: Land) -> None:
    land("people/LOAD00000001.parquet")
    runs.succeed = False
    watch.look()
    assert "dbt retry" in runs.told[-1]


def test_files_for_which_no_run_could_start_are_found_by_the_next_look(
    watch: Watch, runs: Runs, land: Land
) -> None:
    def away() -> None:
        runs.meanwhile = lambda: None
        raise DmsError("E602", "The server is away.")

    land("people/LOAD00000001.parquet")
    runs.meanwhile = away
    looks = watch.forever(0.01)
    assert [table.label for table in next(looks)] == ["hr.people"]
    assert runs.tables == [["hr.people"], ["hr.people"]]
    assert "The server is away. [E602]\nTried again in 0.01 s." in runs.told
    assert next(looks) == []


def test_what_a_person_has_to_mend_before_a_table_can_be_listed_ends_the_watch(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise DmsError("E202", "No credentials.")

    monkeypatch.setattr("pyspark_dms.stores.list_objects", refuse)
    with pytest.raises(DmsError, match="No credentials"):
        next(watch.forever(0.01))


def test_a_store_that_is_away_is_told_and_the_files_are_found_later(
    watch: Watch, runs: Runs, land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    land("people/LOAD00000001.parquet")
    with monkeypatch.context() as patch:
        patch.setattr("pyspark_dms.stores.list_objects", lambda path: 1 / 0)
        watch.look()
    assert "cannot be listed now" in runs.told[0]
    assert runs.tables == []
    watch.look()
    assert runs.tables == [["hr.people"]]


@pytest.mark.thorough
def test_the_tables_are_published_by_dbt(new_project: NewProject) -> None:
    project = new_project("watched")
    people = project.declare("people", {"id": "int", "name": "string"}, ["id"])
    project.declare("orders", {"id": "int"}, ["id"])
    people.write_load((1, "Ann"))
    with project.environment():
        options = ["--once", "--run-date", "2020-11-13", "--project-dir", str(project.folder)]
        result = CliRunner().invoke(main, ["watch", str(project.dms_root), *options])
    assert result.exit_code == 0, result.output
    assert "New files: hr.people" in result.output
    assert people.snapshot("2020-11-13") == [(1, "Ann")]
    assert project.partitions("orders_snapshot") == []
    (people.folder / "20201114-100000000.csv").write_text("U,one,Ann\n")
    with project.environment():
        options[2] = "2020-11-14"
        failed = CliRunner().invoke(main, ["watch", str(project.dms_root), *options])
    assert failed.exit_code == 1


def test_a_project_that_dbt_cannot_start_is_no_run_that_failed(new_project: NewProject) -> None:
    project = new_project("unstarted")
    project.declare("people", {"id": "int"}, ["id"]).write_load((1,))
    (project.folder / "models/broken.sql").write_text("{% if %}")
    with project.environment():
        options = ["--once", "--run-date", "2020-11-13", "--project-dir", str(project.folder)]
        result = CliRunner().invoke(main, ["watch", str(project.dms_root), *options])
    assert result.exit_code == 1
    assert "dbt could not start the run" in result.output
    assert "broken.sql" in result.output


class Interrupted:
    """How dbt's runner ends when somebody presses Ctrl-C."""

    success = False
    exception = KeyboardInterrupt()

    def invoke(self, command: Sequence[str]) -> "Interrupted":
        return self


def test_ctrl_c_during_a_run_ends_the_watch(
    tmp_path: Path, land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(tmp_path, f"{tmp_path}/hr/people")
    land("people/LOAD00000001.parquet")
    monkeypatch.setattr("dbt.cli.main.dbtRunner", Interrupted)
    # A watch that goes on would wait here for its next look.
    monkeypatch.setattr("pyspark_dms.aws.watch.time", None)
    result = CliRunner().invoke(main, ["watch", str(tmp_path), "--project-dir", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "New files: hr.t0\nEnded." in result.output


@pytest.mark.parametrize(
    ("root", "reason"), [("nowhere", "cannot be read"), ("", "No active table is declared under")]
)
def test_a_root_without_declared_tables_is_refused(tmp_path: Path, root: str, reason: str) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: a_project\n")
    options = ["--once", "--project-dir", str(tmp_path)]
    result = CliRunner().invoke(main, ["watch", str(tmp_path / root), *options])
    assert result.exit_code == 1
    assert reason in result.output


def trigger_zip(project: Path, *paths: str) -> Result:
    declare(project, *paths)
    options = ["--output", str(project / "trigger.zip"), "--project-dir", str(project)]
    return CliRunner().invoke(main, ["trigger-zip", *options])


def test_tables_that_the_function_on_aws_does_not_know_are_named(tmp_path: Path) -> None:
    result = trigger_zip(tmp_path, "s3://landing/dms/hr/t0", "/data/dms/hr/t1", "gs://b/hr/t2")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == [
        "left out  hr.t1: /data/dms/hr/t1/ is not on s3://",
        "left out  hr.t2: gs://b/hr/t2/ is not on s3://",
        f"{tmp_path}/trigger.zip: 1 table",
    ]


@pytest.mark.parametrize(
    "path", ["{{ env_var('DMS_ROOT') }}/hr/t1", "s3://{{ env_var('DMS_ROOT') }}/hr/t1"]
)
def test_a_path_that_the_environment_leaves_open_is_not_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.delenv("DMS_ROOT", raising=False)
    result = trigger_zip(tmp_path, "s3://landing/dms/hr/t0", path)
    assert result.exit_code == 1
    assert f"hr.t1 (models/sources/hr.yml) has path {path}: DMS_ROOT is not set" in result.output
    assert not (tmp_path / "trigger.zip").exists()
