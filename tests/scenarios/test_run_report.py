"""What a run tells at its end, as page, as JSON and on the screen; and dbt retry."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from pyspark_dms.commands.report import print_report
from pyspark_dms.pages.run_report import RunReport, TableReport, as_html, clean_reason
from pyspark_dms.stores import read_object
from tests.conftest import NewProject
from tests.support import browser
from tests.support.project import Project
from tests.support.s3_server import s3_server

COLUMNS = {"id": "int", "name": "string"}
HOSTILE = "<script>document.title='owned'</script>"


def invoke(project: Project, *command: str) -> Result:
    with project.environment(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_PROFILES_DIR", str(project.folder / "profiles"))
        patch.setenv("DBT_LOG_PATH", str(project.folder / "logs"))
        patch.delenv("DBT_TARGET_PATH", raising=False)
        return CliRunner().invoke(main, [*command, "--project-dir", str(project.folder)])


def report(project: Project) -> Result:
    return invoke(project, "report")


def written(project: Project) -> dict[str, Any]:
    return dict(json.loads((project.folder / "target/run_report.json").read_text()))


def tables(content: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {table["table"]: table for table in content["tables"]}


@pytest.fixture(scope="module")
def project(new_project: NewProject) -> Project:
    """people changes, orders not, broken and strict fail, idle is not active, unmade not made."""
    project = new_project("reported")
    people, orders, broken, strict = (
        project.declare(name, COLUMNS, ["id"]) for name in ("people", "orders", "broken", "strict")
    )
    project.declare("idle", COLUMNS, ["id"], active=False)
    project.declare("unmade", COLUMNS, ["id"])
    for stub in project.folder.glob("models/s*/hr/*unmade*.sql"):
        stub.unlink()
    for table in (people, orders, broken, strict):
        table.write_load((1, "Ann"), (2, "Bob"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bob"), ("I", 3, "Cy"))
    broken.write_changes(
        "20201114-100000000", ("U", HOSTILE, "x"), columns=dict.fromkeys(COLUMNS, "string")
    )
    more = {**COLUMNS, "email": "string"}
    strict.write_changes("20201114-100000000", ("U", 1, "Anna", "a@b"), columns=more)
    return project


@pytest.fixture(scope="module")
def output(project: Project) -> str:
    """What dbt prints when one of its tables fails."""
    log = project.folder / "logs/dbt.log"
    said_before = len(log.read_text())
    assert project.run("2020-11-14").failed == ["stg_hr__broken", "stg_hr__strict"]
    return log.read_text()[said_before:]


def test_the_end_of_a_run_tells_what_needs_attention_first(project: Project, output: str) -> None:
    places = [
        output.index(told)
        for told in (
            "failed  hr.broken: 1 of 1 files cannot be read: " + str(project.dms_root),
            "failed  hr.strict: 1 of 1 files cannot be read: " + str(project.dms_root),
            "warning  hr.unmade: it is declared and has no models, so no run takes it. Make them:",
            "published  hr.people: version 2: +1 ~1 -1, 2 rows",
            "Tables of 2020-11-14: 2 failed, 1 published, 1 unchanged, 1 not active, warnings: 1.",
            "run the same command again. dbt retry is enough",
        )
    ]
    assert places == sorted(places)


def test_the_report_says_for_each_table_what_became_of_it(project: Project, output: str) -> None:
    result = report(project)
    assert result.exit_code == 1
    content = written(project)
    assert (content["run_date"], content["command"]) == ("2020-11-14", "run")
    assert content["succeeded"] is False
    assert [table["table"] for table in content["tables"]] == [
        "hr.broken", "hr.strict", "hr.people", "hr.orders", "hr.idle",
    ]  # fmt: skip
    people = tables(content)["hr.people"]
    assert (people["state"], people["inserted"], people["updated"], people["deleted"]) == (
        "published", 1, 1, 1,
    )  # fmt: skip
    assert people["rows"] == 2
    assert tables(content)["hr.orders"]["state"] == "unchanged"
    assert tables(content)["hr.idle"]["state"] == "not active"


def test_a_failure_comes_with_its_reason_and_the_next_step(project: Project, output: str) -> None:
    shown = report(project).output
    broken = tables(written(project))["hr.broken"]
    assert broken["state"] == "failed"
    for text in (broken["reason"], shown):
        assert "20201114-100000000.parquet" in text
        assert HOSTILE in text
        assert "Compilation Error" not in text
    assert "dbt retry" in broken["next_step"]


def test_a_copy_of_the_report_can_be_in_a_bucket(
    project: Project, output: str, tmp_path: Path
) -> None:
    with s3_server(tmp_path, "reports") as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        invoke(project, "report", "--copy-to", "s3://reports/dms/nightly/")
        for name in ("run_report.html", "run_report.json"):
            copy = bytes(read_object(f"s3://reports/dms/nightly/{name}"))
            assert copy == (project.folder / "target" / name).read_bytes()
        told = invoke(project, "report", "--copy-to", "s3://nowhere/dms").output
        assert "the store says NoSuchBucket" in " ".join(told.split())


@pytest.mark.parametrize("folder", ["/proc/nope", "s3://a bucket/reports"])
def test_a_copy_of_the_report_that_cannot_be_put_there_is_told(
    project: Project, output: str, folder: str
) -> None:
    result = invoke(project, "report", "--copy-to", folder)
    assert isinstance(result.exception, SystemExit)
    assert f"could not be put in {folder}/run_report.html" in " ".join(result.output.split())


def test_the_page_shows_values_from_outside_as_text(project: Project, output: str) -> None:
    report(project)
    page = (project.folder / "target/run_report.html").read_text()
    assert "hr.broken" in page
    assert "<script" not in page
    assert "&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;" in page


def test_retry_runs_what_failed_and_nothing_else_also_after_a_look(
    project: Project, output: str
) -> None:
    assert "hr.people" in invoke(project, "show").output
    report(project)
    assert tables(written(project))["hr.broken"]["state"] == "failed"
    strict, broken = project.tables["strict"], project.tables["broken"]
    declaration = project.folder / "models/sources/hr/strict.yml"
    declaration.write_text(
        declaration.read_text().replace('"path"', '"on_schema_change": "ignore", "path"')
    )
    broken.write_changes("20201114-100000000", ("U", 1, "mended"))
    outcome = project.dbt("retry")
    assert set(outcome.models) >= {"strict_snapshot", "broken_snapshot"}
    assert "people_snapshot" not in outcome.models
    assert strict.snapshot("2020-11-14") == [(1, "Anna"), (2, "Bob")]
    assert report(project).exit_code == 1

    # A file that was replaced is looked for by a run, not by dbt retry.
    assert outcome.failed == ["stg_hr__broken"]
    assert project.run("2020-11-14").ok
    assert broken.snapshot("2020-11-14") == [(1, "mended"), (2, "Bob")]
    assert report(project).exit_code == 0


def test_the_report_is_of_the_last_run_or_of_none(project: Project, output: str) -> None:
    people = project.tables["people"]
    assert project.run("2020-11-15", "--select", "dms_files", people.staging_model).ok
    assert report(project).exit_code == 0
    assert tables(written(project))["hr.people"]["state"] == "staged"

    for variables, said in (
        ("run_date: soon", "is not a date"),
        ("rundate: 2020-11-14", "rundate"),
    ):
        outcome = project.dbt("run", "--vars", f"{{{variables}}}")
        assert not outcome.ok
        assert said in outcome.errors
        result = report(project)
        assert result.exit_code == 1
        assert "The last dbt run has no results" in " ".join(result.output.split())
    # dbt puts a log that has grown aside.
    log = project.folder / "logs/dbt.log"
    before, begin, last = log.read_text().rpartition("\n" + "=" * 30 + " ")
    log.rename(log.with_name("dbt.log.1")).write_text(before)
    log.write_text(begin + last)
    assert "The last dbt run has no results" in " ".join(report(project).output.split())

    assert project.dbt("compile", "--select", people.snapshot_model).ok
    result = report(project)
    assert result.exit_code == 1
    assert "The last dbt command, dbt compile, was no run" in " ".join(result.output.split())
    assert not project.dbt("run", "--vars", "{rundate: 2020-11-14}").ok
    assert "The last dbt run has no results" in " ".join(report(project).output.split())
    # What leaves no results of its own may come between.
    assert project.run("2020-11-15").ok
    assert project.dbt("ls").ok
    assert report(project).exit_code == 0


def test_a_build_of_which_a_test_fails_is_no_success(project: Project, output: str) -> None:
    people = project.tables["people"]
    nobody = {"accepted_values": {"arguments": {"column_name": "name", "values": ["nobody"]}}}
    project.write_properties([{"name": people.snapshot_model, "data_tests": [nobody]}])
    log = project.folder / "logs/dbt.log"
    said_before = len(log.read_text())
    assert not project.dbt("build", "--select", f"+{people.snapshot_model}").ok
    assert "failed  accepted_values_people_snapshot" in log.read_text()[said_before:]
    assert report(project).exit_code == 1
    states = {name: table["state"] for name, table in tables(written(project)).items()}
    assert states["hr.people"] in ("published", "unchanged")
    assert [name for name, state in states.items() if state == "failed"] == [
        name for name in states if name.startswith("accepted_values_people_snapshot")
    ]


def test_without_a_run_the_report_says_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["report", "--project-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert "no dbt run has ended yet. Run dbt run." in result.output


def test_a_table_that_failed_is_reported_with_what_was_warned_of_before(
    new_project: NewProject,
) -> None:
    project = new_project("warned_and_failed")
    people = project.declare("people", COLUMNS, ["id"], max_delete_fraction=0)
    load = people.write_load((1, "Ann"), (2, "Bob"))
    assert project.run("2020-11-13").ok
    load.unlink()
    people.write_changes("20201114-100000000", ("D", 2, "Bob"))
    assert project.run("2020-11-14").failed == ["people_snapshot"]
    report(project)
    told = tables(written(project))["hr.people"]
    assert told["state"] == "failed"
    assert "max_delete_fraction" in told["reason"]
    (warning,) = told["warnings"]
    assert "files that were applied are missing" in warning


def test_what_was_warned_of_comes_before_what_went_well_and_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entries = [
        TableReport("hr.orders", "published", 1, 2, 3, 4),
        TableReport("hr.people", "unchanged", 0, 0, 0, 2, warnings=["there are no files"]),
    ]
    print_report(RunReport("2020-11-14", "run", "", 1.0, "", entries))
    told = capsys.readouterr().out
    places = [told.index(part) for part in ("hr.people", "there are no files", "hr.orders")]
    assert places == sorted(places)
    assert "Tables of 2020-11-14: 1 published, 1 unchanged, warnings: 1." in told


def test_secrets_do_not_reach_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "abc/def+ghi")
    monkeypatch.setenv("DMS_THRIFT_PASSWORD", "open sesame")
    reason = clean_reason(
        "Runtime Error in model x (models/x.sql)\n  key abc/def+ghi, open sesame failed at\n"
        "  https://b.s3.amazonaws.com/k?X-Amz-Signature=1234abcd&X-Amz-Expires=5\n"
        "  jdbc:hive2://h:1/;user=me;password=hidden;ssl=true"
    )
    for secret in ("abc/def", "sesame", "1234abcd", "hidden"):
        assert secret not in reason
    assert "X-Amz-Expires=5" in reason
    assert "ssl=true" in reason


# ------------------------------------------------------------------ in a browser


def test_hostile_names_do_nothing_in_a_browser(tmp_path: Path) -> None:
    names = [HOSTILE, '"><img src=x onerror="document.title=1">', "</pre></td><h1>big</h1>", "&lt;"]
    entries = [TableReport(name, "failed", reason=name, next_step=name) for name in names]
    entries.append(TableReport("hr.people", "published", 1, 2, 3, 4000, 1.5))
    page = tmp_path / "report.html"
    page.write_text(as_html(RunReport(HOSTILE, HOSTILE, HOSTILE, 1.0, HOSTILE, entries)))
    seen = browser.dump(page.as_uri(), tmp_path)
    assert seen.count("<h1>") == 1
    assert "<img" not in seen
    assert "owned</title>" not in seen
    assert "hr.people" in seen
    assert "4,000" in seen
