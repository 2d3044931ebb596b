"""Two runs of a table at once: one publishes, the other says so, and nothing is lost."""

import copy
import json
from datetime import date
from pathlib import Path

import pytest

from pyspark_dms import stores
from pyspark_dms.pages.run_report import read_run_report
from tests.conftest import NewProject
from tests.scenarios.test_history import declare_history
from tests.support.project import DIES, Project, copy_object
from tests.support.side_by_side import COLUMNS

# What other runs do while one is at work.
COMMITS = """
{% do ask_versions("commit", {
    "manifest": dict(manifest, **table_partition(declared)), "token": "other-" ~ manifest.version,
}) %}
"""
RECORDS = """
{% do ask_versions("record", {"run": "other", "published": published, "passed": []}) %}
{% do derive_tables() %}
"""
ROLLS_BACK = (
    """
{% set newest, undone = newest_numbers([declared])[declared.label], [] %}
{% set versions = versions_of(declared, {"versions": range(1, newest + 1) | list}).manifests %}
{% for number in range(2, newest + 1) %}{% do undone.extend(versions[number].files) %}{% endfor %}
{% set manifest = dict(
    versions[1], version=newest + 1, action="rollback", current_version=newest + 1,
    restored_version=1, excluded_files=undone,
) %}
"""
    + COMMITS
)
SHOWS_THE_14TH_UNCHANGED = """
{% do add_partitions(relation, [{
    "values": {"snapshot_date": "2020-11-14"}, "location": whole.current.partitions[0].location,
}]) %}
"""
PUBLISHES_THE_14TH = (
    """
{% set first = versions_of(declared, {"versions": [1]}).manifests[1] %}
{% set manifest = dict(
    first, version=2, run_date="2020-11-14", current_version=2, base_version=1,
    dates=[{"run_date": "2020-11-13", "version": 1}, {"run_date": "2020-11-14", "version": 2}]
) %}
"""
    + COMMITS
)
# The state of before, as a rollback makes it.
PUBLISHES_THE_NEXT = (
    """
{% set next = version.version + 1 %}
{% set manifest = dict(
    whole.current, version=next, run_date=version.run_date, current_version=next,
    base_version=version.version,
    dates=[{"run_date": "2020-11-13", "version": 1}, {"run_date": "2020-11-14", "version": next}]
) %}
"""
    + COMMITS
)


def test_of_two_runs_from_one_version_the_later_says_so_and_changes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("raced")
    table = project.declare("raced", COLUMNS, ["id"])
    table.write_load((1, "Ann"))
    table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-13").ok
    with project.interrupted("commit_version", "raced", COMMITS):
        result = project.run("2020-11-14")
    assert "another run has published version 2" in result.message(table.snapshot_model)
    assert "ommand again" in result.message(table.snapshot_model)
    assert table.current() == [(1, "Ann")]
    assert table.dates() == ["2020-11-13"]
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert table.current() == table.snapshot("2020-11-14") == [(1, "Anna")]
    # What the other one committed is published, and nothing is done twice.
    assert [v["version"] for v in table.versions()] == [1, 2]


@pytest.mark.thorough
def test_retry_after_a_commit_that_failed_writes_the_rows_to_another_folder(
    new_project: NewProject,
) -> None:
    project = new_project("retried")
    columns = {"id": "int", "name": "string", "hired": "date"}
    dated = project.declare("retried", columns, ["id"], partition_date="hired")
    lines = project.declare("lines", COLUMNS, [])
    rows = [(1, "Ann", date(2001, 1, 1)), (2, "Bo", date(2002, 2, 2))]
    dated.write_load(*rows)
    lines.write_load((1, "Ann"))
    lines.write_changes("20201113-100000000", ("I", 2, "Bo"))
    with project.interrupted("commit_version"):
        assert not project.run("2020-11-13").ok
    result = project.dbt("retry")
    assert result.ok, result.errors
    assert dated.snapshot("2020-11-13") == dated.current() == rows
    assert lines.snapshot("2020-11-13") == lines.current() == [(1, "Ann"), (2, "Bo")]


@pytest.mark.thorough
def test_in_another_time_zone_than_utc_nothing_is_run(new_project: NewProject) -> None:
    project = new_project("in_new_york")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    profile = project.folder / "profiles/profiles.yml"
    in_utc = profile.read_text()
    elsewhere = in_utc.replace("timeZone: UTC", "timeZone: America/New_York")
    told = "The time zone of the Spark session is America/New_York. Nothing was changed."
    profile.write_text(elsewhere)
    assert told in project.run("2020-11-13").message("dms_files")
    profile.write_text(in_utc)
    assert project.query(f"select count(*) from {project.schema}.dms_files") == [(0,)]
    assert project.run("2020-11-13").ok
    profile.write_text(elsewhere)
    assert told in project.operate_in_vain("versions", select="hr.people")
    profile.write_text(in_utc)
    assert people.current() == [(1, "Ann")]


@pytest.mark.thorough
def test_a_run_that_staged_on_a_version_of_before_publishes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("overtaken")
    undone, behind = (project.declare(name, COLUMNS, ["id"]) for name in ("undone", "behind"))
    for one in (undone, behind):
        one.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    undone.write_changes("20201114-100000000", ("I", 4, "Day 14"))
    behind.write_changes("20201114-100000000", ("D", 1, None))
    assert project.run_tables("2020-11-14", [undone]).ok
    for one in (undone, behind):
        one.write_changes("20201115-100000000", ("I", 5, "Day 15"))
    with (
        # Between staging and publishing.
        project.interrupted("make_version", "undone", ROLLS_BACK),
        # Before staging is done.
        project.interrupted("stage_files", "behind", PUBLISHES_THE_14TH),
    ):
        result = project.run("2020-11-15")
    assert "another run has published version 3" in result.message(undone.snapshot_model)
    assert "another run has published version 2" in result.message(behind.snapshot_model)
    assert "2020-11-15" not in [*undone.dates(), *behind.dates()]
    assert project.run_tables("2020-11-15", [undone]).ok
    # The file of the undone version stays excluded.
    assert undone.snapshot("2020-11-15") == [(1, "Ann"), (2, "Bo"), (5, "Day 15")]


@pytest.mark.thorough
def test_a_run_that_stood_still_before_it_published_does_not_take_back_what_came_later(
    new_project: NewProject,
) -> None:
    project = new_project("stalled")
    stalled = project.declare("stalled", COLUMNS, ["id"])
    stalled.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    stalled.write_changes("20201114-100000000", ("U", 1, "Anna"))
    with project.interrupted("publish_version", "stalled", PUBLISHES_THE_NEXT):
        result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert stalled.snapshot("2020-11-14") == stalled.current() == [(1, "Ann")]
    # The other one has not recorded its version yet. The next run does, and takes the file again.
    assert len(stalled.versions()) == 2
    assert project.run("2020-11-15").ok
    assert [one["version"] for one in stalled.versions()] == [1, 2, 3, 4]


@pytest.mark.thorough
def test_a_run_that_found_no_new_files_does_not_take_back_what_another_has_published(
    new_project: NewProject,
) -> None:
    project = new_project("quiet")
    quiet = project.declare("quiet", COLUMNS, ["id"])
    quiet.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    with project.interrupted("publish_date", "quiet", PUBLISHES_THE_14TH):
        assert project.run("2020-11-14").ok
    # What the other one had committed and not published yet, the next run publishes.
    assert project.run("2020-11-15").ok
    assert quiet.dates() == ["2020-11-13", "2020-11-14", "2020-11-15"]
    assert len(quiet.versions()) == 2


@pytest.mark.thorough
def test_a_run_does_not_show_a_version_that_was_rolled_back_while_it_was_at_work(
    new_project: NewProject,
) -> None:
    project = new_project("rolled_back_meanwhile")
    columns = {"id": "int", "name": "string", "hired": "date"}
    table = project.declare("rolled", columns, ["id"], partition_date="hired")
    table.write_load((1, "Ann", date(2001, 1, 1)))
    assert project.run("2020-11-13").ok
    table.write_changes("20201114-100000000", ("I", 2, "a bad batch", date(2002, 2, 2)))
    assert project.run("2020-11-14").ok
    with project.interrupted("publish_date", "rolled", ROLLS_BACK):
        result = project.run("2020-11-15")
    assert "hr.rolled: another command has published a newer version" in result.errors
    assert "readers do not see 2020-11-15" in result.errors
    report = read_run_report(project.folder / "target", project.folder / "logs")
    assert not report.succeeded
    (failed,) = (table for table in report.tables if table.state == "failed")
    assert failed.table == "end of the run"
    assert failed.reason.startswith("hr.rolled: another command has published a newer version")
    assert failed.reason.endswith("[E401]")
    assert failed.next_step == "Do what the message says"
    assert "2020-11-15" not in table.dates()
    assert project.run("2020-11-15").ok
    assert table.dates() == ["2020-11-13", "2020-11-15"]
    assert table.snapshot("2020-11-15") == table.current() == [(1, "Ann", date(2001, 1, 1))]


@pytest.mark.thorough
def test_a_date_that_another_run_shows_unchanged_meanwhile_shows_the_version_made_for_it(
    new_project: NewProject,
) -> None:
    project = new_project("overwritten")
    table = project.declare("overwritten", COLUMNS, ["id"])
    table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    # A run that had listed the files before this one came.
    with project.interrupted("publish_version", "overwritten", SHOWS_THE_14TH_UNCHANGED):
        assert project.run("2020-11-14").ok
    assert table.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
def test_a_run_that_started_before_the_published_one_of_its_date_changes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("outrun")
    outrun = project.declare("outrun", COLUMNS, ["id"])
    outrun.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    outrun.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    # The run that published it started when this one had listed the files already.
    (committed,) = outrun.root().parent.glob("version_log/hr.outrun/*-v2.json")
    manifest = json.loads(committed.read_text())
    committed.write_text(json.dumps(manifest | {"run": "29990101T000000000000Z"}))
    result = project.run("2020-11-14")
    assert "another command has published version 2" in result.message(outrun.staging_model)
    assert "It started at 2999-01-01 00:00:00" in result.message(outrun.staging_model)
    assert outrun.snapshot("2020-11-14") == outrun.current() == [(1, "Anna")]
    assert len(outrun.versions()) == 2


ANOTHER_RUN_INDEXES_THE_SAME = """
{% if is_date(run_date()) and list_partitions(this) == [] %}
    {% do add_partitions(this, [{
        "values": {"run_date": "2020-11-13", "version": "1"},
        "location": log_location("dms_files") ~ "/2020-11-13/1",
    }]) %}
{% endif %}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("moment", ["index_view_sql", "add_indexed_files"])
def test_a_file_that_two_runs_find_at_once_is_indexed_once(
    new_project: NewProject, moment: str
) -> None:
    project = new_project(f"found_twice_{moment}")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    other = copy.copy(project)
    other.schema = f"{project.schema}_other"
    assert other.run("2020-11-13", "--select", "dms_files").ok
    index = index_location(other)
    own = index.replace(f"/{other.schema}.db/", f"/{project.schema}.db/")
    for file in stores.data_files(f"{index}/2020-11-13"):
        copy_object(file.path, f"{own}/2020-11-13/1/{Path(file.path).name}")
    with project.interrupted(moment, jinja=ANOTHER_RUN_INDEXES_THE_SAME):
        result = project.run("2020-11-13")
    assert result.ok, result.errors
    assert project.query(f"select count(*) from {project.schema}.dms_files") == [(1,)]
    assert people.current() == [(1, "Ann")]


def index_location(project: Project) -> str:
    described = project.query(f"describe extended {project.schema}.dms_files")
    return str(next(row[1] for row in described if row[0] == "Location"))


@pytest.mark.thorough
@pytest.mark.parametrize("has_new_files", [True, False])
def test_a_run_does_not_go_on_behind_the_files_that_a_run_which_started_later_has_indexed(
    new_project: NewProject, has_new_files: bool
) -> None:
    # Later runs look for what was added after its files, and this one takes none of them.
    project = new_project(f"late_to_the_index_{has_new_files}")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    later = "2999"
    folder = project.folder / "later"
    index = f"{project.schema}.dms_files"
    project.query(
        f"insert overwrite directory 'file://{folder}' using parquet"
        f" select * except (run_date, version) from {index} where false"
    )
    project.query(
        f"alter table {index} add partition (run_date = '2020-11-14', version = '{later}')"
        f" location 'file://{folder}'"
    )
    if has_new_files:
        people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    result = project.run("2020-11-14")
    assert "started later than this one has added" in result.message("dms_files")
    assert later in result.message("dms_files")
    assert people.dates() == ["2020-11-13"]


# One that started later, and has read what this run has added.
A_LATER_RUN_ADDS = """
{% for name in [run_name(), run_name() ~ "0"] %}
    {% set values = {"run_date": run_date(), "version": name} %}
    {% set location = log_location("dms_files") ~ "/" ~ values.values() | join("/") %}
    {% do add_partitions(relation, [{"values": values, "location": location}]) %}
{% endfor %}
"""


@pytest.mark.thorough
def test_what_a_run_has_added_to_the_index_stays_where_a_later_run_may_have_read_it(
    new_project: NewProject,
) -> None:
    project = new_project("read_by_a_later_run")
    people = project.declare("people", COLUMNS, ["id"])
    load = people.write_load((1, "Ann"))
    with project.interrupted("add_indexed_files", jinja=A_LATER_RUN_ADDS):
        result = project.run("2020-11-13")
    assert "a run that started later than this one has added" in result.message("dms_files")
    indexed = project.query(f"select path, version from {project.schema}.dms_files")
    assert [Path(path).name for path, _ in indexed] == [load.name]
    copy_indexed(project, "2020-11-13", indexed[0][1], f"{indexed[0][1]}0")
    assert project.run("2020-11-13").ok
    assert people.current() == [(1, "Ann")]


def copy_indexed(project: Project, run_date: str, run: str, to: str) -> None:
    """Write the files of a partition of the index for another one of its date, too."""
    folder = f"{index_location(project)}/{run_date}"
    for file in stores.data_files(f"{folder}/{run}"):
        copy_object(file.path, f"{folder}/{to}/{Path(file.path).name}")


# It puts all partitions together: then there are as many as if this run were the only one.
AN_EARLIER_RUN_MERGES_THE_INDEX = """
{% if before | map(attribute="version") | list != ["1"] %}
    {% do add_partitions(relation, [{
        "values": {"run_date": "2020-11-13", "version": "1"},
        "location": log_location("dms_files") ~ "/2020-11-13/1",
    }]) %}
    {% do drop_partitions(relation, before) %}
{% endif %}
"""


@pytest.mark.thorough
def test_a_file_that_a_run_indexed_which_put_the_index_together_is_indexed_once(
    new_project: NewProject,
) -> None:
    project = new_project("merged_index")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    other = copy.copy(project)
    other.schema = f"{project.schema}_other"
    assert other.run("2020-11-14", "--select", "dms_files").ok
    index = index_location(other)
    own = index.replace(f"/{other.schema}.db/", f"/{project.schema}.db/")
    for file in stores.data_files(f"{index}/2020-11-14"):
        copy_object(file.path, f"{own}/2020-11-13/1/{Path(file.path).name}")
    with project.interrupted("add_indexed_files", jinja=AN_EARLIER_RUN_MERGES_THE_INDEX):
        result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert project.query(f"select count(*) from {project.schema}.dms_files") == [(2,)]
    assert people.current() == [(1, "Anna")]


@pytest.mark.thorough
def test_a_model_of_its_own_does_not_fall_back_to_an_older_plan_of_its_date(
    new_project: NewProject,
) -> None:
    project = new_project("older_plan")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    # The first finds nothing new, the second finds a file.
    assert project.run("2020-11-14", "--select", "dms_files").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14", "--select", "dms_files").ok
    # A run that comes then puts the index together.
    index = f"{project.schema}.dms_files"
    ((run,),) = project.query(f"select version from {index} where run_date = '2020-11-14'")
    copy_indexed(project, "2020-11-14", run, f"{run}0")
    for change in (
        f"add partition (run_date = '2020-11-14', version = '{run}0') location "
        f"'{index_location(project)}/2020-11-14/{run}0'",
        f"drop partition (run_date = '2020-11-14', version = '{run}')",
    ):
        project.query(f"alter table {index} {change}")
    for model in (people.staging_model, people.snapshot_model):
        result = project.run("2020-11-14", "--select", model)
        assert "Run it with the index: dbt run --select +people_snapshot" in result.errors
    assert people.dates() == ["2020-11-13"]
    assert project.run("2020-11-14").ok
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


ANOTHER_WRITES_THE_HISTORY = """
{% do add_partitions(relation, [{
    "values": {closed_on_column().name: "2020-11-14"},
    "location": table_location(relation) ~ "/2/other/closed",
}]) %}
"""


@pytest.mark.thorough
def test_of_two_commands_that_write_a_history_the_later_says_so_and_changes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("histories_at_once")
    table = project.declare("written", COLUMNS, ["id"])
    declare_history(project, table, "written_history")
    table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    with project.interrupted("check_second_history", "written", ANOTHER_WRITES_THE_HISTORY):
        result = project.dbt("snapshot")
    assert "another dbt snapshot has written written_history" in result.message("written_history")
    rows = project.query(f"select name, dbt_valid_to from {project.schema}.written_history")
    assert rows == [("Ann", None)]


# A run publishes the 15th whole, with the state of the 13th.
A_RUN_PUBLISHES_THE_15TH = (
    """
{% if "ran_meanwhile" not in index_node() %}
{% do index_node().update({"ran_meanwhile": true}) %}
{% set newest = newest_numbers([declared])[declared.label] %}
{% set relation = named_relation(declared.table_name ~ "_snapshot") %}
{% set first = versions_of(declared, {"versions": [1]}).manifests[1] %}
{% set manifest = dict(
    first, version=newest + 1, current_version=newest + 1,
    run_date="2020-11-15", base_version=newest, restored_version=none,
    dates=[{"run_date": "2020-11-15", "version": newest + 1}],
) %}
"""
    + COMMITS
    + "{% set published = [published_record(declared, newest + 1)] %}"
    + RECORDS
    + """
{% do publish_state(relation, declared, version_state(declared, {"publishes": true})) %}
{% endif %}
"""
)


@pytest.mark.thorough
def test_a_vacuum_does_not_take_back_what_a_run_has_published_while_it_looked_for_files(
    new_project: NewProject,
) -> None:
    project = new_project("vacuumed_meanwhile")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    # Of two versions of the 14th one can go.
    for name in ("Anna", "Anne"):
        people.write_changes(f"20201114-10000000{len(people.versions())}", ("U", 1, name))
        assert project.run("2020-11-14").ok
    arguments = {"select": "hr.people", "retention": 0, "grace_hours": 0, "dry_run": False}
    of_table = "{% set declared = table.declared %}"
    with project.interrupted("_vacuum_table", jinja=of_table + A_RUN_PUBLISHES_THE_15TH):
        told = project.operate_in_vain("vacuum", **arguments)
    assert "another run has published version 4" in told
    assert people.current() == people.snapshot("2020-11-15") == [(1, "Ann")]
    assert "deleted" in project.operate("vacuum", **arguments)
    assert people.current() == people.snapshot("2020-11-15") == [(1, "Ann")]


# Another command finishes version 2, which a dead one has left, and undoes it.
FINISHES_AND_ROLLS_BACK = (
    ROLLS_BACK
    + "{% set published = [published_record(declared, 2), published_record(declared, 3)] %}"
    + RECORDS
    + """
{% do publish_state(relation, declared, version_state(declared, {"publishes": true})) %}
"""
)


@pytest.mark.thorough
def test_a_run_does_not_finish_a_version_that_another_command_has_finished_and_undone(
    new_project: NewProject,
) -> None:
    project = new_project("finished_meanwhile")
    before, behind = (
        project.declare(name, COLUMNS, ["id"], change_feed=True) for name in ("before", "behind")
    )
    for one in (before, behind):
        one.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    for one in (before, behind):
        one.write_changes("20201114-100000000", ("U", 1, "a bad batch"))
    with project.interrupted("publish_version"):
        assert not project.run("2020-11-14").ok
    with (
        project.interrupted("finish_publishing", "before", FINISHES_AND_ROLLS_BACK),
        # After it was finished by this run.
        project.interrupted("publish_date", "behind", ROLLS_BACK),
    ):
        result = project.run("2020-11-14")
    assert "published a newer version than 2" in result.message(before.snapshot_model)
    assert "hr.behind: another command has published a newer version" in result.errors
    for one in (before, behind):
        assert one.current() == one.snapshot("2020-11-13") == [(1, "Ann")]
        assert [*one.feed()] == one.dates() == ["2020-11-13"]


# Another run finishes the same version, and knows nothing of the date that this one shows.
TAKES_THE_15TH_AWAY = """
{% if execute %}
    {% do drop_partitions(named_relation("people_snapshot"), [{"snapshot_date": "2020-11-15"}]) %}
{% endif %}
"""


@pytest.mark.thorough
def test_a_date_that_a_run_which_finished_a_version_has_shown_is_there_when_it_is_recorded(
    new_project: NewProject,
) -> None:
    project = new_project("finished_twice")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    with project.interrupted("publish_version"):
        assert not project.run("2020-11-14").ok
    with project.interrupted("record_run", jinja=TAKES_THE_15TH_AWAY):
        assert project.run("2020-11-15").ok
    assert people.dates() == ["2020-11-13", "2020-11-14", "2020-11-15"]
    assert people.snapshot("2020-11-15") == people.current() == [(1, "Anna")]


# A run shows the 16th unchanged, and records that, while an operation is at work.
A_RUN_SHOWS_THE_16TH = (
    """
{% if "ran_meanwhile" not in index_node() %}
{% do index_node().update({"ran_meanwhile": true}) %}
{% set published = [published_record(declared, 2, ["2020-11-16"])] %}
"""
    + RECORDS
    + """
{% do add_partitions(named_relation(declared.table_name ~ "_snapshot"), [{
    "values": {"snapshot_date": "2020-11-16"},
    "location": versions_of(declared, {"versions": [2]}).manifests[2].partitions[0].location,
}]) %}
{% endif %}
"""
)


@pytest.mark.thorough
@pytest.mark.parametrize("moment", ["commit_version", "publish_state"])
@pytest.mark.parametrize("operation", ["backfill", "replay"])
def test_an_operation_leaves_the_date_that_a_run_shows_unchanged_meanwhile(
    new_project: NewProject, operation: str, moment: str
) -> None:
    project = new_project(f"{operation}_{moment}")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201115-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-15").ok
    dates = {"from_date": "2020-11-14", "to_date": "2020-11-14"} if operation == "backfill" else {}
    with project.interrupted(moment, "people", A_RUN_SHOWS_THE_16TH):
        told = project.operate(operation, select="hr.people", dry_run=False, **dates)
    assert "died" not in told or moment == "publish_state"
    made = ["2020-11-14"] if dates else []
    assert people.dates() == ["2020-11-13", *made, "2020-11-15", "2020-11-16"]
    assert people.snapshot("2020-11-16") == people.current() == [(1, "Anna")]
    assert project.operate("rollback_to", select="hr.people", to=1, dry_run=False)
    assert people.dates() == ["2020-11-13"]


@pytest.mark.thorough
def test_a_history_does_not_close_a_version_that_another_command_has_only_committed(
    new_project: NewProject,
) -> None:
    project = new_project("committed_meanwhile")
    quiet = project.declare("quiet", COLUMNS, ["id"])
    quiet.write_load((1, "Ann"))
    name = declare_history(project, quiet, "quiet_history")
    assert project.run("2020-11-13").ok
    with project.interrupted("plan_history", "quiet", PUBLISHES_THE_14TH):
        result = project.dbt("build", "--vars", "{run_date: 2020-11-14}")
    assert "has not published all of it" in result.message(name)


@pytest.mark.thorough
def test_a_history_leaves_the_open_rows_of_an_undone_version_that_it_has_shown_half_way(
    new_project: NewProject,
) -> None:
    project = new_project("history_half_way")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    name = declare_history(project, people, "people_history")
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    right = project.query(f"select * from {project.schema}.{name}")
    people.write_changes("20201114-100000000", ("U", 1, "a bad batch"))
    assert project.run("2020-11-14").ok
    of_history = f'{{% if model is defined and model.name == "{name}" %}}{DIES}{{% endif %}}'
    with project.interrupted("drop_partitions", jinja=of_history):
        assert "died here" in project.dbt("snapshot").message(name)
    assert project.query(f"select * from {project.schema}.{name}") != right
    project.operate("rollback", select="hr.people", dry_run=False)
    assert project.dbt("snapshot").ok
    assert project.query(f"select * from {project.schema}.{name}") == right
