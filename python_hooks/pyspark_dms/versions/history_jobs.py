"""Plans what `dbt snapshot` does: reads the version log, and asks the rules of histories.

Macros ask by the data source ``dms_versions``; see `pyspark_dms.versions.jobs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pyspark_dms.errors import DmsError
from pyspark_dms.versions import recorded
from pyspark_dms.versions.histories import (
    ClosedRows,
    HistoryBase,
    HistoryPlan,
    HistoryRun,
    UnknownFolders,
    check_finished,
    plan_history,
)
from pyspark_dms.versions.lineage import live_generations
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.read_state import logged_versions, recorded_versions

Job = Mapping[str, Any]
Said = dict[str, Any]
Versions = Mapping[int, Manifest]
# The date of the rows that are open.
OPEN = "9999-12-31"


def history(job: Job) -> Said:
    """What a run of a history has to do.

    Args:
        job: ``label`` and ``name`` (of the table and of the history), ``dates`` (of its partitions,
            newest first; that of open rows is `OPEN`), ``folders`` (of the first of these; of two,
            if there are so many) and ``published`` (the versions that this command has published).

    Returns:
        By label, ``is_due``: whether there is anything to do; None if that depends on partitions
        whose folders the job does not have. ``stale``: the dates of partitions that do not count
        any more.

        ``base``, what it goes on from (None: nothing): ``run_date`` and ``open``, the folder of
        the rows that were open; ``manifest``, of the version that left them; ``generations``, the
        full loads of which it has the changes (after a full refresh none), and ``last_file_seq``,
        the place of the last file of them.

        ``runs``, to take, oldest first: ``run_date``, ``starts_at``, ``oldest_generation`` and
        ``reloads``, as `HistoryRun` has them; ``manifest``; ``fingerprints``, of the declarations
        that its changes were staged under.

        A ``manifest`` is only what tells how its rows are read. Or ``error``.
    """
    try:
        return {job["label"]: _planned(job)}
    except DmsError as problem:
        return {job["label"]: {"error": str(problem)}}


def _planned(job: Job) -> Said:
    label = job["label"]
    versions = logged_versions(job["root"], label)
    known = recorded_versions(recorded.read(job["root"]), label)
    newest = versions.newest or None
    check_finished(label, job["name"], newest, known, job["published"])
    closed, open_now = history_rows(job["dates"], job["folders"])
    older = job["dates"][len(job["folders"]) :]
    try:
        with_staged = versions.read_with("staged", "declarations")
        plan = plan_history(with_staged, newest, known, closed, open_now, older)
    except UnknownFolders:
        return {"is_due": None}
    return _said(with_staged, plan)


def history_rows(
    dates: Sequence[str], folders: Sequence[str]
) -> tuple[list[ClosedRows], str | None]:
    """Partitions of a history as the metastore has them: closed rows, and the folder of open ones.

    A folder is ``…/<version>/<run>/closed``, with ``open`` beside it.
    """
    partitions = dict(zip(dates, folders, strict=False))
    open_now = partitions.pop(OPEN, None)
    return [_closed_rows(*one) for one in partitions.items()], open_now


def _closed_rows(run_date: str, folder: str) -> ClosedRows:
    of_run, _, _ = folder.rstrip("/").rpartition("/")
    return ClosedRows(run_date, int(of_run.split("/")[-2]), folder, f"{of_run}/open")


def _said(versions: Versions, plan: HistoryPlan) -> Said:
    return {
        "is_due": plan.is_due,
        "base": _said_base(versions, plan.base) if plan.base else None,
        "runs": [_said_run(run) for run in plan.runs],
        "stale": plan.stale,
    }


def _said_base(versions: Versions, base: HistoryBase) -> Said:
    return {
        "run_date": base.rows.run_date,
        "open": base.rows.open,
        "manifest": _said_manifest(versions[base.rows.version]),
        "generations": live_generations(base.manifest) if base.manifest else (),
        "last_file_seq": base.manifest.last_file_seq if base.manifest else None,
    }


def _said_run(run: HistoryRun) -> Said:
    staged = run.manifest.staged
    return {
        "run_date": run.manifest.run_date,
        "starts_at": run.starts_at,
        "oldest_generation": run.oldest_generation,
        "reloads": [asdict(one) for one in run.reloads],
        "manifest": _said_manifest(run.manifest),
        "fingerprints": [
            one.fingerprint for one in staged if one.run_date == run.manifest.run_date
        ],
    }


def _said_manifest(manifest: Manifest) -> Said:
    # A history of years takes a thousand runs at once: none with all of its folders and dates.
    names = ("version", "fingerprint", "declarations", "has_no_files")
    return {name: getattr(manifest, name) for name in names}
