"""`python -m bench`: all measurements, printed and written to docs/large-tables.md."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from bench.generate import Table
from bench.meter import Measurement, measured
from bench.plain_spark import rewrite, rewrite_load, union_and_row_number
from bench.project import BenchProject, RunTimes
from bench.report import SHORT_ROUNDS, Row, write_report

_ROOT = Path(__file__).resolve().parent.parent
_SLICES, _TOUCHED_SLICES = 100, 5
_FORMATS = {"csv": "Staging a CSV file", "parquet": "The same rows as Parquet"}
_MOSTLY_RECENT = "As many, 90 % of them on the newest 5 % of keys"
_RECENT = "1,000 changes of the newest 5 % of keys"
_WIDE, _SLICED_WIDE = "of the wide table", "of the wide table with `partition_date`"
console = Console()


@dataclass
class Bench:
    """One run of all measurements.

    Attributes:
        work: folder for generated files and the lake.
        rows, changes, files, texts, rounds: the size; a figure is the median of its rounds.
        taken: all measurements by name.
    """

    work: Path
    rows: int
    changes: int
    files: int
    texts: int
    rounds: int
    taken: dict[str, list[Measurement]] = field(default_factory=dict)

    @property
    def short_rounds(self) -> int:
        """How often to run what takes seconds only."""
        return max(self.rounds, SHORT_ROUNDS)

    def take(self, name: str, work: Callable[[], RunTimes | None]) -> None:
        """Measure a piece of work, by its own account of the seconds if it has one."""
        with measured(self.work) as measurement:
            times = work()
        if times is not None:
            measurement.seconds = times.seconds
        self.taken.setdefault(name, []).append(measurement)
        console.print(f"{name}: {measurement.seconds:.1f} s")

    def median(self, name: str) -> Measurement:
        """The median of the rounds, with the peak memory of any."""
        rounds = self.taken[name]
        return Measurement(
            seconds=statistics.median(one.seconds for one in rounds),
            processor=statistics.median(one.processor for one in rounds),
            driver_mib=max(one.driver_mib for one in rounds),
            workers_mib=max(one.workers_mib for one in rounds),
            written_mib=max(one.written_mib for one in rounds),
        )

    def run(self) -> list[Row]:
        """Generate, measure, and say what stands against what."""
        big = Table(self.work / "dms/orders", self.rows)
        small_rows = max(self.changes // 5, 1000)
        many = Table(self.work / "dms/many", small_rows)
        one = Table(self.work / "dms/one", small_rows)
        console.print(f"Generating {self.rows:,} rows and {self.changes:,} changes a day")
        # Changes are written just before the run that takes them: the index lists all tables, and
        # what it notes in a run for another table, nobody would pay for.
        big.write_load()
        formats = [Table(self.work / f"dms/as_{name}", self.changes, name) for name in _FORMATS]
        for table in (many, one, *formats):
            table.write_load(1)
        sliced = Table(self.work / "dms/sliced", self.rows, slices=_SLICES)
        wide = Table(self.work / "dms/wide", self.rows, texts=self.texts)
        sliced_wide = Table(
            self.work / "dms/sliced_wide", self.rows, slices=_SLICES, texts=self.texts
        )
        tables = (big, many, one, *formats, sliced, wide, sliced_wide)
        project = BenchProject.create(self.work / "project", tables)
        self._first_load(project, big)
        self._increments(project, big)
        self._small_files(project, many, one)
        self._formats(project, formats)
        self._slices(project, sliced)
        self._wide_increments(project, wide)
        self._wide_slices(project, sliced_wide)
        return list(self._rows())

    def _first_load(self, project: BenchProject, big: Table) -> None:
        # Starts Spark, with new files and without, so that nobody pays for it below.
        for date in ("2020-11-12", "2020-11-13"):
            project.run(date, "many", "one")
        load = sorted(big.folder.glob("LOAD*"))
        rewrite_load(project.spark(), load, big.columns, self.work / "out")
        self.take("First load", partial(project.run, "2020-11-13", "orders"))
        for _ in range(self.rounds):
            self.take(
                "Plain read and write of the load",
                partial(rewrite_load, project.spark(), load, big.columns, self.work / "out"),
            )

    def _increments(self, project: BenchProject, big: Table) -> None:
        spark = project.spark()
        out = self.work / "out"
        for day in range(self.rounds):
            date = f"2020-11-{14 + day}"
            big.write_changes(self.changes, self.files, day)
            before = f"parquet.`{project.location('orders')}`"
            self.take("Bare rewrite", partial(rewrite, spark, before, big.columns, out))
            self.take("Daily increment", partial(project.run, date, "orders"))
            self.take(
                "Union and row_number over everything",
                partial(
                    union_and_row_number,
                    spark,
                    before,
                    self._staged("orders", date),
                    big.columns,
                    out,
                ),
            )
        self._recent(project, big, "")
        # Spark ends Python workers that are idle, as they were meanwhile.
        project.run("2020-11-20", "orders")
        for day in range(self.short_rounds):
            date = f"2020-11-{21 + day}"
            self.take("No new files", partial(project.run, date, "orders"))

    @staticmethod
    def _staged(table: str, date: str) -> str:
        """The changes of a date, with their order."""
        return f"(select * from lake.stg_bench__{table} where _dms_run_date = date'{date}')"

    def _recent(self, project: BenchProject, table: Table, of: str) -> None:
        """Changes of which most or all are of the newest keys, so that most files have none."""
        for day, (name, changes, recent) in enumerate(
            ((_MOSTLY_RECENT, self.changes, 9), (_RECENT, 1000, 10))
        ):
            table.write_changes(changes, min(self.files, changes), 3 + day, recent=recent)
            self.take(f"{name}{of}", partial(project.run, f"2020-11-{17 + day}", table.name))

    def _small_files(self, project: BenchProject, many: Table, one: Table) -> None:
        for day in range(self.rounds + 1):
            date = f"2020-11-{14 + day}"
            for name, table, files in (
                ("1,000 small files", many, 1000),
                ("The same rows in one file", one, 1),
            ):
                table.write_changes(table.rows, files, day)
                if day == 0:
                    project.run(date, table.name)  # warms the code paths of this size
                else:
                    self.take(name, partial(project.run, date, table.name))

    def _formats(self, project: BenchProject, formats: Collection[Table]) -> None:
        """What reading a file costs; what is made of its rows is the same for all formats."""

        def stage(date: str, table: str) -> RunTimes:
            return RunTimes(project.run(date, table).models["staging"], {})

        for day in range(self.rounds + 1):
            date = f"2020-11-{14 + day}"
            for table in formats:
                table.write_changes(self.changes, 1, day)
                if day == 0:
                    project.run(date, table.name)
                else:
                    self.take(_FORMATS[table.data_format], partial(stage, date, table.name))

    def _slices(self, project: BenchProject, sliced: Table) -> None:
        """A table with a business date, and going back and forth between its versions."""
        self._write_among_slices(sliced)
        project.run("2020-11-13", "sliced")
        for day in range(self.short_rounds):
            self.take(
                "Changes in 5 of 100 partitions",
                partial(project.run, f"2020-11-{14 + day}", "sliced"),
            )
        for _ in range(self.rounds):
            for operation in ("rollback", "reapply"):
                self.take(operation.title(), partial(project.operate, operation, "sliced"))

    def _wide_increments(self, project: BenchProject, wide: Table) -> None:
        """A first load and the same daily changes where a rewrite has much to write."""
        wide.write_load()
        spark, out = project.spark(), self.work / "out"
        load = sorted(wide.folder.glob("LOAD*"))
        plain = partial(rewrite_load, spark, load, wide.columns, out)
        self.take(f"Plain read and write of the load {_WIDE}", plain)
        self.take(f"First load {_WIDE}", partial(project.run, "2020-11-13", "wide"))
        for day in range(self.rounds):
            date = f"2020-11-{14 + day}"
            wide.write_changes(self.changes, self.files, day)
            before = f"parquet.`{project.location('wide')}`"
            self.take(f"Bare rewrite {_WIDE}", partial(rewrite, spark, before, wide.columns, out))
            self.take(f"Daily increment {_WIDE}", partial(project.run, date, "wide"))
            if day == 0:  # it fills the disk, the more so with every version
                self.take(
                    f"Union and row_number over everything {_WIDE}",
                    partial(
                        union_and_row_number,
                        spark,
                        before,
                        self._staged("wide", date),
                        wide.columns,
                        out,
                    ),
                )
        self._recent(project, wide, f" {_WIDE}")
        # The next wide table takes its place on the disk.
        shutil.rmtree(wide.folder)
        for folder in project.folder.glob("lake/warehouse/lake.db/*wide*"):
            shutil.rmtree(folder)

    def _wide_slices(self, project: BenchProject, wide: Table) -> None:
        """The changes in some of the dates, where a rewrite has much to write."""
        self._write_among_slices(wide)
        project.run("2020-11-13", "sliced_wide")
        current, out = "lake.sliced_wide_current", self.work / "out"
        for _ in range(self.rounds):
            self.take(
                f"Bare rewrite {_SLICED_WIDE}",
                partial(rewrite, project.spark(), current, wide.columns, out),
            )
        for day in range(self.short_rounds):
            self.take(
                f"Changes in 5 of 100 partitions {_SLICED_WIDE}",
                partial(project.run, f"2020-11-{14 + day}", "sliced_wide"),
            )
        for _ in range(self.rounds):
            for operation in ("rollback", "reapply"):
                name = f"{operation.title()} {_SLICED_WIDE}"
                self.take(name, partial(project.operate, operation, "sliced_wide"))

    def _write_among_slices(self, table: Table) -> None:
        table.write_load()
        among = _TOUCHED_SLICES / _SLICES
        for day in range(self.short_rounds):
            table.write_changes(int(self.changes * among), 10, day, among)

    def _rows(self) -> Iterator[Row]:
        def row(name: str, against: str, most: float | None, is_ratio: bool = True) -> Row:
            return Row(name, self.median(name), against, self.median(against), most, is_ratio)

        yield row("Daily increment", "Bare rewrite", 0.9)
        yield row("Daily increment", "Union and row_number over everything", 0.5)
        increment = f"Daily increment {_WIDE}"
        yield row(increment, f"Bare rewrite {_WIDE}", 0.45)
        yield row(increment, f"Union and row_number over everything {_WIDE}", 0.5)
        for name, most, most_wide in ((_MOSTLY_RECENT, 0.35, 0.12), (_RECENT, 0.2, 0.04)):
            yield row(name, "Bare rewrite", most)
            yield row(f"{name} {_WIDE}", f"Bare rewrite {_WIDE}", most_wide)
        yield row("First load", "Plain read and write of the load", 1)
        plain_load = f"Plain read and write of the load {_WIDE}"
        yield row(f"First load {_WIDE}", plain_load, 0.6)
        yield row("1,000 small files", "The same rows in one file", 1.5)
        yield row("Staging a CSV file", "The same rows as Parquet", 2)
        yield row("Changes in 5 of 100 partitions", "Bare rewrite", 0.2)
        its_rewrite = f"Bare rewrite {_SLICED_WIDE}"
        yield row(f"Changes in 5 of 100 partitions {_SLICED_WIDE}", its_rewrite, 0.05)
        yield row("No new files", "Bare rewrite", 2, is_ratio=False)
        yield row("Rollback", "Bare rewrite", 5, is_ratio=False)
        yield row("Reapply", "Bare rewrite", 5, is_ratio=False)
        yield row(f"Rollback {_SLICED_WIDE}", its_rewrite, 5, is_ratio=False)
        yield row(f"Reapply {_SLICED_WIDE}", its_rewrite, 5, is_ratio=False)


@click.command()
@click.option("--rows", default=10_000_000, show_default=True, help="Rows of the table.")
@click.option("--changes", default=500_000, show_default=True, help="Changes a day.")
@click.option("--files", default=200, show_default=True, help="Change files a day.")
@click.option("--texts", default=20, show_default=True, help="More columns of the wide table.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the median counts.")
@click.option("--work", type=click.Path(path_type=Path), default=_ROOT / "bench/work")
def main(rows: int, changes: int, files: int, texts: int, rounds: int, work: Path) -> None:
    """Measure the pipeline beside plain Spark and write docs/large-tables.md."""
    os.chdir(_ROOT)
    bench = Bench(work, rows, changes, files, texts, rounds)
    result = bench.run()
    write_report(_ROOT / "docs/large-tables.md", rows, changes, files, texts, rounds, result)
    console.print("Written to docs/large-tables.md")


if __name__ == "__main__":
    main()
