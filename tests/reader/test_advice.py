"""The walk through all advices: each is followed to the letter, and the files are read again.

A message proposes settings as YAML. With each of them the files have their right rows, or there is
another true error; where a setting loses values, the run warns of it.
"""

import ast
import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from jinja2 import Template

from pyspark_dms import reading
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.advice import read_with_advice
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings
from tests.declaration.harness import Macros

Columns = Mapping[str, Sequence[Any]]
PEOPLE = {"id": "int", "name": "string"}
NOTES = {"id": "int", "name": "string", "note": "string"}
AGES = {"id": "int", "age": "int"}
TEXTS = {"code": "string", "text": "string"}
MACROS = Macros()
KEYS = MACROS.dms_keys()


@dataclass(frozen=True)
class Nulled:
    """Rows that are read, with a warning that values of these columns may be lost."""

    rows: list[tuple[Any, ...]]
    columns: list[str]


@dataclass
class Case:
    """Files of one run, the problem of the first that has one, and what each advice leads to.

    Attributes:
        says: what the message has beside its advice.
        files: content of the files by their names, in their order.
        leads_to: by the YAML that the message proposes: all rows then, or what the next error says.
        columns, dms: the declaration.
    """

    says: str
    files: Mapping[str, bytes | str | Columns]
    leads_to: Mapping[str, list[tuple[Any, ...]] | Nulled | str]
    columns: Mapping[str, str] = field(default_factory=lambda: PEOPLE)
    dms: dict[str, Any] = field(default_factory=dict)


LOAD, CDC, LATER = "LOAD1", "20201114-100000000", "20201114-110000000"
ANN_BO = [("I", 1, "Ann"), ("I", 2, "Bo")]
NOTED = [("I", 1, "Ann", "ok"), ("I", 2, "Bob", "hi")]
HEADER: dict[str, Any] = {"csv": {"header": True}}
UNQUOTED: dict[str, Any] = {"csv": {"header": True, "rfc4180": False}}
KEEPS = "which keeps earlier values"
BECOME_NULL = "earlier values become NULL"
OP_ID: dict[str, Sequence[Any]] = {"Op": ["U"], "id": [1]}

CASES = {
    # -------------------------------------------------------------- rows and fields of CSV
    "row delimiter as two characters": Case(
        "it has no column note",
        {f"{LOAD}.csv": r"id,name,note\n1,Ann,ok\n2,Bob,hi\n"},
        {r"csv: {header: true, row_delimiter: '\\n', rfc4180: false}": NOTED},
        NOTES, UNQUOTED,
    ),
    "row delimiter as two characters, and absent columns ignored": Case(
        "it has a header, no rows and no column note",
        {f"{LOAD}.csv": r"id,name,note\n1,Ann,ok\n2,Bob,hi\n"},
        {r"csv: {header: true, row_delimiter: '\\n', rfc4180: false}": NOTED},
        NOTES, {**UNQUOTED, "on_schema_change": "ignore"},
    ),
    # No declaration can have it: its first character comes again.
    "row delimiter as four characters, without a header": Case(
        "row 1 has 5 fields",
        {f"{CDC}.csv": r"I,1,Ann\r\nI,2,Bo\r\n"},
        {},
    ),
    "CR LF written out as four characters, where two are declared": Case(
        "Give the DMS endpoint another CsvRowDelimiter. Correct the file, or let DMS write",
        {f"{CDC}.csv": r"I,1,Ann\r\nI,2,Bo\r\n"},
        {},
        dms={"csv": {"row_delimiter": r"\\n"}},
    ),
    "CR LF declared, and one column that ends in LF": Case(
        r"its rows end in \n, which csv.row_delimiter is not",
        {f"{LOAD}.csv": "Ann\nBo\n"},
        {r"csv: {row_delimiter: '\n'}": [("I", "Ann"), ("I", "Bo")]},
        {"name": "string"}, {"csv": {"row_delimiter": "\r\n"}, "primary_keys": ["name"]},
    ),
    "CR LF": Case(
        r"its rows end in \r\n",
        {f"{CDC}.csv": "I,1,Ann\r\nI,2,Bo\r\n"},
        {r"csv: {row_delimiter: '\r\n'}": ANN_BO},
    ),
    "CR LF behind the only row": Case(
        r"its rows end in \r\n",
        {f"{CDC}.csv": "I,1,Ann\r\n"},
        {r"csv: {row_delimiter: '\r\n'}": ANN_BO[:1]},
    ),
    "another delimiter, and LF behind the only row": Case(
        r"its rows end in \n, which csv.row_delimiter is not",
        {f"{CDC}.csv": "I;1;Ann\n"},
        {r'''csv: {row_delimiter: '\n', delimiter: ";"}''': ANN_BO[:1]},
        dms={"csv": {"row_delimiter": "\r\n"}},
    ),
    "quotes of a file beside": Case(
        "the quotes of a row are not as RFC 4180 wants them",
        {f"{CDC}.csv": 'I,1,5" pipe\n', f"{LATER}.csv": 'I,2,"Bo"\n'},
        {},
    ),
    "CR LF and quotes": Case(
        "the quotes of a row are not as RFC 4180 wants them",
        {f"{CDC}.csv": 'I,1,"Ann"\r\nI,2,"Bo"\r\n'},
        {r"csv: {row_delimiter: '\r\n'}": ANN_BO},
    ),
    "delimiter, with a header": Case(
        "it has no key column id; it has: Op;id;name",
        {f"{CDC}.csv": "Op;id;name\nI;1;Ann\nI;2;Bo\n"},
        {'csv: {header: true, delimiter: ";"}': ANN_BO},
        dms=HEADER,
    ),
    "delimiter, absent columns ignored, no key": Case(
        "it has none of the declared columns",
        {f"{LOAD}.csv": "code;text\na;b\n"},
        {'csv: {header: true, delimiter: ";"}': [("I", "a", "b")]},
        TEXTS, {**HEADER, "on_schema_change": "ignore", "primary_keys": []},
    ),
    "delimiter, new columns appended": Case(
        "it has no key column id",
        {f"{LOAD}.csv": "id\tname\n1\tAnn\n2\tBo\n"},
        {r"csv: {header: true, delimiter: '\t'}": ANN_BO},
        dms={**HEADER, "on_schema_change": "append_new_columns"},
    ),
    "delimiter, without a header": Case(
        "row 1 has 1 fields",
        {f"{CDC}.csv": "I|1|Ann\nI|2|Bo\n"},
        {'csv: {delimiter: "|"}': ANN_BO},
    ),
    "a delimiter that only this file has": Case(
        "row 1 has 1 fields",
        {f"{CDC}.csv": "I,1,Ann\n", f"{LATER}.csv": "I|2|Bo\n"},
        {},
    ),
    "a header where none is declared": Case(
        "row 1 holds the names of the columns",
        {f"{CDC}.csv": "Op,id,name\nI,1,Ann\nI,2,Bo\n"},
        {"csv: {header: true}": ANN_BO},
    ),
    "a header with another name where none is declared": Case(
        "row 1 holds the names of the columns",
        {f"{LOAD}.csv": "id,name,nmae\n1,Ann,ok\n2,Bob,hi\n"},
        {"csv: {header: true}": "If nmae is note under another name"},
        NOTES,
    ),
    "a header with few names of the table": Case(
        "row 1, column id: value 'id' does not fit int",
        {f"{LOAD}.csv": "id,nmae\n1,Ann\n2,Bo\n"},
        {},
    ),
    "a comma where another delimiter is declared": Case(
        "it has no key column id",
        {f"{LOAD}.csv": "id,name\n1,Ann\n2,Bo\n"},
        {'csv: {delimiter: ",", header: true}': ANN_BO},
        dms={"csv": {"header": True, "delimiter": ";"}},
    ),
    "a comma in the changes, and another delimiter in the load": Case(
        "Other files of this run are read as declared. Correct this file",
        {f"{LOAD}.csv": "id;name\n1;Ann\n2;Bo\n", f"{CDC}.csv": "Op,id,name\nI,3,Cy\n"},
        {},
        dms={"csv": {"header": True, "delimiter": ";"}},
    ),
    "no header where one is declared": Case(
        "it has no key column id",
        {f"{LOAD}.csv": "1,Ann\n2,Bo\n"},
        {"csv: {header: false}": ANN_BO},
        dms=HEADER,
    ),
    "no header where one is declared, absent columns ignored, no key": Case(
        "it has none of the declared columns",
        {f"{LOAD}.csv": "a,b\nc,d\n"},
        {"csv: {header: false}": [("I", "a", "b"), ("I", "c", "d")]},
        TEXTS, {**HEADER, "on_schema_change": "ignore", "primary_keys": []},
    ),
    "a name in the header is wrong, all columns are texts": Case(
        "it has no column text",
        {f"{LOAD}.csv": "code,txet\na,b\n"},
        {'config: {meta: {dms: {renamed_from: ["txet"]}}}': [("I", "a", "b")]},
        TEXTS, HEADER,
    ),
    "quotes where none are declared to be": Case(
        "the quotes of a row are not as RFC 4180 wants them",
        {f"{CDC}.csv": 'I,1,5" pipe\nI,2,"\n'},
        {"csv: {rfc4180: false}": [("I", 1, '5" pipe'), ("I", 2, '"')]},
    ),
    "one row has wrong quotes, others are quoted": Case(
        "the quotes of a row are not as RFC 4180 wants them",
        {f"{CDC}.csv": 'I,1,"Ann, Lee"\nI,2,"Bo"x\n'},
        {},
    ),
    "a row has wrong quotes, and one far behind it is quoted": Case(
        "the quotes of a row are not as RFC 4180 wants them",
        {f"{CDC}.csv": "I,1,5\" pipe\n" + "I,2,Bo\n" * 60_000 + 'I,3,"Cy"\n'},
        {},
    ),
    "another quote": Case(
        "row 1 has 4 fields",
        {f"{CDC}.csv": "I,1,'Ann, Lee'\nI,2,'Bo, Li'\n"},
        {"""csv: {quote: "'"}""": [("I", 1, "Ann, Lee"), ("I", 2, "Bo, Li")]},
    ),
    "no quotes at all, or another one": Case(
        "the file ends inside a quoted field",
        {f"{LOAD}.csv": "1,'\n2,\"\"\n"},
        {},
        dms={"csv": {"quote": "'"}},
    ),
    "quoted, though declared not to be": Case(
        "row 1 has 4 fields",
        {f"{CDC}.csv": 'I,1,"Ann, Lee"\nI,2,"Bo, Li"\n'},
        {"csv: {rfc4180: true}": [("I", 1, "Ann, Lee"), ("I", 2, "Bo, Li")]},
        dms={"csv": {"rfc4180": False}},
    ),
    "UTF-16": Case(
        "it has no key column id",
        {f"{LOAD}.csv": "id,name\n1,Ann\n2,Bö\n".encode("utf-16")},
        {'csv: {header: true, encoding: "utf-16"}': [("I", 1, "Ann"), ("I", 2, "Bö")]},
        dms=HEADER,
    ),
    "no such encoding": Case(
        "there is no encoding of text klingon",
        {f"{CDC}.csv": "I,1,Ann\nI,2,Bo\n"},
        {'csv: {encoding: "utf-8"}': ANN_BO},
        dms={"csv": {"encoding": "klingon"}},
    ),
    "a row with too few fields": Case(
        "row 2: it has 2 fields where there must be 3",
        {f"{CDC}.csv": "I,1,Ann\nI,2\nI,3,Cy\n"},
        {},
    ),
    "no header row": Case(
        "it has no header row", {f"{LOAD}.csv": gzip.compress(b"")}, {}, dms=HEADER
    ),
    "a CSV file beside Parquet": Case(
        "row 1 holds the names of the columns",
        {f"{LOAD}.parquet": {"id": [1], "name": ["Ann"]}, f"{LOAD}.csv": "id,name\n1,Ann\n"},
        {},
    ),
    "CSV where Parquet is declared": Case(
        "it cannot be read as Parquet",
        {f"{LOAD}.csv": "1,Ann\n2,Bo\n"},
        {"format: auto": ANN_BO},
        dms={"format": "parquet"},
    ),
    "Parquet where CSV is declared": Case(
        "It is Parquet: set format: auto",
        {f"{LOAD}.csv": {"id": [1, 2], "name": ["Ann", "Bo"]}},
        {"format: auto": ANN_BO},
        dms={"format": "csv"},
    ),
    "Parquet where CSV with names is declared": Case(
        "It is Parquet: set format: auto",
        {f"{LOAD}.csv": {"id": [1, 2], "name": ["Ann", "Bo"]}},
        {"format: auto": ANN_BO},
        dms={"format": "csv", **HEADER},
    ),
    "Parquet of any name where CSV is declared and others are": Case(
        "It is Parquet, and others such as",
        {f"{LOAD}.csv": {"id": [1], "name": ["Ann"]}, f"{CDC}.csv": "I,1,Ann\n"},
        {},
        dms={"format": "csv"},
    ),
    "no Parquet": Case("it cannot be read as Parquet", {f"{LOAD}.parquet": b"PAR1 no"}, {}),
    # -------------------------------------------------------------- columns
    "an update without a column": Case(
        "it has no column name, and its row 1 is no delete (U)",
        {f"{CDC}.parquet": OP_ID},
        {
            f"image: partial, {KEEPS}": [("U", 1, "kept")],
            f"on_schema_change: ignore: {BECOME_NULL}": Nulled([("U", 1, None)], ["name"]),
        },
    ),
    "an update without a column that the next file has": Case(
        "Later files have it, so DMS left it out as unchanged",
        {f"{CDC}.parquet": OP_ID, f"{LATER}.parquet": {**OP_ID, "name": ["Ann"]}},
        {f"image: partial, {KEEPS}": [("U", 1, "kept"), ("U", 1, "Ann")]},
    ),
    "an update without a column, and before images": Case(
        "it has no column name",
        {f"{CDC}.parquet": {**OP_ID, "BI_id": [1]}},
        {f"on_schema_change: ignore: {BECOME_NULL}": Nulled([("U", 1, None)], ["name"])},
        dms={"before_image_prefix": "BI_"},
    ),
    "deletes and an update without a column": Case(
        "it has no column name, and its row 3 is no delete (U)",
        {f"{CDC}.parquet": {"Op": ["D", "D", "U"], "id": [1, 2, 3]}},
        {
            f"image: partial, {KEEPS}": [("D", 1, None), ("D", 2, None), ("U", 3, "kept")],
            f"on_schema_change: ignore: {BECOME_NULL}": Nulled(
                [("D", 1, None), ("D", 2, None), ("U", 3, None)], ["name"]
            ),
        },
    ),
    "inserts without a column": Case(
        "it has no column name, and its row 1 is no delete (I)",
        {f"{CDC}.parquet": {"Op": ["I", "D"], "id": [1, 2]}},
        {"on_schema_change: ignore": [("I", 1, None), ("D", 2, None)]},
    ),
    "inserts without a column that the next file has": Case(
        "to read NULL there in all rows of this file, also if the source has values",
        {
            f"{CDC}.parquet": {"Op": ["I"], "id": [1]},
            f"{LATER}.parquet": {**OP_ID, "name": ["Ann"]},
        },
        {"on_schema_change: ignore": [("I", 1, None), ("U", 1, "Ann")]},
    ),
    "an insert and an update without a column": Case(
        "(not where a file says NULL), and reads NULL in inserted rows",
        {f"{CDC}.parquet": {"Op": ["I", "U"], "id": [1, 2]}},
        {
            f"image: partial, {KEEPS}": [("I", 1, None), ("U", 2, "kept")],
            f"on_schema_change: ignore: {BECOME_NULL}": Nulled(
                [("I", 1, None), ("U", 2, None)], ["name"]
            ),
        },
    ),
    "a full load without a column": Case(
        "it has no column name",
        {f"{LOAD}.parquet": {"id": [1]}},
        {"on_schema_change: ignore": [("I", 1, None)]},
    ),
    "a full load without a column that changes have": Case(
        "it has no column name",
        {f"{LOAD}.parquet": {"id": [1]}, f"{CDC}.parquet": {**OP_ID, "name": ["Ann"]}},
        {"on_schema_change: ignore": [("I", 1, None), ("U", 1, "Ann")]},
    ),
    "changes without Op and without a column": Case(
        "it has no column name",
        {f"{CDC}.parquet": {"id": [1]}},
        {
            f"image: partial, {KEEPS}": [("I", 1, "kept")],
            f"on_schema_change: ignore: {BECOME_NULL}": Nulled([("I", 1, None)], ["name"]),
        },
        dms={"captures_deletes": False},
    ),
    "a renamed column": Case(
        "it has a column that is not declared: nick",
        {f"{CDC}.parquet": {**OP_ID, "nick": ["Ann"]}},
        {'config: {meta: {dms: {renamed_from: ["nick"]}}}': [("U", 1, "Ann")]},
    ),
    "a renamed key": Case(
        "it has no key column id",
        {f"{CDC}.parquet": {"Op": ["U"], "nid": [1], "name": ["Ann"]}},
        {'config: {meta: {dms: {renamed_from: ["nid"]}}}': [("U", 1, "Ann")]},
    ),
    "no key": Case("it has no key column id", {f"{CDC}.parquet": {"Op": ["U"], "name": ["A"]}}, {}),
    "no commit time": Case(
        "it has no column ts, which is declared as timestamp_column",
        {f"{CDC}.parquet": {**OP_ID, "name": ["Ann"]}},
        {},
        dms={"timestamp_column": "ts"},
    ),
    "no before image": Case(
        "it has no column BI_id, and its row 1 is no delete (U). Correct before_image_prefix",
        {f"{CDC}.parquet": {**OP_ID, "name": ["Ann"]}},
        {},
        dms={"before_image_prefix": "BI_"},
    ),
    "a new column": Case(
        "it has a column that is not declared: size",
        {f"{CDC}.parquet": {**OP_ID, "name": ["Ann"], "size": [7]}},
        {"on_schema_change: ignore": [("U", 1, "Ann")]},
    ),
    "a new column of lists": Case(
        "its new column sizes has type list",
        {f"{CDC}.parquet": {**OP_ID, "name": ["Ann"], "sizes": [[7]]}},
        {"on_schema_change: ignore": [("U", 1, "Ann")]},
        dms={"on_schema_change": "append_new_columns"},
    ),
    "operations under another name": Case(
        "it has no column Op",
        {f"{CDC}.parquet": {"action": ["U", "D"], "id": [1, 2], "name": ["Ann", "Bo"]}},
        {'op_column: "action"': [("U", 1, "Ann"), ("D", 2, "Bo")]},
    ),
    "operations under another name in a full load": Case(
        "it has a column that is not declared: action",
        {f"{LOAD}.parquet": {"action": ["I", "I"], "id": [1, 2], "name": ["Ann", "Bo"]}},
        {'op_column: "action"': ANN_BO},
    ),
    "no operations": Case(
        "it has no column Op",
        {f"{CDC}.parquet": {"id": [1, 2], "name": ["Ann", "Bo"]}},
        {"captures_deletes: false": ANN_BO},
    ),
    "no operations in this file alone": Case(
        "it has no column Op",
        {
            f"{CDC}.parquet": {"id": [1, 2], "name": ["Ann", "Bo"]},
            f"{LATER}.parquet": {"Op": ["D"], "id": [1], "name": [None]},
        },
        {},
    ),
    "no operations in CSV": Case(
        "row 1 has 2 fields, the first of them '1'",
        {f"{CDC}.csv": "1,Ann\n2,Bo\n"},
        {"captures_deletes: false": ANN_BO},
    ),
    "a field of the header has no name, and nothing stands below it": Case(
        "field 3 of its header has no name",
        {f"{LOAD}.csv": "id,name,\n1,Ann,\n2,Bo,\n"},
        {"on_schema_change: ignore": ANN_BO},
        dms=HEADER,
    ),
    "fields of the header have no name, and nothing stands below them": Case(
        "field 3 of its header has no name",
        {f"{LOAD}.csv": "id,name,,\n1,Ann,,\n2,Bo,,\n"},
        {"on_schema_change: ignore": ANN_BO},
        dms=HEADER,
    ),
    "a field of the header has no name, and rows have no such field": Case(
        "field 3 of its header has no name",
        {f"{LOAD}.csv": "id,name,\n1,Ann\n2,Bo\n"},
        {},
        dms=HEADER,
    ),
    "a field of the header has no name, and values stand below it": Case(
        "field 3 of its header has no name",
        {f"{LOAD}.csv": "id,name,\n1,Ann,x\n2,Bo,\n"},
        {},
        dms=HEADER,
    ),
    "a field of the header has no name, and values stand below it in a file beside": Case(
        "Values stand below it",
        {f"{CDC}.csv": "Op,id,name,\nI,1,Ann,\n", f"{LATER}.csv": "Op,id,name,\nI,2,Bo,x\n"},
        {},
        dms=HEADER,
    ),
    "a field of the header has no name, and a file beside has a name for it": Case(
        "Correct the header",
        {f"{CDC}.csv": "Op,id,name,\nI,1,Ann,\n", f"{LATER}.csv": "Op,id,name,b\nI,2,Bo,x\n"},
        {},
        dms=HEADER,
    ),
    "two columns of a full load under other names": Case(
        "Files of this run have remark, text, for which no column is declared",
        {f"{LOAD}.csv": "id,remark,text\n1,Ann,ok\n"},
        {},
        NOTES, HEADER,
    ),
    "a full load without a column, and changes with one more": Case(
        "Files of this run have extra, for which no column is declared",
        {f"{LOAD}.csv": "id,name\n1,Ann\n", f"{CDC}.csv": "Op,id,name,note,extra\nI,2,Bo,a,b\n"},
        {},
        NOTES, HEADER,
    ),
    # -------------------------------------------------------------- values
    "an empty field where a number must be": Case(
        "row 1, column age: value '' does not fit int",
        {f"{CDC}.csv": "I,1,\nI,2,3\n"},
        {'csv: {null_value: ""}': [("I", 1, None), ("I", 2, 3)]},
        AGES,
    ),
    "empty fields where a number and a text must be": Case(
        "such texts become NULL in all columns",
        {f"{CDC}.csv": "I,1,,\nI,2,3,x\n"},
        {'csv: {null_value: ""}': [("I", 1, None, None), ("I", 2, 3, "x")]},
        {"id": "int", "age": "int", "text": "string"},
    ),
    "an unknown operation that looks like NULL": Case(
        "column Op: unknown operation ''", {f"{CDC}.csv": "I,1,2\n,2,3\n"}, {}, AGES
    ),
    "a far commit time that decides the order": Case(
        "row 1, column ts: value 'infinity' is outside the years 1 to 9999",
        {f"{CDC}.csv": "I,infinity,1,2\n"},
        {},
        AGES,
        {"timestamp_column": "ts", "order_by": "timestamp"},
    ),
    "NULL of MySQL": Case(
        r"row 1, column age: value '\\N' does not fit int",
        {f"{CDC}.csv": "I,1,\\N\nI,2,3\n"},
        {r"csv: {null_value: '\N'}": [("I", 1, None), ("I", 2, 3)]},
        AGES,
    ),
    "an empty field in a table that has NULL": Case(
        "row 2, column age: value '' does not fit int",
        {f"{CDC}.csv": "I,1,NULL\nI,2,\n"},
        {},
        AGES,
    ),
    "an empty field in a run that has NULL far from it": Case(
        'NULL is written as "NULL" elsewhere, so correct this value',
        {
            **{f"20201114-10000000{number}.csv": "I,1,2\n" for number in range(5)},
            "20201114-100000005.csv": "I,1,NULL\n",
            f"{LATER}.csv": "I,2,\n",
        },
        {},
        AGES,
    ),
    "an empty field in quotes": Case(
        "row 1, column age: value '' does not fit int",
        {f"{CDC}.csv": 'I,1,""\nI,2,3\n'},
        {},
        AGES,
    ),
    "an empty key": Case("row 1, column id: value ''", {f"{CDC}.csv": "I,,Ann\nI,2,Bo\n"}, {}),
    "a far time": Case(
        "row 1, column at: value 'infinity' is outside the years 1 to 9999",
        {f"{CDC}.csv": "I,1,infinity\n"},
        {"on_time_out_of_range: set_null": [("I", 1, None)]},
        {"id": "int", "at": "timestamp"},
    ),
    "a far day in Parquet": Case(
        "row 1, column day: value 10183-09-21 is outside the years 1 to 9999",
        {f"{CDC}.parquet": {"Op": ["I"], "id": [1], "day": pa.array([3000000], pa.int32()).cast(
            pa.date32())}},
        {"on_time_out_of_range: set_null": [("I", 1, None)]},
        {"id": "int", "day": "date"},
    ),
    "a far key": Case(
        "row 1, column at: value 'infinity' is outside the years 1 to 9999",
        {f"{CDC}.csv": "I,infinity,x\n"},
        {},
        {"at": "timestamp", "x": "string"},
    ),
    "an unknown operation": Case(
        "unknown operation 'X'",
        {f"{CDC}.parquet": {"Op": ["X"], "id": [1], "name": ["Ann"]}},
        {},
    ),
}  # fmt: skip


def declared(case: Case, **more: Any) -> ReadSettings:
    """The settings of a declaration, as the macros of the project read it."""
    dms = {"path": "/a", "primary_keys": [next(iter(case.columns))], **case.dms, **more}
    renamed = dms.pop("renamed_from", {})
    read = MACROS._read_keys(dms, KEYS)
    assert read["problems"] == []
    filled = read["filled"]
    kept = set(ReadSettings.__dataclass_fields__) & set(filled)
    fields = {key: filled[key] for key in kept - {"primary_keys", "csv", "trim"}}
    columns = tuple(parse_column(*column) for column in case.columns.items())
    keys = tuple(filled["primary_keys"])
    csv = CsvFormat(**filled["csv"])
    return ReadSettings(columns, keys, csv=csv, renamed_from=renamed, **fields)


def write(folder: Path, case: Case) -> list[IndexedFile]:
    files = []
    for number, (name, content) in enumerate(case.files.items()):
        path = folder / name
        if isinstance(content, Mapping):
            pq.write_table(pa.table(dict(content)), path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        kind = "load" if name.startswith("LOAD") else "cdc"
        files.append(IndexedFile(str(path), path.stat().st_size, kind, "", 1, number, ""))
    return files


def outcome(files: list[IndexedFile], settings: ReadSettings) -> Any:
    """The rows of all files, or the message of the first that cannot be read."""
    rows: list[tuple[Any, ...]] = []
    notes = Notes()
    try:
        for file in files:
            for batch in read_with_advice(FileSpan(file), settings, notes, files):
                for row in batch.to_pylist():
                    absent = row["_dms_absent"] or []
                    values = [
                        "kept" if column.name in absent else row[column.name]
                        for column in settings.columns
                    ]
                    rows.append((row["_dms_op"], *values))
    except FileProblem as problem:
        return str(problem)
    assert notes.rejects == []
    return Nulled(rows, notes.nulled_columns) if notes.nulled_columns else rows


_PROPOSED = re.compile(
    r"(?:[Ss]et|add below that column|endpoint has:|\bor) "
    rf"""((?:{"|".join([*KEYS, "config"])}): (?:"[^"]*"|\w+|{{.*?}}+(?=[.,: ]|$)))"""
)


def proposed(message: str) -> dict[str, dict[str, Any]]:
    """What a message proposes: each setting as it is written there, and what YAML makes of it."""
    return {text: yaml.safe_load(text) for text in _PROPOSED.findall(message)}


def absent_column(message: str) -> str:
    match = re.search(r"is (\w+) under another name", message)
    assert match is not None
    return match[1]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_following_an_advice_gives_the_right_rows_or_another_true_error(
    tmp_path: Path, case: Case
) -> None:
    files = write(tmp_path, case)
    message = outcome(files, declared(case))
    assert isinstance(message, str), message
    assert case.says in message
    advices = proposed(message)
    expected = {yaml_text.split(", which")[0].split(": earlier")[0]: then
                for yaml_text, then in case.leads_to.items()}  # fmt: skip
    assert list(advices) == list(expected), message
    for said in case.leads_to:
        assert said in message
    for text, then in expected.items():
        change = advices[text]
        if "config" in change:
            earlier = tuple(change["config"]["meta"]["dms"]["renamed_from"])
            change = {"renamed_from": {absent_column(message): earlier}}
        found = outcome(files, declared(case, **change))
        assert then in found if isinstance(then, str) else found == then, text


@pytest.mark.parametrize("name", ["no", "{{ op }}", "{# op", 'o"p'])
def test_a_proposed_name_is_itself_once_dbt_has_rendered_it(tmp_path: Path, name: str) -> None:
    case = Case("", {f"{CDC}.parquet": {name: ["U"], "id": [1], "name": ["Ann"]}}, {})
    message = outcome(write(tmp_path, case), declared(case))
    written = re.search(r"Set (op_column: .*)", message)
    assert written, message
    assert Template(yaml.safe_load(written[1])["op_column"]).render() == name


def test_a_file_of_dms_is_no_stray_because_of_one_bad_value(tmp_path: Path) -> None:
    changes: Columns = {"Op": ["U"], "id": [1], "age": [3]}
    case = Case("", {f"{LOAD}.csv": "1,2\n2,x\n", f"{CDC}.parquet": changes}, {}, AGES)
    message = outcome(write(tmp_path, case), declared(case))
    assert message == "row 2, column age: value 'x' does not fit int"


# ------------------------------------------------------------------ the walk is whole


def messages(tmp_path: Path) -> str:
    texts = []
    for number, case in enumerate(CASES.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        texts.append(str(outcome(write(folder, case), declared(case))))
    return "\n".join(texts)


def advising_texts() -> list[tuple[str, str]]:
    """Texts of `reading` that name a key with a value, with their file and line."""
    key = re.compile(rf"\b(?:{'|'.join(KEYS)}|config): \S*$|\b(?:{'|'.join(KEYS)}): [\w\"']")
    found = []
    for path in sorted(Path(reading.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text())
        documentation = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in documentation
                and key.search(node.value)
            ):
                found.append((f"{path.name}:{node.lineno}", node.value))
    return found


def test_every_text_that_proposes_a_setting_is_in_the_walk(tmp_path: Path) -> None:
    texts = advising_texts()
    assert len(texts) > 8
    shown = messages(tmp_path)
    assert [place for place, text in texts if text.strip() not in shown] == []
