"""Random buckets in all sorts of trouble: ``discover`` never dies of a table.

A table is declared, and then each of its files can be read as it is declared, or its declaration
says at which file a run stops. Or it is named with what is wrong with it.

``DMS_BUCKETS`` (default 100) is the number of buckets; 1,000 take less than two minutes.
``DMS_BUCKET_SEED`` (default 0) is the first of them.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jinja2 import Environment

from pyspark_dms.cli import main
from pyspark_dms.discovery.found import find_tables
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings
from tests.support.declared_csv import form_of
from tests.support.random_buckets import write_bucket

BUCKETS = int(os.environ.get("DMS_BUCKETS", "100"))
FIRST = int(os.environ.get("DMS_BUCKET_SEED", "0"))
CHUNKS = 10


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_each_table_of_a_random_bucket_is_declared_or_named(tmp_path: Path, chunk: int) -> None:
    for seed in range(FIRST + chunk, FIRST + BUCKETS, CHUNKS):
        folder = tmp_path / f"{seed}"
        try:
            check(folder, seed)
        except BaseException as problem:
            problem.add_note(f"bucket {seed}: DMS_BUCKET_SEED={seed} DMS_BUCKETS=1")
            raise
        shutil.rmtree(folder)


def check(folder: Path, seed: int) -> None:
    project, root = folder / "project", folder / "dms"
    project.mkdir(parents=True)
    root.mkdir()
    (project / "dbt_project.yml").write_text("name: a_project\n")
    folders = write_bucket(root, seed)
    arguments = ["discover", str(root), "--project-dir", str(project)]
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert "E625" not in result.output, result.output
    if "[E620]" in result.output or "[E621]" in result.output:
        return  # no table at all, or all in another layout
    assert folders
    declared = {file: read_declaration(file) for file in project.rglob("models/**/*.yml")}
    by_folder = {dms["path"]: file for file, (_, dms) in declared.items()}
    assert len(by_folder) == len(declared)
    for found in find_tables(str(root)).tables:
        if found.is_control_table:
            continue
        file = by_folder.pop(found.path, None)
        if file is None:
            assert f"{found.schema}/{found.table}" in result.output, result.output
            continue
        columns, dms = declared[file]
        for sample in found.sample:
            problem = problem_of(
                IndexedFile(
                    sample.path, sample.size, "load" if sample.is_load else "cdc", "", 1, 1, ""
                ),
                columns,
                dms,
            )
            if problem:
                assert f"a run stops at {Path(sample.path).name}" in file.read_text(), problem
    assert not by_folder
    result = CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)])
    assert result.exit_code == 0, result.output


def read_declaration(file: Path) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Columns and settings of the one table in a file, after Jinja has rendered it."""
    # As dbt reads it.
    content = rendered(yaml.load(file.read_text(), Loader=yaml.CSafeLoader))
    (source,) = content["sources"]
    (table,) = source["tables"]
    return table["columns"], table["config"]["meta"]["dms"]


def rendered(value: Any) -> Any:
    """A value as dbt makes it of a declaration."""
    if isinstance(value, dict):
        return {key: rendered(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rendered(one) for one in value]
    if isinstance(value, str) and "{{" in value and "dms_loaded_at" not in value:
        return Environment().from_string(value).render(env_var=lambda _, default: default)
    return value


def problem_of(file: IndexedFile, columns: list[dict[str, str]], dms: dict[str, Any]) -> str:
    """What the reader says against a file under a declaration; empty if it takes the file."""
    settings = ReadSettings(
        tuple(parse_column(column["name"], column["data_type"]) for column in columns),
        tuple(dms["primary_keys"]),
        dms.get("op_column", "Op"),
        dms.get("timestamp_column"),
        dms.get("change_seq_column"),
        dms.get("captures_deletes", True),
        format=dms.get("format", "auto"),
        csv=form_of(dms.get("csv", {})),
    )
    try:
        for _ in read_changes(FileSpan(file), settings, Notes()):
            pass
    except FileProblem as problem:
        return str(problem)
    return ""
