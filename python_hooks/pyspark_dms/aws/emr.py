"""The AWS Lambda that starts runs on Amazon EMR when DMS files land.

Settings, from the environment of the function:

* ``DMS_CLUSTER_ID``: the EMR cluster whose steps run dbt, or
  ``DMS_APPLICATION_ID``, ``DMS_JOB_ROLE`` and ``DMS_ENTRY_POINT``: an EMR Serverless application,
  the role of its jobs and the script they run; ``DMS_RUN_MINUTES``: how long a job may take.
* ``DMS_RUN_COMMAND``: program of a step that gets the models as arguments, ``/opt/dms/run``.
* ``DMS_QUEUE_URL``: queue for what has to wait, needed unless events come through SQS.

It looks at the runs, then starts one. Two at once can start two runs of a table: they run one after
the other, and the second one finds nothing new.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Protocol

import boto3

from pyspark_dms.aws.events import (
    CLOCK_MARGIN,
    LandedObject,
    MalformedEvent,
    Run,
    WatchedTable,
    batches,
    landed_objects,
    parse_tables,
    plan,
)

# The arguments of a step may have 10,280 characters in all.
_STEP_CHARACTERS = 8_000
# The default of deploy/run, too.
_RUN_MINUTES = 360
# How long an event waits for a run that is under way before it is looked at again.
_WAIT_SECONDS = 300
_LOG = logging.getLogger("dms")
_LOG.setLevel(logging.INFO)


class Runner(Protocol):
    """A place where runs are started and can be looked up."""

    def runs(self, since: datetime) -> list[Run]:
        """Runs that wait or run, and those that were begun since then and succeeded."""
        ...

    def start(self, models: Sequence[str]) -> str:
        """Start a run of some models; return its name."""
        ...


State = Literal["waiting", "running", "done"]
_STEP_STATES: dict[str, State] = {
    "PENDING": "waiting",
    "RUNNING": "running",
    "CANCEL_PENDING": "running",
    "COMPLETED": "done",
}
_UNENDED = [name for name, state in _STEP_STATES.items() if state != "done"]
# A scheduled job may have begun already.
_JOB_STATES: dict[str, State] = {
    "SUBMITTED": "waiting",
    "PENDING": "waiting",
    "QUEUED": "waiting",
    "SCHEDULED": "running",
    "RUNNING": "running",
    "CANCELLING": "running",
    "SUCCESS": "done",
}


class EmrSteps:
    """Runs as steps of an EMR cluster."""

    def __init__(self, cluster_id: str, command: str) -> None:
        self._client = boto3.client("emr")
        self._cluster_id = cluster_id
        self._command = command

    def runs(self, since: datetime) -> list[Run]:
        """See `Runner`. A failed step has covered nothing."""
        return list(self._runs(since))

    def _runs(self, since: datetime) -> Iterator[Run]:
        # AWS lists steps newest first, but in any order where they are filtered by state. So those
        # that have not ended, which are few, are asked for on their own and all read.
        for step in self._steps(StepStates=list(_UNENDED)):
            yield from self._run(step, since)
        for step in self._steps():
            if _created_at(step, since) < since - timedelta(days=1):
                # No later one can have begun since.
                return
            yield from self._run(step, since)

    def _steps(self, **asked: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        pages = self._client.get_paginator("list_steps").paginate(
            ClusterId=self._cluster_id, **asked
        )
        for page in pages:
            yield from page["Steps"]

    def _run(self, step: Mapping[str, Any], since: datetime) -> Iterator[Run]:
        command, *models = step.get("Config", {}).get("Args") or [""]
        state = _STEP_STATES.get(step["Status"]["State"])
        if command == self._command and state:
            began_at = step["Status"].get("Timeline", {}).get("StartDateTime")
            yield Run(_named(models), state, began_at or _created_at(step, since))

    def start(self, models: Sequence[str]) -> str:
        """See `Runner`."""
        step = {
            "Name": f"dms: {len(models)} models",
            # One table that fails must not stop the cluster.
            "ActionOnFailure": "CONTINUE",
            "HadoopJarStep": {"Jar": "command-runner.jar", "Args": [self._command, *models]},
        }
        answer = self._client.add_job_flow_steps(JobFlowId=self._cluster_id, Steps=[step])
        return str(answer["StepIds"][0])


class EmrServerless:
    """Runs as jobs of an EMR Serverless application."""

    def __init__(self, application_id: str, role: str, entry_point: str, minutes: int) -> None:
        self._client = boto3.client("emr-serverless")
        self._minutes = minutes
        self._application_id = application_id
        self._role = role
        self._entry_point = entry_point

    def runs(self, since: datetime) -> list[Run]:
        """See `Runner`. A failed job has covered nothing."""
        return list(self._runs(since))

    def _runs(self, since: datetime) -> Iterator[Run]:
        pages = self._client.get_paginator("list_job_runs").paginate(
            applicationId=self._application_id,
            # A job may be at work for as long as a day.
            createdAtAfter=since - timedelta(days=1),
            states=list(_JOB_STATES),
        )
        for page in pages:
            for entry in page["jobRuns"]:
                if _JOB_STATES[entry["state"]] == "done" and entry["createdAt"] < since:
                    continue
                job = self._client.get_job_run(
                    applicationId=self._application_id, jobRunId=entry["id"]
                )["jobRun"]
                submit = job["jobDriver"].get("sparkSubmit", {})
                state = _JOB_STATES.get(job["state"])  # it may have failed since it was listed
                if state is None or submit.get("entryPoint") != self._entry_point:
                    continue
                yield Run(
                    _named(submit.get("entryPointArguments", [])),
                    state,
                    job["createdAt"],
                )

    def start(self, models: Sequence[str]) -> str:
        """See `Runner`."""
        answer = self._client.start_job_run(
            applicationId=self._application_id,
            executionRoleArn=self._role,
            name=f"dms: {len(models)} models",
            executionTimeoutMinutes=self._minutes,
            # One whose workers or zone were lost goes on from what is published.
            retryPolicy={"maxAttempts": 2},
            jobDriver={
                "sparkSubmit": {
                    "entryPoint": self._entry_point,
                    "entryPointArguments": list(models),
                }
            },
        )
        return str(answer["jobRunId"])


def _created_at(step: Mapping[str, Any], default: datetime) -> datetime:
    created_at: datetime = step["Status"].get("Timeline", {}).get("CreationDateTime", default)
    return created_at


def _named(arguments: Sequence[str]) -> frozenset[str] | None:
    """The models whose files a run with these arguments of deploy/run takes; None for all."""
    if arguments[:1] == ["--due"]:
        arguments = arguments[2:]
    if arguments[:1] == ["dbt"]:
        # Another command of dbt, such as a test of these models, need not take any file.
        return frozenset()
    return frozenset(arguments) or None


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """The entry point of the function.

    Returns what SQS takes as the list of messages that must come again; empty for other sources.

    Raises:
        MalformedEvent: the event is none that S3 sends, directly or through EventBridge. A message
            of SQS that is malformed comes again instead, until its queue puts it aside.
        KeyError: a setting of the function is missing.
    """
    tables = parse_tables(Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))
    return handle(event, tables, runner_from_environment())


def runner_from_environment() -> Runner:
    """The runner that the environment names."""
    if application_id := os.environ.get("DMS_APPLICATION_ID"):
        return EmrServerless(
            application_id,
            os.environ["DMS_JOB_ROLE"],
            os.environ["DMS_ENTRY_POINT"],
            int(os.environ.get("DMS_RUN_MINUTES", _RUN_MINUTES)),
        )
    command = os.environ.get("DMS_RUN_COMMAND", "/opt/dms/run")
    return EmrSteps(os.environ["DMS_CLUSTER_ID"], command)


def handle(
    event: Mapping[str, Any], tables: Sequence[WatchedTable], runner: Runner
) -> dict[str, Any]:
    """Start what an event asks for; see `handler`."""
    if not _is_from_sqs(event):
        objects = list(landed_objects(event))
        if _start(objects, tables, runner):
            _send_later(event)
        return {"batchItemFailures": []}

    again = []
    messages: dict[str, list[LandedObject]] = {}
    for record in event["Records"]:
        try:
            messages[record["messageId"]] = list(landed_objects({"Records": [record]}))
        except MalformedEvent as problem:
            _LOG.error("message %s is malformed: %s", record["messageId"], problem)
            again.append(record["messageId"])
    everything = [one for objects in messages.values() for one in objects]
    later = {table.label for table in _start(everything, tables, runner)}
    for message_id, objects in messages.items():
        concerned = plan(objects, tables, []).start
        if any(table.label in later for table in concerned):
            again.append(message_id)
    return {"batchItemFailures": [{"itemIdentifier": one} for one in again]}


def _start(
    objects: Sequence[LandedObject], tables: Sequence[WatchedTable], runner: Runner
) -> list[WatchedTable]:
    """Start the runs for some objects; return the tables that have to wait."""
    if not objects:
        return []
    oldest = min(one.at for one in objects) - CLOCK_MARGIN
    decided = plan(objects, tables, runner.runs(oldest))
    for one in decided.foreign:
        # Perhaps a table that is not declared yet: dms-snapshots discover finds it.
        _LOG.warning("no declared table has the file %s", json.dumps(one.url))
    for models in batches(decided.start, _STEP_CHARACTERS):
        _LOG.info("started %s for %s", runner.start(models), " ".join(models))
    for table in decided.later:
        _LOG.info("%s is under way; its new files come next", table.label)
    return decided.later


def _send_later(event: Mapping[str, Any]) -> None:
    """Have an event that did not come through a queue come again through one."""
    boto3.client("sqs").send_message(
        QueueUrl=os.environ["DMS_QUEUE_URL"],
        MessageBody=json.dumps(event),
        DelaySeconds=_WAIT_SECONDS,
    )


def _is_from_sqs(event: object) -> bool:
    records = event.get("Records") if isinstance(event, Mapping) else None
    return (
        isinstance(records, list)
        and bool(records)
        and all(isinstance(one, Mapping) and one.get("eventSource") == "aws:sqs" for one in records)
    )
