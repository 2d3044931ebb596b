"""The command ``scaffold``: from declarations to stubs and properties."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pyspark_dms.cli import main
from pyspark_dms.errors import DmsError
from pyspark_dms.project import require_project
from pyspark_dms.release import RELEASE
from pyspark_dms.scaffold import find_drift, scaffold
from tests.support.engines import REPOSITORY

PEOPLE = """
sources:
  - name: hr
    tables:
      - name: people
        description: Everyone who works here.
        config:
          meta:
            dms:
              path: "{{ env_var('DMS_ROOT', 'sample/dms') }}/hr/people/"
              primary_keys: [id, valid_from]
        columns:
          - {name: id, data_type: int, description: "Number; says \\"who\\"."}
          - {name: valid_from, data_type: date}
"""
STAGING = "models/staging/hr/stg_hr__people.sql"
SNAPSHOT = "models/snapshots/hr/people_snapshot.sql"
PROPERTIES = "models/snapshots/hr/_people__models.yml"

Declare = Callable[[str, str], Path]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "dbt_project.yml").write_text(f"name: dms_snapshots\nversion: {RELEASE}\n")
    return tmp_path


@pytest.fixture
def declare(project: Path) -> Declare:
    """Writes a declaration: ``declare("hr/people.yml", PEOPLE)``."""

    def write(name: str, text: str) -> Path:
        path = project / "models/sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


def properties(project: Path, model: str, path: str = PROPERTIES) -> dict[str, Any]:
    models = yaml.safe_load((project / path).read_text())["models"]
    (found,) = [entry for entry in models if entry["name"] == model]
    return dict(found)


def test_a_declaration_becomes_two_stubs_and_properties(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", PEOPLE)
    written = {path.relative_to(project).as_posix() for path in scaffold(project)}
    assert written == {STAGING, SNAPSHOT, PROPERTIES}
    assert (project / STAGING).read_text() == "{{ dms_snapshots.dms_staging('hr', 'people') }}\n"
    assert (project / SNAPSHOT).read_text() == "{{ dms_snapshots.dms_snapshot('hr', 'people') }}\n"


def test_in_another_project_data_tests_have_the_package_and_its_own_sources_are_left_alone(
    project: Path, declare: Declare
) -> None:
    (project / "dbt_project.yml").write_text("name: shop\nmodel-paths: [transform]\n")
    own = "sources: [{name: erp, tables: [{name: orders}, {name: 'a-b'}]}]\n"
    for name, text in {"landing/people.yml": PEOPLE, "orders/_sources.yml": own}.items():
        path = project / "transform" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    written = {path.relative_to(project).as_posix() for path in scaffold(project)}
    assert written == {
        path.replace("models/", "transform/", 1) for path in (STAGING, SNAPSHOT, PROPERTIES)
    }
    generated = PROPERTIES.replace("models/", "transform/", 1)
    tests = properties(project, "people_snapshot", generated)["data_tests"]
    assert [*tests[0]] == ["dms_snapshots.snapshot_is_whole"]
    assert not find_drift(project)
    (project / "transform/landing/people.yml").unlink()
    assert {path.as_posix() for path in find_drift(project).stray} == written


def test_a_package_of_another_release_is_refused_with_what_to_change(project: Path) -> None:
    (project / "dbt_project.yml").write_text("name: shop\n")
    require_project(project)  # before dbt deps
    package = project / "dbt_packages/dms_snapshots/dbt_project.yml"
    package.parent.mkdir(parents=True)
    package.write_text(f"name: dms_snapshots\nversion: {RELEASE}\n")
    require_project(project)
    package.write_text("name: dms_snapshots\nversion: 9.8.7\n")
    with pytest.raises(DmsError, match=r"is 9\.8\.7, the Python package .* revision: v0\.1\.0"):
        require_project(project)


def test_staging_has_the_declared_columns_then_those_of_dms(
    project: Path, declare: Declare
) -> None:
    declare("hr/people.yml", PEOPLE)
    scaffold(project)
    columns = properties(project, "stg_hr__people")["columns"]
    assert [column["name"] for column in columns] == [
        "id", "valid_from", "_dms_op", "_dms_committed_at", "_dms_change_seq", "_dms_generation",
        "_dms_is_load", "_dms_file_seq", "_dms_row", "_dms_is_key_change",
        "_dms_absent", "_dms_run_date",
    ]  # fmt: skip
    assert columns[0]["description"] == 'Number; says "who".'
    assert columns[2]["description"] == "{{ doc('dms_op') }}"


def test_the_snapshot_is_tested_by_its_key_and_by_its_counts(
    project: Path, declare: Declare
) -> None:
    declare("hr/people.yml", PEOPLE)
    scaffold(project)
    snapshot = properties(project, "people_snapshot")
    assert [column["name"] for column in snapshot["columns"]] == [
        "id",
        "valid_from",
        "snapshot_date",
    ]
    assert "one row per id, valid_from and snapshot_date" in snapshot["description"]
    assert snapshot["data_tests"] == [
        {"snapshot_is_whole": {"arguments": {"keys": ["id", "valid_from"]}}},
    ]


def test_a_change_feed_has_a_stub_and_each_value_twice(project: Path, declare: Declare) -> None:
    asked_for = "primary_keys: [id]\n              change_feed: true"
    declare("hr/people.yml", PEOPLE.replace("primary_keys: [id, valid_from]", asked_for))
    scaffold(project)
    stub = project / "models/snapshots/hr/people_changes.sql"
    assert stub.read_text() == "{{ dms_snapshots.dms_changes('hr', 'people') }}\n"
    feed = properties(project, "people_changes")
    assert [column["name"] for column in feed["columns"]] == [
        "kind", "version", "id", "valid_from_before", "valid_from_after", "run_date",
    ]  # fmt: skip
    assert "one row per run_date and id that differs" in feed["description"]
    declare("hr/people.yml", PEOPLE)
    assert find_drift(project).stray == [stub.relative_to(project)]


def test_gates_become_data_tests_that_say_so(project: Path, declare: Declare) -> None:
    gates = "[{not_null: {column_name: name}}, {unique: {column_name: id, where: id < 9}}]"
    declare(
        "hr/people.yml",
        PEOPLE.replace("primary_keys:", f"gates: {gates}\n              primary_keys:"),
    )
    scaffold(project)
    assert properties(project, "people_snapshot")["data_tests"][-2:] == [
        {
            "not_null": {
                "arguments": {"column_name": "name"},
                "config": {"meta": {"gate": True}},
            }
        },
        {
            "unique": {
                "arguments": {"column_name": "id"},
                "config": {"meta": {"gate": True}, "where": "id < 9"},
            }
        },
    ]


def test_a_table_without_a_key_is_not_tested_by_key(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", PEOPLE.replace("[id, valid_from]", "[]"))
    scaffold(project)
    assert properties(project, "people_snapshot")["data_tests"] == ["snapshot_is_whole"]


def test_columns_may_come_from_a_yaml_anchor(project: Path, declare: Declare) -> None:
    shared = PEOPLE.replace("columns:", "columns: &people") + (
        "      - name: former_people\n"
        "        config: {meta: {dms: {path: x/, primary_keys: [id]}}}\n"
        "        columns: *people\n"
    )
    declare("hr/people.yml", shared)
    scaffold(project)
    former = properties(
        project, "former_people_snapshot", "models/snapshots/hr/_former_people__models.yml"
    )
    assert [column["name"] for column in former["columns"]] == ["id", "valid_from", "snapshot_date"]


def test_names_that_yaml_reads_as_something_else_stay_text(project: Path, declare: Declare) -> None:
    text = PEOPLE.replace("name: valid_from", 'name: "yes"').replace("[id, valid_from]", "[id]")
    declare("hr/people.yml", text)
    scaffold(project)
    assert properties(project, "people_snapshot")["columns"][1]["name"] == "yes"


@pytest.mark.parametrize("misspelt", ["dsm: {path: x}", "dms:"])
def test_a_table_whose_settings_are_not_found_is_refused(
    project: Path, declare: Declare, misspelt: str
) -> None:
    declare(
        "hr/places.yml",
        "sources: [{name: hr, tables: [{name: places, config: {meta: {" + misspelt + "}}}]}]",
    )
    with pytest.raises(DmsError, match=r"hr/places\.yml: hr\.places has no config\.meta\.dms"):
        scaffold(project)


def test_a_table_that_does_not_say_what_its_key_is_is_refused(
    project: Path, declare: Declare
) -> None:
    declare("hr/people.yml", PEOPLE.replace("primary_keys", "primary_key"))
    message = r"hr/people\.yml: hr\.people has no primary_keys .* has path, primary_key\."
    with pytest.raises(DmsError, match=message):
        scaffold(project)
    assert not (project / PROPERTIES).exists()


def test_a_column_that_is_declared_twice_is_refused(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", PEOPLE + "          - {name: id, data_type: string}\n")
    with pytest.raises(DmsError, match=r"hr/people\.yml: hr\.people declares more than once: id\."):
        scaffold(project)
    assert not (project / PROPERTIES).exists()


def test_a_key_that_is_no_column_is_refused(project: Path, declare: Declare) -> None:
    text = re.sub(r"primary_keys: .*", "primary_keys: [idd]", PEOPLE)
    declare("hr/people.yml", text)
    with pytest.raises(DmsError, match=r"people\.yml: hr\.people has primary_keys idd,"):
        scaffold(project)
    assert not (project / PROPERTIES).exists()


def test_mistakes_of_several_tables_come_in_one_message(project: Path, declare: Declare) -> None:
    declare("hr/broken.yml", "a: [")
    declare("hr/people.yml", PEOPLE.replace("name: valid_from", "name: id"))
    declare("hr/places.yml", PEOPLE.replace("name: people", "name: places"))
    with pytest.raises(DmsError) as read:
        scaffold(project)
    assert "hr/broken.yml is no YAML" in str(read.value)
    assert "hr/people.yml: hr.people declares more than once: id." in str(read.value)
    assert str(read.value).endswith("\n[E108]")
    (project / "models/sources/hr/broken.yml").unlink()
    declare("hr/people.yml", PEOPLE.replace("primary_keys: [id", "primary_keys: [idd"))
    declare("hr/places.yml", PEOPLE.replace("primary_keys", "keys").replace(": people", ": places"))
    with pytest.raises(DmsError) as written:
        scaffold(project)
    assert "hr.people has primary_keys idd," in str(written.value)
    assert "hr.places has no primary_keys in config.meta.dms" in str(written.value)
    assert not (project / "models/staging").exists()


def test_tables_that_are_not_active_are_named(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", PEOPLE.replace("dms:\n", "dms:\n              active: false\n"))
    told = CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)])
    assert "Not run yet: 1 (hr.people). Set active: true" in told.output


@pytest.mark.parametrize("content", [b"a: 2020-13-01", "name: ö".encode("latin-1")])
def test_a_declaration_that_cannot_be_read_is_named(
    project: Path, declare: Declare, content: bytes
) -> None:
    declare("hr/people.yml", "").write_bytes(content)
    with pytest.raises(DmsError, match=r"models/sources/hr/people\.yml cannot be read: "):
        scaffold(project)


def test_what_is_up_to_date_is_not_written_again(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", PEOPLE)
    scaffold(project)
    assert scaffold(project) == []
    assert not find_drift(project)


def test_a_file_edited_by_hand_is_drift_and_is_made_again(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", PEOPLE)
    scaffold(project)
    (project / SNAPSHOT).write_text("select 1\n")
    assert [path.as_posix() for path in find_drift(project).different] == [SNAPSHOT]
    assert [path.relative_to(project).as_posix() for path in scaffold(project)] == [SNAPSHOT]
    assert not find_drift(project)


def test_files_of_a_table_no_longer_declared_are_stray_and_left(
    project: Path, declare: Declare
) -> None:
    declaration = declare("hr/people.yml", PEOPLE)
    scaffold(project)
    declaration.unlink()
    assert {path.as_posix() for path in find_drift(project).stray} == {
        STAGING,
        SNAPSHOT,
        PROPERTIES,
    }
    assert scaffold(project) == []
    assert (project / SNAPSHOT).exists()
    # dbt would not run any table with them.
    told = CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)])
    assert told.exit_code == 1
    command, *files = told.output.splitlines()[-2].split()
    assert command == "rm"
    assert set(files) == {STAGING, SNAPSHOT, PROPERTIES}
    assert "dbt run" not in told.output


def test_a_model_written_by_hand_is_not_stray(project: Path) -> None:
    model = project / "models/snapshots/hr/report.sql"
    model.parent.mkdir(parents=True)
    model.write_text("select * from {{ ref('people_snapshot') }}\n")
    assert not find_drift(project)


@pytest.mark.parametrize("name", ["order items", "a-b", "a.b", "naïve", '""', "1.5"])
def test_a_name_that_is_no_identifier_is_refused(
    project: Path, declare: Declare, name: str
) -> None:
    declare("hr/people.yml", PEOPLE.replace("- name: people", f"- name: {name}"))
    with pytest.raises(DmsError, match=r"hr/people.yml.*letters, digits and underscores"):
        scaffold(project)
    assert not (project / "models/snapshots").exists()


@pytest.mark.parametrize("name", ["people", "PEOPLE"])
def test_two_tables_that_need_one_snapshot_are_refused_with_both_files(
    project: Path, declare: Declare, name: str
) -> None:
    declare("hr/people.yml", PEOPLE)
    declare(
        "crm/people.yml", PEOPLE.replace("name: hr", "name: crm").replace("people\n", f"{name}\n")
    )
    with pytest.raises(DmsError) as refusal:
        scaffold(project)
    for part in ("models/sources/hr/people.yml", "models/sources/crm/people.yml", "_snapshot"):
        assert part in str(refusal.value)


def test_a_file_that_is_no_yaml_is_refused_by_name(project: Path, declare: Declare) -> None:
    declare("hr/people.yml", "sources: {{ env_var('X') }}/\n")
    with pytest.raises(DmsError, match=r"hr/people\.yml is no YAML"):
        scaffold(project)


def test_check_writes_nothing_lists_the_drift_and_tells_the_way_out(
    project: Path, declare: Declare
) -> None:
    declare("hr/people.yml", PEOPLE)
    result = CliRunner().invoke(main, ["scaffold", "--check", "--project-dir", str(project)])
    assert result.exit_code == 1
    for part in ("missing", STAGING, SNAPSHOT, PROPERTIES, "dms-snapshots scaffold"):
        assert part in result.output
    assert not (project / STAGING).exists()

    assert CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)]).exit_code == 0
    result = CliRunner().invoke(main, ["scaffold", "--check", "--project-dir", str(project)])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("keys", "warned"),
    [
        ({"partition_date": "valid_from"}, "1,332,250 partitions a year"),
        ({"partition_date": "valid_from", "partition_granularity": "month"}, None),
        ({"partition_date": "valid_from", "history": "false"}, None),
    ],
)
def test_a_layout_that_makes_very_many_partitions_is_warned_of(
    project: Path, declare: Declare, keys: dict[str, str], warned: str | None
) -> None:
    lines = "".join(f"\n              {key}: {value}" for key, value in keys.items())
    declare("hr/people.yml", PEOPLE.replace("[id, valid_from]", f"[id, valid_from]{lines}"))
    result = CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)])
    assert result.exit_code == 0, result.output
    assert ("warning" in result.output) == (warned is not None)
    if warned:
        assert "hr.people: with history and a partition per day of valid_from" in result.output
        assert warned in result.output


@pytest.mark.parametrize(
    "command",
    [["scaffold"], ["discover", "dms"], ["watch", "dms"], ["show"], ["trigger-zip"]],
    ids=lambda command: command[0],
)
def test_a_folder_without_a_project_is_refused(tmp_path: Path, command: list[str]) -> None:
    result = CliRunner().invoke(main, [*command, "--project-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert "no dbt_project.yml" in result.output


def test_the_repository_itself_has_no_drift() -> None:
    drift = find_drift(REPOSITORY)
    assert not drift, drift
