"""What a plan of files is made from and what it says: the facts of a table, its versions, the plan.

The macro landing_tables gives the facts as JSON; `parse_table` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from pyspark_dms.landing.events import FileKey
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.strays import ANY_FORMAT
from pyspark_dms.versions.manifest import Shard, Step


@dataclass(frozen=True)
class Version:
    """A version that a run starts from, or the current one.

    Attributes:
        version: its number.
        run_date: the date whose end its state is of.
        newest_date: its run date, or the last unchanged date that shows it.
        generation: the load generation it stands on.
        last_file_seq: the place of the last file applied in that generation.
        base_version: the version it was built on; None for none.
        rows_after: its rows.
        indexed_from, indexed_through: as `FilePlan` has them, of the run of `newest_date`.
        files: path and entity tag of the files that it applied itself.
        load_files: those of the full load files that its state was built from.
        shards: of a table with several folders what it says of each, by value of the shard column.
    """

    version: int
    run_date: date
    newest_date: date
    generation: int
    last_file_seq: int
    base_version: int | None
    rows_after: int
    indexed_from: datetime | None
    indexed_through: datetime | None
    files: frozenset[FileKey]
    load_files: frozenset[FileKey] = frozenset()
    shards: Mapping[str, Shard] = field(default_factory=dict)


@dataclass(frozen=True)
class TableFacts:
    """What a plan needs to know of a table.

    Attributes:
        label: how messages name it, as ``hr.people``.
        path: the folder of its files; empty if it has several.
        transaction_path: the folder of the files with the changes of all tables, or None.
        cdc_start_date: change files of earlier dates are left out.
        on_missing_files: warn or fail.
        full_refresh: whether the run builds the table from nothing.
        run_command, rebuild_command: what a person pastes to run it again, or with --full-refresh.
        current: the current version.
        base: the version that the run starts from; None for nothing. Where the run is of the date
            of `current` it is the version before that.
        excluded: files that a rollback keeps out of runs.
        included: files that were excluded and are included again.
        history: all versions by number, each read when it is asked for.
        is_altered: whether the table is declared otherwise than when the current version was made.
        shards: value of the shard column and path of each of several folders.
        is_new_folder: whether the base was made without this folder, which is one of several.
        has_key: whether the table has a primary key.
        file_format: the key ``format``: auto, parquet or csv.
        allows_missing: whether a person has said, for this run, that no missing file is needed.
        allow_missing_command: what says so.
    """

    label: str
    path: str
    transaction_path: str | None
    cdc_start_date: date | None
    on_missing_files: str
    full_refresh: bool
    run_command: str
    rebuild_command: str
    current: Version | None
    base: Version | None
    excluded: frozenset[FileKey]
    included: frozenset[FileKey]
    history: Mapping[int, Step]
    is_altered: bool = False
    shards: tuple[tuple[str, str], ...] = ()
    is_new_folder: bool = False
    has_key: bool = True
    file_format: str = ANY_FORMAT
    allows_missing: bool = False
    allow_missing_command: str = ""

    @property
    def reapply_command(self) -> str:
        """What undoes a rollback."""
        arguments = f"{{select: {self.label}, dry_run: false}}"
        return f"dbt run-operation reapply --args '{arguments}'"

    @property
    def rebuild_without_missing(self) -> str:
        """What takes the rows of deleted files out of the state."""
        command = self.allow_missing_command
        return command if self.full_refresh else f"{command} --full-refresh"


@dataclass(frozen=True)
class FilePlan:
    """What a run does with a table.

    Attributes:
        action: none (nothing to do), merge (on the base) or build (from nothing).
        files: the files to read, in their order; none where the table fails.
        generation: the load generation of the state after the run.
        load_file_count: how many of the files are of a full load.
        last_file_seq: the place of the last file applied in that generation after the run.
        indexed_from: files that were indexed until then need not be looked at any more.
        indexed_through: the last indexing of a file that the run takes or, where it takes none,
            that it has looked at.
        warnings: what is wrong, and what to do about it.
        error: why the table fails; None if it does not.
        shown_version: the version that the date shows if there is nothing to do: the base or, where
            a date is run again that would come out the same, the current version; else None.
        is_late: whether a file of a merge has its place before one that was applied.
        shards: of a table with several folders where each of them stands after the run.
        replaced_shards: those of which a merge replaces all rows, by a new full load.
    """

    action: str
    files: tuple[IndexedFile, ...]
    generation: int
    load_file_count: int
    last_file_seq: int
    indexed_from: datetime | None
    indexed_through: datetime | None
    warnings: tuple[tuple[str, str], ...]
    error: str | None
    shown_version: int | None = None
    is_late: bool = False
    shards: tuple[Shard, ...] = ()
    replaced_shards: tuple[str, ...] = ()


# ------------------------------------------------------------------------ reading facts


def parse_table(entry: Mapping[str, Any], history: Mapping[int, Step]) -> TableFacts:
    """Read the facts of a table from JSON, an object with the fields of `TableFacts`.

    Dates are YYYY-MM-DD, moments are names of runs, files are lists of path and entity tag. What
    may be None may be absent.

    Args:
        entry: the object.
        history: `TableFacts.history`.

    Raises:
        KeyError: a field is absent.
        ValueError: a date or a moment is none.
    """
    return TableFacts(
        label=entry["label"],
        path=entry["path"] or "",
        transaction_path=entry.get("transaction_path"),
        cdc_start_date=_parse_date(entry.get("cdc_start_date")),
        on_missing_files=entry["on_missing_files"],
        full_refresh=entry["full_refresh"],
        run_command=entry["run_command"],
        rebuild_command=entry["rebuild_command"],
        current=_parse_version(entry.get("current")),
        base=_parse_version(entry.get("base")),
        excluded=_parse_files(entry.get("excluded")),
        included=_parse_files(entry.get("included")),
        history=history,
        is_altered=entry.get("is_altered", False),
        shards=tuple((shard["name"], shard["path"]) for shard in entry.get("shards") or ()),
        has_key=entry.get("has_key", True),
        file_format=entry.get("format", ANY_FORMAT),
        allows_missing=entry.get("allows_missing", False),
        allow_missing_command=entry.get("allow_missing_command", ""),
    )


def _parse_version(entry: Mapping[str, Any] | None) -> Version | None:
    if entry is None:
        return None
    return Version(
        version=entry["version"],
        run_date=date.fromisoformat(entry["run_date"]),
        newest_date=date.fromisoformat(entry["newest_date"]),
        generation=entry["generation"],
        last_file_seq=entry["last_file_seq"],
        base_version=entry.get("base_version"),
        rows_after=entry["rows_after"],
        indexed_from=_parse_moment(entry.get("indexed_from")),
        indexed_through=_parse_moment(entry.get("indexed_through")),
        files=_parse_files(entry.get("files")),
        load_files=_parse_files(entry.get("load_files")),
        shards=parse_shards(entry),
    )


def parse_shards(version: Mapping[str, Any] | None) -> dict[str, Shard]:
    """Read what a version says of the folders of a table that has several."""
    states = version.get("shards") if version else None
    return {state["name"]: Shard(**state) for state in states or ()}


def _parse_date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _parse_moment(text: str | None) -> datetime | None:
    """Read the moment that the name of a run (`Run.name`) tells."""
    return None if text is None else datetime.strptime(text, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)


def _parse_files(entries: Iterable[Sequence[str]] | None) -> frozenset[FileKey]:
    return frozenset((path, etag) for path, etag in entries or ())
