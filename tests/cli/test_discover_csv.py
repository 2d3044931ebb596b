"""How ``discover`` tells the way in which CSV files were written.

``DMS_FUZZ_EXAMPLES`` (default 100) is the number of random files.
"""

import gzip
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pyspark_dms.cli import main
from pyspark_dms.reading.csv_files import CsvReader
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.csv_forms import DELIMITERS, ROW_DELIMITERS, may_be_declared
from tests.support.declared_csv import form_of

EXAMPLES = int(os.environ.get("DMS_FUZZ_EXAMPLES", "100"))
NULLS = ("NULL", "", r"\N")
Value = str | None


def discovered(folder: Path, *files: bytes, name: str = "LOAD0000000{}.csv") -> tuple[str, Any]:
    """What is printed of a table with some files, and its declaration."""
    project, table = folder / "project", folder / "dms/hr/people"
    for new in (project, table):
        new.mkdir(parents=True)
    (project / "dbt_project.yml").write_text("name: a_project\n")
    for number, content in enumerate(files, 1):
        (table / name.format(number)).write_bytes(content)
    command = ["discover", str(folder / "dms"), "--project-dir", str(project)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    (declaration,) = (project / "models/sources").rglob("*.yml")
    text = declaration.read_text()
    return result.output + text, yaml.safe_load(text)["sources"][0]["tables"][0]


def csv_settings(declared: Any) -> dict[str, Any]:
    return dict(declared["config"]["meta"]["dms"]["csv"])


def types(declared: Any) -> list[str]:
    return [column["data_type"] for column in declared["columns"]]


def test_empty_fields_among_numbers_are_null(tmp_path: Path) -> None:
    # As files of Oracle and MySQL have it.
    _, declared = discovered(tmp_path, b'103,"a, b",,Nantes,1370\n125,c,d,,\n')
    assert csv_settings(declared) == {"header": False, "null_value": ""}
    assert types(declared)[-1] == "bigint"


@pytest.mark.parametrize("null", ["NULL", r"\N"])
def test_a_field_that_is_called_null_is_null_and_an_empty_one_a_text(
    tmp_path: Path, null: str
) -> None:
    _, declared = discovered(tmp_path, f"1,{null},x\n2,3,\n".encode())
    assert csv_settings(declared).get("null_value", "NULL") == null
    assert types(declared) == ["bigint", "bigint", "string"]


def test_of_empty_fields_among_texts_alone_a_person_is_asked(tmp_path: Path) -> None:
    output, declared = discovered(tmp_path, b"1,a\n2,\n")
    assert "null_value" not in csv_settings(declared)
    assert "empty fields: taken for empty texts" in " ".join(output.replace("#", " ").split())


def test_numbers_with_an_exponent_are_doubles(tmp_path: Path) -> None:
    _, declared = discovered(
        tmp_path, b"1,+5.0656000000000000e+05\n2,-1.0000000000000000e-05\n3,NULL\n"
    )
    assert types(declared) == ["bigint", "double"]


def test_text_that_is_no_utf_8_is_taken_for_latin_1_and_listed(tmp_path: Path) -> None:
    output, declared = discovered(tmp_path, "1,Müller\n".encode("latin-1"))
    assert csv_settings(declared)["encoding"] == "latin-1"
    assert "not UTF-8" in output


def test_files_without_special_characters_are_written_as_the_others(tmp_path: Path) -> None:
    plain, special = b"1,Ann\n", "2,Müller\n".encode("latin-1")
    output, declared = discovered(tmp_path, plain, special)
    assert csv_settings(declared)["encoding"] == "latin-1"
    assert "more than one way" not in output


def test_text_with_the_euro_and_quotes_of_windows_is_taken_for_its_code_page(
    tmp_path: Path,
) -> None:
    output, declared = discovered(tmp_path, "1,“5 €”\n".encode("cp1252"))
    assert csv_settings(declared)["encoding"] == "cp1252"
    assert "taken for that of Windows" in output


def test_a_header_with_op_may_have_any_names(tmp_path: Path) -> None:
    header = 'Op,id,Preis (€),2nd,"x,y"\n'
    _, declared = discovered(tmp_path, f"{header}I,1,1.5,2,a\n".encode())
    assert csv_settings(declared)["header"] is True
    names = [column["name"] for column in declared["columns"]]
    assert names == ["id", "Preis (€)", "2nd", "x,y"]


def test_a_row_of_changes_with_the_text_op_is_no_header(tmp_path: Path) -> None:
    name = "2020111{}-100000000.csv"
    _, declared = discovered(tmp_path, b"I,1,op\nD,1,op\n", name=name)
    assert csv_settings(declared)["header"] is False


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("id,name,", "If they are names, give each column one of its own"),
        ("id,name,name", "If they are names, give each column one of its own"),
        ("id,name (x),born", "If they are names, set csv.header: true, and call the columns so"),
        ("id,2020,name", "If they are names, set csv.header: true, and call the columns so"),
    ],
)
def test_a_first_row_that_looks_like_odd_names_is_named_and_no_run_takes_it_for_a_row(
    tmp_path: Path, header: str, says: str
) -> None:
    output, declared = discovered(tmp_path, f"{header}\n1,3,2000-01-01\n2,4,\n".encode())
    assert csv_settings(declared)["header"] is False
    assert types(declared)[0] == "bigint"
    assert says in " ".join(output.replace("#", " ").split())
    assert "a run stops at LOAD00000001.csv: row 1" in output


@pytest.mark.parametrize(
    "rows", [b"1,n/a,5\n2,3,6\n", b"a,1\nb,2\n", b"unknown,1,2000-01-01\n5,2,2000-01-01\n"]
)
def test_a_first_row_with_an_odd_value_is_a_row(tmp_path: Path, rows: bytes) -> None:
    output, _ = discovered(tmp_path, rows)
    assert "looks like names" not in output


def test_files_without_names_that_have_different_widths_are_listed(tmp_path: Path) -> None:
    output, _ = discovered(tmp_path, b"1,Ann\n", b"1,2,Ann\n")
    assert "files have 2 and 3 columns: if these are two tables" in output


def test_content_that_is_gzip_is_read_whatever_its_name(tmp_path: Path) -> None:
    _, declared = discovered(tmp_path, gzip.compress(b"1,2020-11-14\n"))
    assert types(declared) == ["bigint", "date"]


def test_a_delimiter_inside_quotes_is_text(tmp_path: Path) -> None:
    _, declared = discovered(tmp_path, b'1;"a,b,c,d"\n2;"e,f"\n')
    assert csv_settings(declared) == {"header": False, "delimiter": ";"}


@pytest.mark.parametrize("content", [b"1|C:\\temp\\tmp", b"1|C:\\temp\\new\n2|D:\\n\n"])
def test_escapes_in_values_are_text(tmp_path: Path, content: bytes) -> None:
    _, declared = discovered(tmp_path, content)
    assert csv_settings(declared) == {"header": False, "delimiter": "|"}


def test_rows_without_line_ends_are_read_part_by_part(tmp_path: Path) -> None:
    rows = [f"{number},{'x' * 50}" for number in range(60_000)]
    output, declared = discovered(tmp_path, "\x1e".join(rows).encode())
    assert csv_settings(declared) == {"header": False, "row_delimiter": "\\u001e"}
    assert "50001 rows of full loads" in output


@pytest.mark.parametrize("content", [rb"1,Ann\r\n2,Bo\r\n", rb"1\tAnn\n2\tBo\n"])
def test_delimiters_that_no_declaration_can_have_are_a_problem_of_their_table(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "dms/hr/other").mkdir(parents=True)
    (tmp_path / "dms/hr/other/LOAD00000001.csv").write_bytes(content)
    output, _ = discovered(tmp_path, b"1,Ann\n")
    assert "hr/other/LOAD00000001.csv cannot be read: " in output
    assert "Give the DMS endpoint other delimiters" in output


def written(rows: Sequence[Sequence[Value]], form: CsvFormat) -> bytes:
    """A file as DMS writes it."""

    def field(value: Value) -> str:
        if value is None:
            return form.null_value
        special = (form.delimiter, form.row_delimiter, '"', "\n", "\r")
        if value in NULLS or any(part in value for part in special):
            return '"' + value.replace('"', '""') + '"'
        return value

    lines = (form.delimiter.join(map(field, row)) + form.row_delimiter for row in rows)
    return "".join(lines).encode(form.encoding)


def read(content: bytes, form: CsvFormat) -> list[list[Value]]:
    rows: list[list[Value]] = []
    for block in CsvReader(io.BytesIO(content), form, is_gzip=False).blocks():
        assert not block.bad_lines
        columns = [[None if v is None else v.decode() for v in f.to_pylist()] for f in block.fields]
        rows += [list(row) for row in zip(*columns, strict=True)]
    return rows


forms = st.builds(
    CsvFormat,
    delimiter=st.sampled_from(DELIMITERS),
    row_delimiter=st.sampled_from(ROW_DELIMITERS),
    null_value=st.sampled_from(NULLS),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1"]),
).filter(may_be_declared)
names = st.text(st.sampled_from("abc ü\"'"), min_size=1, max_size=5)
rows_of_a_table = st.lists(
    st.tuples(st.integers(1, 99).map(str), names, st.none() | st.integers(0, 9).map(str)),
    min_size=2,
    max_size=8,
)


@given(rows_of_a_table, forms)
@settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 100)
def test_what_is_discovered_reads_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Value, ...]], form: CsvFormat
) -> None:
    # Every column has a NULL somewhere in a real table; here one has it.
    rows = [*rows, ("100", "abc", None), ("101", "ü", "5")]
    content = written(rows, form)
    _, declared = discovered(tmp_path_factory.mktemp("fuzz"), content)
    assert read(content, form_of(csv_settings(declared))) == [list(row) for row in rows]
