"""Options that more than one command has."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _TextType = click.ParamType[str]
else:
    # Before click 8.4 it names no type.
    _TextType = click.ParamType


class RunDate(_TextType):
    """A date as YYYY-MM-DD, kept as text."""

    name = "YYYY-MM-DD"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Check the text. Fails with click's usage error."""
        text = str(value)
        try:
            if datetime.strptime(text, "%Y-%m-%d").date().isoformat() == text:
                return text
        except ValueError:
            pass
        self.fail(f"'{text}' is not a date; allowed is YYYY-MM-DD, for example 2020-11-13.")


project_dir_option = click.option(
    "--project-dir",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=".",
    help="Folder with dbt_project.yml.  [default: the current folder]",
)
target_option = click.option("--target", help="Target of the profile.  [default: $DMS_TARGET]")
