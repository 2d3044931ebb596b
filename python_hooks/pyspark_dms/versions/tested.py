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
_INDEXED = pa.schema(
    [
        ("source_name", pa.string()),
        ("table_name", pa.string()),
        ("indexed_at", pa.timestamp("us", "UTC")),
    ]
)
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
    """The folders of the partitions of three metadata tables."""

    files: tuple[str, ...]
    dates: tuple[str, ...]
    tests: tuple[str, ...]


def parse_job(text: str) -> TestedJob:
    """Read the option ``job`` of the data source: of each table its root and its partitions."""
    fields: Mapping[str, Mapping[str, Any]] = json.loads(text)

    def folders(name: str) -> tuple[str, ...]:
        return tuple(f"{fields[name]['root']}/{one}" for one in fields[name]["partitions"])

    return TestedJob(folders("files"), folders("dates"), folders("tests"))


def read_tested(job: TestedJob) -> pa.RecordBatch:
    """Read what passed.

    Returns:
        Rows of `TESTED_SCHEMA`, one per table that has a version: its newest published version,
        its last indexing as text in UTC, and the tests that passed with both.
    """

    def rows(folders: tuple[str, ...], schema: pa.Schema) -> pa.Table:
        with ThreadPoolExecutor(_READERS) as readers:
            found = list(readers.map(lambda folder: read_rows(folder, schema), folders))
        return pa.concat_tables([schema.empty_table(), *found])

    names = ["source_name", "table_name"]
    indexed = rows(job.files, _INDEXED).group_by(names).aggregate([("indexed_at", "max")])
    last_indexed: dict[tuple[str, str], datetime] = {
        (row["source_name"], row["table_name"]): row["indexed_at_max"]
        for row in indexed.to_pylist()
    }
    dates = rows(job.dates, SCHEMAS["snapshot_dates"]).group_by(names)
    passed: dict[tuple[str, str, int, datetime], set[str]] = defaultdict(set)
    for row in rows(job.tests, SCHEMAS["passed_tests"]).to_pylist():
        key = (row["source_name"], row["table_name"], row["version"], row["indexed_at"])
        passed[key].add(row["test"])
    tested = []
    for row in dates.aggregate([("version", "max")]).to_pylist():
        table, version = (row["source_name"], row["table_name"]), row["version_max"]
        if (moment := last_indexed.get(table)) is not None:
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
