"""A version log as it is after years, made in seconds: its objects, without the runs.

``python -m bench.version_log --root /tmp/log --tables 300 --versions 1000`` makes one, if there is
none, and measures what a command reads of it: wall seconds, and processor seconds of this process.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

import click

from pyspark_dms import stores
from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.history_jobs import history
from pyspark_dms.versions.log import Wanted, lineage_row, packed
from pyspark_dms.versions.numbered import CHECKPOINT, checkpoint_of, object_content, object_name
from pyspark_dms.versions.operation_jobs import states
from pyspark_dms.versions.operations import rollback, vacuum
from pyspark_dms.versions.read_state import logged_versions, read_state
from pyspark_dms.versions.states import Command, Table, TableState
from pyspark_dms.versions.vacuum_jobs import kept

START = date(2020, 11, 13)
COMMAND = Command("20991231T060000000000Z", "2099-12-31 06:00:00")
# Tables whose checkpoints have the same numbers have the same objects, but for their names.
_KINDS = 4


def label_of(table: int) -> str:
    """The label of a table, from 0: one of few kinds."""
    names = (f"many.table_{table:03d}_{number}" for number in count())
    place = CHECKPOINT // _KINDS * (table % _KINDS) + 1
    return next(name for name in names if checkpoint_of(name, 2 * CHECKPOINT) % CHECKPOINT == place)


def day_of(version: int) -> str:
    """The run date of a version, from 1: every other day has one."""
    return f"{START + timedelta(days=2 * (version - 1))}"


def manifest_of(label: str, version: int) -> dict[str, Any]:
    """The manifest of a merge of one file into a table that changes every other day."""
    source_name, table_name = label.split(".")
    days = [START + timedelta(days=2 * number) for number in range(version)]
    names = [f"{day:%Y%m%d}T060000000000Z" for day in days]
    lake, schema = f"s3://lake/{label}", "d41d8cd98f00b204e9800998ecf8427e"
    dates = [
        {"run_date": f"{day + timedelta(days=after)}", "version": number}
        for number, day in enumerate(days, 1)
        for after in (0, 1)
    ]
    return {
        "source_name": source_name, "table_name": table_name, "version": version,
        "action": "merge" if version > 1 else "build", "run_date": f"{days[-1]}",
        "current_version": version, "base_version": version - 1 or None, "root": lake,
        "layout": "one snapshot per run date", "fingerprint": schema,
        "declarations": {schema: json.dumps({f"column_{one}": "string" for one in range(40)})},
        "generation": 1, "last_file_seq": version, "shards": [],
        "indexed_from": names[-2] if version > 1 else None, "indexed_through": names[-1],
        "partitions": [
            {"partition": None, "location": f"{lake}/{names[-1]}/rows", "rows": 20, "files": ["a"]}
        ],
        "dates": dates[:-1],
        "staged": [
            {
                "run_date": f"{day}", "fingerprint": schema,
                "folder": f"{lake}/stg/{name}-{schema}",
                "report": f"{lake}/reports/{name}-{schema}", "rejects": None,
            }
            for day, name in zip(days, names, strict=True)
        ],
        "feed_location": None, "feed_dates": None,
        "files": [{"path": f"s3://dms/{label}/{days[-1]:%Y%m%d}-060000000.parquet", "etag": "e"}],
        "load_files": [{"path": f"s3://dms/{label}/LOAD00000001.parquet", "etag": "e"}],
        "excluded_files": [], "included_files": [],
        "rows_before": 20, "rows_inserted": 1, "rows_updated": 1, "rows_deleted": 1,
        "rows_after": 20, "run": names[-1], "started_at": f"{days[-1]} 06:00:00.000000",
        "finished_at": f"{days[-1]} 06:01:00.000000",
    }  # fmt: skip


def objects_of(label: str, versions: int) -> Iterator[tuple[str, bytes]]:
    """The objects of the log of a table, oldest first: their names and contents."""
    lineage: list[Any] = []
    checkpoint: dict[str, Any] = {}
    for number in range(1, versions + 1):
        manifest = manifest_of(label, number)
        lineage.append(lineage_row(manifest))
        is_checkpoint = checkpoint_of(label, number) == number
        said = packed(manifest, None if is_checkpoint else checkpoint, lineage)
        content = object_content(label, number, said, "made")
        if is_checkpoint:
            checkpoint = json.loads(content)
        yield object_name(number), content


def build(root: str, tables: int, versions: int) -> None:
    """Make the log of some tables; one that is there stays as it is.

    Args:
        root: the folder of the log, a path or URL.
        tables: how many.
        versions: of each.
    """
    there = {*log.tables(root)}
    with ThreadPoolExecutor(8) as writers:
        for kind in range(_KINDS):
            labels = [*map(label_of, range(kind, tables, _KINDS))]
            missing = [label for label in labels if label not in there]
            template = [*objects_of(labels[0], versions)] if missing else []
            deque(writers.map(partial(_copy, root, labels[0], template), missing), 0)


def _copy(root: str, model: str, objects: Sequence[tuple[str, bytes]], label: str) -> None:
    own, name = (f'"table_name":"{one.partition(".")[2]}"'.encode() for one in (model, label))
    for key, content in objects:
        copied = content.replace(model.encode(), label.encode()).replace(own, name)
        stores.create_object(f"{root}/{label}/{key}", copied)


def build_records(root: str, tables: int, commands: int) -> None:
    """Make what as many commands recorded: on odd days of a version, on even ones no change."""
    days = [f"{START + timedelta(days=number)}" for number in range(commands)]
    moments = [f"{day.replace('-', '')}T060000000000Z" for day in days]
    for number in range(recorded.read(root).number, commands):
        version = number // 2 + 1
        rows = [
            {
                "source_name": label_of(table).partition(".")[0],
                "table_name": label_of(table).partition(".")[2],
                "version": version,
                "dates": [days[number]] if number % 2 else [],
                "indexed_from": moments[number - 1] if number % 2 else None,
                "indexed_through": moments[number] if number % 2 else None,
            }
            for table in range(tables)
        ]
        tests = [
            {**row, "test": f"{name} {version:032d}", "indexed_at": row["indexed_through"]}
            for row in rows
            for name in ("snapshot_is_whole", "every_file_is_staged_once")
        ]
        recorded.record(root, f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}", rows, tests)


def measure(root: str, tables: int, versions: int) -> dict[str, tuple[float, float]]:
    """Wall and processor seconds of what commands read, by what it is."""
    labels = [label_of(table) for table in range(tables)]
    last = day_of(versions)
    recent = tuple(range(max(versions - 9, 1), versions + 1))
    asked: dict[str, Callable[[], object]] = {
        "heads of all tables": lambda: log.read(root, dict.fromkeys(labels, Wanted("2999-12-31"))),
        "the same, a date again": lambda: log.read(root, dict.fromkeys(labels, Wanted(last))),
        "last 10 versions of all tables": lambda: log.read(
            root, dict.fromkeys(labels, Wanted(versions=recent, fields=()))
        ),
        "newest whole manifest": lambda: log.read(root, {labels[0]: Wanted(versions=(versions,))}),
        "lineage of a table": lambda: log.read(root, {labels[0]: Wanted(lineage=True)}),
        "whole state of a changed table": lambda: states(
            {"root": root, "wanted": {labels[0]: {"base": versions}}}
        ),
        "whole state of a dropped table": lambda: states(
            {"root": root, "wanted": {labels[0]: {"publishes": True}}}
        ),
        "plan of a rollback": lambda: _rollback(root, labels[0]),
        "plan of a vacuum, all kept": lambda: _vacuum(root, labels[0], None),
        "plan of a vacuum, 30 days kept": lambda: _vacuum(root, labels[0], 30),
        "plan of the first history": lambda: _history(root, labels[0], versions),
        "all versions of a table": lambda: log.read(root, {labels[0]: Wanted(after=0, fields=())}),
        "what commands recorded": lambda: recorded.read(root),
    }
    return {name: _seconds(ask) for name, ask in asked.items()}


def _rollback(root: str, label: str) -> object:
    state = _state(root, label)
    return rollback(_table(state, label), state, COMMAND)


def _vacuum(root: str, label: str, days: int | None) -> object:
    state = _state(root, label)
    roots = dict.fromkeys(("reports", "rejects", "staged"), "lake")
    entry: dict[str, Any] = {"change_feed": False, "days": days, "roots": roots, "histories": []}
    now = datetime.fromisoformat(COMMAND.started_at).replace(tzinfo=UTC)
    plan = vacuum(_table(state, label), state, COMMAND)
    return plan, kept(entry, state, now)


def _state(root: str, label: str) -> TableState:
    state = read_state(logged_versions(root, label), recorded.read(root), label)
    assert state
    return state


def _table(state: TableState, label: str) -> Table:
    return Table(label, state.shown.current.layout, True, False, "dbt run --full-refresh")


def _history(root: str, label: str, newest: int) -> Mapping[str, Any]:
    job = {"label": label, "name": "h", "dates": [], "folders": [], "published": [newest]}
    return history({"root": root, **job})


def _seconds(ask: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    result = ask()
    taken = time.perf_counter() - wall, time.process_time() - processor
    for found in result.values() if isinstance(result, dict) else ():
        if isinstance(found, Exception):
            raise found
        if isinstance(found, dict) and found.get("error"):
            raise RuntimeError(found["error"])
    return taken


@click.command(help=__doc__)
@click.option("--root", required=True, help="Folder of the log.")
@click.option("--tables", default=300, show_default=True)
@click.option("--versions", default=1000, show_default=True)
@click.option("--commands", default=0, show_default=True, help="How many have recorded something.")
def main(root: str, tables: int, versions: int, commands: int) -> None:
    """Make a log and measure it."""
    seconds = _seconds(lambda: build(root, tables, versions))
    print(f"{'made':32} {seconds[0]:8.2f} s {seconds[1]:8.2f} processor s")
    seconds = _seconds(lambda: build_records(root, tables, commands))
    print(f"{'recorded':32} {seconds[0]:8.2f} s {seconds[1]:8.2f} processor s")
    for name, (wall, processor) in measure(root, tables, versions).items():
        print(f"{name:32} {wall:8.2f} s {processor:8.2f} processor s")


if __name__ == "__main__":
    main()
