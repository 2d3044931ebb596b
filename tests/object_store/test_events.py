"""Events about landed files: each file is in a run that began after it landed, one at a time."""

import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from click.testing import CliRunner
from moto.emr.models import emr_backends
from moto.emrserverless.models import emrserverless_backends

from pyspark_dms.aws import emr
from pyspark_dms.aws.events import LandedObject, MalformedEvent, Run, WatchedTable, batches, plan
from pyspark_dms.cli import main
from tests.support.aws import aws_api

ACCOUNT, REGION = "123456789012", "us-east-1"
COMMAND = "/opt/dms/run"
PEOPLE = WatchedTable(
    "hr.people", "s3://landing/dms/hr/people/", ("stg_hr__people", "people_snapshot")
)
ORDERS = WatchedTable(
    "shop.orders", "s3a://landing/dms/shop/order s/", ("stg_shop__orders", "orders_snapshot")
)
TABLES = [PEOPLE, ORDERS]
PEOPLE_KEY = "dms/hr/people/20201114-100000000.parquet"
ORDERS_KEY = "dms/shop/order s/2020/11/14/20201114-100000000.csv.gz"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def landed(key: str, minutes: float = 0) -> LandedObject:
    return LandedObject("landing", key, at(minutes))


# ------------------------------------------------------------------ AWS over the wire


@pytest.fixture(scope="module")
def aws() -> Iterator[None]:
    with aws_api(REGION):
        yield


class Cluster:
    """An EMR cluster; its steps are moved on by the test, as moto runs none."""

    def __init__(self) -> None:
        self._client = boto3.client("emr")
        self.id = self._client.run_job_flow(
            Name="dms",
            Instances={"MasterInstanceType": "m5.xlarge", "KeepJobFlowAliveWhenNoSteps": True},
            JobFlowRole="x",
            ServiceRole="y",
        )["JobFlowId"]
        self.runner = emr.EmrSteps(self.id, COMMAND)

    def started(self) -> list[list[str]]:
        """The models of each step, oldest first."""
        steps = self._client.list_steps(ClusterId=self.id)["Steps"]
        arguments = [step["Config"]["Args"] for step in reversed(steps)]
        return [sorted(models) for command, *models in arguments if command == COMMAND]

    def move(self, state: str, began_at: datetime | None = None) -> None:
        """Bring the newest step to a state."""
        step = emr_backends[ACCOUNT][REGION].clusters[self.id].steps[-1]
        step.state = state
        step.start_date_time = began_at or datetime.now(UTC)

    def forget(self) -> None:
        emr_backends[ACCOUNT][REGION].clusters[self.id].steps.clear()
        # A cluster has a step of its own first, and moto runs the first one at once.
        emr.EmrSteps(self.id, "/usr/bin/setup").start([])


@pytest.fixture(scope="module")
def one_cluster(aws: None) -> Cluster:
    return Cluster()


@pytest.fixture
def cluster(one_cluster: Cluster) -> Cluster:
    one_cluster.forget()
    return one_cluster


def s3_record(
    key: str, name: str = "ObjectCreated:Put", when: datetime | None = None
) -> dict[str, Any]:
    return {
        "eventSource": "aws:s3",
        "eventName": name,
        "eventTime": (when or datetime.now(UTC)).isoformat().replace("+00:00", "Z"),
        "s3": {"bucket": {"name": "landing"}, "object": {"key": key, "size": 1}},
    }


def direct(*keys: str) -> dict[str, Any]:
    return {"Records": [s3_record(key) for key in keys]}


def eventbridge(key: str) -> dict[str, Any]:
    return {
        "source": "aws.s3",
        "detail-type": "Object Created",
        "time": datetime.now(UTC).isoformat(),
        "detail": {"bucket": {"name": "landing"}, "object": {"key": key}},
    }


def through_sqs(*bodies: object) -> dict[str, Any]:
    return {
        "Records": [
            {
                "eventSource": "aws:sqs",
                "messageId": f"m{number}",
                "body": body if isinstance(body, str) else json.dumps(body),
            }
            for number, body in enumerate(bodies)
        ]
    }


def through_sns(event: object) -> dict[str, Any]:
    return {"Type": "Notification", "Message": json.dumps(event)}


def sns_record(event: object) -> dict[str, Any]:
    return {"Records": [{"EventSource": "aws:sns", "Sns": {"Message": json.dumps(event)}}]}


ENCODED = "dms/shop/order+s/2020/11/14/20201114-100000000.csv.gz"


@pytest.mark.parametrize(
    ("event", "tables"),
    [
        (direct(PEOPLE_KEY), [PEOPLE]),
        (direct(ENCODED), [ORDERS]),
        (direct("dms/hr/people/LOAD00000001.parquet", ENCODED, PEOPLE_KEY), [PEOPLE, ORDERS]),
        ({"Records": [s3_record(PEOPLE_KEY, "ObjectCreated:CompleteMultipartUpload")]}, [PEOPLE]),
        (eventbridge(PEOPLE_KEY), [PEOPLE]),
        (eventbridge(ORDERS_KEY), [ORDERS]),
        (through_sqs(direct(ENCODED)), [ORDERS]),
        (through_sqs(direct(PEOPLE_KEY), eventbridge(ORDERS_KEY)), [PEOPLE, ORDERS]),
        (through_sqs(through_sns(direct(PEOPLE_KEY))), [PEOPLE]),
        (through_sns(direct(PEOPLE_KEY)), [PEOPLE]),
        (sns_record(direct(PEOPLE_KEY)), [PEOPLE]),
        # What tells of no new file of a declared table.
        ({"Records": [s3_record(PEOPLE_KEY, "ObjectRemoved:Delete")]}, []),
        ({**eventbridge(PEOPLE_KEY), "detail-type": "Object Deleted"}, []),
        ({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "landing"}, []),
        (direct("dms/hr/people/readme.txt", "dms/hr/peoples/LOAD00000001.parquet", "x"), []),
        (through_sqs(direct("dms/hr/unknown/LOAD00000001.parquet")), []),
    ],
)  # fmt: skip
def test_an_event_of_any_shape_starts_just_the_tables_concerned(
    cluster: Cluster, event: dict[str, Any], tables: list[WatchedTable]
) -> None:
    assert emr.handle(event, TABLES, cluster.runner) == {"batchItemFailures": []}
    models = sorted(model for table in tables for model in table.models)
    assert cluster.started() == ([models] if models else [])


def test_an_event_that_comes_again_starts_nothing_again(cluster: Cluster) -> None:
    event = through_sqs(direct(PEOPLE_KEY))
    emr.handle(event, TABLES, cluster.runner)
    assert emr.handle(event, TABLES, cluster.runner) == {"batchItemFailures": []}
    assert len(cluster.started()) == 1
    cluster.move("RUNNING", datetime.now(UTC) + timedelta(minutes=5))
    emr.handle(event, TABLES, cluster.runner)
    cluster.move("COMPLETED", datetime.now(UTC) + timedelta(minutes=5))
    assert emr.handle(event, TABLES, cluster.runner) == {"batchItemFailures": []}
    assert len(cluster.started()) == 1


def test_while_a_table_is_under_way_its_message_comes_again_and_others_go_on(
    cluster: Cluster,
) -> None:
    emr.handle(through_sqs(direct(PEOPLE_KEY)), TABLES, cluster.runner)
    cluster.move("RUNNING")
    both = through_sqs(direct(PEOPLE_KEY), direct(ENCODED))
    assert emr.handle(both, TABLES, cluster.runner) == {
        "batchItemFailures": [{"itemIdentifier": "m0"}]
    }
    assert cluster.started() == [sorted(PEOPLE.models), sorted(ORDERS.models)]


def test_what_a_failed_run_did_not_take_is_run_when_its_event_comes_again(cluster: Cluster) -> None:
    event = through_sqs(direct(PEOPLE_KEY))
    emr.handle(event, TABLES, cluster.runner)
    cluster.move("FAILED", datetime.now(UTC) + timedelta(minutes=5))
    emr.handle(event, TABLES, cluster.runner)
    assert len(cluster.started()) == 2


@pytest.mark.parametrize("arguments", [[], ["--due", "2026-11-20T00:45:00Z"]])
def test_a_run_of_everything_covers_every_table(cluster: Cluster, arguments: list[str]) -> None:
    cluster.runner.start(arguments)
    emr.handle(direct(PEOPLE_KEY, ENCODED), TABLES, cluster.runner)
    assert cluster.started() == [arguments]


def test_a_run_of_one_table_that_was_due_covers_no_other(cluster: Cluster) -> None:
    cluster.runner.start(["--due", "2026-11-20T00:45:00Z", *PEOPLE.models])
    emr.handle(direct(PEOPLE_KEY, ENCODED), TABLES, cluster.runner)
    assert cluster.started()[1:] == [sorted(ORDERS.models)]


@pytest.mark.parametrize("seed", range(8))
def test_a_run_under_way_is_found_in_whatever_order_filtered_steps_are_listed(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """AWS promises the newest first only where steps are not filtered by state."""
    backend = emr_backends[ACCOUNT][REGION]
    in_order, mixed = backend.list_steps, random.Random(seed)

    def in_any_order(cluster_id: str, **asked: Any) -> list[Any]:
        steps = in_order(cluster_id, **asked)
        return mixed.sample(steps, len(steps)) if asked.get("step_states") else steps

    monkeypatch.setattr(backend, "list_steps", in_any_order)
    for days in (5, 4, 3):
        cluster.runner.start(PEOPLE.models)
        cluster.move("COMPLETED")
        step = backend.clusters[cluster.id].steps[-1]
        step.creation_date_time -= timedelta(days=days)
    cluster.runner.start(PEOPLE.models)
    cluster.move("RUNNING", datetime.now(UTC) - timedelta(minutes=5))
    event = through_sqs(direct(PEOPLE_KEY))
    assert len(emr.handle(event, TABLES, cluster.runner)["batchItemFailures"]) == 1
    assert len(cluster.started()) == 4


def test_steps_of_others_cover_nothing(cluster: Cluster) -> None:
    emr.EmrSteps(cluster.id, "/usr/bin/other").start(PEOPLE.models)
    emr.handle(direct(PEOPLE_KEY), TABLES, cluster.runner)
    assert cluster.started() == [sorted(PEOPLE.models)]


def test_another_command_of_dbt_covers_nothing(cluster: Cluster) -> None:
    cluster.runner.start(["dbt", "test", "--select", *PEOPLE.models])
    assert emr.handle(direct(PEOPLE_KEY), TABLES, cluster.runner) == {"batchItemFailures": []}
    assert cluster.started()[1:] == [sorted(PEOPLE.models)]


@pytest.mark.parametrize("shape", [direct, eventbridge])
def test_what_did_not_come_through_a_queue_is_sent_through_one_to_wait(
    cluster: Cluster, shape: Callable[[str], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    event = shape(PEOPLE_KEY)  # it lands now, and not when the tests were collected
    sqs = boto3.client("sqs")
    url = sqs.create_queue(QueueName="later")["QueueUrl"]
    sqs.purge_queue(QueueUrl=url)
    monkeypatch.setenv("DMS_QUEUE_URL", url)
    monkeypatch.setattr(emr, "_WAIT_SECONDS", 0)
    emr.handle(event, TABLES, cluster.runner)
    cluster.move("RUNNING")
    emr.handle(event, TABLES, cluster.runner)
    [message] = sqs.receive_message(QueueUrl=url)["Messages"]
    cluster.move("COMPLETED")
    again = through_sqs(message["Body"])
    assert emr.handle(again, TABLES, cluster.runner) == {"batchItemFailures": []}
    assert cluster.started() == [sorted(PEOPLE.models)] * 2


MALFORMED = [
    [], "text", {}, {"Records": {}}, {"Records": ["x"]}, {"Records": [{"eventSource": "aws:ec2"}]},
    {"Records": [{"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "s3": {}}]},
    {"source": "aws.s3", "detail-type": "Object Created", "detail": {"bucket": "x"}},
]  # fmt: skip


@pytest.mark.parametrize("event", MALFORMED)
def test_a_malformed_event_is_refused_with_what_is_wrong(cluster: Cluster, event: Any) -> None:
    with pytest.raises(MalformedEvent, match=r"is no|is missing|comes neither|an event is"):
        emr.handle(event, TABLES, cluster.runner)
    assert cluster.started() == []


def test_a_malformed_message_comes_again_alone(cluster: Cluster) -> None:
    event = through_sqs("no json", direct(PEOPLE_KEY))
    assert emr.handle(event, TABLES, cluster.runner) == {
        "batchItemFailures": [{"itemIdentifier": "m0"}]
    }
    assert cluster.started() == [sorted(PEOPLE.models)]


@pytest.mark.parametrize(
    "when",
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "soon"],
)
def test_an_impossible_time_is_taken_for_now(cluster: Cluster, when: str) -> None:
    event = direct(PEOPLE_KEY)
    event["Records"][0]["eventTime"] = when
    emr.handle(event, TABLES, cluster.runner)
    cluster.move("COMPLETED", datetime.now(UTC) + timedelta(minutes=2))
    emr.handle(event, TABLES, cluster.runner)
    assert cluster.started() == [sorted(PEOPLE.models)]


def test_a_message_of_any_depth_does_not_hold_up_others(cluster: Cluster) -> None:
    event = through_sqs(direct(PEOPLE_KEY))
    deep = {**event["Records"][0], "messageId": "deep", "body": "[" * 100_000 + "]" * 100_000}
    event["Records"].append(deep)
    answer = emr.handle(event, TABLES, cluster.runner)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "deep"}]}
    assert cluster.started() == [sorted(PEOPLE.models)]


def test_a_key_never_becomes_part_of_a_command(cluster: Cluster) -> None:
    hostile = "dms/hr/people/$(reboot); x 'y'/20201114-100000000.parquet"
    emr.handle(eventbridge(hostile), TABLES, cluster.runner)
    assert cluster.started() == [sorted(PEOPLE.models)]


def test_jobs_of_emr_serverless_follow_the_same_rules(aws: None) -> None:
    client = boto3.client("emr-serverless")
    application = client.create_application(
        name="dms", releaseLabel="emr-7.0.0", type="SPARK", clientToken="t"
    )["applicationId"]
    jobs = emrserverless_backends[ACCOUNT][REGION].job_runs
    jobs[application] = []
    role = f"arn:aws:iam::{ACCOUNT}:role/dms"
    runner = emr.EmrServerless(application, role, "s3://code/run.py", 90)
    event = through_sqs(direct(PEOPLE_KEY))

    assert emr.handle(event, TABLES, runner) == {"batchItemFailures": []}
    [job] = jobs[application]
    assert job.job_driver == {
        "sparkSubmit": {
            "entryPoint": "s3://code/run.py", "entryPointArguments": list(PEOPLE.models),
        }
    }  # fmt: skip
    # One that hangs must not hold up all others for the 12 hours of AWS's default.
    assert job.execution_timeout_minutes == 90
    for state, again, count in (("PENDING", 0, 1), ("RUNNING", 1, 1), ("FAILED", 0, 2)):
        job.state = state
        assert len(emr.handle(event, TABLES, runner)["batchItemFailures"]) == again
        assert len(jobs[application]) == count


def test_a_job_that_ends_while_it_is_looked_at_covers_nothing(
    aws: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = boto3.client("emr-serverless")
    application = client.create_application(
        name="dms", releaseLabel="emr-7.0.0", type="SPARK", clientToken="ends"
    )["applicationId"]
    jobs = emrserverless_backends[ACCOUNT][REGION].job_runs
    jobs[application] = []
    role = f"arn:aws:iam::{ACCOUNT}:role/dms"
    runner = emr.EmrServerless(application, role, "s3://code/run.py", 90)
    runner.start(PEOPLE.models)
    [job] = jobs[application]
    listed = runner._client.get_paginator("list_job_runs").paginate(applicationId=application)
    pages = [*listed]
    job.state = "FAILED"
    monkeypatch.setattr(
        runner._client, "get_paginator", lambda _: SimpleNamespace(paginate=lambda **_: pages)
    )
    assert runner.runs(NOW) == []


# ------------------------------------------------------------------ the rule


def run(state: str, minutes: float, table: WatchedTable = PEOPLE) -> Run:
    return Run(frozenset(table.models), state, at(minutes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("runs", "decision"),
    [
        ([], "start"),
        ([run("waiting", -9)], "covered"),
        ([run("running", -9)], "later"),
        ([run("running", 5)], "covered"),
        ([run("running", 0.5)], "later"),  # within what clocks may differ
        ([run("done", -9)], "start"),
        ([run("done", 5)], "covered"),
        ([run("running", -9), run("waiting", -1)], "covered"),
        ([run("running", -9, ORDERS)], "start"),
    ],
)
def test_a_file_is_covered_by_a_run_that_begins_after_it_landed(
    runs: list[Run], decision: str
) -> None:
    result = plan([landed(PEOPLE_KEY)], TABLES, runs)
    assert ("start" if result.start else "later" if result.later else "covered") == decision


class Simulated:
    """Runs that take their time; what each one saw when it began is kept."""

    def __init__(self) -> None:
        self.minute = 0.0
        self.all: list[dict[str, Any]] = []

    def runs(self, since: datetime) -> list[Run]:
        return [Run(entry["models"], entry["state"], at(entry["began"])) for entry in self.all]

    def start(self, models: Sequence[str]) -> str:
        entry = {"models": frozenset(models), "state": "waiting", "began": self.minute}
        self.all.append(entry)
        return str(len(self.all))

    def move(self, chance: random.Random) -> None:
        for entry in self.all:
            if entry["state"] == "waiting" and chance.random() < 0.5:
                entry.update(state="running", began=self.minute)
            elif entry["state"] == "running" and chance.random() < 0.2:
                entry["state"] = "done"
        for table in TABLES:
            states = [entry["state"] for entry in self.of(table)]
            assert states.count("running") <= 1, "two runs of one table at a time"

    def of(self, table: WatchedTable) -> list[dict[str, Any]]:
        return [entry for entry in self.all if table.models[0] in entry["models"]]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_comes_twice_late_or_out_of_order_each_file_is_seen_by_a_run(seed: int) -> None:
    chance = random.Random(seed)
    runner = Simulated()
    queue: list[tuple[float, dict[str, Any]]] = []
    files: list[tuple[WatchedTable, float]] = []
    for minute in range(200):
        runner.minute = minute
        if minute < 100 and chance.random() < 0.4:
            table, key = chance.choice([(PEOPLE, PEOPLE_KEY), (ORDERS, ENCODED)])
            files.append((table, minute))
            body = {"Records": [s3_record(key, when=at(minute))]}
            copies = chance.choice([1, 1, 2, 3])
            queue += [(minute + chance.random() * 20, body) for _ in range(copies)]
        due = [entry for entry in queue if entry[0] <= minute]
        chance.shuffle(due)
        queue = [entry for entry in queue if entry[0] > minute]
        if due:
            again = emr.handle(through_sqs(*(body for _, body in due)), TABLES, runner)
            for failure in again["batchItemFailures"]:
                queue.append((minute + 5, due[int(failure["itemIdentifier"][1:])][1]))
        runner.move(chance)
    assert not queue
    for table, landed_at in files:
        assert any(
            entry["state"] == "done" and entry["began"] >= landed_at for entry in runner.of(table)
        ), f"{table.label} at minute {landed_at}"
    # A run for each batch of files, not one for each event.
    assert len(runner.all) < len(files) * 2


def test_a_file_with_the_changes_of_all_tables_starts_each_of_them() -> None:
    both = [replace(table, transaction_path="s3://landing/cdc/") for table in TABLES]
    other = WatchedTable("hr.other", "s3://landing/dms/hr/other/", ("stg_hr__other",))
    found = plan([landed("cdc/20201114/CDC_TXN-20201114100000000.csv")], [*both, other], [])
    assert found.start == both
    # Under the folder of a table such a name says nothing, and in that of all tables no other does.
    strangers = [
        landed("dms/hr/people/CDC_TXN-20201114100000000.csv"),
        landed("cdc/20201114-100000000.csv"),
    ]
    assert plan(strangers, both, []).foreign == strangers


def test_hundreds_of_tables_are_started_within_the_limits_of_a_step() -> None:
    tables = [
        WatchedTable(f"s.{n}", f"s3://b/{n}/", (f"stg_schema__table_{n}", f"table_{n}_snapshot"))
        for n in range(300)
    ]
    parts = list(batches(tables, 8_000))
    assert [model for part in parts for model in part] == [m for t in tables for m in t.models]
    assert all(len(" ".join(part)) <= 8_000 for part in parts)
    assert len(parts) < 4


# ------------------------------------------------------------------ the function as it is deployed


def test_the_packed_function_runs_with_nothing_but_boto3(cluster: Cluster, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "models/sources").mkdir(parents=True)
    (project / "dbt_project.yml").write_text("name: a_project\n")
    (project / "models/sources/people.yml").write_text(
        """
sources:
  - name: hr
    tables:
      - {name: people, config: {meta: {dms: {path: "{{ env_var('DMS_ROOT') }}/hr/people"}}}}
      - {name: idle, config: {meta: {dms: {path: "s3://landing/dms/hr/idle", active: false}}}}
"""
    )
    packed = tmp_path / "trigger.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DMS_ROOT", "s3://landing/dms")
        options = ["--project-dir", str(project), "--output", str(packed)]
        result = CliRunner().invoke(main, ["trigger-zip", *options])
    assert result.exit_code == 0, result.output
    assert "1 table" in result.output
    with zipfile.ZipFile(packed) as content:
        content.extractall(tmp_path / "task")
    call = (
        "import json, sys; from pyspark_dms.aws.emr import handler;"
        "print(json.dumps(handler(json.load(sys.stdin), None)));"
        "assert not {'pyarrow', 'obstore', 'pyspark', 'dbt', 'yaml'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", call],
        input=json.dumps(direct(PEOPLE_KEY)),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "task"), "DMS_CLUSTER_ID": cluster.id},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"batchItemFailures": []}
    assert cluster.started() == [sorted(PEOPLE.models)]
