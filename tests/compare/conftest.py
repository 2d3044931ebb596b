"""A source of each kind, with a schema of its own that is called as in the declarations."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from development.emulator import MariaDb
from pyspark_dms.cli import main
from tests.compare.databases import Database, MariaDbSource, postgres_source
from tests.conftest import NewProject
from tests.support.project import SOURCE, Project


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with postgres_source(tmp_path_factory.mktemp("postgres")) as source:
        yield source


@pytest.fixture(scope="session")
def mariadb(server: MariaDb) -> Database:
    return MariaDbSource(server)


@pytest.fixture(
    scope="session", params=["mariadb", pytest.param("postgresql", marks=pytest.mark.thorough)]
)
def database(request: pytest.FixtureRequest) -> Database:
    chosen: Database = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture(scope="module")
def project(database: Database, new_project: NewProject) -> Project:
    """A project whose tables come from the schema of that name in the database."""
    database.new_schema(SOURCE)
    return new_project(f"compared_{database.name}")


@dataclass(frozen=True)
class Compared:
    """What the command said: its exit code, all that it printed, and its JSON."""

    exit_code: int
    output: str
    tables: list[dict[str, Any]]

    @property
    def table(self) -> dict[str, Any]:
        (table,) = self.tables
        return table


Compare = Callable[..., Compared]


@pytest.fixture
def compare(database: Database, project: Project, tmp_path: Path) -> Compare:
    """Runs ``compare``; a difference is believed at once, unless --wait is given."""

    def run(*arguments: str) -> Compared:
        file = tmp_path / "compared.json"
        file.unlink(missing_ok=True)
        wait = [] if "--wait" in arguments else ["--wait", "0"]
        options = ["--project-dir", str(project.folder), "--json", str(file), *wait]
        with project.environment(), pytest.MonkeyPatch.context() as patch:
            patch.setenv("DBT_PROFILES_DIR", str(project.folder / "profiles"))
            patch.setenv("DBT_LOG_PATH", str(project.folder / "logs"))
            for name, value in database.environment().items():
                if name not in os.environ:
                    patch.setenv(name, value)
            result = CliRunner().invoke(main, ["compare", *arguments, *options])
        tables = json.loads(file.read_text())["tables"] if file.exists() else []
        return Compared(result.exit_code, result.output, tables)

    return run
