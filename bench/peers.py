"""This project beside Iceberg and Delta: the same DMS files, the same Spark, the same machine.

``make bench-peers`` runs a process per competitor, one after another: a first load and three days
of changes of a narrow and of a wide table, and of one with a hundred business dates. The peers do
what a careful engineer would write: one `MERGE` with the newest change of each key, and a delete
clause; nothing is indexed, staged, checked or kept for them. After each step the table is read
whole, and what is in it has to be the same everywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from pyspark.sql import SparkSession
from rich.console import Console

from bench.generate import Table
from bench.meter import measured
from bench.plain_spark import rewrite, rewrite_load
from bench.project import BenchProject

_ROOT = Path(__file__).resolve().parent.parent
_JARS = _ROOT / "bench/jars"
_ICEBERG = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
}
_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_SLICES = 100


@dataclass(frozen=True)
class Step:
    """One thing that is measured of a table.

    Attributes:
        name: what it is.
        changes, files, among, recent: as `Table.write_changes` takes them; no changes is the load.
    """

    name: str
    changes: int = 0
    files: int = 1
    among: float = 1.0
    recent: int = 0


@dataclass
class Figure:
    """What a step took.

    Attributes:
        table, step: of what.
        processor, seconds, mib, scan: processor seconds, wall seconds, MiB written, and processor
            seconds of reading all of it afterwards.
        state: rows and a sum over all values.
    """

    table: str
    step: str
    processor: float
    seconds: float
    mib: float
    scan: float = 0.0
    state: list[int] = field(default_factory=list)


def tables(rows: int, folder: Path) -> dict[str, tuple[Table, list[Step]]]:
    """What is measured, by what the report calls the tables."""
    load = Step("first load")

    def days(rows: int) -> list[Step]:
        return [
            load,
            Step("5 % of the keys, all over, in 200 files", rows // 20, 200),
            Step(
                "5 %, 90 % of them on the newest 5 % of keys, in 200 files",
                rows // 20,
                200,
                recent=9,
            ),
            Step("0.01 %, on the newest keys, in 10 files", rows // 10_000, 10, recent=10),
        ]

    sliced = Step("changes in 5 of 100 dates, in 10 files", rows // 200, 10, 0.05)
    return {
        "warm": (Table(folder / "warm", 100_000), days(100_000)),
        "8 columns": (Table(folder / "orders", rows), days(rows)),
        "8 columns, 100 dates": (Table(folder / "sliced", rows, slices=_SLICES), [load, sliced]),
        "28 columns": (Table(folder / "wide", rows // 4, texts=20), days(rows // 4)),
    }  # fmt: skip


class Plain:
    """Spark reads the table and writes it again, changed by nothing: the least a rewrite costs."""

    name = "bare Spark, read and write"
    properties: tuple[str, ...] = ()
    settings: Mapping[str, str] = MappingProxyType({})
    catalog = ""

    def __init__(self, work: Path) -> None:
        self.work = work

    def spark(self) -> SparkSession:
        """A session as the pipeline's own: cores, memory."""
        builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "6g")
        jars = ",".join(str(jar) for jar in sorted(_JARS.glob("*.jar")))
        settings: dict[str, Any] = {
            "spark.jars": jars,
            "spark.sql.warehouse.dir": str(self.work / "lake"),
            "spark.ui.enabled": "false",
            **self.settings,
        }
        if "spark.sql.catalog.lake" in settings:
            settings["spark.sql.catalog.lake.warehouse"] = str(self.work / "lake")
        return builder.config(map=settings).getOrCreate()

    def load(self, table: Table) -> Callable[[], object]:
        """What takes the full load."""
        files = sorted(table.folder.glob("LOAD*"))
        return partial(rewrite_load, self.spark(), files, table.columns, self._folder(table))

    def merge(self, table: Table, day: int) -> Callable[[], object]:
        """What takes the changes of a day, from 0."""
        source = f"parquet.`{self._folder(table)}`"
        return partial(rewrite, self.spark(), source, table.columns, self.work / "lake/again")

    def relation(self, table: Table) -> str:
        """What a reader names."""
        return f"parquet.`{self._folder(table)}`"

    def _folder(self, table: Table) -> Path:
        return self.work / f"lake/{table.name}"


class Merging(Plain):
    """A table of Iceberg or Delta, and one `MERGE` a day."""

    provider = ""

    def load(self, table: Table) -> Callable[[], object]:
        """See `Plain`."""
        files = map(str, sorted(table.folder.glob("LOAD*")))
        self.spark().read.parquet(*files).createOrReplaceTempView("loaded")
        by_date = "partitioned by (order_date)" if table.slices else ""
        return lambda: self.spark().sql(
            f"create table {self.relation(table)} using {self.provider} {by_date}"
            f" tblproperties ({', '.join(self.properties)})"
            f" as select {', '.join(table.columns)} from loaded"
        )

    def merge(self, table: Table, day: int) -> Callable[[], object]:
        """See `Plain`."""
        names = [*table.columns]
        of_date = " and t.order_date = c.order_date" if table.slices else ""
        return lambda: self.spark().sql(
            f"""
            merge into {self.relation(table)} as t
            using (
                select * from (
                    select *, row_number() over (
                        partition by order_id
                        order by dms_timestamp desc, _metadata.file_name desc,
                            _metadata.row_index desc
                    ) as newest
                    from parquet.`{table.folder}/{20201114 + day}*`
                ) where newest = 1
            ) as c
            on t.order_id = c.order_id{of_date}
            when matched and c.Op = 'D' then delete
            when matched then update set {", ".join(f"t.{name} = c.{name}" for name in names)}
            when not matched and c.Op <> 'D' then insert ({", ".join(names)})
                values ({", ".join(f"c.{name}" for name in names)})
            """
        )

    def relation(self, table: Table) -> str:
        """See `Plain`."""
        return f"{self.catalog}.{table.name}"


class IcebergMergeOnRead(Merging):
    """Deletion vectors of format 3."""

    name = "Iceberg, merge on read"
    provider, catalog, settings = "iceberg", "lake.bench", _ICEBERG
    properties = tuple(
        ["'format-version' = '3'"]
        + [f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("merge", "update", "delete")]
    )


class IcebergCopyOnWrite(IcebergMergeOnRead):
    """Files with changes are written again."""

    name = "Iceberg, copy on write"
    properties = ("'format-version' = '3'", "'write.merge.mode' = 'copy-on-write'")


class DeltaVectors(Merging):
    """Deletion vectors."""

    name = "Delta, deletion vectors"
    provider, catalog, settings = "delta", "default", _DELTA
    properties = ("'delta.enableDeletionVectors' = 'true'",)


class DeltaCopyOnWrite(DeltaVectors):
    """Files with changes are written again."""

    name = "Delta, copy on write"
    properties = ("'delta.enableDeletionVectors' = 'false'",)


class Ours(Plain):
    """The project, warm, with dbt's own processor time of each run."""

    name = "this project"

    def __init__(self, work: Path) -> None:
        super().__init__(work)
        found = [table for table, _ in tables(1, work / "dms").values()]
        self.project = BenchProject.create(work / "project", found)

    def spark(self) -> SparkSession:
        """See `Plain`."""
        return self.project.spark()

    def load(self, table: Table) -> Callable[[], object]:
        """See `Plain`."""
        return partial(self.project.run, "2020-11-13", table.name)

    def merge(self, table: Table, day: int) -> Callable[[], object]:
        """See `Plain`."""
        return partial(self.project.run, f"2020-11-{14 + day}", table.name)

    def relation(self, table: Table) -> str:
        """See `Plain`."""
        return f"lake.{table.name}_current"


COMPETITORS: dict[str, type[Plain]] = {
    one.name: one
    for one in (
        Plain, Ours, IcebergMergeOnRead, IcebergCopyOnWrite, DeltaVectors, DeltaCopyOnWrite,
    )
}  # fmt: skip


def figures(competitor: Plain, rows: int) -> Iterator[Figure]:
    """Measure all steps of all tables."""
    for name, (table, steps) in tables(rows, competitor.work / "dms").items():
        for day, step in enumerate(steps, -1):
            if step.changes:
                table.write_changes(step.changes, step.files, day, step.among, step.recent)
                act = competitor.merge(table, day)
            else:
                table.write_load()
                act = competitor.load(table)
            with measured(competitor.work, "*") as taken:
                act()
            of_step = Figure(name, step.name, taken.processor, taken.seconds, taken.written_mib)
            values = ", ".join(table.columns)
            with measured(competitor.work) as reading:
                (state,) = competitor.spark().sql(
                    f"select count(*), sum(cast(xxhash64({values}) as decimal(38, 0)))"
                    f" from {competitor.relation(table)}"
                ).collect()  # fmt: skip
            of_step.scan, of_step.state = reading.processor, [*map(int, state)]
            yield of_step


def report(found: dict[str, list[Figure]]) -> str:
    """A Markdown table a workload and competitor: processor seconds / MiB / processor s of a scan.

    Raises:
        click.ClickException: two have a different state.
    """
    lines = ["| | " + " | ".join(found) + " |", "|---|" + "--:|" * len(found)]
    for number, one in enumerate(next(iter(found.values()))):
        own = {name: of_one[number] for name, of_one in found.items()}
        states = {name: of_one.state for name, of_one in own.items() if name != Plain.name}
        if len({*map(tuple, states.values())}) > 1:
            raise click.ClickException(f"{one.table}, {one.step}: states differ: {states}")
        told = (f"{of.processor:.1f} / {of.mib:.0f} / {of.scan:.1f}" for of in own.values())
        if one.table != "warm":
            lines.append(f"| {one.table}: {one.step} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def _measured_alone(name: str, rows: int, work: Path) -> list[Figure]:
    """In a process of its own, with a Spark of its own."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    words = ["--only", name, "--rows", str(rows), "--work", str(work)]
    subprocess.run([sys.executable, "-m", "bench.peers", *words], check=True, cwd=_ROOT)
    found = json.loads((work / "figures.json").read_text("utf-8"))
    shutil.rmtree(work)
    return [Figure(**one) for one in found]


@click.command(help=__doc__)
@click.option("--rows", default=5_000_000, show_default=True, help="Of the narrow tables.")
@click.option("--only", type=click.Choice([*COMPETITORS]), help="Measure this one, in here.")
@click.option("--work", type=click.Path(path_type=Path), default=_ROOT / "bench/work/peers")
def main(rows: int, only: str | None, work: Path) -> None:
    """Measure and print."""
    console = Console(highlight=False)
    if only is None:
        found = {name: _measured_alone(name, rows, work) for name in COMPETITORS}
        console.print(report(found), soft_wrap=True)
        return
    os.chdir(_ROOT)
    mine = []
    for one in figures(COMPETITORS[only](work), rows):
        mine.append(one)
        console.print(
            f"{only}; {one.table}: {one.step}: {one.processor:.1f} processor s,"
            f" {one.seconds:.1f} s, {one.mib:.0f} MiB, scan {one.scan:.1f}"
        )
    (work / "figures.json").write_text(json.dumps([*map(asdict, mine)]), encoding="utf-8")


if __name__ == "__main__":
    main()
