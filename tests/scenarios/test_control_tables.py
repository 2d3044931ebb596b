"""What DMS says in its control tables that it could not do."""

import json

import pytest

from tests.conftest import NewProject

TEST = "no_changes_dropped_by_dms"


@pytest.mark.thorough
def test_rows_of_the_last_days_in_control_tables_are_warned_of(new_project: NewProject) -> None:
    project = new_project("control_tables")
    project.declare("people", {"id": "int"}, ["id"])
    folder = project.dms_root / "hr"
    file = folder / "awsdms_apply_exceptions" / "20201110-100000000.csv"
    file.parent.mkdir(parents=True)
    row = "T1,hr,people,2020-11-10 10:00:00,INSERT INTO x VALUES ('it''s'),dup key"
    file.write_text(f"I,{row}\nI,{row}\n")
    # Who has none has no such test.
    names = project.dbt("test").models
    assert "no_open_rejects" in names
    assert TEST not in names
    found = {}
    for run_date in ("2020-11-17", "2020-11-18"):
        given = json.dumps({"dms_control_tables": str(folder), "run_date": run_date})
        found[run_date] = project.dbt("test", "--select", TEST, "--vars", given)
    assert found["2020-11-17"].status(TEST) == "warn"
    assert found["2020-11-17"].message(TEST) == "Got 2 results, configured to warn if != 0"
    assert found["2020-11-18"].status(TEST) == "pass"
    assert (
        "hr.people: DMS has 2 rows in awsdms_apply_exceptions, for instance of 2020-11-10 10:00:00:"
        " dup key in INSERT INTO x VALUES ('it''s'). "
    ) in " ".join((project.folder / "logs/dbt.log").read_text().split())
