"""What a person can do about versions: look, go back, come again, build anew, fill in, clean up."""

import os
import re
import shlex
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.scenarios.test_history import declare_history
from tests.support.dms_files import Row
from tests.support.engines import REPOSITORY
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

DATES = ("2020-11-13", "2020-11-14", "2020-11-15", "2020-11-16")
DATED_COLUMNS = {**COLUMNS, "born_on": "date"}
LAYOUTS: dict[str, dict[str, Any]] = {
    "whole": {},
    "sliced": {"partition_date": "born_on", "partition_granularity": "month"},
    "newest_whole": {"history": False},
    "newest_sliced": {"history": False, "partition_date": "born_on"},
}
# The others take part in the random versions.
OPERATED = ("whole", "newest_sliced")
JANUARY, MAY = date(2020, 1, 1), date(2020, 5, 1)


def write_files(table: Table) -> None:
    """Something changes on the 14th and on the 15th, nothing on the 16th."""
    table.write_load((1, "Ann", JANUARY), (2, "Bo", MAY), (3, "Cy", None))
    table.write_changes("20201114-100000000", ("U", 1, "14", JANUARY), ("D", 2, None, None))
    table.write_changes("20201115-100000000", ("U", 1, "bad", MAY), ("I", 4, "bad", JANUARY))


@dataclass
class Story:
    """A project after some operations, and what was seen on the way."""

    project: Project
    seen: dict[str, dict[str, dict[str, list[Row]]]] = field(default_factory=dict)
    files: dict[str, set[Path]] = field(default_factory=dict)
    told: str = ""

    @property
    def tables(self) -> dict[str, Table]:
        return self.project.tables

    def see(self) -> dict[str, dict[str, list[Row]]]:
        return {name: visible(table) for name, table in self.tables.items()}


def visible(table: Table) -> dict[str, list[Row]]:
    """All that readers see of a table."""
    seen = {"current": table.current()}
    if table.history:
        seen |= {run_date: table.snapshot(run_date) for run_date in table.dates()}
    else:
        seen["snapshot"] = table.rows()
    return seen


@pytest.fixture(scope="module")
def undone(new_project: NewProject) -> Story:
    """Two layouts: four dates, then a rollback of the last change."""
    story = Story(new_project("operations"))
    for name in OPERATED:
        write_files(story.project.declare(name, DATED_COLUMNS, ["id"], **LAYOUTS[name]))
    for run_date in DATES:
        result = story.project.run(run_date)
        assert result.ok, result.errors
        story.seen[run_date] = story.see()
    told = story.project.operate("rollback", select="hr.*")
    assert "would" in told
    assert "dry_run: false" in told
    assert story.see() == story.seen[DATES[-1]]
    story.told = story.project.operate("rollback", select="hr.*", dry_run=False)
    return story


def test_a_rollback_undoes_the_last_change_and_the_days_after_it(undone: Story) -> None:
    for name, table in undone.tables.items():
        assert visible(table) == undone.seen[DATES[1]][name]
        assert [v["action"] for v in table.versions()] == ["build", "merge", "merge", "rollback"]
    assert "excluded" in undone.told
    assert "2020-11-15, 2020-11-16" in undone.told


def test_reapply_takes_a_rollback_back_row_for_row(undone: Story) -> None:
    for name, table in undone.tables.items():
        undone.project.operate("reapply", select=table.snapshot_model, dry_run=False)
        assert visible(table) == undone.seen[DATES[-1]][name]
    told = undone.project.operate_in_vain("reapply", select="hr.whole", dry_run=False)
    assert "nothing to reapply" in told


@pytest.mark.thorough
def test_rollback_to_goes_to_any_date_or_version(undone: Story) -> None:
    states = undone.seen
    # The 16th had no changes, so it shows version 3 too.
    for to, run_date in (("2020-11-13", DATES[0]), (3, DATES[3]), ("2020-11-14", DATES[1])):
        undone.project.operate("rollback_to", select="*", to=to, dry_run=False)
        for name, table in undone.tables.items():
            assert visible(table) == states[run_date][name], (name, to)
    # From the state of the 14th: the bad batch of the 15th does not come back by itself.
    for table in undone.tables.values():
        table.write_changes("20201115-120000000", ("I", 5, "good", MAY))
    assert undone.project.run(DATES[2]).ok
    for table in undone.tables.values():
        rows = [(1, "14", JANUARY), (3, "Cy", None), (5, "good", MAY)]
        assert table.current() == rows
        # A late file of a key that the bad batch changed too.
        table.write_changes("20201114-120000000", ("U", 1, "late", JANUARY))
    assert undone.project.run(DATES[3]).ok
    for table in undone.tables.values():
        rows = [(1, "late", JANUARY), (3, "Cy", None), (5, "good", MAY)]
        assert table.current() == rows
    replayed = undone.project.operate("replay", select="*", dry_run=False)
    for table in undone.tables.values():
        assert table.current() == rows, replayed
        assert table.versions()[-1]["action"] == "replay"
    # The bad batch was right after all, but others were published since.
    told = undone.project.operate("reapply", select="*")
    assert "run_date: 2020-11-16" in told
    told = undone.project.operate("reapply", select="*", dry_run=False)
    assert told.count("no longer excluded: 1") == len(OPERATED), told
    for run_date in ("2020-11-17", "2020-11-17"):
        assert undone.project.run(run_date).ok
        for table in undone.tables.values():
            assert table.current() == [
                (1, "bad", MAY), (3, "Cy", None), (4, "bad", JANUARY), (5, "good", MAY),
            ]  # fmt: skip
    assert "nothing to reapply" in undone.project.operate_in_vain("reapply", select="*")


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("rollback", {}, "select is missing"),
        ("vacuum", {"select": "hr.whole", "retention": -1}, "retention is -1"),
        *(pytest.param(*wrong, marks=pytest.mark.thorough) for wrong in (
            ("rollback", {"select": "hr.nobody"}, "no declared table"),
            ("rollback_to", {"select": "hr.whole", "to": 99}, "no version"),
            ("rollback_to", {"select": "hr.whole", "to": "2019-01-01"}, "no published date"),
            (
                "backfill",
                {"select": "hr.whole", "from_date": "x", "to_date": "y"},
                "from_date is x",
            ),
            (
                "backfill",
                {"select": "hr.newest_sliced", "from_date": "2020-11-13", "to_date": "2020-11-14"},
                "history is false",
            ),
        )),
    ],
)  # fmt: skip
def test_wrong_arguments_change_nothing(
    undone: Story, operation: str, arguments: dict[str, Any], said: str
) -> None:
    versions = undone.tables["whole"].versions()
    told = undone.project.operate_in_vain(operation, dry_run=False, **arguments)
    assert said in told
    assert "Nothing was changed" in told
    assert undone.tables["whole"].versions() == versions


def test_versions_tells_what_there_is(undone: Story) -> None:
    told = undone.project.operate("versions", select="hr.whole")
    assert "hr.whole" in told
    for word in ("version", "rollback", "merge", "current"):
        assert word in told


# -------------------------------------------------------------------------- vacuum


RUN_FOLDER = re.compile(r"\d{8}T\d{12}Z")
WATCHED = "watched"


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*.parquet"))


def roots(table: Table) -> dict[str, Path]:
    """All folders below which runs write what they have of a table, but for its histories."""
    lake = table.root().parent
    logs = ("snapshot_versions", "dms_staged_files", "dms_rejects")
    of_table = {log: lake / log / table.label for log in logs}
    return {"versions": table.root(), "staging": lake / table.staging_model, **of_table}


def run_folders(root: Path) -> list[str]:
    """The folders of runs that have files, relative to the root."""
    folders = {path.parent.relative_to(root) for path in files(root)}
    return sorted(str(folder) for folder in folders if RUN_FOLDER.search(str(folder)))


def pointed_to(table: Table, relation: str) -> set[str]:
    """The folders of the partitions of a table, as `run_folders` tells them."""
    name = f"{table.project.schema}.{relation}"
    folders = set()
    for (partition,) in table.project.query(f"show partitions {name}"):
        column, value = partition.split("=")
        described = table.project.query(
            f"describe extended {name} partition ({column} = '{value}')"
        )
        location = next(row[1] for row in described if row[0] == "Location")
        folders.add(location.removeprefix("file:").rpartition(f"/{relation}/")[2])
    return folders


def history_root(table: Table) -> Path:
    return table.root().parent / f"{table.name}_history"


@pytest.fixture(scope="module")
def vacuumed(new_project: NewProject) -> Story:
    """Four dates, the third of them twice, one that died; then a vacuum with and without grace."""
    story = Story(new_project("vacuum"))
    project = story.project
    for name, keys in LAYOUTS.items():
        write_files(project.declare(name, DATED_COLUMNS, ["id"], **keys))
    watched = project.declare(WATCHED, DATED_COLUMNS, ["id"], change_feed=True)
    write_files(watched)
    declare_history(project, watched, f"{WATCHED}_history", hard_deletes="invalidate")
    for number, run_date in enumerate((*DATES[:3], DATES[2], DATES[3])):
        if number == 3:
            # The second time the third date has another file, and so another state and history.
            for table in project.tables.values():
                table.write_changes("20201115-110000000", ("I", 5, "again", MAY))
        assert project.run(run_date).ok
        if run_date in DATES[1:3]:
            assert project.dbt("snapshot").ok
    story.seen["before"] = story.see()
    stray = project.tables["whole"].root() / "notes.parquet"
    stray.write_text("not ours")
    story.files = {name: files(table.root()) for name, table in project.tables.items()}
    arguments = {"select": "*", "retention": 0}
    assert "deleted 0 files" in project.operate("vacuum", **arguments, dry_run=False)
    told = project.operate("vacuum", **arguments, grace_hours=0)
    assert all(f"hr.{name}: would delete" in told for name in project.tables)
    # The index is of all tables, and what was found to differ in it is told once.
    differing = re.findall(r"/dms_files/plans/\S+", told)
    assert len(differing) == len(set(differing)) > 0
    assert {name: files(table.root()) for name, table in project.tables.items()} == story.files

    for path in files(watched.root().parent):
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 2 * 86400))
    watched.write_changes("20201117-100000000", ("U", 1, "17", MAY), ("I", 9, "17", None))
    with project.interrupted("commit_version", WATCHED):
        result = project.run_tables("2020-11-17", [watched])
    assert "died here" in result.message(watched.snapshot_model)
    # Until another command publishes, this is how a run looks that is at work.
    at_work = {root: set(run_folders(path)) for root, path in roots(watched).items()}
    started = max(RUN_FOLDER.findall(" ".join(at_work["versions"])))
    story.told = project.operate("vacuum", **arguments, dry_run=False)
    for root, path in roots(watched).items():
        own = {folder for folder in at_work[root] if started in folder}
        assert own <= set(run_folders(path)), root
        assert own or root in ("snapshot_versions", "dms_rejects")
    project.operate("vacuum", **arguments, grace_hours=0, dry_run=False)
    return story


@pytest.mark.thorough
def test_after_a_vacuum_every_folder_has_an_owner(vacuumed: Story) -> None:
    for name, table in vacuumed.tables.items():
        folders = {root: run_folders(path) for root, path in roots(table).items()}
        assert set(folders["staging"]) == pointed_to(table, table.staging_model), name
        log = vacuumed.project.query(
            f"select distinct staged_in from {vacuumed.project.schema}.dms_staged_files"
            f" where table_name = '{name}'"
        )
        assert len(folders["dms_staged_files"]) == len(log) == len(folders["staging"]), name
        # The third date would be run again from version 2.
        shown = {
            location.rpartition(f"/{table.root().name}/")[2]
            for version in table.versions()
            if version["version"] in {1, 2, 4} or version["action"] == "vacuum"
            if table.history or version["version"] > 1
            for location in version["locations"]
        }
        fed = {folder for folder in folders["versions"] if folder.endswith("/feed")}
        assert set(folders["versions"]) - fed == shown, name
        assert len(fed) == (3 if name == WATCHED else 0)
    assert run_folders(table.root().parent / "dms_files/plans") == []
    history = history_root(vacuumed.tables[WATCHED])
    opened = {folder.replace("/closed", "/open") for folder in pointed_to(table, history.name)}
    assert set(run_folders(history)) == pointed_to(table, history.name) | opened
    assert len(opened) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("name", LAYOUTS)
def test_vacuum_leaves_all_that_readers_see(vacuumed: Story, name: str) -> None:
    table = vacuumed.tables[name]
    assert visible(table) == vacuumed.seen["before"][name]
    assert files(table.root()) < vacuumed.files[name]
    assert vacuumed.tables["whole"].root().joinpath("notes.parquet").exists()


@pytest.mark.thorough
def test_after_a_vacuum_all_that_is_kept_goes_on(vacuumed: Story) -> None:
    project, watched = vacuumed.project, vacuumed.tables[WATCHED]
    rows, feed = watched.current(), watched.feed()
    project.operate("rollback_to", select="hr.watched", to=DATES[1], dry_run=False)
    assert project.dbt("snapshot").ok
    told = history_of(watched)
    assert {row[:3] for row in told if row[-1] is None} == set(watched.snapshot(DATES[1]))
    assert "went from version" in project.operate("reapply", select="hr.watched", dry_run=False)
    result = project.dbt("snapshot")
    assert result.ok, result.errors
    assert {row[:3] for row in history_of(watched) if row[-1] is None} == set(rows)
    assert watched.feed() == feed
    assert "built the state" in project.operate("replay", select="*", dry_run=False)
    assert vacuumed.see() == vacuumed.seen["before"]


def history_of(table: Table) -> list[Row]:
    return table.project.query(
        f"select id, name, born_on, dbt_valid_from, dbt_valid_to from"
        f" {table.project.schema}.{table.name}_history"
    )


@pytest.mark.thorough
def test_a_vacuumed_version_is_refused_and_its_table_goes_on(vacuumed: Story) -> None:
    table = vacuumed.tables["newest_whole"]
    told = vacuumed.project.operate_in_vain(
        "rollback_to", select="hr.newest_whole", to=1, dry_run=False
    )
    assert "vacuumed" in told
    assert visible(table) == vacuumed.seen["before"]["newest_whole"]
    table.write_changes("20201117-100000000", ("I", 9, "17", None))
    assert vacuumed.project.run("2020-11-17").ok
    assert (9, "17", None) in table.current()
    # What a dead run had written and vacuum has taken is written again.
    assert (1, "17", MAY) in vacuumed.tables[WATCHED].current()


@pytest.mark.thorough
def test_of_several_tables_all_are_changed_or_none(new_project: NewProject) -> None:
    project = new_project("several")
    first = project.declare("first", DATED_COLUMNS, ["id"])
    told = project.operate_in_vain("rollback", select="hr.first")
    assert "hr.first: nothing was ever published" in told
    write_files(first)
    assert project.run("2020-11-13").ok
    second = project.declare("second", DATED_COLUMNS, ["id"])
    told = project.operate("replay", select="*")
    assert "hr.second: nothing was ever published" in told
    assert "hr.first: would build" in told
    second.write_load((1, "Ann", MAY))
    assert project.run("2020-11-14").ok
    told = project.operate_in_vain("rollback", select="*", dry_run=False)
    assert "hr.second: version 1 has no change before it" in told
    assert [v["action"] for v in first.versions()] == ["build", "merge"]
    told = project.operate("rollback", select="hr.first", dry_run=False)
    assert told.count("hr.first: went from version 2") == 1
    told = project.operate_in_vain("reapply", select="*", dry_run=False)
    assert "hr.second: no file is excluded" in told
    assert [v["action"] for v in first.versions()] == ["build", "merge", "rollback"]


# ------------------------------------------------------------------------- backfill


@pytest.mark.thorough
def test_backfill_makes_the_dates_that_are_missing(new_project: NewProject) -> None:
    project = new_project("backfill")
    for name in ("whole", "sliced"):
        table = project.declare(name, DATED_COLUMNS, ["id"], **LAYOUTS[name])
        write_files(table)
        table.write_changes("20201117-100000000", ("D", 1, None, None))
    assert project.run("2020-11-14").ok
    assert project.run("2020-11-18").ok
    arguments = {"select": "*", "from_date": "2020-11-13", "to_date": "2020-11-18"}
    told = project.operate("backfill", **arguments)
    assert "2020-11-13, 2020-11-15, 2020-11-16, 2020-11-17" in told
    project.operate("backfill", **arguments, dry_run=False)
    expected = {
        "2020-11-13": [(1, "Ann", JANUARY), (2, "Bo", MAY), (3, "Cy", None)],
        "2020-11-14": [(1, "14", JANUARY), (3, "Cy", None)],
        "2020-11-15": [(1, "bad", MAY), (3, "Cy", None), (4, "bad", JANUARY)],
        "2020-11-16": [(1, "bad", MAY), (3, "Cy", None), (4, "bad", JANUARY)],
        "2020-11-17": [(3, "Cy", None), (4, "bad", JANUARY)],
        "2020-11-18": [(3, "Cy", None), (4, "bad", JANUARY)],
    }
    for table in project.tables.values():
        assert {day: table.snapshot(day) for day in table.dates()} == expected
        assert table.current() == expected["2020-11-18"]
        table.write_changes("20201119-100000000", ("U", 3, "19", None))
    assert "no date is missing" in project.operate("backfill", **arguments, dry_run=False)
    assert project.run("2020-11-19").ok
    for table in project.tables.values():
        assert table.current() == [(3, "19", None), (4, "bad", JANUARY)]
        assert table.snapshot("2020-11-17") == expected["2020-11-17"]


# What another command does while backfill shows the first date that it has made.
GOES_BACK = """
{% if state.newest.version == 3 %}
    {% set versions = versions_of(declared, {"versions": [1, 2]}).manifests %}
    {% do commit_version(declared, dict(
        versions[1], version=4, action="rollback_to", current_version=4,
        restored_version=1, excluded_files=versions[2].files,
    )) %}
{% endif %}
"""


@pytest.mark.thorough
def test_backfill_stops_where_another_command_goes_back(new_project: NewProject) -> None:
    project = new_project("backfill_raced")
    table = project.declare("whole", DATED_COLUMNS, ["id"], **LAYOUTS["sliced"])
    write_files(table)
    assert project.run("2020-11-13").ok
    before = table.current()
    assert project.run("2020-11-16").ok
    dates = {"from_date": "2020-11-14", "to_date": "2020-11-15"}
    with project.interrupted("publish_state", "whole", GOES_BACK):
        told = project.operate_in_vain("backfill", select="*", **dates, dry_run=False)
    assert "another command has published version 4" in told
    assert "No later date was made" in told
    # That one has recorded nothing yet, so whoever comes next publishes what it has committed.
    told = project.operate("rollback", select="*", dry_run=False)
    assert "published version 4 (rollback_to). That is finished now" in told
    assert table.current() == before
    assert table.dates() == ["2020-11-13"]
    assert [v["action"] for v in table.versions()] == ["build", "merge", "backfill", "rollback_to"]


# ------------------------------------------------------------------------- the manual


def documented_commands() -> list[list[str]]:
    """The commands of docs/how-to/operations.md, in their order."""
    text = (REPOSITORY / "docs/how-to/operations.md").read_text(encoding="utf-8")
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("    dbt ")]


@pytest.mark.thorough
def test_every_documented_command_works(new_project: NewProject) -> None:
    project = new_project("manual")
    table = project.declare("employees", DATED_COLUMNS, ["id"], source="employees")
    write_files(table)
    table.write_changes("20201112-100000000", ("I", 8, "12", None))
    table.write_changes("20201113-100000000", ("I", 7, "13", None))
    assert project.run("2020-11-12").ok
    assert project.run("2020-11-13").ok
    assert project.run("2020-11-15").ok
    commands = documented_commands()
    assert {command[1] for command in commands if command[0] == "run-operation"} == {
        "versions", "rollback", "rollback_to", "reapply", "repair", "replay", "backfill", "vacuum",
    }  # fmt: skip
    for command in commands:
        if command[1] == "backfill":
            # Back to where the 15th is published and the 14th is not.
            assert project.run("2020-11-15").ok
        result = project.dbt(*command)
        assert result.ok, (command, result.errors)
    assert table.dates() == ["2020-11-12", "2020-11-13", "2020-11-14", "2020-11-15"]
    # What was rolled back and never reapplied stays away.
    assert table.current() == [
        (1, "Ann", JANUARY), (2, "Bo", MAY), (3, "Cy", None), (7, "13", None), (8, "12", None),
    ]  # fmt: skip
