"""Tells from a table's sample files what its declaration has to say."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.discovery.column_types import common_type, decoded, spark_type
from pyspark_dms.discovery.evidence import as_read, joined
from pyspark_dms.discovery.findings import cut_values, keys_alike
from pyspark_dms.discovery.found import FoundTable
from pyspark_dms.discovery.keys import KeyProposal, propose_key
from pyspark_dms.discovery.samples import Sample, all_match, read_samples, text_type
from pyspark_dms.discovery.trial import STOPS, refused_files
from pyspark_dms.landing.strays import ANY_FORMAT, by_stem, stem, way_out
from pyspark_dms.reading.columns import is_text, parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.csv_forms import csv_yaml

_TIME = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?"
_CHANGE_SEQ = r"\d{35}"
_OPS = "[IUDiud]"
_OP = "Op"
# What a CSV file without names is given.
_TIMESTAMP = "dms_timestamp"
_HEADER_COLUMN = re.compile(r"ar_h_.*", re.IGNORECASE)
_BEFORE_IMAGE = re.compile(r"BI_(.+)", re.IGNORECASE)


@dataclass
class Shape:
    """What was found out about a table.

    Attributes:
        columns: name and Spark type of each column of the source table, in order.
        guessed: columns whose type is a guess, with the reason.
        op_column: where files say I, U or D; None if none does.
        timestamp_column, change_seq_column: columns that DMS added, if any.
        form: how CSV files are written; None if there are none.
        is_csv_only: whether the files are CSV and nothing else.
        captures_deletes: whether change files say what they do.
        key: the proposed key.
        ops: how many changes of each kind were read.
        load_rows, files: what was read.
        all_loads_read: whether that are all rows of the full loads.
        decisions: what a person has to look at, most damaging first.
    """

    columns: dict[str, str]
    guessed: dict[str, str] = field(default_factory=dict)
    op_column: str | None = None
    timestamp_column: str | None = None
    change_seq_column: str | None = None
    form: CsvFormat | None = None
    is_csv_only: bool = False
    captures_deletes: bool = True
    key: KeyProposal = field(default_factory=lambda: KeyProposal(()))
    ops: dict[str, int] = field(default_factory=dict)
    load_rows: int = 0
    files: int = 0
    all_loads_read: bool = False
    decisions: list[str] = field(default_factory=list)

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The columns that DMS added: for the operation, the commit time and the sequence."""
        return self.op_column, self.timestamp_column, self.change_seq_column


def look_at(found: FoundTable) -> Shape:
    """Read a few files of a table and tell its shape.

    Raises:
        Unreadable: one of them cannot be read.
    """
    read = read_samples(found.sample)
    typed = [sample for sample in read if not sample.form]
    stems = {stem(sample.file.path) for sample in typed}
    # A CSV file of the same name is most often not of DMS, and a person is asked.
    own = [sample for sample in read if not sample.form or stem(sample.file.path) not in stems]
    samples = [_named(sample, typed) for sample in own]
    filled = [sample for sample in samples if sample.rows.num_rows]
    changes = [sample for sample in filled if not sample.file.is_load]
    shape = Shape(columns={}, files=len(samples))
    texts = [sample for sample in samples if sample.form]
    shape.form = texts[0].form if texts else None
    shape.is_csv_only = bool(texts) and not typed and found.has_csv_only
    shape.op_column = _op_column(changes or filled)
    shape.timestamp_column = _timestamp_column(filled, shape.op_column)
    shape.change_seq_column = _change_seq_column(changes)
    shape.captures_deletes = not found.changes or shape.op_column is not None
    _add_columns(shape, samples, [name.lower() for name in shape.roles if name])
    rows = _add_rows(shape, filled)
    loads = [sample for sample in samples if sample.file.is_load]
    shape.all_loads_read = len(loads) == found.loads and all(one.is_whole for one in loads)
    shape.decisions = [
        *_two_tables(filled, shape),
        *_clashes(samples, shape),
        *refused_files(shape, samples),
        *_formats(found, read),
        *_text_decisions(texts),
        *cut_values(rows),
        *keys_alike(rows, shape.key.columns),
        *_decisions(shape, found),
    ]  # fmt: skip
    return shape


def _named(sample: Sample, typed: Sequence[Sample]) -> Sample:
    """Give the columns of a file without names the names that the declaration will use.

    Files of the other format have names: theirs, if there are as many.
    """
    if not sample.form or sample.form.header or not sample.rows.num_rows:
        return sample
    added: list[str] = []
    rows = sample.rows
    for other in typed[-1:]:
        names = other.rows.column_names
        op = next((name for name in names[:1] if name.lower() == _OP.lower()), _OP)
        plain = [name for name in names if name != op]
        has_op = all_match(rows.column(0), _OPS)
        if rows.num_columns == len(plain) + has_op:
            return replace(sample, rows=rows.rename_columns([op, *plain] if has_op else plain))
    if all_match(rows.column(0), _OPS):
        added.append(_OP)
    place = len(added)
    if rows.num_columns > place + 1 and _is_filled_time(rows.column(place)):
        added.append(_TIMESTAMP)
    plain = [f"c{number}" for number in range(1, rows.num_columns - len(added) + 1)]
    return replace(sample, rows=rows.rename_columns([*added, *plain]))


def _op_column(samples: Sequence[Sample]) -> str | None:
    """The column of I, U and D: the first one, or one that is called Op, in every change file."""
    for sample in samples[-1:]:
        for place, name in enumerate(sample.rows.column_names):
            if place > 0 and name.lower() != "op":
                continue
            if all(_has(other, name) and _is_op(other, name) for other in samples):
                return name
    return None


def _is_op(sample: Sample, name: str) -> bool:
    values = _column(sample, name)
    return is_text(decoded(values.type)) and all_match(values, _OPS)


def _timestamp_column(samples: Sequence[Sample], op_column: str | None) -> str | None:
    """The column DMS fills with the commit time: a text behind Op, in every file, never NULL."""
    for sample in samples[-1:]:
        names = [name for name in sample.rows.column_names if name != op_column]
        for place, name in enumerate(names):
            if place > 0 and not re.search("dms|cdc|commit", name, re.IGNORECASE):
                continue
            if all(
                _has(other, name) and _is_filled_time(_column(other, name)) for other in samples
            ):
                return name
    return None


def _is_filled_time(values: pa.ChunkedArray) -> bool:
    return is_text(decoded(values.type)) and values.null_count == 0 and all_match(values, _TIME)


def _change_seq_column(changes: Sequence[Sample]) -> str | None:
    for sample in changes[-1:]:
        for name in sample.rows.column_names:
            if all(
                _has(other, name)
                and is_text(decoded(_column(other, name).type))
                and all_match(_column(other, name), _CHANGE_SEQ)
                for other in changes
            ):
                return name
    return None


def _add_columns(shape: Shape, samples: Sequence[Sample], added: Sequence[str]) -> None:
    types: dict[str, list[pa.DataType]] = {}
    with_values: dict[str, set[pa.DataType]] = {}
    texts: dict[str, list[pa.ChunkedArray]] = {}
    spelled: dict[str, str] = {}
    for sample in samples:
        for name in sample.rows.column_names:
            if name.lower() in added or (name.lower() == "op" and shape.op_column is None):
                continue
            values = sample.rows.column(sample.rows.column_names.index(name))
            spelled.setdefault(name.lower(), name)
            if sample.form:
                texts.setdefault(name.lower(), []).append(values)
            else:
                types.setdefault(name.lower(), []).append(decoded(values.type))
                if values.null_count < len(values):
                    with_values.setdefault(name.lower(), set()).add(decoded(values.type))
    for lower, name in spelled.items():
        typed, text = types.get(lower, []), texts.get(lower, [])
        known = [one for one in dict.fromkeys(typed) if not pa.types.is_null(one)]
        if text and not (known and _takes_texts(common_type(known), text)):
            guesses = dict.fromkeys([*known, *_text_types(text)])
            known = [one for one in guesses if not pa.types.is_null(one)]
        shape.columns[name] = common_type(known)
        if shape.columns[name] == "string":
            # A column without a value is written in any type.
            without = {*typed} - with_values.get(lower, set())
            shape.columns[name] = common_type([one for one in known if one not in without])
        if not known:
            shape.guessed[name] = "no value was seen"
        elif len({spark_type(one) for one in known}) > 1:
            shape.guessed[name] = "files have it as " + " and ".join(map(str, known))
        elif any(spark_type(one) is None for one in known):
            shape.guessed[name] = f"files have it as {known[0]}"


def _text_types(files: Sequence[pa.ChunkedArray]) -> list[pa.DataType]:
    """The type of the texts of all files; if they have none in common, that of each file."""
    whole = text_type(pa.chunked_array([chunk for file in files for chunk in file.chunks]))
    return [whole] if whole != pa.string() else [text_type(file) for file in files]


def _takes_texts(data_type: str, texts: Sequence[pa.ChunkedArray]) -> bool:
    """Whether a run reads the texts of CSV files under a type that other files have."""
    column = parse_column("", data_type)
    return all(as_read(text, column, is_csv=True) is not None for text in texts)


def _add_rows(shape: Shape, samples: Sequence[Sample]) -> pa.Table:
    """Count what was read and find the key; the rows of all files are given back."""
    loads: list[pa.Table] = []
    inserts: list[pa.Table] = []
    changes: list[pa.Table] = []
    for sample in samples:
        rows = _data(sample, shape)
        if sample.file.is_load:
            loads.append(rows)
            shape.load_rows += rows.num_rows
            continue
        if shape.op_column is None or not _has(sample, shape.op_column):
            shape.ops["I"] = shape.ops.get("I", 0) + rows.num_rows
            inserts.append(rows)
            continue
        ops = pc.utf8_upper(_column(sample, shape.op_column).cast(pa.string()))
        for entry in ops.value_counts().to_pylist():
            op = "NULL" if entry["values"] is None else entry["values"]
            shape.ops[op] = shape.ops.get(op, 0) + entry["counts"]
        if not rows.num_columns:
            continue  # a file that has nothing but Op
        is_insert = pc.equal(ops, "I")
        inserts.append(rows.filter(is_insert))
        changes.append(rows.filter(pc.invert(is_insert)))
    load, inserted, changed = map(joined, (loads, inserts, changes))
    if load.num_rows:
        shape.key = propose_key(load, inserted, changed)
    else:
        shape.key = propose_key(inserted, pa.table({}), changed)
    return joined([*loads, *inserts, *changes])


def _two_tables(samples: Sequence[Sample], shape: Shape) -> Iterator[str]:
    """Files of one folder that look like those of two tables."""
    sets = {
        tuple(name for name in sample.rows.column_names if name not in shape.roles): None
        for sample in samples
    }
    way_out = "if these are two tables in one folder, give each its own"
    if shape.is_csv_only and shape.form and not shape.form.header:
        widths = sorted({len(names) for names in sets})
        if len(widths) > 1:
            yield f"files have {' and '.join(map(str, widths))} columns: {way_out}"
        return
    for one, other in itertools.combinations(sets, 2):
        if one and other and {*map(str.lower, one)}.isdisjoint(map(str.lower, other)):
            shown = " and ".join(f"({', '.join(names[:4])})" for names in (one, other))
            yield f"files have no column in common, as {shown}: {way_out}"
            return


def _clashes(samples: Sequence[Sample], shape: Shape) -> Iterator[str]:
    """Columns whose names differ in case only, of which tables of Spark can have one."""
    spelled: dict[str, list[str]] = {}
    for sample in samples:
        seen: dict[str, list[str]] = {}
        for name in sample.rows.column_names:
            seen.setdefault(name.lower(), []).append(name)
        spelled |= {lower: names for lower, names in seen.items() if len(names) > 1}
    for names in spelled.values():
        what = f"columns {' and '.join(map(repr, names))} differ in case only"
        if len(set(names)) == 1:
            what = f"{len(names)} columns are called {names[0]!r}"
        if shape.op_column in names:
            yield f"{what}, and one is the operation of DMS: rename that of the source in the task"
        else:
            yield f"{what}: rename all but one in the task (rule rename-column)"


def _formats(found: FoundTable, samples: Sequence[Sample]) -> Iterator[str]:
    """Files of CSV and of Parquet in one folder; which of them are the newest."""
    # The one that is taken for the file of DMS comes last.
    in_order = sorted(samples, key=lambda one: (not one.form, one.file.path))
    twins = by_stem(one.file.path for one in in_order).values()
    for *others, last in twins:
        for path in others:
            what, advice = way_out(path, last, ANY_FORMAT)
            yield f"{STOPS}{path.rsplit('/', 1)[-1]}: {what}. {advice}"
    if any(len(paths) > 1 for paths in twins):
        return
    named = {extension.removesuffix(".gz") for extension in found.extensions}
    turns = [name for name, _ in itertools.groupby("CSV" if s.form else "Parquet" for s in samples)]
    if len(named) < 2 and len(turns) < 2:
        return
    what = "files of more than one format: " + ", ".join(sorted(found.extensions))
    if len(turns) == 2:
        what += f"; the newest are {turns[1]}: the task changed from {turns[0]} to {turns[1]}"
    yield f"{what}. format: auto, the default, reads both"


def _text_decisions(texts: Sequence[Sample]) -> Iterator[str]:
    """What only a person can decide about how CSV files are written."""
    own = [sample for sample in texts if sample.own_names]
    if own:
        name = own[0].file.path.rsplit("/", 1)[-1]
        yield f"the first row of {name} looks like names, {_way_to_name(own, len(texts))}"
    if any(sample.is_null_unclear for sample in texts):
        yield (
            'empty fields: taken for empty texts; if DMS writes NULL so, set csv.null_value to ""'
        )
    forms = list(dict.fromkeys(sample.form for sample in texts if sample.form))
    if len(forms) > 1:
        shown = "; ".join(csv_yaml(form, "header") for form in forms)
        yield f"CSV files are written in more than one way: {shown}"
    for encoding, name in (("latin-1", "Latin-1"), ("cp1252", "that of Windows (cp1252)")):
        if any(form.encoding == encoding for form in forms):
            yield (
                f"the text is not UTF-8: taken for {name}; name another csv.encoding if it is not"
            )


def _way_to_name(own: Sequence[Sample], count: int) -> str:
    """What becomes of first rows that look like names, of so many files, and what to do."""
    if len(own) < count:
        return (
            "and other files have none: it is taken for a row. Write all files with "
            "AddColumnName, or none"
        )
    names = [name.lower() for name in own[0].own_names]
    is_usable = "" not in names and len({*names}) == len(names)
    way_out = "set csv.header: true, and call the columns so"
    if not is_usable:
        way_out = "give each column one of its own, in all files"
    return f"but may be values: it is taken for a row. If they are names, {way_out}"


def _decisions(shape: Shape, found: FoundTable) -> Iterator[str]:
    """What only a person can decide, most damaging first."""
    if not shape.columns:
        yield "no columns: the files that were read are empty"
    if shape.is_csv_only and shape.form and not shape.form.header:
        yield "CSV without names: columns are called c1, c2 …; name them, in this order"
    if not shape.key.columns:
        yield "no key found: name it, or leave [] for a table that only ever gets inserts"
    elif shape.all_loads_read and 2 * shape.key.fitting < shape.key.changes:
        yield (
            "key that most changes do not agree with: name that of the source, or a type in which "
            "it is the same in all files"
        )
    elif shape.key.is_weak:
        yield "key with little evidence: confirm it against the source database"
    if found.changes and shape.op_column is None:
        yield "deletes not captured: change files have no Op, so the task writes inserts only"
    elif found.changes and not shape.ops.get("D"):
        yield "no delete seen: check that the task captures deletes"
    if not found.loads:
        yield "no full load: rows from before the first change file are missing"
    if not found.changes:
        yield "no change files yet: Op, timestamp and deletes cannot be told"
    if shape.timestamp_column is None:
        yield "no timestamp column: commit times are unknown (TimestampColumnName of the task)"
    if found.other_folders:
        yield (
            "files in folders below that DMS does not make are read, too: "
            + ", ".join(sorted(found.other_folders))
        )
    if found.load_folders:
        yield "full load in several folders: taken for a parallel load"
    for name in shape.columns:
        if name.lower() == "snapshot_date" or name.lower().startswith("_dms_"):
            yield (
                f"column {name!r} has a name that columns of this project have: rename it in the "
                "task (rule rename-column)"
            )
        if match := _BEFORE_IMAGE.fullmatch(name):
            if match[1].lower() in map(str.lower, shape.columns):
                prefix = name.removesuffix(match[1])
                yield (
                    f"column {name!r} looks like a before image: if it is, declare "
                    f"before_image_prefix: {prefix} and delete the column"
                )
        elif _HEADER_COLUMN.fullmatch(name):
            yield f"column {name!r} looks like a header column of DMS"
    if shape.is_csv_only:
        yield "types are guessed from text"
    elif shape.guessed:
        yield "types to decide: " + ", ".join(shape.guessed)


def _data(sample: Sample, shape: Shape) -> pa.Table:
    """The columns of the source table, each in one type, so that equal values are equal.

    Text of CSV files stays text, unless other files have types.
    """
    present = [name for name in shape.columns if _has(sample, name)]
    columns = []
    for name in present:
        column = _column(sample, name)
        column = column.cast(decoded(column.type))
        if (name in shape.guessed and not sample.form) or (sample.form and not shape.is_csv_only):
            # What a run refuses stays as it is, for it is evidence only.
            declared = parse_column(name, shape.columns[name])
            typed = as_read(column, declared, is_csv=bool(sample.form))
            column = column if typed is None else typed
        columns.append(column)
    return pa.Table.from_arrays(columns, present)


def _has(sample: Sample, name: str) -> bool:
    return name.lower() in (other.lower() for other in sample.rows.column_names)


def _column(sample: Sample, name: str) -> pa.ChunkedArray:
    names = [other.lower() for other in sample.rows.column_names]
    return sample.rows.column(names.index(name.lower()))
