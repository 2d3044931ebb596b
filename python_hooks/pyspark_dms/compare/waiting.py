"""Which keys have changes that DMS has written and the published state does not have yet."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from pyspark_dms.compare.forms import text_of
from pyspark_dms.compare.sides import ComparedTable, Key, PublishedSide, Shard
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.events import Run
from pyspark_dms.landing.facts import FilePlan
from pyspark_dms.landing.index import parse_job as parse_index_job
from pyspark_dms.landing.index import waiting_files
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.file_rows import as_indexed
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings
from pyspark_dms.reading.staging import parse_settings
from pyspark_dms.versions.published import PublishedVersion

# Of whatever date a file is, it waits: times in the names of files are of years before this.
_ALL_DATES = date(2261, 12, 31)


@dataclass(frozen=True)
class DeclaredTable:
    """A table as it is declared.

    Attributes:
        label: source and table name.
        staging_model: the model of its changes.
        settings: its columns, and how its files are read.
        job: what the index needs to plan its files.
        keys: the primary key as it is declared; the one in `settings` has the shard column too.
        shards: what the shard column says of each of several folders; empty if it has one.
    """

    label: str
    staging_model: str
    settings: ReadSettings
    job: Mapping[str, Any]
    keys: tuple[str, ...]
    shards: tuple[str, ...]


def read_declared(dbt: DbtSession, label: str) -> DeclaredTable:
    """Ask dbt for a table.

    Raises:
        DmsError: the table is not declared, or wrongly.
    """
    answer = dbt.call("print_compared_tables", tables=[label.split(".", 1)])
    table = answer["tables"][0]
    settings = parse_settings(table["settings"])
    names = (tuple(table["keys"]), tuple(table["shards"]))
    return DeclaredTable(label, table["staging_model"], settings, answer["job"], *names)


@dataclass
class LandedChanges:
    """Tells which keys wait; see `comparison.Waiting`.

    A change waits if it is in a file that the next run would take, or that a run has applied for a
    later date than the one that is compared.
    """

    dbt: DbtSession
    table: ComparedTable
    version: PublishedVersion
    here: PublishedSide

    def __call__(self, keys: Collection[Key]) -> set[Key]:
        """Those of the keys of which a change waits.

        Raises:
            DmsError: a new full load waits, or a file that cannot be read.
        """
        declared, plan = self._plan()
        files = _files_of(plan, self.table.shard)
        if loads := [file.path for file in files if file.kind == "load"]:
            raise DmsError(
                "E654",
                f"{self.table.label}: a new full load waits, {loads[0]}, so that any row "
                "may differ. Nothing was compared. Run dbt run, then the same command again.",
            )
        waiting = _changed(files, declared.settings, self.table, frozenset(keys))
        rest = [key for key in keys if key not in waiting]
        if rest:
            waiting |= self.here.changed_later(declared.staging_model, self.version.run_date, rest)
        return waiting

    def _plan(self) -> tuple[DeclaredTable, FilePlan]:
        declared = read_declared(self.dbt, self.table.label)
        plan = _plan(declared)
        if plan.error:
            raise DmsError(
                "E654",
                f"{plan.error} Until then compare cannot tell which rows only wait for a change.",
            )
        return declared, plan


def _plan(declared: DeclaredTable) -> FilePlan:
    job = parse_index_job(json.dumps(declared.job))
    run = Run(_ALL_DATES, datetime.now(UTC))
    return waiting_files(replace(job, run=run))[declared.label]


def _files_of(plan: FilePlan, shard: Shard | None) -> list[IndexedFile]:
    """The files of a plan; of a table with several folders those of the one that is compared."""
    return [file for file in plan.files if shard is None or file.shard == shard.value]


def _changed(
    files: Sequence[IndexedFile],
    settings: ReadSettings,
    table: ComparedTable,
    keys: frozenset[Key],
) -> set[Key]:
    """Those of the keys of which some files have a change."""
    by_name = {column.name: column for column in table.keys}
    found: set[Key] = set()
    for file in files:
        try:
            with as_indexed():
                for batch in read_changes(FileSpan(file), settings, Notes()):
                    columns = [
                        [text_of(by_name[name].form, value) for value in batch[name].to_pylist()]
                        for name in by_name
                    ]
                    found.update(keys.intersection(zip(*columns, strict=True)))
        except FileProblem as problem:
            raise DmsError(
                "E208",
                f"{table.label}: {file.path}: {problem}. It waits for a run and cannot be read, so "
                "compare cannot tell which rows it changes. Correct the file, as dbt run asks.",
            ) from problem
    return found
