"""What every command asks of the folder that it is told is the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pyspark_dms.errors import DmsError
from pyspark_dms.release import PACKAGE, check_release


@dataclass(frozen=True)
class DbtProject:
    """A dbt project, as its ``dbt_project.yml`` says.

    Attributes:
        name: its name.
        models: the first folder of its models, relative to it.
    """

    name: str = PACKAGE
    models: Path = Path("models")

    @property
    def is_host(self) -> bool:
        """Whether it is another project than that of the macros, and has them as a package."""
        return self.name != PACKAGE

    @property
    def prefix(self) -> str:
        """What stands before the name of a data test of the macros there."""
        return f"{PACKAGE}." if self.is_host else ""

    @property
    def sources(self) -> Path:
        """Where new declarations are written, relative to it."""
        return self.models / "sources"


def require_project(project_dir: Path) -> None:
    """Check that a folder is a dbt project, with macros of this release.

    Args:
        project_dir: folder that should have ``dbt_project.yml``.

    Raises:
        DmsError: there is no project in the folder, or the package of another release.
    """
    if not (project_dir / "dbt_project.yml").is_file():
        raise DmsError(
            "E601",
            f"{project_dir.resolve()} has no dbt_project.yml. Run this in the root of the "
            "project, or name it with --project-dir.",
        )
    settings = _settings(project_dir)
    if settings.get("name") != PACKAGE:
        packages = project_dir / str(settings.get("packages-install-path", "dbt_packages"))
        if not (packages / PACKAGE / "dbt_project.yml").is_file():
            return  # before dbt deps there is nothing to compare; dbt run compares
        settings = _settings(packages / PACKAGE)
    check_release(settings.get("version"))


def read_project(project_dir: Path) -> DbtProject:
    """What a project says of itself; one without a ``dbt_project.yml`` is as that of the macros.

    Raises:
        DmsError: the file is no YAML.
    """
    if not (project_dir / "dbt_project.yml").is_file():
        return DbtProject()
    settings = _settings(project_dir)
    paths = settings.get("model-paths") or ["models"]
    return DbtProject(str(settings.get("name", PACKAGE)), Path(str(paths[0])))


def _settings(project_dir: Path) -> Mapping[str, Any]:
    path = project_dir / "dbt_project.yml"
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DmsError("E601", f"{path} cannot be read: {error}") from error
    return settings if isinstance(settings, dict) else {}
