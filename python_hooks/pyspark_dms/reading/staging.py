"""Writes the changes of indexed files, typed and numbered, as the Parquet files of staging.

One task takes one group of files and writes one Parquet file under a name that depends only on
the group (of a full load with a business date one for each date, if they are few), so a task that
Spark runs again writes the same objects again. Nothing is visible until the folder is made a
partition of the staging table, in SQL.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.advice import read_with_advice
from pyspark_dms.reading.batches import gathered
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.clocks import (
    ClockFinding,
    clock_finding,
    time_of_micros,
    time_of_place,
)
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.dates import DatedOutput, Dates
from pyspark_dms.reading.file_rows import as_indexed, is_parquet, open_parquet
from pyspark_dms.reading.indexed_files import (
    CHANGE_FIELDS,
    FileProblem,
    FileSpan,
    Notes,
    ReadSettings,
)
from pyspark_dms.reading.key_order import KeyOrder
from pyspark_dms.reading.output import Output, writing
from pyspark_dms.versions.metadata import moment

# Below this a group is not worth a task of its own (one costs about 50 ms); above, it is split.
_SMALLEST_GROUP_BYTES = 4 * 1024 * 1024
_LARGEST_GROUP_BYTES = 128 * 1024 * 1024
# Enough groups to keep a few cores busy with a middling amount of data.
_WANTED_GROUPS = 8
_MOST_ADVISED = 5
# DMS names a change file by the time it is written: where the two agree, it is no copy.
_LARGEST_CLOCK_DIFFERENCE = timedelta(hours=1)

REPORT_SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("kind", pa.string()),
        ("etag", pa.string()),
        ("generation", pa.int32()),
        ("file_seq", pa.int64()),
        ("indexed_at", pa.timestamp("us", "UTC")),
        ("row_count", pa.int64()),
        ("first_key", pa.string()),
        ("last_key", pa.string()),
        ("problem", pa.string()),
        ("reject_count", pa.int64()),
        ("new_columns", pa.string()),
        ("staged_in", pa.string()),
        ("fingerprint", pa.string()),
        # Not in the table dms_staged_files: whether the reports of all groups are there.
        ("group_number", pa.int32()),
        ("group_count", pa.int32()),
    ]
)

# What a task says of its group.
SUMMARY_SCHEMA = pa.schema(
    [
        ("row_count", pa.int64()),
        ("reject_count", pa.int64()),
        ("problems", pa.list_(pa.string())),
        ("new_columns", pa.list_(pa.string())),
        ("first_path", pa.string()),
        # Files that lack columns, so that rows lose the values they have there, with the columns.
        ("nulled", pa.list_(pa.string())),
        ("clocks", pa.list_(pa.string())),
    ]
)

REJECT_SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("etag", pa.string()),
        ("row_number", pa.int64()),
        ("reason", pa.string()),
        ("row_json", pa.string()),
    ]
)


@dataclass(frozen=True)
class StagingJob:
    """All that a staging run needs, as the options of the data source give it.

    Attributes:
        location: the folder to write, fresh and empty.
        report: the folder for what is said of each file, fresh and empty.
        rejects: the folder for the rows that cannot be taken, fresh and empty.
        fingerprint: that of the declaration.
        files: the files to read.
        settings: how to read them.
        dates: if full loads become partitions of a business date, that.
    """

    location: str
    report: str
    rejects: str
    fingerprint: str
    files: list[IndexedFile]
    settings: ReadSettings
    dates: Dates | None = None

    @cached_property
    def first_changes(self) -> dict[int, datetime]:
        """The time in the name of the first change file behind each full load, by generation.

        Files that were written before the load may be of its generation, and have older rows.
        """
        begun: dict[int, str] = {}
        for file in self.files:
            if file.kind == "load" and file.modified_at:
                begun[file.generation] = min(
                    file.modified_at, begun.get(file.generation, file.modified_at)
                )
        first: dict[int, datetime] = {}
        for file in self.files:
            named = None if file.kind == "load" else time_of_place(file.file_seq)
            if named is None or _was_written_before(file, named, begun.get(file.generation)):
                continue
            first[file.generation] = min(named, first.get(file.generation, named))
        return first


def _was_written_before(file: IndexedFile, named: datetime, begun: str | None) -> bool:
    """Whether a change file is older than a full load; a copy has another time than its name."""
    if not file.modified_at or not begun or file.modified_at >= begun:
        return False
    return abs(moment(file.modified_at) - named) < _LARGEST_CLOCK_DIFFERENCE


@dataclass
class Group:
    """What one task reads and writes: spans of files in order, and the number of its output.

    Attributes:
        number: of this group, from 0.
        spans: what it reads.
        size: the bytes of that.
        count: how many groups there are.
    """

    number: int
    spans: list[FileSpan] = field(default_factory=list)
    size: int = 0
    count: int = 0


class _UnfinishedGroup(Exception):
    """Not all of a group can be taken as its table is declared."""


def parse_job(text: str) -> StagingJob:
    """Read the option ``job`` of the data source.

    Args:
        text: JSON object with ``location``, ``report``, ``rejects``, ``fingerprint``, ``files`` (a
            list of objects with the fields of `IndexedFile`), ``settings`` (an object with the
            fields of `ReadSettings`; ``columns`` is a list of ``[name, data_type]``) and ``dates``
            (None, or the name of a column and a granularity).

    Raises:
        DmsError: a column has a type that is not supported.
    """
    job = json.loads(text)
    settings = parse_settings(job.pop("settings"))
    files = [IndexedFile(**entry) for entry in job.pop("files")]
    by_name = {column.name: column for column in settings.columns}
    dates = job.pop("dates", None)
    if dates:
        dates = Dates(by_name[dates[0]], dates[1])
    return StagingJob(**job, files=files, settings=settings, dates=dates)


def parse_settings(given: Mapping[str, Any]) -> ReadSettings:
    """Read the settings of a table from JSON, an object with the fields of `ReadSettings`.

    Raises:
        DmsError: a column has a type that is not supported.
    """
    fields = {**given, "csv": dict(given["csv"])}
    fields["columns"] = tuple(parse_column(*column) for column in fields["columns"])
    fields["primary_keys"] = tuple(fields["primary_keys"])
    for key in ("trim", "lower", "unaccent"):
        fields[key] = tuple(fields.get(key, ()))
    if fields["csv"].get("columns") is not None:
        fields["csv"]["columns"] = tuple(fields["csv"]["columns"])
    fields["renamed_from"] = {
        name: tuple(earlier) for name, earlier in fields["renamed_from"].items()
    }
    if fields["transaction_table"]:
        fields["transaction_table"] = tuple(fields["transaction_table"])
    fields["csv"] = CsvFormat(**fields["csv"])
    return ReadSettings(**fields)


def plan_groups(files: list[IndexedFile], settings: ReadSettings) -> list[Group]:
    """Divide files, in order, into groups of about equal size: small ones packed, large ones split.

    A file that cannot be opened is planned whole, and is not read: a store that refuses it for a
    moment would leave fewer files in the staged folder than the next attempt of the same plan, or
    more, and these count as changes.
    """
    total = sum(file.size for file in files)
    wanted = min(max(total // _WANTED_GROUPS, _SMALLEST_GROUP_BYTES), _LARGEST_GROUP_BYTES)
    groups: list[Group] = []
    for file in sorted(files, key=lambda file: file.file_seq):
        for span, size in _spans(file, wanted, settings):
            if not groups or (groups[-1].spans and groups[-1].size + size > wanted):
                groups.append(Group(number=len(groups)))
            groups[-1].spans.append(span)
            groups[-1].size += size
    for group in groups:
        group.count = len(groups)
    return groups


def _spans(
    file: IndexedFile, wanted: int, settings: ReadSettings
) -> Iterator[tuple[FileSpan, int]]:
    """Split a file of more than twice the wanted size at row groups; yields spans with bytes."""
    try:
        # Where a row of a CSV file begins is known only to who has read all before it.
        if file.size <= 2 * wanted or not is_parquet(file, settings):
            yield FileSpan(file), file.size
            return
        metadata = open_parquet(file).metadata
    except FileProblem as problem:
        yield FileSpan(file, problem=str(problem)), file.size
        return
    numbers: list[int] = []
    size = rows = first_row = 0
    for number in range(metadata.num_row_groups):
        row_group = metadata.row_group(number)
        numbers.append(number)
        size += row_group.total_byte_size
        rows += row_group.num_rows
        if size >= wanted or number == metadata.num_row_groups - 1:
            yield FileSpan(file, numbers, first_row), size
            first_row += rows
            numbers, size, rows = [], 0, 0


def stage(job: StagingJob, group: Group) -> Iterator[pa.RecordBatch]:
    """Write the changes of one group and a report of its files; returns one row that sums it up.

    A problem ends the reading of its file. Then nothing is written, nor where a file has columns
    that are yet to be declared: a command that only publishes would take it for whole. What an
    earlier attempt has written stays.
    """
    reports: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    name = f"part-{group.number:05d}.parquet"
    try:
        _write_group(group, job, f"{job.location}/{name}", reports, rejects)
    except _UnfinishedGroup:
        pass
    else:
        if rejects:
            _write(f"{job.rejects}/{name}", rejects, REJECT_SCHEMA)
        _write(f"{job.report}/{name}", reports, REPORT_SCHEMA)
    yield pa.RecordBatch.from_pylist([_summary(reports)], schema=SUMMARY_SCHEMA)


def _write_group(
    group: Group,
    job: StagingJob,
    path: str,
    reports: list[dict[str, Any]],
    rejects: list[dict[str, Any]],
) -> None:
    """Write the changes of one group as one object; what is to be told is added to the lists.

    Raises:
        _UnfinishedGroup: nothing was written, as not all of it can be taken.
    """
    schema = job.settings.schema
    # Changes are read once or twice, soon: speed before size. A load may become a snapshot.
    is_load = all(span.file.kind == "load" for span in group.spans)
    output_of: AbstractContextManager[Output | DatedOutput]
    if is_load and job.dates:
        output_of = DatedOutput(path, schema, job.dates)
    else:
        dictionaries = None if is_load else [name for name, _ in CHANGE_FIELDS]
        output_of = writing(path, schema, dictionaries)
    with output_of as output:
        for rows in gathered(_changes(group, job, reports, rejects), schema):
            output.write(rows)
        if any(report["problem"] or report["new_columns"] for report in reports):
            raise _UnfinishedGroup


def _write(path: str, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    with stores.open_for_writing(path) as sink:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), sink)


def _summary(reports: list[dict[str, Any]]) -> dict[str, Any]:
    with_problem = [report for report in reports if report["problem"]]
    with_new_columns = [report for report in reports if report["new_columns"]]
    return {
        "row_count": sum(report["row_count"] for report in reports),
        "reject_count": sum(report["reject_count"] for report in reports),
        "problems": [f"{report['path']}: {report['problem']}" for report in with_problem],
        "new_columns": sorted({report["new_columns"] for report in with_new_columns}),
        "first_path": min((report["path"] for report in with_new_columns), default=None),
        "nulled": sorted({report["nulled"] for report in reports if report["nulled"]}),
        "clocks": _clocks([report["clock"] for report in reports if report["clock"]]),
    }


def _clocks(found: list[ClockFinding]) -> list[str]:
    """The files of full loads and of changes that are the farthest ahead, as JSON."""
    farthest = {one.kind: one for one in sorted(found, key=lambda one: one.minutes)}
    return [json.dumps(asdict(one)) for one in farthest.values()]


def _clock(file: IndexedFile, times: Sequence[int], job: StagingJob) -> ClockFinding | None:
    """What commit times of a file, in microseconds, say beside the time of its writing."""
    first, last = (time_of_micros(f(times, default=None)) for f in (min, max))
    if file.kind != "load":
        return clock_finding(file.kind, file.path, first, last, time_of_place(file.file_seq), None)
    written = moment(file.modified_at) if file.modified_at else None
    first_change = job.first_changes.get(file.generation)
    return clock_finding(file.kind, file.path, first, last, written, first_change)


def _changes(
    group: Group,
    job: StagingJob,
    reports: list[dict[str, Any]],
    rejects: list[dict[str, Any]],
) -> Iterator[pa.RecordBatch]:
    """Read the changes of a group; what is to be told of each span is added to the lists."""
    for span in group.spans:
        notes = Notes()
        # No message shows more problems than a few, and advice costs reading.
        may_advise = sum(report["problem"] is not None for report in reports) < _MOST_ADVISED
        report = yield from _changes_of_span(span, job, notes, may_advise)
        told = {
            "staged_in": job.location,
            "fingerprint": job.fingerprint,
            "group_number": group.number,
            "group_count": group.count,
        }
        indexed_at = {"indexed_at": moment(span.file.indexed_at)}
        reports.append({**asdict(span.file), **indexed_at, **report, **told})
        rejects += [
            {
                "path": span.file.path,
                "etag": span.file.etag,
                "row_number": reject.row,
                "reason": reject.reason,
                "row_json": reject.content,
            }
            for reject in notes.rejects
        ]


def _changes_of_span(
    span: FileSpan, job: StagingJob, notes: Notes, may_advise: bool
) -> Generator[pa.RecordBatch, None, dict[str, Any]]:
    """Read one span; returns what the report says of it beside the file itself.

    A problem comes with advice, for which the files beside this one are read, if that is wanted.
    """
    settings, beside = job.settings, job.files if may_advise else None
    rows = 0
    times: list[int] = []
    problem: str | None = None
    order = KeyOrder(settings.primary_keys if span.file.kind == "load" else ())
    try:
        if span.problem:
            raise FileProblem(span.problem)
        with as_indexed():
            batches = (
                read_changes(span, settings, notes)
                if beside is None
                else read_with_advice(span, settings, notes, beside)
            )
            for batch in batches:
                yield batch
                order.follow(batch)
                rows += batch.num_rows
                if settings.timestamp_column:
                    both = pc.min_max(batch.column("_dms_committed_at").cast(pa.int64())).as_py()
                    times += [micros for micros in both.values() if micros is not None]
    except FileProblem as found:
        problem = str(found)
    first_key, last_key = order.bounds()
    return {
        "row_count": rows,
        "first_key": first_key,
        "last_key": last_key,
        "problem": problem,
        "reject_count": len(notes.rejects),
        "new_columns": json.dumps(notes.new_columns) if notes.new_columns else None,
        "nulled": _nulled(span.file, notes),
        "clock": _clock(span.file, times, job),
    }


def _nulled(file: IndexedFile, notes: Notes) -> str | None:
    if not notes.nulled_columns:
        return None
    return f"{file.path} ({', '.join(notes.nulled_columns)})"
