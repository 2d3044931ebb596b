"""What `dbt test` knows before it runs: which data tests passed on what is published now."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from pyspark_dms.versions.metadata import SCHEMAS, read_rows

# Reading waits on the network more than it computes.
_READERS = 16
TESTED_SCHEMA = pa.schema(
    [
        ("source_name", pa.string()),
        ("table_name", pa.string()),
        ("version", pa.int32()),
        ("indexed_at", pa.string()),
        ("passed", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True)
class TestedJob:
    """The folders of the partitions of two metadata tables."""

    dates: tuple[str, ...]
    tests: tuple[str, ...]


def parse_job(text: str) -> TestedJob:
    """Read the option ``job`` of the data source: of each table its root and its partitions."""
    fields: Mapping[str, Mapping[str, Any]] = json.loads(text)

    def folders(name: str) -> tuple[str, ...]:
        return tuple(f"{fields[name]['root']}/{one}" for one in fields[name]["partitions"])

    return TestedJob(folders("dates"), folders("tests"))


def read_tested(job: TestedJob) -> pa.RecordBatch:
    """Read what passed.

    What was indexed since and waits for a run of its table changes no result; what a run has looked
    at does, also where it made no version.

    Returns:
        Rows of `TESTED_SCHEMA`, one per table that has a version: its newest published version,
        the last indexing that its runs have looked at as text in UTC, and the tests that passed
        with both. Tables of which no run has recorded an indexing are left out.
    """

    def rows(folders: tuple[str, ...], schema: pa.Schema) -> pa.Table:
        with ThreadPoolExecutor(_READERS) as readers:
            found = list(readers.map(lambda folder: read_rows(folder, schema), folders))
        return pa.concat_tables([schema.empty_table(), *found])

    names = ["source_name", "table_name"]
    dates = rows(job.dates, SCHEMAS["snapshot_dates"]).group_by(names)
    passed: dict[tuple[str, str, int, datetime], set[str]] = defaultdict(set)
    for row in rows(job.tests, SCHEMAS["passed_tests"]).to_pylist():
        key = (row["source_name"], row["table_name"], row["version"], row["indexed_at"])
        passed[key].add(row["test"])
    tested = []
    for row in dates.aggregate([("version", "max"), ("indexed_through", "max")]).to_pylist():
        table, version = (row["source_name"], row["table_name"]), row["version_max"]
        if (moment := row["indexed_through_max"]) is not None:
            tested.append(
                {
                    "source_name": table[0],
                    "table_name": table[1],
                    "version": version,
                    "indexed_at": f"{moment:%Y-%m-%d %H:%M:%S.%f}",
                    "passed": sorted(passed[(*table, version, moment)]),
                }
            )
    return pa.RecordBatch.from_pylist(tested, schema=TESTED_SCHEMA)
