"""What every command asks of the folder that it is told is the project."""

from __future__ import annotations

from pathlib import Path

from pyspark_dms.errors import DmsError


def require_project(project_dir: Path) -> None:
    """Refuse a folder that is no dbt project.

    Args:
        project_dir: folder that should have ``dbt_project.yml``.

    Raises:
        DmsError: there is no project in the folder.
    """
    if not (project_dir / "dbt_project.yml").is_file():
        raise DmsError(
            f"{project_dir.resolve()} has no dbt_project.yml. Run this in the root of the "
            "project, or name it with --project-dir."
        )
