"""What to do about a file that cannot be read: only settings that were tried on that very file.

A setting is for all files of a table. So one is proposed only if the file is read with it, and if
the other files of the run that are read as declared still are. Where the file cannot tell which
of two causes it has, the text names both, and what each way does to the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.strays import format_of
from pyspark_dms.quoting import jinja_text, quoted
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.csv_forms import LikelyForm, csv_advice, likely_forms
from pyspark_dms.reading.csv_values import has_null, has_quoted, is_empty_without_name
from pyspark_dms.reading.file_rows import CsvRows, ParquetRows, as_indexed, is_parquet
from pyspark_dms.reading.indexed_files import Cause, FileProblem, FileSpan, Notes, ReadSettings

# Of a file so many batches are tried; of the files beside it, so many are.
_TRIED_BATCHES = 4
_TRIED_BESIDE = 3
_OPS = pa.array(["I", "U", "D"])
# What databases and tools write for NULL.
_NULL_TEXTS = ("", "NULL", "null", "\\N")


def read_with_advice(
    span: FileSpan, settings: ReadSettings, notes: Notes, beside: Sequence[IndexedFile] = ()
) -> Iterator[pa.RecordBatch]:
    """`read_changes`, whose problems also say what to do.

    Args:
        span: what to read.
        settings: how.
        notes: gets what is found beside the changes.
        beside: the files of the run, of which a few are looked at if this one cannot be read.

    Raises:
        FileProblem: as `read_changes` does.
    """
    try:
        yield from read_changes(span, settings, notes)
    except FileProblem as problem:
        if problem.cause is None:
            raise
        others = [file for file in beside if file.path != span.file.path]
        way_out = _Advice(span.file, settings, problem.cause, others).way_out()
        what = str(problem)
        text = f"{what.rstrip('.')}. {way_out}" if way_out else what
        raise FileProblem(text) from None


@dataclass
class _Advice:
    """Looks for a way out of one problem of one file."""

    file: IndexedFile
    settings: ReadSettings
    cause: Cause
    beside: Sequence[IndexedFile]

    def way_out(self) -> str:
        """What to do, as sentences without the last full stop; empty if nothing helps."""
        try:
            with as_indexed():
                if self._is_csv() and (text := self._of_csv()) is not None:
                    return text
                return self._by_kind[self.cause.kind]()
        except (FileProblem, pa.ArrowException, OSError, ValueError):
            return ""  # it has changed meanwhile, or is damaged; what is wrong is known

    def _is_csv(self) -> bool:
        return not is_parquet(self.file, self.settings)

    @property
    def _by_kind(self) -> dict[str, Callable[[], str]]:
        return {
            "absent": self._of_absent,
            "undeclared": self._of_undeclared,
            "nameless": self._of_nameless,
            "no_op": self._of_no_op,
            "value": self._of_value,
            "format": self._of_format,
            "row": lambda: "Correct the row, or let DMS write the file again",
            "fields": self._of_fields,
            "header": self._of_header,
            "shape": self._of_shape,
        }

    # ------------------------------------------------------------------ CSV

    def _of_csv(self) -> str | None:
        """Another way to read CSV; None if there is none to propose, and others may help."""
        if _tries(self.file, self.settings, lacks=True):
            return None  # a few of its rows are bad
        if text := self._in_other_format():
            return text
        stray = self._other_format()
        # A file whose first row is read is one of DMS.
        if stray and _first_bad_row(self.file, self.settings) <= 1:
            return (
                f"Other files of this run are Parquet, such as {stray}. If DMS did not write this "
                "one, move it out of the folder of the table"
            )
        tried, declared = self.settings, self.settings.csv
        if tried.on_schema_change != "ignore":
            tried = replace(tried, on_schema_change="fail")
        found: list[LikelyForm] = []
        may_be_bare = False
        for form in likely_forms(self.file, self.settings):
            if found and form.changes > found[0].changes:
                break
            settings = replace(tried, csv=form.csv)
            if not self._reads(settings, needs_no_reject=form.is_risky):
                continue
            files = [self.file, *self._others()]
            if form.drops_quotes and any(has_quoted(file, settings) for file in files):
                may_be_bare = True
                continue
            found.append(form)
        if may_be_bare:  # what stands between quotes may be a value with them
            found = [form for form in found if form.csv.quote == declared.quote]
        texts = [csv_advice(form.csv, declared) for form in found[:3]]
        if len(texts) > 1:
            return f"Set what the DMS endpoint has: {' or '.join(texts)}"
        if texts and found[0].drops_quotes:
            # A quoted value that is cut short looks the same.
            return (
                f"Only if DMS does not quote (Rfc4180), set {texts[0]}: quotes are then parts of "
                "values. Otherwise let DMS write the file again"
            )
        return f"Set {texts[0]}" if texts else None

    def _of_shape(self) -> str:
        return self._odd_one() or "Correct the file, or let DMS write it again"

    def _of_fields(self) -> str:
        return (
            self._without_op()
            or self._odd_one()
            or "Correct the file or, if all are so, the declaration: its columns must be in the "
            "order of the file"
        )

    def _odd_one(self) -> str | None:
        """What to do if only this file differs from what is declared."""
        if not any(self._is_read(file, self.settings) for file in self._others()):
            return None
        return (
            "Other files of this run are read as declared. Correct this file, or let DMS write it "
            "again"
        )

    def _of_header(self) -> str:
        """A header that has other names than declared, as no setting reads the file."""
        if text := self._odd_one():
            return text
        csv = self.settings.csv
        form = replace(csv, header=True)
        return f"Set {csv_advice(form, csv)}, and correct the names there or in the declaration"

    def _other_format(self) -> str | None:
        """A Parquet file beside a CSV file, where the names decide what each is."""
        if self.settings.format != "auto":
            return None
        paths = (file.path for file in self.beside)
        return next((path for path in paths if format_of(path) == "parquet"), None)

    # ------------------------------------------------------------------ columns

    def _of_absent(self) -> str:
        absent, settings = self.cause.columns, self.settings
        if renamed := self._renamed(absent):
            return renamed
        declared = {column.name for column in settings.file_columns}
        if set(absent) & set(settings.primary_keys) or not declared.issuperset(absent):
            prefix = settings.before_image_prefix
            is_image = prefix and any(name.startswith(prefix) for name in absent)
            what = "before_image_prefix" if is_image else "the declaration"
            odd = self._odd_one() if self._is_csv() else None
            return odd or f"Correct {what}, or let DMS write the file with it"
        ignored = replace(settings, on_schema_change="ignore")
        left_out = self._left_out()
        can_ignore = not left_out and self._reads(ignored, lacks=True)
        ignore = "on_schema_change: ignore"
        partial = replace(settings, image="partial")
        ops = {"I"} if self.file.kind == "load" else self._ops(partial)
        if not ops & {"U", "any"}:
            if left_out:
                return (
                    f"Files of this run have {', '.join(left_out)}, for which no column is "
                    "declared: declare it, or name it in renamed_from of the column that it was"
                )
            if not can_ignore:
                return "Correct the declaration"
            return (
                f"Set {ignore} to read NULL there in all rows of this file, also if the source has "
                "values; a reload in DMS brings those"
            )
        may_be_partial = bool(settings.primary_keys) and not settings.before_image_prefix
        if not may_be_partial or not self._reads(partial, lacks=True):
            if not can_ignore:
                return "Correct the declaration, or let DMS log all columns"
            return f"If the source dropped it, set {ignore}: earlier values become NULL"
        keeps = "set image: partial, which keeps earlier values (not where a file says NULL)"
        if "I" in ops:
            keeps += ", and reads NULL in inserted rows"
        if self._comes_again(absent):
            return f"Later files have it, so DMS left it out as unchanged: {keeps}"
        both = f"If DMS left it out as unchanged, {keeps}"
        if can_ignore:
            both += f". If the source dropped it, set {ignore}: earlier values become NULL"
        return both

    def _ops(self, settings: ReadSettings) -> set[str]:
        """The operations of a change file; ``any`` stands for those that no column tells."""
        if self.settings.op_column.lower() not in map(str.lower, _names_of(self.file, settings)):
            return {"any"}
        trying = replace(settings, on_bad_row="quarantine", on_schema_change="ignore")
        changes = read_changes(FileSpan(self.file), trying, Notes())
        return {op for batch in changes for op in pc.unique(batch["_dms_op"]).to_pylist()}

    def _left_out(self) -> list[str]:
        """Columns of this file and of a few beside it that only ``ignore`` would read past."""
        files = [self.file, *self._others()]
        return [*dict.fromkeys(name for file in files for name in self._undeclared_names(file))]

    def _renamed(self, absent: Sequence[str]) -> str | None:
        """The column of the file that may be the absent one under another name."""
        others = self._undeclared_names(self.file)
        if len(absent) != 1 or len(others) != 1:
            return None
        (name,), (other,) = absent, others
        earlier = {**self.settings.renamed_from, name: (other,)}
        renamed = replace(self.settings, renamed_from=earlier, on_schema_change="fail")
        if name not in {column.name for column in renamed.columns} or not self._reads(renamed):
            return None
        return (
            f"If {other} is {name} under another name, add below that column "
            f"config: {{meta: {{dms: {{renamed_from: [{_quoted(other)}]}}}}}}"
        )

    def _comes_again(self, names: Sequence[str]) -> bool:
        """Whether a later change file of the run has columns that this one lacks."""
        wanted = {name.lower() for name in names}
        later = [
            file
            for file in self.beside
            if file.kind == "cdc"
            and (file.generation, file.file_seq) > (self.file.generation, self.file.file_seq)
        ]
        return any(
            wanted <= {name.lower() for name in _names_of(file, self.settings)}
            for file in later[:_TRIED_BESIDE]
        )

    def _of_undeclared(self) -> str:
        if op := self._op_under_another_name():
            return f"Set op_column: {_quoted(op)}, or declare the column if the source has it"
        names = {name.lower() for name in _names_of(self.file, self.settings)}
        columns = [column.name for column in self.settings.file_columns]
        absent = [name for name in columns if not _is_there(name, names, self.settings)]
        if renamed := self._renamed(absent):
            return renamed
        declare = (
            "Declare it; or, if DMS added it, name it in timestamp_column or change_seq_column; or "
            "in renamed_from of the column that it was"
        )
        if not self._reads(replace(self.settings, on_schema_change="ignore")):
            return declare
        return f"{declare}. Or set on_schema_change: ignore to leave it out"

    def _of_nameless(self) -> str:
        correct = "Correct the header, or let DMS write the file again"
        ignored = replace(self.settings, on_schema_change="ignore")
        if not self._is_csv() or not self._reads(ignored):
            return correct
        others = [*self._others()]
        are_empty = all(is_empty_without_name(file, ignored) for file in [self.file, *others])
        if any(self._undeclared_names(file) for file in others):
            return correct
        if are_empty:
            return "No row has a value there: set on_schema_change: ignore"
        return f"Values stand below it. {correct}"

    def _of_no_op(self) -> str:
        if op := self._op_under_another_name():
            return f"Set op_column: {_quoted(op)}"
        op_column = self.settings.op_column.lower()
        changes = (file for file in self._others() if file.kind == "cdc")
        for other in changes:
            if op_column in (name.lower() for name in _names_of(other, self.settings)):
                return "Other files of this run have it: let DMS write this file again"
        return self._without_op() or "Let DMS write the column"

    def _without_op(self) -> str | None:
        """The rule for changes of tasks that write no deletes, if the file is read with it."""
        if self.file.kind == "load" or not self.settings.captures_deletes:
            return None
        if not self._reads(replace(self.settings, captures_deletes=False), needs_no_reject=True):
            return None
        return (
            "Only if the DMS task writes no deletes, set captures_deletes: false: each row is then "
            "an insert or update"
        )

    def _op_under_another_name(self) -> str | None:
        """A column of which each value is I, U or D, if the file is read with it as operation."""
        for name in self._undeclared_names(self.file):
            named = replace(self.settings, op_column=name)
            if self._reads(named):
                ops = self._first_values(name)
                if len(ops) and pc.all(pc.is_in(pc.ascii_upper(ops), value_set=_OPS)).as_py():
                    return name
        return None

    # ------------------------------------------------------------------ values

    def _of_value(self) -> str:
        return self._far_as_null() or self._other_null() or ""

    def _far_as_null(self) -> str | None:
        """The rule for times that no table can show, if it is what the value needs."""
        as_null = replace(self.settings, on_time_out_of_range="set_null")
        if self.settings.on_time_out_of_range == "set_null" or self._is_needed():
            return None
        if not self._gets_past(as_null):
            return None
        return "Correct it, or set on_time_out_of_range: set_null to read NULL there"

    def _is_needed(self) -> bool:
        """Whether the column of the value must not be NULL: the operation, or one of the key."""
        needed = {self.settings.op_column.lower()}
        for key in self.settings.primary_keys:
            needed |= {name.lower() for name in (key, *self.settings.renamed_from.get(key, ()))}
        return any(name.lower() in needed for name in self.cause.columns)

    def _gets_past(self, settings: ReadSettings) -> bool:
        """Whether the file is read to a later row, or to its end, with other settings."""
        was, now = (_first_bad_row(self.file, some) for some in (self.settings, settings))
        return now > was

    def _other_null(self) -> str | None:
        value = self.cause.value
        if value not in _NULL_TEXTS or not self._is_csv() or self._is_needed():
            return None
        csv = self.settings.csv
        # All of them: one NULL tells what the others mean.
        files = [self.file, *self._same_kind()]
        if any(has_null(file, self.settings) for file in files):
            return f"NULL is written as {quoted(csv.null_value)} elsewhere, so correct this value"
        form = replace(csv, null_value=value)
        if not self._gets_past(replace(self.settings, csv=form)):
            return None
        return (
            f"If DMS writes NULL so, set {csv_advice(form, csv)}: such texts become NULL in all "
            f"columns, and {quoted(csv.null_value)} is a text then"
        )

    # ------------------------------------------------------------------ format

    def _of_format(self) -> str:
        return self._in_other_format() or "Let DMS write the file again, or reload the table"

    def _in_other_format(self) -> str | None:
        """What to do about a file whose content is in another format than the declared one."""
        auto = replace(self.settings, format="auto")
        is_of_other = is_parquet(self.file, auto) != is_parquet(self.file, self.settings)
        if not is_of_other or not self._reads(auto):
            return None
        what, other = "CSV", "Parquet"
        if self.settings.format == "csv":
            what, other = other, what
        for beside in self._others():
            if self._is_read(beside, self.settings):
                return (
                    f"It is {what}, and others such as {beside.path} are {other}. If DMS did not "
                    "write it, move it out of the folder of the table"
                )
        return f"It is {what}: set format: auto"

    # ------------------------------------------------------------------ trying

    def _reads(
        self, settings: ReadSettings, *, lacks: bool = False, needs_no_reject: bool = False
    ) -> bool:
        """Whether the file and those beside it that are read now are read with other settings."""
        reads = _tries(self.file, settings, lacks=lacks, needs_no_reject=needs_no_reject)
        return reads and all(
            self._is_read(file, settings)
            for file in self._others()
            if self._is_read(file, self.settings)
        )

    def _others(self) -> Iterator[IndexedFile]:
        """A few of the files beside this one, of the same kind of file."""
        return islice(self._same_kind(), _TRIED_BESIDE)

    def _same_kind(self) -> Iterator[IndexedFile]:
        is_own = is_parquet(self.file, self.settings)
        return (file for file in self.beside if is_parquet(file, self.settings) == is_own)

    @staticmethod
    def _is_read(file: IndexedFile, settings: ReadSettings) -> bool:
        return _tries(file, settings, lacks=True)

    def _undeclared_names(self, file: IndexedFile) -> list[str]:
        settings = self.settings
        known = [column.name for column in settings.columns]
        known += [name for earlier in settings.renamed_from.values() for name in earlier]
        known += [settings.op_column, settings.timestamp_column or ""]
        known.append(settings.change_seq_column or "")
        lowered = {name.lower() for name in known}
        prefix = (settings.before_image_prefix or "\0").lower()
        return [
            name
            for name in _names_of(file, settings)
            if name and name.lower() not in lowered and not name.lower().startswith(prefix)
        ]

    def _first_values(self, name: str) -> pa.Array:
        for batch in _rows_of(self.file, self.settings).batches([name]):
            if len(batch.rows):
                values = batch.columns[name]
                return values.cast(pa.string(), safe=False)
        return pa.array([], pa.string())


def _quoted(text: str) -> str:
    return quoted(jinja_text(text))


def _rows_of(file: IndexedFile, settings: ReadSettings) -> ParquetRows | CsvRows:
    return ParquetRows(FileSpan(file)) if is_parquet(file, settings) else CsvRows(file, settings)


def _names_of(file: IndexedFile, settings: ReadSettings) -> list[str]:
    try:
        return _rows_of(file, settings).names
    except FileProblem:
        return []


def _first_bad_row(file: IndexedFile, settings: ReadSettings) -> float:
    """The number of the first row of a file that cannot be taken; infinity if all can."""
    try:
        for _ in read_changes(FileSpan(file), replace(settings, on_bad_row="fail"), Notes()):
            pass
    except FileProblem as problem:
        row = re.match(r"row (\d+)", str(problem))
        return int(row[1]) if row else 0
    return math.inf


def _tries(
    file: IndexedFile,
    settings: ReadSettings,
    *,
    lacks: bool = False,
    needs_no_reject: bool = False,
) -> bool:
    """Whether a file has rows of all declared columns, and few of its first ones are bad.

    Args:
        file: the file.
        settings: how to read it.
        lacks: whether it may lack declared columns.
        needs_no_reject: whether not a single row may be bad.
    """
    notes = Notes()
    trying = replace(settings, on_bad_row="quarantine")
    rows = 0
    try:
        for batch in islice(read_changes(FileSpan(file), trying, notes), _TRIED_BATCHES):
            rows += batch.num_rows
        declared = {name.lower() for name in _names_of(file, settings)}
    except FileProblem:
        return False
    if not lacks and not all(
        _is_there(column.name, declared, settings) for column in settings.file_columns
    ):
        return False
    bad = len(notes.rejects)
    return rows > 0 and (not bad if needs_no_reject else bad * 10 <= rows)


def _is_there(name: str, names: set[str], settings: ReadSettings) -> bool:
    known = (name, *settings.renamed_from.get(name, ()))
    return any(text.lower() in names for text in known)
