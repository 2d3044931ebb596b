"""Random changes over layouts, with random operations between: against a plain replay.

``DMS_PROPERTY_EXAMPLES`` asks for more examples; each takes several runs. ``DMS_PROPERTY_LAYOUTS``
(default: one with dates and one without) names the layouts that each has, some of them with dates,
or is ``all``.
"""

import os
import random
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table, sort_by_value

EXAMPLES = int(os.environ.get("DMS_PROPERTY_EXAMPLES", "1"))
COLUMNS = {"id": "int", "name": "string", "born_on": "date"}
LAYOUTS: Mapping[str, dict[str, Any]] = {
    "dated": {},
    "dated_sliced": {"partition_date": "born_on", "partition_granularity": "month"},
    # Only of such a table new rows are taken from staging by their place.
    "newest": {"history": False, "change_feed": False},
    "newest_sliced": {"history": False, "partition_date": "born_on"},
}
_CHOSEN = os.environ.get("DMS_PROPERTY_LAYOUTS", "dated_sliced newest")
CHOSEN = {name: LAYOUTS[name] for name in (LAYOUTS if _CHOSEN == "all" else _CHOSEN.split())}
FIRST_DAY = date(2020, 11, 13)
DAYS = 4
# The 15th is not run, so that backfill has something to do.
RUN_DAYS = (0, 1, 3)
BIRTHDAYS = (None, date(2020, 1, 9), date(2020, 1, 10), date(2020, 2, 1), date(1999, 12, 31))


def random_changes(dice: random.Random) -> list[Row]:
    """Inserts, updates and deletes of a few keys; deletes carry the key only."""
    changes: list[Row] = []
    for _ in range(dice.randint(3, 12)):
        op, key = dice.choice("IUUD"), dice.randint(1, 9)
        values = (None, None) if op == "D" else (f"{dice.random():.6f}", dice.choice(BIRTHDAYS))
        changes.append((op, key, *values))
    return changes


def replayed(loaded: list[Row], days: list[list[Row]]) -> list[Row]:
    """The state after the load and some days, one row after the other."""
    rows = {row[0]: row for row in loaded}
    for day in days:
        for op, key, *values in day:
            rows.pop(key, None)
            if op != "D":
                rows[key] = (key, *values)
    return sort_by_value(list(rows.values()))


def difference(before: list[Row], after: list[Row]) -> list[Row]:
    """What a change feed has to tell between two states: kind, key, then each value twice."""
    old, new = ({row[0]: row for row in rows} for rows in (before, after))
    changes: list[Row] = []
    for key in old.keys() | new.keys():
        was, now = old.get(key), new.get(key)
        if was != now:
            kind = "insert" if was is None else "delete" if now is None else "update"
            pairs = zip((was or [None] * 3)[1:], (now or [None] * 3)[1:], strict=True)
            changes.append((kind, key, *(value for pair in pairs for value in pair)))
    return sort_by_value(changes)


def day_name(day: int) -> str:
    return f"{FIRST_DAY + timedelta(days=day)}"


def visible(table: Table) -> dict[str, list[Row]]:
    """All that readers see of a table."""
    seen = {"current": table.current()}
    if table.has_feed:
        seen |= {f"changes of {run_date}": rows for run_date, rows in table.feed().items()}
    if table.history:
        return seen | {run_date: table.snapshot(run_date) for run_date in table.dates()}
    return seen | {"snapshot": table.rows()}


def operate(project: Project, operation: str, select: str = "*", **arguments: Any) -> str:
    """Do an operation; it makes a version of each table that it is asked for."""
    told = project.operate(operation, select=select, dry_run=False, **arguments)
    for name, action in project.newest_actions().items():
        if select == "*" or project.tables[name].label in select.split():
            assert action == operation, (name, told)
    return told


def files(table: Table) -> set[Path]:
    """The files of rows that any version has."""
    return set(table.root().rglob("*.parquet"))


@pytest.mark.thorough
@pytest.mark.parametrize("example", range(EXAMPLES))
def test_layouts_give_what_a_replay_gives_whatever_is_done_between(
    new_project: NewProject, example: int
) -> None:
    dice = random.Random(f"versions {example}")
    project: Project = new_project("random_versions")
    if example % 2 == 0:
        # Merges take several passes, and tables have several files.
        project.set_variables(broadcast_max_keys=2, file_bytes=1000)
    loaded = [(key, "loaded", dice.choice(BIRTHDAYS)) for key in range(1, 7)]
    days = [random_changes(dice) for _ in range(DAYS)]
    for name, keys in CHOSEN.items():
        table = project.declare(name, COLUMNS, ["id"], **{"change_feed": True, **keys})
        table.write_load(*loaded)
        for day, changes in enumerate(days):
            table.write_changes(f"{day_name(day).replace('-', '')}-{100000000 + day}", *changes)
    states = {day_name(day): replayed(loaded, days[: day + 1]) for day in range(DAYS)}

    for day in RUN_DAYS:
        result = project.run(day_name(day))
        assert result.ok, result.errors
    newest = {name: visible(table) for name, table in project.tables.items()}
    for seen in newest.values():
        assert seen["current"] == states[day_name(DAYS - 1)], (example, days)
    # A backfilled date, below, has no changes of its own: the next one has them.
    run_states = [[], *(states[day_name(day)] for day in RUN_DAYS)]
    feed = {
        day_name(day): changes
        for day, before, after in zip(RUN_DAYS, run_states, run_states[1:], strict=False)
        if (changes := difference(before, after))
    }
    fed = [table for table in project.tables.values() if table.has_feed]
    assert fed
    assert [table.feed() for table in fed] == [feed] * len(fed), (example, days)

    # There and back again, any number of steps.
    steps = dice.randint(1, 2)
    for _ in range(steps):
        operate(project, "rollback")
    for table in project.tables.values():
        assert table.current() == states[day_name(RUN_DAYS[-1 - steps])], (example, days)
    if dice.randint(0, 1):
        operate(project, "rollback_to", to=len(RUN_DAYS))
    else:
        for _ in range(steps):
            operate(project, "reapply")
    assert {name: visible(table) for name, table in project.tables.items()} == newest
    chosen = dice.choice(RUN_DAYS[:-1])
    operate(project, "rollback_to", to=day_name(chosen))
    for table in project.tables.values():
        assert table.current() == states[day_name(chosen)], (example, days)
    operate(project, "reapply")
    assert {name: visible(table) for name, table in project.tables.items()} == newest

    dated = [table for table in project.tables.values() if table.history]
    assert dated
    told = operate(project, "replay")
    assert {name: visible(table) for name, table in project.tables.items()} == newest, told
    operate(
        project, "backfill", select=" ".join(table.label for table in dated),
        from_date=day_name(0), to_date=day_name(DAYS - 1),
    )  # fmt: skip
    before = {name: files(table) for name, table in project.tables.items()}
    told = operate(project, "vacuum", retention=0, grace_hours=0)
    for name, table in project.tables.items():
        # At least what the replay has replaced.
        assert files(table) < before[name], told
        assert table.current() == states[day_name(DAYS - 1)]
        assert not table.has_feed or table.feed() == feed
        if table.history:
            assert {run_date: table.snapshot(run_date) for run_date in table.dates()} == states

    # A day is rolled back, the next is published over it, and then it turns out to be right.
    for day in (DAYS, DAYS + 1):
        days.append(random_changes(dice))
        for table in project.tables.values():
            table.write_changes(f"{day_name(day).replace('-', '')}-{100000000 + day}", *days[day])
        result = project.run(day_name(day))
        assert result.ok, result.errors
        if day == DAYS:
            operate(project, "rollback")
    without = replayed(loaded, [*days[:DAYS], days[-1]])
    for table in project.tables.values():
        assert table.current() == without, (example, days)
    told = operate(project, "reapply")
    result = project.run(day_name(DAYS + 1 + dice.randint(0, 1)))
    assert result.ok, result.errors
    for table in project.tables.values():
        assert table.current() == replayed(loaded, days), (example, days, told)
