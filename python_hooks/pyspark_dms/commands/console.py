"""How all commands speak: one console, one way to report what a person has to fix."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from pyspark_dms.errors import DmsError

console = Console(highlight=False)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turn a `DmsError` into click's error: its text on stderr, exit code 1, no traceback."""
    try:
        yield
    except DmsError as error:
        raise click.ClickException(str(error)) from error


def print_next_steps(*steps: tuple[str, str]) -> None:
    """Print what to do next: pairs of a command (or a file) and what it is for."""
    activate = Path(os.path.relpath(sys.prefix)) / "bin/activate"
    if shutil.which("dbt") is None and activate.exists():
        steps = ((f"source {activate}", "so that the shell finds dbt and python"), *steps)
    console.print("\n[bold]What next[/]")
    width = max(len(command) for command, _ in steps)
    for command, purpose in steps:
        console.print(
            f"  [cyan]{escape(command.ljust(width))}[/]  [dim]{escape(purpose)}[/]", soft_wrap=True
        )
