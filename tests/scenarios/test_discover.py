"""Declarations that were discovered run as they are, once keys are confirmed."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from pyspark_dms.cli import main
from tests.conftest import NewProject
from tests.support.dms_files import write_rows
from tests.support.engines import REPOSITORY
from tests.support.project import Project, Table
from tests.support.source_rows import read_expected

pytestmark = pytest.mark.thorough

SAMPLE = REPOSITORY / "sample"
HOSTILE_FOLDERS = ("it's {{ 7*7 }} --", 'x"; drop table x')
# Text that would end a string, a comment, a tag or a template, where a column's name stands.
HOSTILE_COLUMNS = ("it's", "{{ 7*7 }}", "<b>x</b>", "a`b", 'say "x"', "-- x", "${env:HOME}", "a\\b",
                   "Location", "#no")  # fmt: skip


def confirm(project: Project) -> list[Path]:
    """What a person does after discovery: look, and switch on."""
    files = sorted((project.folder / "models/sources").rglob("*.yml"))
    for file in files:
        file.write_text(file.read_text().replace("active: false", "active: true"))
    return files


def command(project: Project, *arguments: str) -> None:
    with project.environment():
        result = CliRunner().invoke(main, [*arguments, "--project-dir", str(project.folder)])
    assert result.exit_code == 0, result.output


def write_csv(folder: Path, names: list[str], delimiter: str) -> None:
    """A full load of thirty rows, and a change file that updates one and deletes one."""
    at = "2020-11-14 09:00:00.000000"
    load = [[at, str(number), f"name {number}"] for number in range(30)]
    changes = [["U", at, "1", "new"], ["D", at, "2", "NULL"]]
    header = ([names], [["Op", *names]]) if names else ([], [])
    folder.mkdir(parents=True)
    for name, rows in (
        ("LOAD00000001.csv", header[0] + load),
        ("20201114-100000000.csv", header[1] + changes),
    ):
        (folder / name).write_text("".join(delimiter.join(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def project(new_project: NewProject) -> Project:
    """The sample, and one table whose names are all hostile, discovered, confirmed and run."""
    project = new_project("discovered")
    for path in (SAMPLE / "dms").rglob("*.parquet"):
        copy = project.dms_root / path.relative_to(SAMPLE / "dms")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    names = {"id": "int", **dict.fromkeys(HOSTILE_COLUMNS, "string")}
    texts = [(number, *HOSTILE_COLUMNS) for number in range(3)]
    folder = project.dms_root.joinpath(*HOSTILE_FOLDERS)
    write_rows(folder / "LOAD00000001.parquet", names, texts)
    write_rows(folder / "20201114-100000000.parquet", {"Op": "string", **names}, [("D", *texts[1])])
    write_csv(project.dms_root / "text/plain", [], ",")
    write_csv(project.dms_root / "text/named", ["dms_ts", "id", "name"], "\t")
    command(project, "discover", str(project.dms_root))
    assert len(confirm(project)) == 10
    command(project, "scaffold")
    result = project.run("2020-11-15")
    assert result.ok, result.errors
    return project


def test_the_discovered_sample_is_published_as_expected(project: Project) -> None:
    files = sorted((SAMPLE / "expected/2020-11-15").rglob("*.csv"))
    assert len(files) == 7
    for file in files:
        columns = file.read_text().split("\n", 1)[0].split(",")
        table = Table(project, file.stem, dict.fromkeys(columns, "?"), file.parent.name)
        assert table.canonical("2020-11-15") == read_expected(file), table.label


def test_discovered_csv_tables_are_published(project: Project) -> None:
    for name, columns in (("plain", ("c1", "c2")), ("named", ("id", "name"))):
        table = Table(project, name, dict.fromkeys(columns, "?"), "text")
        rows = [(number, "new" if number == 1 else f"name {number}") for number in range(30)]
        del rows[2]
        assert table.snapshot("2020-11-15") == rows


def test_names_from_outside_are_names_and_nothing_else(project: Project) -> None:
    columns = dict.fromkeys(("id", *(name.replace("`", "``") for name in HOSTILE_COLUMNS)), "?")
    table = Table(project, "x_drop_table_x", columns, "it_s_7_7")
    assert table.snapshot("2020-11-15") == [(number, *HOSTILE_COLUMNS) for number in (0, 2)]
    described = project.query(f"describe {project.schema}.x_drop_table_x_snapshot")
    assert [row[0] for row in described][: len(columns)] == ["id", *HOSTILE_COLUMNS]
