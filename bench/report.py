"""Writes the figures as docs/large-tables.md."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.meter import Measurement

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


def _cell(one: Measurement) -> str:
    return f"{one.seconds:.1f}/{one.processor:.0f}/{one.written_mib:.0f}"


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
        f"Measured with `make bench BENCH_ARGS='{size}'`: {rows:,} rows and eight columns,",
        f"{changes:,} changes a day in {files} files, {os.cpu_count()} cores, pyspark",
        f"{version('pyspark')}. The wide table has {texts} columns more, of 32 letters each.",
        "",
        "Each cell: seconds / processor seconds / MiB written. Use the ratios, of seconds, within",
        f"a run only. Figures are the median of {rounds}; without new files, and of changes in 5",
        f"of 100 partitions, of {max(rounds, SHORT_ROUNDS)}; MiB are the highest. All is warm, and",
        "without the start of dbt. A bare rewrite is Spark reading the table and writing it.",
        "",
        "| What | | Against | | Ratio | Target |",
        "|---|--:|---|--:|--:|---|",
    ]
    lines += [
        f"| {row.name} | {_cell(row.ours)} | {row.against} | {_cell(row.theirs)} "
        f"| {row.ratio:.2f} | {row.target} |"
        for row in result
    ]
    ours = [row.ours for row in result]
    lines += [
        "",
        f"Most memory: driver {max(one.driver_mib for one in ours):,} MiB,"
        f" all workers {max(one.workers_mib for one in ours):,} MiB.",
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
