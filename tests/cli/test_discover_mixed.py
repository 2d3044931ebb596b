"""What ``discover`` makes of files that contradict each other, and of what their values show."""

import gzip
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner

from pyspark_dms.cli import main
from pyspark_dms.discovery import trial
from pyspark_dms.discovery.evidence import joined
from pyspark_dms.discovery.findings import cut_values, keys_alike

LOAD, LOAD_2 = "LOAD00000001", "LOAD00000002"
CHANGES, LATER = "20201114-100000000", "20201115-100000000"


def as_parquet(columns: Mapping[str, Any]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(dict(columns)), sink)
    return bytes(sink.getvalue().to_pybytes())


def discovered(folder: Path, **files: bytes) -> tuple[str, dict[str, Any]]:
    """What is said of table hr.a, whose files are given, and its declaration; {} if it has none.

    Beside it is hr.other, with which nothing is wrong: it is declared whatever the first has.
    """
    project, root = folder / "project", folder / "dms"
    project.mkdir()
    (project / "dbt_project.yml").write_text("name: a_project\n")
    for name, content in {"other/LOAD00000001.parquet": OTHER, **named(files)}.items():
        path = root / "hr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    command = ["discover", str(root), "--project-dir", str(project)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    assert (project / "models/sources/hr/other.yml").exists()
    file = project / "models/sources/hr/a.yml"
    table = yaml.safe_load(file.read_text())["sources"][0]["tables"][0] if file.exists() else {}
    return " ".join(result.output.split()), table


def named(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """``LOAD00000001_csv`` is LOAD00000001.csv; ``c`` stands before a name that is a number."""
    names = {}
    for name, content in files.items():
        stem, _, ending = name.removeprefix("c").replace("csv_gz", "csv.gz").rpartition("_")
        names[f"a/{stem.replace('_', '-')}.{ending}"] = content
    return names


OTHER = as_parquet({"id": [1, 2]})


def dms(table: Mapping[str, Any]) -> dict[str, Any]:
    return dict(table["config"]["meta"]["dms"])


def columns(table: Mapping[str, Any]) -> dict[str, str]:
    return {column["name"]: column["data_type"] for column in table["columns"]}


# ------------------------------------------------------------------ two formats


@pytest.mark.parametrize("header", [True, False])
def test_a_task_that_changed_from_csv_to_parquet_is_one_table(tmp_path: Path, header: bool) -> None:
    names = b"Op,id,a\n" if header else b""
    parquet = {"Op": ["I"], "id": pa.array([2], pa.int32()), "a": ["y"]}
    said, table = discovered(
        tmp_path,
        c20201114_100000000_csv=names + b"I,1,x\n",
        c20201115_100000000_parquet=as_parquet(parquet),
    )
    # The types are those of Parquet, and the files are read by their endings.
    assert columns(table) == {"id": "int", "a": "string"}
    assert dms(table)["csv"] == {"header": header}
    assert "format" not in dms(table)
    assert "files of more than one format: csv, parquet" in said
    assert "the task changed from CSV to Parquet" in said
    assert "a run stops" not in said


def test_the_other_way_round_the_newest_are_csv(tmp_path: Path) -> None:
    said, table = discovered(
        tmp_path,
        LOAD00000001_parquet=as_parquet({"id": [1, 2], "at": [datetime(2020, 1, 1)] * 2}),
        c20201115_100000000_csv_gz=gzip.compress(b"Op,id,at\nU,1,2020-01-01 10:00:00\n"),
    )
    assert columns(table) == {"id": "bigint", "at": "timestamp"}
    assert "the newest are CSV: the task changed from Parquet to CSV" in said
    assert dms(table)["primary_keys"] == ["id"]


def test_a_type_of_parquet_that_csv_files_contradict_gives_way_to_text(tmp_path: Path) -> None:
    said, table = discovered(
        tmp_path,
        LOAD00000001_parquet=as_parquet({"id": [1, 2], "n": [1, 2]}),
        c20201115_100000000_csv=b"Op,id,n\nU,1,many\n",
    )
    assert columns(table) == {"id": "bigint", "n": "string"}
    assert "types to decide: n" in said
    assert "a run stops" not in said


def test_a_column_that_is_null_throughout_a_file_takes_its_type_from_the_others(
    tmp_path: Path,
) -> None:
    nothing = pa.array([None], pa.string())
    said, table = discovered(
        tmp_path,
        LOAD00000001_parquet=as_parquet({"id": [1, 2], "n": [1, 2]}),
        c20201115_100000000_parquet=as_parquet({"Op": ["U"], "id": [1], "n": nothing}),
    )
    assert columns(table) == {"id": "bigint", "n": "bigint"}
    assert "types to decide: n" in said
    assert "a run stops" not in said


def test_types_that_cannot_be_one_leave_a_table_that_says_at_which_file_a_run_stops(
    tmp_path: Path,
) -> None:
    said, table = discovered(
        tmp_path,
        LOAD00000001_parquet=as_parquet({"id": ["1", "2"], "b": [b"x", b"y"]}),
        c20201114_100000000_parquet=as_parquet({"Op": ["U"], "id": [1], "b": ["x"]}),
    )
    assert columns(table) == {"id": "string", "b": "string"}
    assert "a run stops at LOAD00000001.parquet: row 1, column b: the file has type binary" in said


@pytest.mark.parametrize("name", ["LOAD00000001_parquet", "load00000001_parquet"])
def test_a_file_of_one_name_in_two_formats_is_named_as_a_run_does(
    tmp_path: Path, name: str
) -> None:
    said, table = discovered(
        tmp_path,
        LOAD00000001_csv=b"id,a,b\n3,z,1\n",
        **{name: as_parquet({"id": [1, 2], "a": ["x", "y"]})},
    )
    assert "a run stops at LOAD00000001.csv: two files have one name: " in said
    assert "or declare format: parquet (without csv)" in said
    assert columns(table) == {"id": "bigint", "a": "string"}


def test_parquet_under_the_name_of_csv_is_parquet(tmp_path: Path) -> None:
    _, table = discovered(tmp_path, LOAD00000001_csv=as_parquet({"id": [1, 2], "d": [1.5, 2.5]}))
    assert columns(table) == {"id": "bigint", "d": "double"}
    assert "format" not in dms(table)


# ------------------------------------------------------------------ one format


def test_rows_that_end_in_a_written_backslash_n_are_rows(tmp_path: Path) -> None:
    said, table = discovered(tmp_path, LOAD00000001_csv=rb"id,name\n1,x\n2,y\n")
    assert columns(table) == {"id": "bigint", "name": "string"}
    # As dms_keys reads it, a backslash begins an escape.
    assert dms(table)["csv"] == {"header": True, "row_delimiter": r"\\n"}
    assert "a run stops" not in said


def test_the_comments_of_a_declaration_show_settings_as_they_are_written(tmp_path: Path) -> None:
    said, _ = discovered(
        tmp_path, LOAD00000001_csv=b"1,x\n2,y\n", c20201115_100000000_csv=rb"U,1,x\nU,2,y\n"
    )
    declaration = (tmp_path / "project/models/sources/hr/a.yml").read_text()
    for text in (said, declaration):
        assert r"csv: {header: false}; csv: {header: false, row_delimiter: '\\n'}" in text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_found(tmp_path: Path, encoding: str) -> None:
    said, table = discovered(tmp_path, LOAD00000001_csv="id,name\n1,Ü\n".encode(encoding))
    assert dms(table)["csv"] == {"header": True, "encoding": encoding}
    assert "a run stops" not in said


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (bytes(range(256)), "binary data under a name of CSV"),
        (gzip.compress(bytes(range(256)) * 9, mtime=0)[:99], "Compressed file ended before"),
        (b"Op,id,,x\nI,1,2,3\n", "a column has no name (column 3)"),
    ],
)
def test_a_file_that_is_none_is_the_note_of_its_table(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    said, table = discovered(tmp_path, LOAD00000001_csv=content)
    assert table == {}
    assert re.search(r"hr/a/LOAD00000001.csv[^|]*" + re.escape(problem), said)


def test_names_in_some_files_only_are_listed(tmp_path: Path) -> None:
    said, table = discovered(
        tmp_path, LOAD00000001_csv=b"id,name\n1,x\n", c20201114_100000000_csv=b"I,2,x\n"
    )
    assert dms(table)["csv"] == {"header": False}
    assert "the first row of LOAD00000001.csv looks like names, and other files have none" in said


@pytest.mark.parametrize(
    "files",
    [
        # A task that began to write names, by AddColumnName, after its full load or later.
        {"LOAD00000001_csv": b"1,x\n2,y\n", "c20201115_100000000_csv": b"Op,id,name\nU,2,x\n"},
        {
            "LOAD00000001_csv": b"a,x\nb,y\n",
            "c20201114_100000000_csv": b"U,a,y\n",
            "c20201115_100000000_csv": b"Op,id,name\nU,b,x\n",
        },
    ],
)
def test_names_in_the_newest_file_only_are_listed(tmp_path: Path, files: dict[str, bytes]) -> None:
    said, table = discovered(tmp_path, **files)
    assert dms(table)["csv"] == {"header": False}
    # The first row of a file without names would be lost as names.
    assert list(columns(table)) == ["c1", "c2"]
    assert "the first row of 20201115-100000000.csv looks like names, and other files have" in said


@pytest.mark.parametrize("operation", [None, "X"])
def test_an_operation_that_is_none_is_named_with_its_file(
    tmp_path: Path, operation: str | None
) -> None:
    said, table = discovered(
        tmp_path,
        c20201114_100000000_parquet=as_parquet(
            {"Op": pa.array(["I", operation], pa.string()), "id": [1, 2]}
        ),
    )
    assert columns(table)["id"] == "bigint"
    assert "a run stops at 20201114-100000000.parquet: row 2, column Op: unknown operation" in said


def test_a_file_with_nothing_but_its_operations_is_named(tmp_path: Path) -> None:
    said, table = discovered(tmp_path, c20201114_100000000_parquet=as_parquet({"Op": ["I", "D"]}))
    assert columns(table) == {}
    assert "a run stops at 20201114-100000000.parquet: it has none of the declared columns" in said


def test_texts_in_the_form_of_a_type_that_has_no_such_value_stay_texts(tmp_path: Path) -> None:
    _, table = discovered(
        tmp_path, LOAD00000001_csv=b"id,born,big\n1,2020-02-30," + b"1" * 45 + b".5\n"
    )
    assert columns(table) == {"id": "bigint", "born": "string", "big": "string"}


def test_dates_outside_the_years_of_spark_leave_a_column_of_dates(tmp_path: Path) -> None:
    said, table = discovered(
        tmp_path,
        LOAD00000001_csv=b"id,ends,odd\n1,2021-01-01,infinity\n2,infinity,10183-06-01\n",
        c20201115_100000000_csv=b"Op,id,ends,odd\nU,1,infinity,infinity\n",
    )
    # A text of nothing but such values may be anything.
    assert columns(table) == {"id": "bigint", "ends": "date", "odd": "string"}
    assert "a run stops at LOAD00000001.csv: row 2, column ends: value 'infinity' is out" in said


@pytest.mark.parametrize("is_large", [False, True])
def test_where_a_run_stops_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    if is_large:  # what to do is not looked for, as that takes more than the first rows
        monkeypatch.setattr(trial, "_MOST_BYTES_ADVISED", 1)
    said, _ = discovered(
        tmp_path,
        LOAD00000001_parquet=as_parquet({"id": [1, 2], "text": ["x", "y"]}),
        c20201113_100000000_parquet=as_parquet({"Op": ["U"], "id": [1]}),
        c20201114_100000000_parquet=as_parquet({"Op": ["U"], "id": [1]}),
        c20201115_100000000_parquet=as_parquet({"Op": ["U"], "id": [1], "text": ["z"]}),
    )
    assert "a run stops at 20201114-100000000.parquet: it has no column text" in said
    # Both files come before what both tables here have.
    assert said.rindex("a run stops at") < said.index("key with little evidence")
    advice = "DMS left it out as unchanged: set image: partial, which keeps earlier values"
    assert (advice in said) is not is_large


def test_a_decimal_wider_than_that_of_spark_is_text(tmp_path: Path) -> None:
    wide = pa.array([1, 2], pa.int64()).cast(pa.decimal256(50, 2))
    said, table = discovered(tmp_path, LOAD00000001_parquet=as_parquet({"id": [1, 2], "w": wide}))
    assert columns(table) == {"id": "bigint", "w": "string"}
    assert "types to decide: w" in said


def test_times_of_old_parquet_files_may_lie_beyond_2262(tmp_path: Path) -> None:
    sink = pa.BufferOutputStream()
    times = pa.array([datetime(9000, 1, 1), datetime(2020, 1, 1)], pa.timestamp("us"))
    pq.write_table(
        pa.table({"id": [1, 2], "at": times}), sink, use_deprecated_int96_timestamps=True
    )
    said, table = discovered(tmp_path, LOAD00000001_parquet=sink.getvalue().to_pybytes())
    assert columns(table) == {"id": "bigint", "at": "timestamp"}
    assert "a run stops" not in said


# ------------------------------------------------------------------ what values show


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["a" * 32_768, "b" * 32_768, "c"], "2 of 3 values have 32768 bytes"),
        ([b"a" * 1024, b"b" * 1024, None], "2 of 2 values have 1024 bytes"),
        (["é" * 2048, "ü" * 2047 + "a", "ö" * 2048], "2 of 3 values have 4096 bytes"),
        (["é" * 2047 + "a", "aé" * 1024, "b"], "2 of 3 values have 2048 characters"),
        (["a" * 32_768, "c"], ""),
        (["a" * 32_769, "b" * 32_768, "c" * 32_768], ""),
        (["AB", "CD", "EF"], ""),
        ([None, ""], ""),
        ([1, 2], ""),
    ],
)
def test_values_of_one_greatest_length_may_have_been_cut(values: list[Any], said: str) -> None:
    found = list(cut_values(pa.table({"body": values})))
    assert len(found) == bool(said)
    assert all(line.startswith(f"column 'body': {said}, and none has more") for line in found)


@pytest.mark.parametrize(
    ("keys", "said", "way_out"),
    [
        (["A1", "b", "a1"], "'A1' and 'a1'", "declare lower: [id]"),
        (["é", "e"], "'e' and 'é'", "declare unaccent: [id]"),
        (["AB", "AB  "], "'AB' and 'AB  '", "declare trim: [id]"),
        (["AB", "ab  "], "'AB' and 'ab  '", "declare trim: [id] and lower: [id]"),
        (["A1", "A1", "b"], "", ""),
        ([" a", "a"], "", ""),
        ([1, 2], "", ""),
        ([], "", ""),
    ],
)
def test_keys_that_a_collation_may_call_equal_are_shown_with_what_makes_them_one(
    keys: list[Any], said: str, way_out: str
) -> None:
    found = list(keys_alike(pa.table({"id": keys}), ["id"]))
    assert len(found) == bool(said)
    assert all(f"such as {said}: " in line and line.endswith(way_out) for line in found)


def test_a_key_that_yaml_would_take_for_another_value_is_quoted() -> None:
    (said,) = keys_alike(pa.table({"no": ["AB", "AB "]}), ["no"])
    assert said.endswith('declare trim: ["no"]')


def test_keys_of_several_columns_are_alike_as_a_whole() -> None:
    rows = pa.table({"no": [1, 1, 2], "code": ["a", "b", "A"], "at": ["x", "x", "x"]})
    assert list(keys_alike(rows, ["no", "code", "at"])) == []
    rows = pa.table({"no": [1, 1, 2], "code": ["a", "A", "A"], "at": ["x", "x", "x"]})
    (said,) = keys_alike(rows, ["no", "code", "at"])
    assert "such as '1', 'A', 'x' and '1', 'a', 'x': " in said
    assert said.endswith("declare lower: [code]")


def test_a_key_that_changes_write_in_another_case_is_listed(tmp_path: Path) -> None:
    said, _ = discovered(
        tmp_path,
        LOAD00000001_csv=b"code,n\nA1,1\nB2,1\n",
        c20201114_100000000_csv=b"Op,code,n\nU,a1,1\n",
    )
    assert "keys that differ in case, accents or blanks at the end only, such as 'A1'" in said


# ------------------------------------------------------------------ rows of several files


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ((pa.int32(), pa.int32()), pa.int32()),
        ((pa.int32(), pa.null()), pa.int32()),
        ((pa.int32(), pa.int64()), pa.string()),
        ((pa.string(), pa.int64()), pa.string()),
        ((pa.date32(), pa.timestamp("us")), pa.string()),
        ((pa.decimal128(5, 2), pa.decimal128(38, 10)), pa.string()),
        ((pa.binary(), pa.string()), pa.string()),
        ((pa.null(), pa.null()), pa.null()),
        ((pa.list_(pa.string()), pa.string()), None),
    ],
)
def test_rows_of_files_are_put_together_whatever_their_types(
    types: tuple[pa.DataType, ...], expected: pa.DataType | None
) -> None:
    rows = joined([pa.table({"x": pa.nulls(2, data_type)}) for data_type in types])
    assert rows.column_names == ([] if expected is None else ["x"])
    if expected is not None:
        assert (rows.schema.field("x").type, rows.num_rows) == (expected, 4)


def test_a_column_that_a_file_does_not_have_is_null_there() -> None:
    rows = joined([pa.table({"a": [1]}), pa.table({"b": ["x"]}), pa.table({})])
    assert rows.to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": "x"}]
