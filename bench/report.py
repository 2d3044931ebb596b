"""Writes the figures as docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.meter import Measurement

# Without new files a run takes so little that it is run at least so often.
QUIET_ROUNDS = 3


@dataclass(frozen=True)
class Row:
    """One line: what was measured, against what, and the ratio of the medians."""

    name: str
    ours: Measurement
    against: str
    theirs: Measurement
    ratio: float
    target: str


def write_report(
    path: Path, rows: int, changes: int, files: int, texts: int, rounds: int, result: list[Row]
) -> None:
    """Write the table; every figure comes from this run."""
    size = f"--rows {rows} --changes {changes} --files {files} --texts {texts} --rounds {rounds}"
    lines = [
        "# Benchmarks",
        "",
        f"Measured with `make bench BENCH_ARGS='{size}'`:",
        f"a table of {rows:,} rows and eight columns, {changes:,} changes a day in {files} files,",
        f"on {os.cpu_count()} cores ({platform.machine()}), pyspark {version('pyspark')}.",
        f"The wide table has {texts} columns more, of 32 letters each.",
        "Only the ratios within one run mean anything. Seconds are the median of all rounds",
        f"(here: {rounds}; without new files: {max(rounds, QUIET_ROUNDS)}), memory and what was",
        "written to files are the most of any. First loads and the union of the wide table were",
        "taken once. A daily increment is the index, staging and snapshot models together; it and",
        "rollback and reapply are without the start of dbt. The index finds in each run the files",
        "of that run's table only.",
        "",
        "| What | s | written MiB | driver MiB | workers MiB "
        "| Against | s | written MiB | driver MiB | Ratio | Target |",
        "|---|--:|--:|--:|--:|---|--:|--:|--:|--:|---|",
    ]
    for row in result:
        ours, theirs = row.ours, row.theirs
        lines.append(
            f"| {row.name} | {ours.seconds:.1f} | {ours.written_mib:.1f} "
            f"| {ours.driver_mib} | {ours.workers_mib} "
            f"| {row.against} | {theirs.seconds:.1f} | {theirs.written_mib:.1f} "
            f"| {theirs.driver_mib} "
            f"| {row.ratio:.2f} | {row.target} |"
        )
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
