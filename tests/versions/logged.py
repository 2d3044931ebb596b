"""A version log on this machine, written and asked as macros do it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark_dms.release import RELEASE
from pyspark_dms.versions.jobs import answer, parse_job
from pyspark_dms.versions.manifest import Manifest

TABLE = {"source_name": "hr", "table_name": "people"}
LABEL = "hr.people"


def ask(lake: Path, act: str, **job: Any) -> dict[str, Any]:
    """Ask the version log of a lake; the answers by label."""
    job = {"act": act, "root": str(lake / "version_log"), "release": RELEASE, **job}
    rows = answer(parse_job(json.dumps(job))).to_pylist()
    return {row["label"]: json.loads(row["content"]) for row in rows}


def commit(lake: Path, *versions: Manifest) -> None:
    """Commit versions of a table; nothing is recorded."""
    for version in versions:
        manifest = {**TABLE, **version.to_json()}
        done = ask(lake, "commit", manifest=manifest, token=f"run {version.version}")
        assert done == {LABEL: {"outcome": "created"}}


def record(lake: Path, *numbers: int, **more: Any) -> None:
    """Record versions as published whole."""
    rows = [{**TABLE, "version": number, **more} for number in numbers]
    ask(lake, "record", run="r", published=rows, passed=[])


def state(lake: Path, **wanted: Any) -> dict[str, Any]:
    """Where the table stands."""
    found: dict[str, Any] = ask(lake, "states", wanted={LABEL: wanted})[LABEL]
    return found


def plan(
    lake: Path, operation: str, *, table: dict[str, Any] | None = None, **arguments: Any
) -> dict[str, Any]:
    """Plan an operation on the table; fields of it that differ are in ``table``."""
    entry = {
        "label": LABEL, "layout": "dates", "history": True, "change_feed": False,
        "rebuild_command": "dbt run --full-refresh", "is_shown": True,
        "run_command": "dbt run --vars '{run_date: <run_date>}'", **(table or {}),
    }  # fmt: skip
    found: dict[str, Any] = ask(
        lake, "operation", operation=operation, arguments=arguments, tables=[entry],
        files={"root": str(lake / "dms_files"), "partitions": ["all"]},
        run="20201231T060000000000Z", started_at="2020-12-31 06:00:00.000000",
    )[LABEL]  # fmt: skip
    return found


def give_up(lake: Path, *numbers: int) -> None:
    """Give versions up, as E425 says."""
    for number in numbers:
        (path,) = (lake / "version_log" / LABEL).glob(f"*-v{number}.json")
        path.rename(path.with_suffix(".lost"))
