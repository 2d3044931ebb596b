"""What SQL asks of the version log: to read versions, to commit one, to record what a command did.

The answers are rows of a label and JSON, so that one data source serves all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from pyspark_dms.errors import DmsError
from pyspark_dms.release import check_release
from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.derived import derive
from pyspark_dms.versions.history_jobs import history
from pyspark_dms.versions.manifest import OF_RUNS
from pyspark_dms.versions.metadata import with_files
from pyspark_dms.versions.moving import move
from pyspark_dms.versions.numbered import NumberedLog, Outcome, probe
from pyspark_dms.versions.operation_jobs import operation, published, published_state, states
from pyspark_dms.versions.recorded import Records
from pyspark_dms.versions.recorded_plans import plan
from pyspark_dms.versions.seen import seen
from pyspark_dms.versions.tested import tested

Job = Mapping[str, Any]
Answers = Mapping[str, Any]

ANSWER_SCHEMA = pa.schema([("label", pa.string()), ("content", pa.string())])


def parse_job(text: str) -> Job:
    """Read the option ``job`` of the data source.

    Args:
        text: a JSON object with ``act`` (one of those of `answer`), ``root`` (the folder of the
            version log), ``release`` (of the macros) and what the act needs; see `answer`.

    Raises:
        DmsError: the macros are of another release.
    """
    job: Job = json.loads(text)
    check_release(job.get("release"))
    return job


def answer(job: Job) -> pa.RecordBatch:
    """Do what a job asks for; doing it again has the same result.

    * read: ``wanted`` by label, with the fields of `pyspark_dms.versions.log.Wanted`; None: the
      newest version of every table. ``recorded``: also what commands recorded. ``probes``: an
      empty log is tried first. Without a ``root`` there is no log yet. In ``known`` a manifest
      that is there twice has a name in its second place.
    * commit: ``manifest``, ``token``. The ``outcome`` is created, taken (another command has the
      number) or late (another run has recorded an unchanged ``date`` after that of this run). With
      ``publishes`` also the ``state`` with the version, as states gives it.
    * states, published and operation: see `pyspark_dms.versions.operation_jobs`.
    * history: see `pyspark_dms.versions.history_jobs`.
    * plan: see `pyspark_dms.versions.recorded_plans`.
    * move: see `pyspark_dms.versions.moving`.
    * record: ``run``, ``published`` and ``passed`` as `pyspark_dms.versions.recorded.record` has
      them.
    * recorded: the number of the last command that has recorded something.
    * derive: see `pyspark_dms.versions.derived`.
    * seen: see `pyspark_dms.versions.seen`.
    * tested: see `pyspark_dms.versions.tested`.

    Returns:
        Rows of `ANSWER_SCHEMA`.
    """
    acts: Mapping[str, Callable[[Job], Answers]] = {
        "read": _read, "commit": _commit, "record": _record, "published": published,
        "states": states, "operation": operation, "history": history, "move": move, "plan": plan,
        "recorded": _recorded, "derive": derive, "seen": seen, "tested": tested,
    }  # fmt: skip
    rows = [
        {"label": label, "content": json.dumps(content, separators=(",", ":"))}
        for label, content in acts[job["act"]](job).items()
    ]
    return pa.RecordBatch.from_pylist(rows, schema=ANSWER_SCHEMA)


def _read(job: Job) -> Answers:
    root, asked = job["root"], job["wanted"]
    if not root:
        asked = asked or {}
    labels = log.tables(root) if asked is None else [*asked]
    wanted = {label: log.Wanted(**_typed((asked or {}).get(label, {}))) for label in labels}
    records = recorded.read(root) if root and job["recorded"] else Records()
    found = log.read(root, wanted) if root else {one: log.nothing(wanted[one]) for one in labels}
    if job.get("probes") and not records.number and not any(map(_has_versions, found.values())):
        probe(root)
    return {label: _said(found[label], label, records) for label in labels}


def _once(known: Mapping[str, log.Manifest | None]) -> Answers:
    """Manifests by their names; one that is there under another name is that name."""
    names: dict[int, str] = {}
    return {
        name: one if one is None or names.setdefault(one["version"], name) == name
        else names[one["version"]]
        for name, one in known.items()
    }  # fmt: skip


def _typed(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in wanted.items()
    }


def _has_versions(found: log.TableVersions | DmsError) -> bool:
    return isinstance(found, DmsError) or found.newest > 0


def _said(found: log.TableVersions | DmsError, label: str, records: Records) -> dict[str, Any]:
    if isinstance(found, DmsError):
        return {"error": str(found)}
    return {
        **asdict(found),
        "known": _once(found.known),
        "recorded": records.versions(label),
        "published": records.last(label) or None,
        **records.tested(label),
    }


def _commit(job: Job) -> Answers:
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
    manifest = {**with_files(job["manifest"]), "finished_at": now, "commit_id": job["token"]}
    label = f"{manifest['source_name']}.{manifest['table_name']}"
    table = log.table_log(job["root"], label)
    if later := _later_date(job["root"], table, manifest):
        return {label: {"outcome": "late", "date": later}}
    outcome = log.create(job["root"], manifest, job["token"], table)
    said = {"outcome": outcome.value}
    if outcome is not Outcome.CREATED or not job.get("publishes"):
        return {label: said}
    return {label: said | {"state": published_state(job["root"], label, manifest["version"])}}


def _later_date(root: str, table: NumberedLog, manifest: log.Manifest) -> str | None:
    """A later date that shows the version which a run would replace; None if there is none.

    Another run has recorded it since this one was planned, and readers would lose it.
    """
    number, run_date = manifest["version"], manifest["run_date"]
    is_taken = table.numbers.newest >= number
    if is_taken or manifest["action"] not in OF_RUNS:
        return None
    before = table.newest_counting(number - 1)
    current = table.number_in(before, "current_version") if before else None
    dates = recorded.read(root).version(table.label, current)["dates"] if current else []
    return dates[-1] if dates and dates[-1] > run_date else None


def _recorded(job: Job) -> Answers:
    return {"": {"number": recorded.newest_number(job["root"])}}


def _record(job: Job) -> Answers:
    number = recorded.record(job["root"], job["run"], job["published"], job["passed"])
    return {"": {"number": number}}
