"""A source that is written to all the time: no false alarm, and what differs is found."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.compare.conftest import Compare
from tests.compare.databases import Database, make_table
from tests.support.project import Project, Table

ROWS = 3_000
COLUMNS = {"id": "int", "note": "string"}
# Seconds from a change to its file, and the time that compare is told.
LATENCY, WAIT = 2.0, 10


@contextmanager
def written_to(database: Database, table: Table, spared: set[int]) -> Iterator[list[int]]:
    """Change rows of the source all the time, and write their DMS files a little later."""
    stop = threading.Event()
    counts: list[int] = []
    ids = [number for number in range(ROWS) if number not in spared]

    def write() -> None:
        chosen = random.Random(3)
        fresh = ROWS
        while not stop.is_set():
            changes: list[tuple[Any, ...]] = []
            for _ in range(10):
                number = chosen.choice(ids)
                note = f"changed {len(counts)} {chosen.random()}"
                database.execute(f"update hr.busy set note = '{note}' where id = {number}")
                changes.append(("U", number, note))
                fresh += 1
                database.execute(f"insert into hr.busy values ({fresh}, 'new')")
                changes.append(("I", fresh, "new"))
                if fresh % 2:
                    database.execute(f"delete from hr.busy where id = {fresh}")
                    changes.append(("D", fresh, "new"))
            stop.wait(LATENCY)
            table.write_changes(f"20201120-{100_000_000 + len(counts):09d}", *changes)
            counts.append(len(changes))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield counts
    finally:
        stop.set()
        writer.join()


@pytest.mark.thorough
def test_a_source_that_is_written_to_gives_no_false_alarm(
    database: Database, project: Project, compare: Compare
) -> None:
    table = project.declare("busy", COLUMNS, ["id"])
    table.write_load(*[(number, "old") for number in range(ROWS)])
    rows = [[f"{number}", "'old'"] for number in range(ROWS)]
    there = {"id": "int", "note": "varchar(60)"}
    make_table(database, "hr", "busy", there, ["id"], rows)
    assert project.run("2020-11-13").ok
    database.execute(
        "update hr.busy set note = 'lost' where id in (7, 1500);"
        "delete from hr.busy where id = 20; insert into hr.busy values (-1, 'lost')"
    )
    with written_to(database, table, {7, 20, 1500}) as counts:
        result = compare("hr.busy", "--wait", f"{WAIT}", "--range-size", "1000")
    assert sum(counts) > 0
    assert result.table["waiting"] > 0, result.output
    sample = result.table["sample"]
    assert [one["key"] for one in sample["different"]] == [["7"], ["1500"]]
    assert (sample["only_here"], sample["only_there"]) == ([["20"]], [["-1"]])
