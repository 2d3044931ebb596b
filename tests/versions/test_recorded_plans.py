"""Which recorded plan a model takes whose command has not indexed its files."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pyspark_dms.landing.index import PLAN_SCHEMA
from pyspark_dms.versions.metadata import write_rows
from tests.versions.logged import LABEL, ask, commit, record
from tests.versions.made import day, manifest

RUN, LATER = "20201114T060000000000Z", "20201114T070000000000Z"
PLAN = {
    "run": RUN, "paths": ["in/people/", None], "full_refresh": False, "has_added": True,
    "action": "merge", "files": [{"path": "b"}], "newest": 1, "base_version": 1,
    "shown_version": None,
}  # fmt: skip
JOB = {
    "label": LABEL, "run_date": day(14), "full_refresh": False, "paths": ["in/people/", None],
    "newest": 1, "newest_run": "run 1", "current": 1, "is_altered": False,
    "index_command": "dbt run --select +people_snapshot",
}  # fmt: skip


def write_plan(lake: Path, run: str = RUN, label: str = LABEL, **fields: Any) -> None:
    """Record a plan for 14 November, as the index does."""
    row = {"label": label, "run": run, "plan": json.dumps({**PLAN, "run": run, **fields})}
    table = pa.Table.from_pylist([row], schema=PLAN_SCHEMA)
    write_rows(f"{lake}/dms_files/plans/20201114/{run}", PLAN_SCHEMA, [table])


def said(lake: Path, indexed: tuple[str, ...] = (RUN, LATER), **fields: Any) -> dict[str, Any]:
    files = {"root": f"{lake}/dms_files", "partitions": [f"{day(14)}/{run}" for run in indexed]}
    found: dict[str, Any] = ask(lake, "plan", **{**JOB, "files": files, **fields})[LABEL]
    return found


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Version 1 is published whole, and a run of the index has planned the next date."""
    commit(tmp_path, manifest(1))
    record(tmp_path, 1)
    write_plan(tmp_path)
    return tmp_path


def test_a_plan_is_taken_as_it_was_recorded(lake: Path) -> None:
    assert said(lake) == {"plan": {**PLAN, "unchanged_dates": [], "is_published": True}}


def test_the_first_plan_of_a_table_needs_no_log(tmp_path: Path) -> None:
    write_plan(tmp_path, newest=None, base_version=None)
    first = said(tmp_path, root="", newest=None, newest_run=None, current=None)
    assert (first["plan"]["action"], first["plan"]["is_published"]) == ("merge", True)


def test_the_last_plan_counts(lake: Path) -> None:
    write_plan(lake, LATER, files=[])
    assert said(lake)["plan"]["run"] == LATER


def test_a_later_plan_of_other_tables_hides_none(lake: Path) -> None:
    write_plan(lake, LATER, label="hr.cities")
    assert said(lake)["plan"]["run"] == RUN


def test_what_commands_have_recorded_meanwhile_is_said(lake: Path) -> None:
    record(lake, 1, dates=[day(14)])
    assert said(lake)["plan"]["unchanged_dates"] == [day(14)]


def test_a_version_that_is_not_published_whole_is_said(lake: Path) -> None:
    write_plan(lake, newest=2)
    assert not said(lake, newest=2, newest_run="run 2")["plan"]["is_published"]


UNUSABLE = (
    f"hr.people: dms_files has no plan that can be used for run_date {day(14)}: its last run did "
    "not end, or was for another date, path or --full-refresh"
)


@pytest.mark.parametrize(
    ("recorded", "asked", "what"),
    [
        ({}, {"run_date": day(15)}, UNUSABLE.replace(day(14), day(15))),
        ({}, {"files": {"root": "", "partitions": []}}, UNUSABLE),
        ({}, {"paths": ["elsewhere/", None]}, UNUSABLE),
        ({}, {"full_refresh": True}, UNUSABLE),
        # It died before its events were added; what an earlier run planned lacks its files.
        ({}, {"indexed": ()}, UNUSABLE),
        ({"run": LATER}, {"indexed": (RUN,)}, UNUSABLE),
        ({"has_added": False}, {"indexed": ()}, None),
        (
            {},
            {"newest": 2, "newest_run": "run 2", "current": 2},
            "hr.people: version 2 was published after its files were indexed for run_date "
            f"{day(14)}",
        ),
        (
            {"action": "none", "base_version": None},
            {"is_altered": True},
            f"hr.people: its declaration has changed since version 1 of run_date {day(14)} was "
            "made, and this command has not indexed its files",
        ),
        ({"action": "none"}, {"is_altered": True}, None),
        ({"action": "none", "base_version": 2, "shown_version": 2}, {"is_altered": True}, None),
    ],
)
def test_a_plan_that_cannot_be_used_is_an_error(
    lake: Path, recorded: dict[str, Any], asked: dict[str, Any], what: str | None
) -> None:
    write_plan(lake, **recorded)
    found = said(lake, **asked)
    assert found.get("error") == (
        f"{what}. Nothing of this table was published. "
        "Run it with the index: dbt run --select +people_snapshot. [E211]"
        if what
        else None
    )


def test_a_plan_that_was_carried_out_has_nothing_left(lake: Path) -> None:
    commit(lake, manifest(2, on=1, date=14))
    done: dict[str, Any] = {"newest": 2, "newest_run": RUN, "current": 2}
    plan = said(lake, **done)["plan"]
    assert (plan["action"], plan["files"], plan["newest"]) == ("none", [], 2)
    assert not plan["is_published"]
    record(lake, 2)
    assert said(lake, **done)["plan"]["is_published"]
    assert "its declaration has changed since" in said(lake, **done, is_altered=True)["error"]


def test_a_later_date_that_was_recorded_meanwhile_is_not_taken_away(lake: Path) -> None:
    record(lake, 1, dates=[day(15)])
    assert said(lake)["error"] == (
        f"hr.people: run_date {day(14)} is before the newest published one, {day(15)}. Nothing of "
        "this table was published. Run that date or a later one. [E406]"
    )
