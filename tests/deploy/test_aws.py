"""deploy/ and docs/aws.md, as far as they go without an AWS account."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import pytest
from botocore import xform_name

from pyspark_dms import emr
from pyspark_dms.events import WatchedTable
from tests.support.aws import aws_api
from tests.support.engines import REPOSITORY

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


@pytest.mark.parametrize("script", ["run", "bootstrap.sh"])
def test_the_scripts_are_without_fault_of_form(script: str) -> None:
    run("bash", "-n", REPOSITORY / "deploy" / script)
    assert os.access(REPOSITORY / "deploy" / script, os.X_OK)


# ------------------------------------------------------------------ in moto


@pytest.fixture(scope="module")
def stack() -> Iterator[dict[str, str]]:
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
        cloudformation = boto3.client("cloudformation")
        cloudformation.create_stack(
            StackName="dms",
            TemplateBody=TEMPLATE.read_text(),
            Capabilities=["CAPABILITY_IAM"],
            Parameters=[
                {"ParameterKey": key, "ParameterValue": value}
                for key, value in {**PARAMETERS, "SubnetId": subnet}.items()
            ],
        )
        resources = cloudformation.describe_stack_resources(StackName="dms")["StackResources"]
        yield {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for one in resources
            if "PhysicalResourceId" in one
        }


def test_a_file_that_lands_in_the_stack_becomes_a_step_of_its_cluster(
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
    runner = emr.EmrSteps(stack["Cluster"], "/opt/dms/run")
    assert emr.handle(event, [PEOPLE], runner) == {"batchItemFailures": []}
    steps = boto3.client("emr").list_steps(ClusterId=stack["Cluster"])["Steps"]
    assert steps[0]["Config"]["Args"] == ["/opt/dms/run", *PEOPLE.models]


def test_the_function_may_do_what_it_does_and_no_more(stack: dict[str, str]) -> None:
    policy = boto3.client("iam").get_role_policy(
        RoleName=stack["TriggerRole"], PolicyName="trigger"
    )["PolicyDocument"]
    # moto keeps what a template says as Python writes it.
    policy = ast.literal_eval(policy) if isinstance(policy, str) else policy
    allowed = {
        (action, statement["Resource"].split(":")[2])
        for statement in policy["Statement"]
        for action in statement["Action"]
    }
    assert allowed == {
        ("elasticmapreduce:ListSteps", "elasticmapreduce"),
        ("elasticmapreduce:AddJobFlowSteps", "elasticmapreduce"),
        ("sqs:ReceiveMessage", "sqs"),
        ("sqs:DeleteMessage", "sqs"),
        ("sqs:GetQueueAttributes", "sqs"),
        ("logs:CreateLogStream", "logs"),
        ("logs:PutLogEvents", "logs"),
    }
    assert "*" not in str(policy["Statement"][0]["Resource"])


# ------------------------------------------------------------------ the program of a step


def test_the_program_of_a_step_publishes_and_leaves_a_report(tmp_path: Path) -> None:
    home = tmp_path / "dms"
    home.mkdir()
    (home / "project").symlink_to(REPOSITORY)
    (home / "venv").symlink_to(BIN.parent)
    (home / "environment").write_text(
        f"DMS_TARGET=local\nDMS_LAKE={tmp_path}/lake\nDMS_SCHEMA=step\n"
        f"DBT_TARGET_PATH={tmp_path}/target\nDBT_LOG_PATH={tmp_path}/logs\n"
    )
    shown = run(
        REPOSITORY / "deploy/run", "stg_retail__store", "store_snapshot",
        DMS_HOME=str(home), RUN_DATE="2020-11-13", PYSPARK_PYTHON=sys.executable,
    )  # fmt: skip
    assert "Tables of 2020-11-13: 1 published." in shown
    report = json.loads((tmp_path / "target/run_report.json").read_text())
    assert [table["table"] for table in report["tables"]] == ["retail.store"]
    assert (tmp_path / "target/run_report.html").is_file()


# ------------------------------------------------------------------ the walk-through


def commands() -> list[str]:
    """The commands of docs/aws.md: what is indented by four or more and begins with a program."""
    text = (REPOSITORY / "docs/aws.md").read_text()
    lines = re.findall(
        r"^(?: {4}| {6})((?:aws|git|python|cfn-lint|export) .*)$", text, re.MULTILINE
    )
    # A command within another one counts, too.
    return lines + [inner for line in lines for inner in re.findall(r"\$\((.*)\)", line)]


def test_every_command_of_the_aws_command_line_exists_with_its_options() -> None:
    # What the command line adds to the API has no model; so its options are told here.
    added = {
        ("s3", "cp"): set[str](),
        ("cloudformation", "deploy"): {
            "stack-name", "template-file", "capabilities", "parameter-overrides",
        },
        ("emr", "add-steps"): {"cluster-id", "steps"},
    }  # fmt: skip
    session = botocore.session.get_session()
    seen = 0
    for line in commands():
        if not line.startswith("aws "):
            continue
        seen += 1
        _, service, operation, *rest = line.split()
        options = {one.removeprefix("--") for one in rest if re.fullmatch(r"--[a-z0-9-]+", one)}
        known = added.get((service, operation))
        if known is None:
            model = session.get_service_model(service.removesuffix("api"))
            name = next(
                one
                for one in model.operation_names
                if xform_name(one).replace("_", "-") == operation
            )
            shape: Any = model.operation_model(name).input_shape
            known = {xform_name(one).replace("_", "-") for one in shape.members}
        assert options <= known | {"query", "output"}, line
    assert seen > 6


def test_the_commands_that_need_no_account_run_in_their_order(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", str(REPOSITORY), str(clone))
    # A landing bucket that is a folder: discover reads it just so.
    shutil.rmtree(clone / "models/sources")
    shutil.rmtree(clone / "models/staging")
    shutil.rmtree(clone / "models/snapshots")
    settings = {
        "DMS_ROOT": str(clone / "sample/dms"),
        "PYTHONPATH": str(clone / "python_hooks"),
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "A"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.com"),
    }
    (clone / "target").mkdir()
    for line in commands():
        if line.startswith(("aws ", "export ")):
            continue
        if "scaffold" in line:
            for path in (clone / "models/sources").rglob("*.yml"):
                path.write_text(path.read_text().replace("active: false", "active: true"))
        if "trigger-zip" in line:
            settings["DMS_ROOT"] = "s3://landing/dms"
        run("bash", "-c", line, cwd=clone, **settings)
    with tarfile.open(clone / "target/project.tar.gz") as packed:
        names = set(packed.getnames())
    assert {"deploy/run", "requirements/emr.lock"} <= names
    assert "models/sources/employees/employees.yml" in names
    assert (clone / "target/trigger.zip").is_file()
