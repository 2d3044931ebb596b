"""The command ``init``: a new dbt project that has the macros as a package."""

from __future__ import annotations

import json
import re
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.errors import DmsError
from pyspark_dms.release import PACKAGE, RELEASE

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# A file of this name would hide what stands beside it from git here.
_RENAMED = {"gitignore": ".gitignore"}


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", help="Name of the project.  [default: the name of the folder]")
@click.option(
    "--package",
    help="Where the dbt package comes from: a git address or a folder.  [default: from where this "
    "Python package was installed]",
)
@click.option(
    "--revision",
    help="With a git address: a tag, a branch or a commit.  [default: the commit that was "
    "installed; with --package the tag of this release]",
)
def init_command(folder: Path, name: str | None, package: str | None, revision: str | None) -> None:
    """Make a new dbt project in FOLDER, which must be empty or not there."""
    with errors_in_one_line():
        if folder.is_dir() and any(folder.iterdir()):
            raise DmsError(
                "E610", f"{folder} is not empty. Nothing was written. Name a new folder."
            )
        name = name or re.sub(r"\W+", "_", folder.resolve().name).lower()
        if not _NAME.fullmatch(name) or name == PACKAGE:
            raise DmsError(
                "E610",
                f"'{name}' cannot be the name of the project. Nothing was written. Give another "
                f"with --name: small letters, digits and underscores, and not {PACKAGE}.",
            )
        source, installed = (package, f"v{RELEASE}") if package else _installed_from()
        if revision and Path(source).is_dir():
            raise DmsError(
                "E610",
                f"--revision: {source} is a folder, and the macros are as they are in it. Nothing "
                "was written. Leave --revision out, or name a git address with --package.",
            )
        written = {
            "@name@": name,
            "@package@": _package(source, revision or installed),
        }
        _write(files("pyspark_dms") / "new_project", folder, written)
    console.print(f"[green]made[/]  {escape(str(folder))}, a dbt project called {escape(name)}")
    print_next_steps(
        (f"cd {folder}", ""),
        ("python3 -m venv .venv && . .venv/bin/activate", "make an environment, and switch it on"),
        ("sh install.sh", "install the macros, Spark and the rest into it"),
        ("dms-snapshots discover <root>", "declare the tables under a DMS root: s3://bucket/dms"),
        ("dms-snapshots scaffold", "make the models of all declared tables"),
        ("dbt run --vars '{run_date: YYYY-MM-DD}'", "publish the active ones"),
    )


def _installed_from() -> tuple[str, str]:
    """The address or folder that this package was installed from, as pip has recorded it, and the
    commit; of a folder the tag of this release.
    """
    try:
        recorded = metadata.distribution("dms-snapshots").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        recorded = None
    if recorded is None:
        raise DmsError(
            "E610",
            "It is not known where the dbt package comes from. Nothing was written. Name its git "
            "address or its folder with --package.",
        )
    origin = json.loads(recorded)
    url = str(origin["url"])
    if "vcs_info" in origin:
        return url, str(origin["vcs_info"]["commit_id"])
    if url.startswith("file:") and "archive_info" not in origin:
        return url2pathname(urlsplit(url).path), f"v{RELEASE}"
    raise DmsError(
        "E610",
        f"This package was installed from {url}, which is no git address. Nothing was written. "
        "Name the git address or the folder of the dbt package with --package.",
    )


def _package(source: str, revision: str) -> str:
    """The entry of packages.yml."""
    if not Path(source).is_dir():
        # As pip writes it; dbt and install.sh want the address alone.
        return f"  - git: {source.removeprefix('git+')}\n    revision: {revision}"
    if not (Path(source) / "dbt_project.yml").is_file():
        raise DmsError(
            "E610",
            f"--package: {source} has no dbt_project.yml. Nothing was written. Name the folder "
            "of the dbt package, or its git address.",
        )
    return f"  - local: {Path(source).resolve()}"


def _write(template: Traversable, target: Path, written: dict[str, str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in template.iterdir():
        path = target / _RENAMED.get(entry.name, entry.name)
        if entry.is_dir():
            _write(entry, path, written)
            continue
        text = entry.read_text(encoding="utf-8")
        if entry.name == "profiles.yml":
            text = text.replace(f"\n{PACKAGE}:\n", "\n@name@:\n").replace(
                "`make thrift`", "`dms-snapshots thrift start`"
            )
        for placeholder, value in written.items():
            text = text.replace(placeholder, value)
        path.write_text(text, encoding="utf-8")
