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
from pyspark_dms.reading.csv_files import CsvFormat, CsvReader
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


def test_files_without_names_that_have_different_widths_are_listed(tmp_path: Path) -> None:
    output, _ = discovered(tmp_path, b"1,Ann\n", b"1,2,Ann\n")
    assert "files have 2 and 3 columns: if these are two tables" in output


def test_content_that_is_gzip_is_read_whatever_its_name(tmp_path: Path) -> None:
    _, declared = discovered(tmp_path, gzip.compress(b"1,2020-11-14\n"))
    assert types(declared) == ["bigint", "date"]


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
    delimiter=st.sampled_from([",", ";", "|", "\t", "||", "\x01", "^", "~"]),
    row_delimiter=st.sampled_from(["\n", "\r\n"]),
    null_value=st.sampled_from(NULLS),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1"]),
)
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
