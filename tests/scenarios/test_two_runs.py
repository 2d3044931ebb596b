"""Two runs of a table at once: one publishes, the other says so, and nothing is lost."""

import pytest

from tests.conftest import NewProject
from tests.scenarios.test_history import declare_history
from tests.support.side_by_side import COLUMNS

# What other runs do while one is at work.
PUBLISHES = """
{% set ledger = ref("snapshot_versions") %}
{% set other = table_location(ledger) ~ "/other" %}
{% set rows = _restored_sql(declared, plan, ledger_entries(declared), plan.newest, "carry") %}
{% do run_query("insert overwrite directory '" ~ other ~ "' using parquet " ~ rows) %}
{% do add_partitions(ledger, [{
    "values": {"source_name": "hr", "table_name": "raced", "version": plan.version},
    "location": other,
}]) %}
"""
STAGES = """
{% do point_partition(ref("stg_hr__restaged"), {"_dms_run_date": run_date()}, "/elsewhere") %}
"""
STAGES_AND_DIES = """
{% set log, values = ref("dms_staged_files"), table_partition(declared, run_date()) %}
{% set other = table_location(log) ~ "/other" %}
{% do run_query(
    "insert overwrite directory '" ~ other ~ "' using parquet "
    ~ "select * except (source_name, table_name, run_date, staged_in), 'other' as staged_in "
    ~ "from " ~ log ~ " where " ~ table_filter(declared)
) %}
{% do point_partition(log, values, other) %}
"""
ROLLS_BACK = """
{% set state = table_state(relation, declared) %}
{% set rows = _restored_sql(declared, state, ledger_entries(declared), 1, "rollback") %}
{% do commit_version(declared, state.version, rows) %}
"""
PUBLISHES_THE_14TH = """
{% do commit_version(declared, 2, "
    select
        date'2020-11-14' as run_date, 2 as head_version, 1 as base_version,
        * except (source_name, table_name, version, run_date, head_version, base_version)
    from " ~ ref("snapshot_versions") ~ " where " ~ version_filter(declared, 1)
) %}
"""


def test_of_two_runs_from_one_version_the_later_says_so_and_changes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("raced")
    table, restaged, logged = (
        project.declare(name, COLUMNS, ["id"]) for name in ("raced", "restaged", "logged")
    )
    for one in (table, restaged, logged):
        one.write_load((1, "Ann"))
        one.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-13").ok
    with (
        project.interrupted("record_version", "raced", PUBLISHES),
        project.interrupted("record_version", "restaged", STAGES),
        project.interrupted("record_version", "logged", STAGES_AND_DIES),
    ):
        result = project.run("2020-11-14")
    assert "another run has published version 2" in result.message(table.snapshot_model)
    for one in (restaged, logged):
        assert "another run has staged files" in result.message(one.snapshot_model)
    for one in (table, restaged, logged):
        assert "ommand again" in result.message(one.snapshot_model)
        assert one.current() == [(1, "Ann")]
        assert one.dates() == ["2020-11-13"]
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    for one in (table, restaged, logged):
        assert one.current() == one.snapshot("2020-11-14") == [(1, "Anna")]
    assert [v["version"] for v in table.versions()] == [1, 2, 3]


# As a run of the day before drops them, which builds that day anew.
DROPS_WHAT_IS_STAGED = """
{% do drop_unpublished_staging(ref("stg_hr__dropped"), declared, none, [run_date()]) %}
"""


@pytest.mark.thorough
def test_a_run_whose_staged_files_another_one_drops_publishes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("dropped")
    table = project.declare("dropped", COLUMNS, ["id"])
    table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    with project.interrupted("plan_snapshot", "dropped", DROPS_WHAT_IS_STAGED):
        result = project.run("2020-11-14")
    assert "dropped those of this one" in result.message(table.snapshot_model)
    assert "20201114-100000000" in result.message(table.snapshot_model)
    assert table.dates() == ["2020-11-13"]
    assert project.run("2020-11-14").ok
    assert table.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
def test_a_run_that_staged_on_a_version_of_before_publishes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("overtaken")
    undone, behind = (
        project.declare(name, COLUMNS, ["id"], max_delete_fraction=0.5)
        for name in ("undone", "behind")
    )
    for one in (undone, behind):
        one.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    undone.write_changes("20201114-100000000", ("I", 4, "Day 14"))
    behind.write_changes("20201114-100000000", ("D", 1, None), ("D", 2, None))
    first = project.run("2020-11-14")
    assert first.failed == [behind.snapshot_model]
    for one in (undone, behind):
        one.write_changes("20201115-100000000", ("I", 5, "Day 15"))
    with (
        # Between staging and publishing.
        project.interrupted("plan_snapshot", "undone", ROLLS_BACK),
        # Before staging is done.
        project.interrupted("pending_files", "behind", PUBLISHES_THE_14TH),
    ):
        result = project.run("2020-11-15")
    assert "another run has published version 3" in result.message(undone.snapshot_model)
    assert "another run has published version 2" in result.message(behind.staging_model)
    assert "2020-11-15" not in [*undone.dates(), *behind.dates()]
    # What the other run had staged is still there.
    assert {row[0] for row in behind.staged("cast(_dms_run_date as string)")} >= {"2020-11-14"}
    assert project.run_tables("2020-11-15", [undone]).ok
    # The file of the undone version stays withheld.
    assert undone.snapshot("2020-11-15") == [(1, "Ann"), (2, "Bo"), (5, "Day 15")]


@pytest.mark.thorough
def test_a_run_that_found_no_new_files_does_not_take_back_what_another_has_published(
    new_project: NewProject,
) -> None:
    project = new_project("quiet")
    quiet = project.declare("quiet", COLUMNS, ["id"])
    quiet.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    with project.interrupted("plan_snapshot", "quiet", PUBLISHES_THE_14TH):
        result = project.run("2020-11-14")
    assert "another run has published version 2" in result.message(quiet.snapshot_model)
    assert len(quiet.versions()) == 2


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
    ledger = f"{project.schema}.snapshot_versions"
    folder = project.folder / "started_later"
    project.query(
        f"insert overwrite directory '{folder}' using parquet"
        " select timestamp'2999-01-01' as started_at,"
        " * except (source_name, table_name, version, started_at)"
        f" from {ledger} where version = 2"
    )
    project.query(
        f"alter table {ledger} partition (source_name = 'hr', table_name = 'outrun', version = 2)"
        f" set location '{folder}'"
    )
    result = project.run("2020-11-14")
    assert "another command has published version 2" in result.message(outrun.staging_model)
    assert "started at 2999-01-01 00:00:00" in result.message(outrun.staging_model)
    assert outrun.snapshot("2020-11-14") == outrun.current() == [(1, "Anna")]
    assert len(outrun.versions()) == 2


ANOTHER_RUN_INDEXES_THE_SAME = """
{{% set other = table_location(relation) ~ "/other" %}}
{{% do run_query("insert overwrite directory '" ~ other ~ "' using parquet " ~ sql) %}}
{{% do run_query(
    "alter table " ~ relation ~ " add if not exists"
    ~ " partition (run_date = '2020-11-13', version = '{version}') location '" ~ other ~ "'"
) %}}
"""


def test_a_file_that_two_runs_find_at_once_is_indexed_once(new_project: NewProject) -> None:
    project = new_project("found_twice")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    earlier = ANOTHER_RUN_INDEXES_THE_SAME.format(version="1")
    with project.interrupted("append_partition", jinja=earlier):
        result = project.run("2020-11-13")
    assert result.ok, result.errors
    assert project.query(f"select count(*) from {project.schema}.dms_files") == [(1,)]
    assert people.current() == [(1, "Ann")]


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
        f"insert overwrite directory '{folder}' using parquet"
        f" select * except (run_date, version) from {index} where false"
    )
    project.query(
        f"alter table {index} add partition (run_date = '2020-11-14', version = '{later}')"
        f" location '{folder}'"
    )
    if has_new_files:
        people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    result = project.run("2020-11-14")
    assert "started later than this one has added" in result.message("dms_files")
    assert later in result.message("dms_files")
    assert people.dates() == ["2020-11-13"]


ANOTHER_RUN_MAKES_THE_INDEX = """
{% if relation.identifier == "dms_files" %}
    {% do run_query(
        "alter table " ~ relation ~ " add if not exists"
        ~ " partition (run_date = '2020-11-13', version = '1') location '/nowhere'"
    ) %}
{% endif %}
"""


@pytest.mark.thorough
def test_a_run_that_knew_no_index_adds_nothing_to_that_of_another(new_project: NewProject) -> None:
    # What its query takes for the first file has no place before that of the other run.
    project = new_project("first_of_two")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    with project.interrupted("sync_columns", jinja=ANOTHER_RUN_MAKES_THE_INDEX):
        result = project.run("2020-11-13")
    assert "another run has made it" in result.message("dms_files")
    assert project.run("2020-11-13").ok
    assert people.current() == [(1, "Ann")]


@pytest.mark.thorough
def test_staging_is_not_replaced_once_another_run_has_published_from_it(
    new_project: NewProject,
) -> None:
    project = new_project("published_from")
    table = project.declare("kept", COLUMNS, ["id"], max_delete_fraction=0.5)
    table.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    table.write_changes("20201114-100000000", ("D", 1, None), ("D", 2, None))
    assert project.run("2020-11-14").failed == [table.snapshot_model]
    log = f"select distinct staged_in from {project.schema}.dms_staged_files"
    staged_in = set(project.query(log))
    with project.interrupted("stage_files", "kept", PUBLISHES_THE_14TH):
        result = project.run("2020-11-14")
    assert "another run has published version 2" in result.message(table.staging_model)
    assert set(project.query(log)) == staged_in


ANOTHER_WRITES_THE_HISTORY = """
{% do add_partitions(relation, [{
    "values": {closed_on_column().name: "2020-11-14"},
    "location": table_location(relation) ~ "/2/other/closed",
}]) %}
"""
RESTAGES_THE_14TH = """
{% set log = model_relation("dms_staged_files") %}
{% do drop_partitions(log, [table_partition(declared, "2020-11-14")]) %}
"""


@pytest.mark.thorough
def test_of_two_commands_that_write_a_history_the_later_says_so_and_changes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("histories_at_once")
    for name in ("written", "restaged"):
        table = project.declare(name, COLUMNS, ["id"])
        declare_history(project, table, f"{name}_history")
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    for table in project.tables.values():
        table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    with (
        project.interrupted("refuse_second_history", "written", ANOTHER_WRITES_THE_HISTORY),
        project.interrupted("refuse_second_history", "restaged", RESTAGES_THE_14TH),
    ):
        result = project.dbt("snapshot")
    assert "another dbt snapshot has written written_history" in result.message("written_history")
    assert "staging is not what version 2 published" in result.message("restaged_history")
    for name in ("written", "restaged"):
        rows = project.query(f"select name, dbt_valid_to from {project.schema}.{name}_history")
        assert rows == [("Ann", None)]
