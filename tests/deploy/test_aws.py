"""deploy/ and docs/how-to/emr.md, as far as they go without an AWS account."""

import ast
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tarfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import botocore.session
import pytest
from moto.emrserverless.models import emrserverless_backends
from pyspark.sql import SparkSession

from pyspark_dms.aws import emr, job
from pyspark_dms.aws.events import WatchedTable
from pyspark_dms.dbt_session import DbtSession
from tests.support.aws import aws_api
from tests.support.engines import REPOSITORY, LocalEngine

TEMPLATE = REPOSITORY / "deploy/template.yml"
PEOPLE = WatchedTable(
    "hr.people", "s3://landing/dms/hr/people/", ("stg_hr__people", "people_snapshot")
)
PARAMETERS = {
    "LandingBucket": "landing",
    "CodeBucket": "code",
    "LakeBucket": "lake-of-the-test",
    "AlarmEmail": "nobody@example.com",
}
ACCOUNT = "123456789012"
BIN = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path = REPOSITORY, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_template_is_without_fault() -> None:
    run(BIN / "cfn-lint", TEMPLATE)


@pytest.mark.parametrize("script", ["run", "bootstrap.sh", "thrift-server", "pack"])
def test_the_scripts_are_without_fault_of_form(script: str) -> None:
    run("bash", "-n", REPOSITORY / "deploy" / script)
    assert os.access(REPOSITORY / "deploy" / script, os.X_OK)


# ------------------------------------------------------------------ in moto


@contextmanager
def made(place: str, **parameters: str) -> Iterator[dict[str, str]]:
    """The stack as moto makes it: the physical name of each resource, by its logical one."""
    with aws_api("us-east-1"):
        s3 = boto3.client("s3")
        for bucket in ("landing", "code"):
            s3.create_bucket(Bucket=bucket)
        s3.put_object(Bucket="code", Key="dms-snapshots/trigger.zip", Body=b"x")
        s3.put_bucket_notification_configuration(
            Bucket="landing", NotificationConfiguration={"EventBridgeConfiguration": {}}
        )
        subnet = boto3.client("ec2").describe_subnets()["Subnets"][0]["SubnetId"]
        values = {**PARAMETERS, "RunOn": place, "SubnetId": subnet, **parameters}
        cloudformation = boto3.client("cloudformation")
        cloudformation.create_stack(
            StackName="dms",
            TemplateBody=TEMPLATE.read_text(),
            Capabilities=["CAPABILITY_IAM"],
            Parameters=[
                {"ParameterKey": key, "ParameterValue": value} for key, value in values.items()
            ],
        )
        resources = cloudformation.describe_stack_resources(StackName="dms")["StackResources"]
        yield {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for one in resources
            if "PhysicalResourceId" in one
        }


@pytest.fixture(scope="module", params=["cluster", "serverless"])
def stack(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The stack with the defaults of its parameters."""
    with made(request.param) as resources:
        yield resources


@pytest.mark.parametrize(("place", "role"), [("cluster", "NodeRole"), ("serverless", "JobRole")])
def test_a_stack_is_made_without_events_on_a_lake_and_keys_that_exist(
    place: str, role: str
) -> None:
    key = "arn:aws:kms:us-east-1:123456789012:key/of-the-test"
    with made(
        place, RunOnEvents="false", MakeLake="false", LandingKey=key, LakeKey=key, Retention="90"
    ) as resources:
        assert not {"LandedQueue", "Trigger", "Lake"} & resources.keys()
        assert {"NightlyRole", "DeadLetters", "RunPolicy"} <= resources.keys()
        policies = boto3.client("iam").list_role_policies(RoleName=resources[role])["PolicyNames"]
        assert sorted(policies) == ["lake-key", "landing-key"]


def runner_of(stack: dict[str, str]) -> emr.Runner:
    """What the function of the stack starts runs with, by its own settings."""
    settings = boto3.client("lambda").get_function_configuration(FunctionName=stack["Trigger"])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings["Environment"]["Variables"].items():
            patch.setenv(name, value)
        if "DMS_JOB_ROLE" in settings["Environment"]["Variables"]:
            # moto makes no EMR Serverless application from a template.
            patch.setenv("DMS_APPLICATION_ID", new_application())
        return emr.runner_from_environment()


def new_application() -> str:
    client = boto3.client("emr-serverless")
    made = client.create_application(
        name="dms", releaseLabel="emr-7.0.0", type="SPARK", clientToken="t"
    )
    # moto has a place for its jobs from the first question on.
    emrserverless_backends[ACCOUNT]["us-east-1"].job_runs.setdefault(made["applicationId"], [])
    return str(made["applicationId"])


def test_a_file_that_lands_in_the_stack_becomes_a_run_of_its_table(
    stack: dict[str, str],
) -> None:
    key = "dms/hr/people/2020/11/14/20201114-100000000.parquet"
    boto3.client("s3").put_object(Bucket="landing", Key=key, Body=b"x")
    boto3.client("s3").put_object(Bucket="landing", Key="other/x.parquet", Body=b"x")
    messages = boto3.client("sqs").receive_message(
        QueueUrl=stack["LandedQueue"], MaxNumberOfMessages=10
    )["Messages"]
    event = {
        "Records": [
            {"eventSource": "aws:sqs", "messageId": one["MessageId"], "body": one["Body"]}
            for one in messages
        ]
    }
    assert [json.loads(one["Body"])["detail"]["object"]["key"] for one in messages] == [key]
    assert emr.handle(event, [PEOPLE], runner_of(stack)) == {"batchItemFailures": []}
    if "Cluster" in stack:
        steps = boto3.client("emr").list_steps(ClusterId=stack["Cluster"])["Steps"]
        assert steps[0]["Config"]["Args"] == ["/opt/dms/run", *PEOPLE.models]
    else:
        assert started_jobs() == [
            {
                "sparkSubmit": {
                    "entryPoint": "s3://code/dms-snapshots/serverless.py",
                    "entryPointArguments": list(PEOPLE.models),
                }
            }
        ]


def started_jobs() -> list[object]:
    applications = emrserverless_backends[ACCOUNT]["us-east-1"].job_runs
    return [job.job_driver for jobs in applications.values() for job in jobs]


def test_the_function_may_do_what_it_does_and_no_more(stack: dict[str, str]) -> None:
    iam = boto3.client("iam")
    start = stack.get("StartSteps") or stack["StartJobs"]
    version = iam.get_policy(PolicyArn=start)["Policy"]["DefaultVersionId"]
    managed = iam.get_policy_version(PolicyArn=start, VersionId=version)["PolicyVersion"]
    own = iam.get_role_policy(RoleName=stack["TriggerRole"], PolicyName="trigger")
    # moto keeps what a template says as Python writes it.
    documents = [
        ast.literal_eval(document) if isinstance(document, str) else document
        for document in (managed["Document"], own["PolicyDocument"])
    ]
    allowed = {
        (action, resource.split(":")[2])
        for document in documents
        for statement in document["Statement"]
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    }
    to_run = {
        ("elasticmapreduce:ListSteps", "elasticmapreduce"),
        ("elasticmapreduce:AddJobFlowSteps", "elasticmapreduce"),
    }
    if "StartJobs" in stack:
        to_run = {
            ("emr-serverless:ListJobRuns", "emr-serverless"),
            ("emr-serverless:GetJobRun", "emr-serverless"),
            ("emr-serverless:StartJobRun", "emr-serverless"),
            ("iam:PassRole", "iam"),
        }
    assert allowed == to_run | {
        ("sqs:ReceiveMessage", "sqs"),
        ("sqs:DeleteMessage", "sqs"),
        ("sqs:GetQueueAttributes", "sqs"),
        ("logs:CreateLogStream", "logs"),
        ("logs:PutLogEvents", "logs"),
    }
    # All jobs of the one application, whose numbers nobody knows before.
    assert "*" not in str(documents).replace("/jobruns/*", "").replace(":*'", "'")


def listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


# ------------------------------------------------------------------ AWS Glue


def test_a_partition_filter_is_as_short_as_glue_wants_it(local_engine: LocalEngine) -> None:
    setting = "spark.sql.hive.metastorePartitionPruningInSetThreshold"
    [limit] = set(re.findall(rf'{setting}: "(\d+)"', TEMPLATE.read_text()))
    glue = botocore.session.get_session().get_service_model("glue")
    most = glue.shape_for("PredicateString").metadata["max"]
    local_engine.query("create schema glue")
    local_engine.query(
        "create table glue.ledger (id int, source_name string, version int, run_date date)"
        " using parquet partitioned by (source_name, version, run_date)"
    )
    numbers = ", ".join(str(12000 + number) for number in range(1000))
    days = ", ".join(f"date_add(date'2020-01-01', {day})" for day in range(1000))
    query = (
        "select * from glue.ledger where source_name = 'employees'"
        f" and version in ({numbers}) and run_date in ({days})"
    )
    assert len(partition_filter(query, {setting: "1000000"})) > most
    assert "run_date" in partition_filter(query, {setting: limit})
    assert len(partition_filter(query, {setting: limit})) <= most


def partition_filter(query: str, settings: Mapping[str, str]) -> str:
    """What Spark asks a metastore for the partitions of a query with, in Hive's filter language."""
    spark = SparkSession.active()
    jvm: Any = spark._jvm
    # Of the JVM thread that answers now; the shim asks it for the settings.
    jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(spark._jsparkSession)
    hive = jvm.org.apache.hadoop.hive
    columns = jvm.java.util.ArrayList()
    for name, data_type in (("source_name", "string"), ("version", "int"), ("run_date", "date")):
        columns.add(hive.metastore.api.FieldSchema(name, data_type, ""))
    table = hive.ql.metadata.Table("glue", "ledger")
    table.setPartCols(columns)
    # Whatever the metastore of this session says of it.
    fallback = "spark.sql.hive.metastorePartitionPruningFallbackOnException"
    for name, value in {**settings, fallback: "true"}.items():
        spark.conf.set(name, value)
    try:
        scan = spark.sql(query)._jdf.queryExecution().sparkPlan().collectLeaves().head()
        shim = jvm.org.apache.spark.sql.hive.client.Shim_v2_3()
        return str(shim.convertFilters(table, scan.partitionFilters()))
    finally:
        for name in (*settings, fallback):
            spark.conf.unset(name)


# ------------------------------------------------------------------ the nodes of a cluster


def packed(path: Path, **files: str) -> None:
    """A tar.gz with these texts."""
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.mode = 0o600
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))


@pytest.fixture
def node(tmp_path: Path) -> dict[str, str]:
    """The environment of a node whose command `aws` copies from a folder, and has no pip."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "aws").write_text(
        '#!/bin/sh\necho $AWS_REGION > "$DMS_SCRATCH/region"\nexec cp "${4#s3://}" "$5"\n'
    )
    (programs / "python3.11").write_text("#!/bin/sh\necho $PYTHONPATH\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    packed(tmp_path / "project.tar.gz", **{"deploy/run": (REPOSITORY / "deploy/run").read_text()})
    return {
        "PATH": f"{programs}:/usr/bin:/bin",
        "DMS_HOME": str(tmp_path / "dms"),
        "DMS_SCRATCH": str(tmp_path / "scratch"),
        "PYTHONPATH": "",
    }


def test_a_node_takes_all_it_needs_from_the_bucket(node: dict[str, str], tmp_path: Path) -> None:
    library = f"pyarrow/lib.cpython-311-{os.uname().machine}-linux-gnu.so"
    packed(tmp_path / "packages.tar.gz", **{library: "", "click/__init__.py": ""})
    home = Path(node["DMS_HOME"])
    settings = ("A=b c", "AWS_REGION=eu-central-1")
    run(REPOSITORY / "deploy/bootstrap.sh", f"s3://{tmp_path}", *settings, cwd=tmp_path, **node)
    # The command line of AWS is told where the bucket is.
    assert (tmp_path / "scratch/region").read_text() == "eu-central-1\n"
    assert (home / "packages/click/__init__.py").is_file()
    assert (home / "environment").read_text() == "A=b\\ c\nAWS_REGION=eu-central-1\n"
    # The server and the executors are other users: they read all, and have a folder on a disk.
    assert {oct(one.stat().st_mode & 0o044) for one in home.rglob("*")} == {"0o44"}
    assert (tmp_path / "scratch").stat().st_mode & 0o7777 == 0o1777
    assert {one.name for one in home.iterdir()} == {"environment", "packages", "project", "run"}
    # And its program finds the packages, and the project's own.
    printed = run(home / "run", "dbt", "--version", cwd=REPOSITORY, **node)
    assert printed == f"{home}/packages:{home}/project/python_hooks\n"


def test_a_node_of_other_processors_than_the_packages_says_so(
    node: dict[str, str], tmp_path: Path
) -> None:
    packed(tmp_path / "packages.tar.gz", **{"pyarrow/lib.cpython-311-vax-linux-gnu.so": ""})
    done = subprocess.run(
        [REPOSITORY / "deploy/bootstrap.sh", f"s3://{tmp_path}"],
        env=node, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"no libraries for the processors of this node, {os.uname().machine}" in done.stderr


# ------------------------------------------------------------------ the program of a step

RUN = 'run --vars {"run_date": "2020-11-13"}'
VACUUM = "run-operation vacuum --args {select: '*', retention: 90, dry_run: false}"
TABLE_VERSIONS = "delete-table-versions --no-dry-run"


def test_the_program_of_a_step_publishes_and_leaves_a_report(tmp_path: Path) -> None:
    home = tmp_path / "dms"
    home.mkdir()
    (home / "project").symlink_to(REPOSITORY)
    (home / "environment").write_text(
        f"DMS_PYTHON={sys.executable}\nDMS_TARGET=local\nDMS_LAKE={tmp_path}/lake\nDMS_SCHEMA=step\n"
        f"DBT_TARGET_PATH={tmp_path}/target\nDBT_LOG_PATH={tmp_path}/logs\n"
        f"DMS_REPORTS_URL={tmp_path}/reports\n"
    )
    shown = run(
        REPOSITORY / "deploy/run", "stg_retail__store", "store_snapshot",
        DMS_HOME=str(home), RUN_DATE="2020-11-13", PYSPARK_PYTHON=sys.executable,
    )  # fmt: skip
    assert "Tables of 2020-11-13: 1 published." in shown
    report = json.loads((tmp_path / "target/run_report.json").read_text())
    assert [table["table"] for table in report["tables"]] == ["retail.store"]
    assert (tmp_path / "target/run_report.html").is_file()
    [copy] = (tmp_path / "reports").rglob("run_report.json")
    assert json.loads(copy.read_text()) == report
    # Not of all tables.
    assert not (tmp_path / "reports/succeeded").exists()


class Steps:
    """A project whose commands are only recorded. One of them may fail; one of dbt then raises."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch = folder, patch
        self.recorded: list[str] = []
        (folder / "snapshots/of_hr").mkdir(parents=True)
        (folder / "snapshots/of_hr/a_history.yml").write_text("snapshots: []\n")
        (folder / "target").mkdir()
        (folder / "target/run_results.json").write_text("{}")
        for name in ("DBT_TARGET_PATH", "DMS_RETENTION_DAYS", "DMS_REPORTS_URL", "DMS_TARGET"):
            patch.delenv(name, raising=False)

    def of(
        self, *models: str, fails: str = "nothing", **environment: str
    ) -> tuple[bool, list[str]]:
        """Whether all succeeded, and what was run."""

        def dbt(session: DbtSession, command: list[str]) -> SimpleNamespace:
            assert not (self.folder / "target/run_results.json").exists()
            self.recorded.append(" ".join(command).split(" --project-dir")[0])
            problem = RuntimeError("no way") if fails in self.recorded[-1] else None
            return SimpleNamespace(success=problem is None, exception=problem)

        def command(arguments: list[str], check: bool) -> SimpleNamespace:
            self.recorded.append(" ".join(arguments[3:]))
            return SimpleNamespace(returncode=int(fails in self.recorded[-1]))

        self.recorded.clear()
        with self.patch.context() as patch:
            patch.setattr("dbt.cli.main.dbtRunner.invoke", dbt)
            patch.setattr("pyspark_dms.dbt_session.require_project", lambda folder: None)
            patch.setattr("subprocess.run", command)
            for name, value in environment.items():
                patch.setenv(name, value)
            return job.run_job(self.folder, "2020-11-13", models), self.recorded


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(tmp_path, monkeypatch)


def test_the_nightly_run_takes_histories_further(steps: Steps) -> None:
    assert steps.of() == (True, [RUN, "report", "snapshot"])


@pytest.mark.parametrize("fails", ["run --vars", "report", "snapshot", "vacuum"])
def test_the_nightly_run_vacuums_last_and_a_failure_hinders_nothing_that_follows(
    steps: Steps, fails: str
) -> None:
    run_all = [RUN, "report", "snapshot", VACUUM]
    assert steps.of(DMS_RETENTION_DAYS="90") == (True, run_all)
    assert steps.of(DMS_RETENTION_DAYS="90", fails=fails) == (False, run_all)


def test_without_a_retention_nothing_is_vacuumed(steps: Steps) -> None:
    assert steps.of(DMS_RETENTION_DAYS="") == (True, [RUN, "report", "snapshot"])


def test_a_run_of_some_tables_vacuums_nothing_and_leaves_histories(steps: Steps) -> None:
    selection = "--select metadata people_snapshot "
    expected = [RUN.replace("--vars", f"{selection}--vars"), "report"]
    assert steps.of("people_snapshot", DMS_RETENTION_DAYS="90") == (True, expected)


@pytest.mark.parametrize("target", ["emr", "serverless"])
def test_where_glue_is_the_metastore_old_versions_of_its_tables_are_deleted_last(
    steps: Steps, target: str
) -> None:
    ended, commands_run = steps.of(
        fails="delete-table-versions", DMS_TARGET=target, DMS_RETENTION_DAYS="90"
    )
    assert commands_run == [RUN, "report", "snapshot", VACUUM, TABLE_VERSIONS]
    assert not ended


def test_each_report_is_copied_to_a_folder_of_its_own(steps: Steps) -> None:
    _, commands_run = steps.of(DMS_REPORTS_URL="s3://lake/reports")
    copy = r"report --copy-to s3://lake/reports/\d{4}-\d\d-\d\d/\d{6}"
    assert re.fullmatch(copy, commands_run[1])


@pytest.mark.parametrize(
    ("due", "run_date"),
    [("2020-11-14T00:45:00Z", "2020-11-13"), ("2020-11-14T01:45:00Z", "2020-11-14")],
)
def test_a_nightly_run_is_of_the_date_on_which_it_was_due(
    tmp_path: Path, due: str, run_date: str
) -> None:
    (tmp_path / "project").mkdir()
    printed = run(
        REPOSITORY / "deploy/run", "--due", due, DMS_HOME=str(tmp_path), DMS_PYTHON="echo"
    )
    assert printed == f"-m pyspark_dms.aws.job {run_date}\n"


@pytest.mark.parametrize("arguments", [(), ("dbt", "test")])
@pytest.mark.parametrize(
    ("target", "ignores", "restarted"),
    [("emr", "", True), ("emr", "trap '' INT; ", True), ("serverless", "", False)],
)
def test_a_run_that_hangs_is_ended_and_the_server_that_it_hung_in_is_restarted(
    tmp_path: Path, arguments: tuple[str, ...], target: str, ignores: str, restarted: bool
) -> None:
    (tmp_path / "project").mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "hangs").write_text(f"#!/bin/bash\n{ignores}while true; do sleep 0.1; done\n")
    (programs / "sudo").write_text(f'#!/bin/bash\necho "$@" >>{tmp_path}/restarted\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    begun = time.monotonic()
    ended = subprocess.run(
        [REPOSITORY / "deploy/run", *arguments],
        env={
            "PATH": f"{programs}:/usr/bin:/bin", "DMS_HOME": str(tmp_path), "DMS_TARGET": target,
            "DMS_PYTHON": "hangs", "DMS_RUN_MINUTES": "0.005", "DMS_KILL_SECONDS": "0.3",
        },
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert time.monotonic() - begun < 30
    assert ended.returncode == (137 if ignores else 124)
    assert "The run was ended after 0.005 minutes." in ended.stderr
    told = tmp_path / "restarted"
    expected = "systemctl restart dms-thrift.service\n"
    assert (told.read_text() if told.exists() else "") == (expected if restarted else "")


def test_a_step_that_is_cancelled_leaves_no_dbt_behind(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    program, begun = tmp_path / "dbt", tmp_path / "pid"
    # timeout itself has to begin first.
    program.write_text(f"#!/bin/bash\nsleep 1\necho $$ >{begun}\nwhile true; do sleep 0.1; done\n")
    program.chmod(0o755)
    with subprocess.Popen(
        [REPOSITORY / "deploy/run"],
        env=os.environ | {"DMS_HOME": str(tmp_path), "DMS_PYTHON": str(program)},
    ) as step:
        while not begun.exists() or not begun.read_text():
            assert step.poll() is None
        step.terminate()
        assert step.wait(timeout=30) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


def test_a_run_that_fails_or_is_killed_earlier_says_nothing_of_a_limit(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    for status, program in ((3, "exit 3"), (137, "kill -9 $$")):
        (tmp_path / "ends").write_text(f"#!/bin/bash\n{program}\n")
        (tmp_path / "ends").chmod(0o755)
        ended = subprocess.run(
            [REPOSITORY / "deploy/run"],
            env=os.environ | {"DMS_HOME": str(tmp_path), "DMS_PYTHON": str(tmp_path / "ends")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == status
        assert "The run was ended" not in ended.stderr


def test_the_program_runs_any_other_command_of_dbt(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    operation = ("run-operation", "rollback", "--args", "{select: hr.people}")
    printed = run(
        REPOSITORY / "deploy/run", "dbt", *operation, DMS_HOME=str(tmp_path), DMS_PYTHON="echo"
    )
    assert printed == f"-m dbt.cli.main {' '.join(operation)}\n"


@pytest.mark.thorough
def test_the_program_of_a_job_publishes_in_the_session_of_the_job(tmp_path: Path) -> None:
    (tmp_path / "project").symlink_to(REPOSITORY)
    warehouse, metastore = tmp_path / "warehouse", tmp_path / "metastore"
    shown = run(
        BIN / "spark-submit",
        "--conf", f"spark.sql.warehouse.dir={warehouse}",
        "--conf", "spark.hadoop.javax.jdo.option.ConnectionURL="
        f"jdbc:derby:;databaseName={metastore};create=true",
        REPOSITORY / "deploy/serverless.py", "stg_retail__store", "store_snapshot",
        cwd=tmp_path, RUN_DATE="2020-11-13", DMS_SCHEMA="job", PYSPARK_PYTHON=sys.executable,
        DBT_TARGET_PATH=f"{tmp_path}/target", DBT_LOG_PATH=f"{tmp_path}/logs",
    )  # fmt: skip
    assert "Tables of 2020-11-13: 1 published." in shown
    assert list((warehouse / "job.db/store_snapshot").rglob("*.parquet"))


@pytest.mark.thorough
def test_a_nightly_job_takes_its_histories_further_and_vacuums(tmp_path: Path) -> None:
    (tmp_path / "project").symlink_to(REPOSITORY)
    warehouse, metastore = tmp_path / "warehouse", tmp_path / "metastore"
    with aws_api("us-east-1"):
        boto3.client("glue").create_database(DatabaseInput={"Name": "job"})
        shown = run(
            BIN / "spark-submit",
            "--conf", f"spark.sql.warehouse.dir={warehouse}",
            "--conf", "spark.hadoop.javax.jdo.option.ConnectionURL="
            f"jdbc:derby:;databaseName={metastore};create=true",
            REPOSITORY / "deploy/serverless.py",
            cwd=tmp_path, RUN_DATE="2020-11-13", DMS_SCHEMA="job", PYSPARK_PYTHON=sys.executable,
            DBT_TARGET_PATH=f"{tmp_path}/target", DBT_LOG_PATH=f"{tmp_path}/logs",
            DMS_RETENTION_DAYS="90", DMS_REPORTS_URL=f"{tmp_path}/reports",
        )  # fmt: skip
    assert "Tables of 2020-11-13: 7 published." in shown
    [success] = (tmp_path / "reports/succeeded").iterdir()
    assert json.loads(success.read_text()) == {"run_date": "2020-11-13"}
    assert list((warehouse / "job.db/employees_history").rglob("*.parquet"))
    assert "employees.employees: deleted 0 files" in shown


# ------------------------------------------------------------------ what is packed


@pytest.fixture
def quick_uv(tmp_path: Path) -> str:
    """A search path on which uv installs one package of this environment, and not 280 MB."""
    programs = tmp_path / "quick"
    programs.mkdir()
    click = Path(sysconfig.get_paths()["purelib"]) / "click"
    (programs / "uv").write_text(
        f'#!/bin/bash\n[[ $1 == pip ]] || exec {BIN}/uv "$@"\n'
        f"cp -r {click} target/packages && rm -rf target/packages/click/__pycache__\n"
        'echo "$@" >target/installed\n'
    )
    (programs / "uv").chmod(0o755)
    return f"{programs}:{BIN}:{os.environ['PATH']}"


def test_what_is_packed_has_bytecode_that_counts_wherever_it_is_unpacked(
    quick_uv: str, tmp_path: Path
) -> None:
    """Else each job would compile it again: its archives are unpacked with other times."""
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", str(REPOSITORY), str(clone))
    version = "{}.{}".format(*sys.version_info)
    run(clone / "deploy/pack", "aarch64", version, cwd=clone, PATH=quick_uv)
    installed = (clone / "target/installed").read_text()
    assert "--python-platform aarch64-manylinux_2_28 " in installed
    assert f"--python-version {version} " in installed
    # Without a look at the source, and with one: somebody may edit the project on a node.
    for part, below, flags in (("packages", "click", 0b01), ("project", "python_hooks", 0b11)):
        with tarfile.open(clone / f"target/{part}.tar.gz") as packed:
            packed.extractall(tmp_path / part, filter="data")
        sources = [*(tmp_path / part / below).rglob("*.py")]
        assert sources
        for source in sources:
            os.utime(source)
            bytecode = Path(importlib.util.cache_from_source(str(source))).read_bytes()
            assert bytecode[:4] == importlib.util.MAGIC_NUMBER
            assert int.from_bytes(bytecode[4:8], "little") == flags


def test_without_known_processors_nothing_is_packed(tmp_path: Path) -> None:
    done = subprocess.run(
        [REPOSITORY / "deploy/pack", "arm"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "deploy/pack aarch64, or deploy/pack x86_64. Nothing was packed." in done.stderr


# ------------------------------------------------------------------ the walk-through


def commands() -> list[str]:
    """The commands of docs/how-to/emr.md: indented by four or more, beginning with a program."""
    text = (REPOSITORY / "docs/how-to/emr.md").read_text()
    programs = "aws|cfn-lint|deploy/pack|dms-snapshots|export|git"
    return re.findall(rf"^(?: {{4}}| {{6}})((?:{programs}) .*)$", text, re.MULTILINE)


# A command with one of these words is for those who chose that place.
ONLY_ON = {
    "cluster": ("bootstrap.sh", "CLUSTER", "aarch64"),
    "serverless": ("x86_64", "serverless", "APPLICATION", "ROLE="),
}


@pytest.mark.parametrize("place", ["cluster", "serverless"])
def test_the_commands_of_the_walk_through_run_in_their_order(
    place: str, quick_uv: str, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", str(REPOSITORY), str(clone))
    [other] = ONLY_ON.keys() - {place}
    lines = [line for line in commands() if not any(word in line for word in ONLY_ON[other])]
    with aws_api("us-east-1"):
        s3 = boto3.client("s3")
        for bucket in ("my-landing-bucket", "my-code-bucket"):
            s3.create_bucket(Bucket=bucket)
        sample = REPOSITORY / "sample/dms"
        for path in filter(Path.is_file, sample.rglob("*")):
            key = f"dms/{path.relative_to(sample)}"
            s3.put_object(Bucket="my-landing-bucket", Key=key, Body=path.read_bytes())
        subnet = boto3.client("ec2").describe_subnets()["Subnets"][0]["SubnetId"]
        # What cannot be as it is written, and what takes its place.
        replaced = {
            "subnet-0123456789abcdef0": subnet,
            "PLACE=cluster": f"PLACE={place}",
            "deploy/pack": f"PATH={quick_uv} deploy/pack",
            # moto makes no application from a template.
            r"export APPLICATION=.*": f"export APPLICATION={new_application()}",
            # A person looks at each table.
            r"(dms-snapshots scaffold)": (
                r"sed -i 's/active: false/active: true/' models/sources/*/*.yml && \1"
            ),
        }
        script = "\n".join(lines)
        for written, instead in replaced.items():
            script = re.sub(written, instead, script)
        settings = {
            "AWS_ALLOW_HTTP": "true",
            "PYTHONPATH": str(clone / "python_hooks"),
            **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "A"),
            **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.com"),
        }
        run("bash", "-euxo", "pipefail", "-c", script, cwd=clone, **settings)

        code = s3.list_objects_v2(Bucket="my-code-bucket")["Contents"]
        uploaded = {one["Key"].removeprefix("dms-snapshots/") for one in code}
        operation = ["dbt", "run-operation", "rollback", "--args", "{select: employees.employees}"]
        if place == "cluster":
            assert uploaded == {"project.tar.gz", "trigger.zip", "packages.tar.gz", "bootstrap.sh"}
            [cluster] = boto3.client("emr").list_clusters()["Clusters"]
            steps = boto3.client("emr").list_steps(ClusterId=cluster["Id"])["Steps"]
            assert len(steps) == 3
            arguments = [step["Config"]["Args"] for step in steps if step["Name"] == "dms"]
            # Of one second, so the order in which they are listed says nothing.
            assert sorted(arguments) == [["/opt/dms/run"], ["/opt/dms/run", *operation]]
        else:
            assert uploaded == {"project.tar.gz", "trigger.zip", "packages.tar.gz", "serverless.py"}
            entry_point = "s3://my-code-bucket/dms-snapshots/serverless.py"
            assert started_jobs() == [
                {"sparkSubmit": {"entryPoint": entry_point}},
                {"sparkSubmit": {"entryPoint": entry_point, "entryPointArguments": operation}},
            ]
    with tarfile.open(clone / "target/project.tar.gz") as packed:
        names = {name.removeprefix("./") for name in packed.getnames()}
    assert {"deploy/run", "requirements/emr.lock"} <= names
    assert {"development", "tests", "bench"}.isdisjoint(name.split("/")[0] for name in names)
    assert "models/sources/employees/employees.yml" in names
