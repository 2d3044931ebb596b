"""What reading DMS files is about: a file, how it is to be read, and what is found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.columns import Column
from pyspark_dms.reading.csv_format import CsvFormat

# Beyond these it is the file or the declaration that is wrong, and not some rows.
MOST_REJECTS = 10_000
MOST_REJECT_CHARACTERS = 64 * 1024 * 1024

# The columns that staging adds behind the declared ones.
CHANGE_FIELDS: list[tuple[str, pa.DataType]] = [
    ("_dms_op", pa.string()),
    ("_dms_committed_at", pa.timestamp("us", "UTC")),
    ("_dms_change_seq", pa.string()),
    ("_dms_generation", pa.int32()),
    ("_dms_is_load", pa.bool_()),
    ("_dms_file_seq", pa.int64()),
    ("_dms_row", pa.int64()),
    ("_dms_is_key_change", pa.bool_()),
    ("_dms_absent", pa.list_(pa.string())),
]


@dataclass(frozen=True)
class Cause:
    """What kind of problem a file has, if the way out of it depends on what the file holds.

    Attributes:
        kind: ``absent`` (columns that the file lacks), ``undeclared`` (columns that the table
            lacks), ``nameless`` (a field of a header), ``no_op``, ``value`` (one that cannot be
            taken), ``format`` (no Parquet) or, in CSV, ``row`` (one has too many or too few
            fields), ``fields`` (all have), ``header`` (one that is not declared) or ``shape``.
        columns: the columns that it is about.
        value: the value that cannot be taken, as text; None for NULL.
    """

    kind: str
    columns: tuple[str, ...] = ()
    value: str | None = None


SHAPE = Cause("shape")


class FileProblem(Exception):
    """Why a file cannot be taken; the text names the row, the column and the value if it can.

    Attributes:
        cause: what `pyspark_dms.reading.advice` looks for a way out of; None if the text has it.
    """

    def __init__(self, text: str, cause: Cause | None = None) -> None:
        super().__init__(text)
        self.cause = cause


@dataclass(frozen=True)
class ReadSettings:
    """How the files of one table are to be read: the part of its declaration that Python needs.

    `shard_column` is in no file: its value is `IndexedFile.shard`. `trim`, `lower` and `unaccent`
    name columns of text, which `folding.folded` brings to one form. With ``set_null`` in
    `on_time_out_of_range` dates and times outside the years 1 to 9999 are NULL.
    """

    columns: tuple[Column, ...]
    primary_keys: tuple[str, ...]
    op_column: str
    timestamp_column: str | None = None
    change_seq_column: str | None = None
    captures_deletes: bool = True
    on_schema_change: str = "fail"
    on_bad_row: str = "fail"
    image: str = "full"
    before_image_prefix: str | None = None
    timestamp_timezone: str = "UTC"
    order_by: str = "file"
    renamed_from: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    transaction_table: tuple[str, str] | None = None
    format: str = "auto"
    csv: CsvFormat = field(default_factory=CsvFormat)
    shard_column: str | None = None
    trim: tuple[str, ...] = ()
    on_time_out_of_range: str = "fail"
    lower: tuple[str, ...] = ()
    unaccent: tuple[str, ...] = ()

    def folds_of(self, column: str) -> list[str]:
        """The keys of the declaration that change the texts of a column."""
        named = {"trim": self.trim, "lower": self.lower, "unaccent": self.unaccent}
        return [key for key, columns in named.items() if column in columns]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of staged changes: declared columns, then `CHANGE_FIELDS`."""
        declared = [(column.name, column.arrow_type) for column in self.columns]
        return pa.schema(declared + CHANGE_FIELDS)

    @property
    def file_columns(self) -> tuple[Column, ...]:
        """The declared columns that files have."""
        return tuple(column for column in self.columns if column.name != self.shard_column)

    @property
    def file_keys(self) -> tuple[str, ...]:
        """The key columns that files have."""
        return tuple(key for key in self.primary_keys if key != self.shard_column)


@dataclass(frozen=True)
class Reject:
    """A row that cannot be taken.

    Attributes:
        row: its number in the file, from 1.
        reason: what is wrong with it.
        content: the fields that would have been read, as the file has them, a JSON object of
            texts; of a line with too few or too many fields the line.
    """

    row: int
    reason: str
    content: str


@dataclass
class Notes:
    """What reading a file finds beside its changes.

    Attributes:
        rejects: the rows that cannot be taken.
        new_columns: name and declarable type of the columns that are not declared, where these
            are to be appended.
        nulled_columns: declared columns that the file lacks, where its rows replace rows that may
            have values there.
    """

    rejects: list[Reject] = field(default_factory=list)
    new_columns: list[tuple[str, str]] = field(default_factory=list)
    nulled_columns: list[str] = field(default_factory=list)
    _characters: int = 0

    def reject(self, row: Reject) -> None:
        """Set a row aside.

        Raises:
            FileProblem: there are too many of them, or they are too long.
        """
        self.rejects.append(row)
        self._characters += len(row.content)
        for limit, found, what in (
            (MOST_REJECTS, len(self.rejects), "of its rows"),
            (MOST_REJECT_CHARACTERS, self._characters, "characters of rows"),
        ):
            if found > limit:
                first = self.rejects[0]
                raise FileProblem(
                    f"more than {limit} {what} cannot be taken; the first is row "
                    f"{first.row}: {first.reason}"
                )


@dataclass
class FileSpan:
    """A file, or the row groups of a large one, to read in one go.

    Attributes:
        file: the file.
        row_groups: the row groups to read; None for all.
        first_row: number of rows in the file before the first of these.
        problem: why the file could not be opened to divide it; empty if it could.
    """

    file: IndexedFile
    row_groups: list[int] | None = None
    first_row: int = 0
    problem: str = ""
