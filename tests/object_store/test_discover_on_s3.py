"""The command ``discover`` on a bucket."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from tests.support.engines import REPOSITORY
from tests.support.s3_server import s3_server, upload

BUCKET = "landing"
SAMPLE = REPOSITORY / "sample/dms"


def discover(project: Path, root: str) -> Result:
    project.mkdir()
    (project / "dbt_project.yml").write_text("name: a_project\n")
    return CliRunner().invoke(main, ["discover", root, "--project-dir", str(project)])


def declarations(project: Path) -> dict[str, str]:
    """The text of each declaration by its file."""
    folder = project / "models/sources"
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.yml")}


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_bucket_is_declared_as_a_folder_with_the_same_files_is(
    tmp_path: Path, scheme: str
) -> None:
    assert discover(tmp_path / "local", str(SAMPLE)).exit_code == 0
    with s3_server(tmp_path, BUCKET) as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        upload(environment, SAMPLE, BUCKET, "dms")
        result = discover(tmp_path / "bucket", f"{scheme}://{BUCKET}/dms")
    assert result.exit_code == 0, result.output
    declared, expected = declarations(tmp_path / "bucket"), declarations(tmp_path / "local")
    assert len(declared) == 7
    assert {
        file: text.replace(f"{scheme}://{BUCKET}/dms", str(SAMPLE))
        for file, text in declared.items()
    } == expected
