"""Writes the figures as docs/large-tables.md."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.meter import Measurement
from bench.project import MODEL_KINDS

# Without new files, and with changes in some partitions, a run takes so little that it is repeated.
SHORT_ROUNDS = 3


@dataclass(frozen=True)
class Row:
    """One line: what was measured, against what, and what it may take.

    Attributes:
        name, ours: what was measured.
        against, theirs: what it is compared with.
        most: the target, of the ratio or of the seconds; None if there is none.
        is_ratio: whether the target is one of the ratio.
    """

    name: str
    ours: Measurement
    against: str
    theirs: Measurement
    most: float | None
    is_ratio: bool = True

    @property
    def ratio(self) -> float:
        """Our seconds by theirs."""
        return self.ours.seconds / self.theirs.seconds

    @property
    def target(self) -> str:
        """The target, and whether it was met."""
        if self.most is None:
            return ""
        if self.is_ratio:
            return f"at most {self.most:g}: {_verdict(self.ratio <= self.most)}"
        return f"under {self.most:g} s: {_verdict(self.ours.seconds < self.most)}"


def _verdict(is_met: bool) -> str:
    return "met" if is_met else "**missed**"


def write_report(
    path: Path, rows: int, changes: int, files: int, texts: int, rounds: int, result: list[Row]
) -> None:
    """Write the tables; every figure comes from this run."""
    size = f"--rows {rows} --changes {changes} --files {files} --texts {texts} --rounds {rounds}"
    lines = [
        "# Large tables",
        "",
        f"Measured with `make bench BENCH_ARGS='{size}'`:",
        f"a table of {rows:,} rows and eight columns, {changes:,} changes a day in {files} files,",
        f"on {os.cpu_count()} cores ({platform.machine()}), pyspark {version('pyspark')}.",
        f"The wide table has {texts} columns more, of 32 letters each.",
        "",
        "Use only the ratios within one run. A target in seconds is for this machine. Seconds are",
        f"the median of the rounds: {rounds}; without new files, and with changes in 5 of 100",
        f"partitions, {max(rounds, SHORT_ROUNDS)}; first loads and the wide union, 1.",
        "MiB are what was written, and peaks of memory: the highest of any round.",
        "",
        "A daily increment is the index, staging and snapshot models. It, rollback and reapply are",
        "without the start of dbt. Tables with 100 partitions are declared with `partition_date`.",
        "A bare rewrite is Spark reading the table and writing it again without any change. What",
        "takes few seconds was run once before.",
        "",
        "| What | s | processor s | MiB | driver MiB | workers MiB "
        "| Against | s | processor s | MiB | Ratio | Target |",
        "|---|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|---|",
    ]
    for row in result:
        ours, theirs = row.ours, row.theirs
        lines.append(
            f"| {row.name} | {ours.seconds:.1f} | {ours.processor:.1f} | {ours.written_mib:.0f} "
            f"| {ours.driver_mib} | {ours.workers_mib} "
            f"| {row.against} | {theirs.seconds:.1f} | {theirs.processor:.1f} "
            f"| {theirs.written_mib:.0f} | {row.ratio:.2f} | {row.target} |"
        )
    lines += [
        "",
        "Where the seconds go. Only staging and snapshot grow with a table, so a ratio to a",
        "rewrite of a few seconds mostly shows what a run costs, whatever the table.",
        "",
        "| What | s | index | staging | snapshot |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, ours in {row.name: row.ours for row in result}.items():
        if ours.models:
            index, staging, snapshot = (f"{ours.models[kind]:.1f}" for kind in MODEL_KINDS)
            lines.append(f"| {name} | {ours.seconds:.1f} | {index} | {staging} | {snapshot} |")
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
