"""The plan of a run, for a model whose command has not indexed its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark_dms import stores
from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.landing.index import PLAN_SCHEMA
from pyspark_dms.versions import recorded
from pyspark_dms.versions.metadata import read_rows
from pyspark_dms.versions.recorded import Records

Said = dict[str, Any]


def plan(job: Mapping[str, Any]) -> Said:
    """The plan of a table that the last run of the index has recorded for a date.

    Args:
        job: ``label``, ``run_date``, ``full_refresh`` and ``paths``, of the table as it is now;
            ``files`` (the index, as the job of ``dms_index`` has it); ``newest`` and ``newest_run``
            of its newest version, ``current``, the number of the current one (None: there is none)
            and ``is_altered``, whether it is declared otherwise than that; ``index_command``, which
            indexes its files.

    Returns:
        By label the ``plan``, with ``unchanged_dates`` and ``is_published``. Or ``error``.
    """
    # Before the first run there is no log.
    records = recorded.read(job["root"]) if job["root"] else Records()
    try:
        return {job["label"]: {"plan": checked_plan(job, _last_plan(job), records)}}
    except DmsError as problem:
        return {job["label"]: {"error": str(problem)}}


def _last_plan(job: Mapping[str, Any]) -> Said | None:
    """No earlier plan than the last: it may lack files that the last run of the index found."""
    files, date = job["files"], job["run_date"]
    folder = f"{files['root']}/plans/{date.replace('-', '')}"
    for run in sorted(stores.folders_in(folder), reverse=True) if files["root"] else ():
        rows = read_rows(f"{folder}/{run}", PLAN_SCHEMA).to_pylist()
        last: Said | None = next(
            (json.loads(row["plan"]) for row in rows if row["label"] == job["label"]), None
        )
        if last:
            # One that died before its events were added has indexed nothing.
            is_indexed = not last["has_added"] or f"{date}/{run}" in files["partitions"]
            return last if is_indexed else None
    return None


def checked_plan(job: Mapping[str, Any], last: Said | None, records: Records) -> Said:
    """A plan, if a model may still carry it out; one that was carried out has nothing left to do.

    Args:
        job: see `plan`.
        last: the plan that was recorded last; None if there is none.
        records: what commands recorded.

    Raises:
        DmsError: it was made for something else, or something was published since.
    """
    label, date, newest, current = job["label"], job["run_date"], job["newest"], job["current"]
    if not last or any(last[key] != job[key] for key in ("paths", "full_refresh")):
        raise _not_indexed(
            job,
            f"dms_files has no plan that can be used for run_date {date}: its last run did not "
            "end, or was for another date, path or --full-refresh",
        )
    dates = records.version(label, current)["dates"] if current else []
    if dates and dates[-1] > date:
        raise DmsError(
            "E406",
            sentences(
                f"{label}: run_date {date} is before the newest published one, {dates[-1]}",
                _NOT_DONE,
                "Run that date or a later one",
            ),
        )
    was_carried_out = newest is not None and newest != last["newest"]
    if was_carried_out and job["newest_run"] != last["run"]:
        raise _not_indexed(
            job, f"version {newest} was published after its files were indexed for run_date {date}"
        )
    done = {"action": "none", "files": [], "shown_version": None, "newest": newest}
    found = last | {"unchanged_dates": dates} | (done if was_carried_out else {})
    # A version for the declaration alone would be made of what was there before the changes.
    if (
        job["is_altered"]
        and found["action"] == "none"
        and found["base_version"] != current
        and found["shown_version"] in (None, current)
    ):
        raise _not_indexed(
            job,
            f"its declaration has changed since version {current} of run_date {date} was made, "
            "and this command has not indexed its files",
        )
    return found | {"is_published": (found["newest"] or 0) == records.last(label)}


_NOT_DONE = "Nothing of this table was published"


def _not_indexed(job: Mapping[str, Any], what: str) -> DmsError:
    fix = f"Run it with the index: {job['index_command']}"
    return DmsError("E211", sentences(f"{job['label']}: {what}", _NOT_DONE, fix))
