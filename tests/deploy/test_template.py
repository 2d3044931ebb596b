"""What the template says, where reading it is all that can be done without an AWS account."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from cfnlint.decode.cfn_yaml import load  # type: ignore[import-untyped]
from moto.events.models import EventPattern

from pyspark_dms.aws import job
from tests.support.engines import REPOSITORY

TEMPLATE: dict[str, Any] = load(str(REPOSITORY / "deploy/template.yml"))
RESOURCES: dict[str, Any] = TEMPLATE["Resources"]
PLACES = ("cluster", "serverless")


def made(**parameters: str) -> dict[str, Any]:
    """The resources that the template makes with these parameters, else with its defaults."""
    values = {name: one.get("Default") for name, one in TEMPLATE["Parameters"].items()} | parameters

    def holds(condition: Any) -> bool:
        [(how, parts)] = condition.items()
        if how == "Condition":
            return holds(TEMPLATE["Conditions"][parts])
        if how == "Fn::Not":
            return not holds(parts[0])
        if how == "Fn::And":
            return all(map(holds, parts))
        assert how == "Fn::Equals"
        asked = parts[0]["Fn::Join"][1] if "Fn::Join" in parts[0] else parts[0]
        return bool(values[asked["Ref"]] == parts[1])

    def chosen(part: Any) -> Any:
        if isinstance(part, list):
            return [one for one in map(chosen, part) if one != {"Ref": "AWS::NoValue"}]
        if not isinstance(part, dict):
            return part
        if "Fn::If" in part:
            name, then, otherwise = part["Fn::If"]
            return chosen(then if holds({"Condition": name}) else otherwise)
        entries = {key: chosen(value) for key, value in part.items()}
        return {key: one for key, one in entries.items() if one != {"Ref": "AWS::NoValue"}}

    return {
        name: chosen(one)
        for name, one in RESOURCES.items()
        if "Condition" not in one or holds({"Condition": one["Condition"]})
    }


def named_in(stack: dict[str, Any]) -> set[str]:
    """All that the resources of a stack refer to, by whatever function."""
    return set(re.findall(r"(?:'|\$\{)(\w+)", str(stack)))


def properties(name: str) -> Any:
    return RESOURCES[name]["Properties"]


def statements(policy: str) -> list[Any]:
    return list(properties(policy)["PolicyDocument"]["Statement"])


def test_eventbridge_may_send_mail_without_a_condition_which_it_cannot_meet() -> None:
    may = {
        statement["Principal"]["Service"]: statement.get("Condition")
        for statement in statements("AlarmsPolicy")
    }
    assert may["events.amazonaws.com"] is None
    assert may["cloudwatch.amazonaws.com"]


def test_a_day_without_a_successful_run_is_an_alarm() -> None:
    alarm = properties("NoRunInADay")
    assert alarm["Period"] * alarm["EvaluationPeriods"] == 26 * 3600
    assert alarm["TreatMissingData"] == "breaching"
    assert alarm["ComparisonOperator"] == "LessThanThreshold"
    assert [one["Value"]["Ref"] for one in alarm["Dimensions"]] == ["RunSucceeded"]


def test_only_a_run_of_all_tables_that_succeeded_is_counted_however_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs leave is compared with the rule by what moto's EventBridge compares with."""
    rule = json.dumps(properties("RunSucceeded")["EventPattern"], default=str)
    pattern = EventPattern(None, json.loads(rule.replace('{"Ref": "LakeBucket"}', '"lake"')))
    reports = settings_of("serverless")["spark.emr-serverless.driverEnv.DMS_REPORTS_URL"]["Fn::Sub"]
    assert f"DMS_REPORTS_URL={reports}" in str(properties("Cluster")["BootstrapActions"])
    folder = tmp_path / "lake"
    monkeypatch.setenv("DMS_REPORTS_URL", reports.replace("s3://${LakeBucket}", str(folder)))
    monkeypatch.setattr("pyspark_dms.dbt_session.require_project", lambda project: None)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: SimpleNamespace(returncode=0))

    def counted(*models: str, fails: bool = False) -> int:
        """How many events of a run match."""
        shutil.rmtree(folder, ignore_errors=True)
        ended = SimpleNamespace(success=not fails, exception=None)
        monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", lambda *_: ended)
        assert job.run_job(tmp_path, "2020-11-13", models) is not fails
        keys = [str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()]
        events: list[Any] = [
            {
                "source": "aws.s3",
                "detail-type": "Object Created",
                "detail": {"bucket": {"name": "lake"}, "object": {"key": key}},
            }
            for key in [*keys, "reports/2020-11-13/010000/run_report.json", "logs/succeeded/x"]
        ]
        return sum(pattern.matches_event(event) for event in events)

    assert counted() == 1
    assert counted(fails=True) == 0
    assert counted("people_snapshot") == 0


def test_the_bucket_of_the_lake_sends_the_events_that_are_counted() -> None:
    sent = properties("Lake")["NotificationConfiguration"]["EventBridgeConfiguration"]
    assert sent == {"EventBridgeEnabled": True}


def settings_of(place: str, **parameters: str) -> dict[str, Any]:
    """What Spark is told in a place."""
    stack = made(RunOn=place, **parameters)
    if place == "serverless":
        [part] = stack["Application"]["Properties"]["RuntimeConfiguration"]
        return dict(part["Properties"])
    parts = stack["Cluster"]["Properties"]["Configurations"]
    return {
        name: value
        for part in parts + [inner for one in parts for inner in one.get("Configurations", [])]
        for name, value in part.get("ConfigurationProperties", {}).items()
    }


def test_executors_of_a_thrift_server_have_pyspark_and_one_connection_to_the_metastore() -> None:
    settings = settings_of("cluster")
    assert settings["spark.yarn.isPython"] == "true"
    assert settings["hive.server2.enable.doAs"] == "false"


@pytest.mark.parametrize("name", ["Lake", "GlueDatabase"])
def test_a_stack_that_is_deleted_leaves_what_was_published(name: str) -> None:
    # A stack that could not be made leaves nothing, so that it can be made again.
    assert RESOURCES[name]["DeletionPolicy"] == "RetainExceptOnCreate"
    assert RESOURCES[name]["UpdateReplacePolicy"] == "Retain"


def test_the_function_takes_nothing_from_the_concurrency_of_a_fresh_account() -> None:
    assert "ReservedConcurrentExecutions" not in properties("Trigger")
    assert properties("TriggerSource")["ScalingConfig"] == {"MaximumConcurrency": 2}


def test_a_message_stays_hidden_for_as_long_as_lambda_may_need_it() -> None:
    hidden = properties("LandedQueue")["VisibilityTimeout"]
    window = properties("TriggerSource")["MaximumBatchingWindowInSeconds"]
    assert hidden >= 6 * properties("Trigger")["Timeout"] + window
    waits = hidden * properties("LandedQueue")["RedrivePolicy"]["maxReceiveCount"]
    assert 24 * 3600 <= waits <= 26 * 3600


def test_a_run_may_find_and_abort_uploads_in_parts() -> None:
    may = {action for one in statements("RunPolicy") for action in listed(one["Action"])}
    assert may >= {
        "s3:AbortMultipartUpload", "s3:ListBucketMultipartUploads", "s3:ListMultipartUploadParts",
    }  # fmt: skip


def test_a_run_is_told_of_files_of_dms_that_are_gone_and_lists_those_of_no_other_folder() -> None:
    """S3 answers 404 to whoever may list the bucket without a prefix, and else 403."""
    [statement] = [
        one for one in statements("RunPolicy") if "${LandingBucket}" in str(one["Resource"])
        and "s3:ListBucket" in listed(one["Action"])
    ]  # fmt: skip
    prefixes = [{"Fn::Sub": "${LandingPrefix}/*"}]
    assert statement["Condition"] == {"StringLikeIfExists": {"s3:prefix": prefixes}}


def test_a_run_may_copy_objects_that_have_tags() -> None:
    may = {action for one in statements("RunPolicy") for action in listed(one["Action"])}
    assert may >= {"s3:GetObjectTagging", "s3:PutObjectTagging"}


def test_a_run_may_make_the_database_default_and_no_other() -> None:
    """Spark makes it at its start where an account has none: the run would end there."""
    [statement] = [
        one for one in statements("RunPolicy") if "glue:CreateDatabase" in listed(one["Action"])
    ]
    named = {one["Fn::Sub"].split(":")[-1] for one in statement["Resource"]}
    assert named == {"catalog", "database/default"}


def test_a_run_may_ask_for_the_names_of_all_databases_as_dbt_does() -> None:
    [statement] = [
        one for one in statements("RunPolicy") if "glue:GetDatabases" in listed(one["Action"])
    ]
    named = {one["Fn::Sub"].split(":")[-1] for one in statement["Resource"]}
    assert named == {"catalog", "database/*"}


def test_a_run_is_told_of_the_databases_that_spark_looks_for_and_that_are_not_there() -> None:
    """Where SQL reads a folder, parquet.`s3://…`, a refusal would end the statement."""
    [statement] = [
        one for one in statements("RunPolicy") if "glue:GetDatabase" in listed(one["Action"])
    ]
    named = {one["Fn::Sub"].split(":")[-1] for one in statement["Resource"]}
    assert named == {
        "catalog", "database/default", "database/${Database}",
        "database/parquet", "database/global_temp",
    }  # fmt: skip


def listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


# ------------------------------------------------------------------ parameters


@pytest.mark.parametrize("place", PLACES)
def test_without_events_only_the_nightly_run_is_made(place: str) -> None:
    of_events = {
        "LandedQueue", "LandedQueuePolicy", "LandedRule", "Trigger", "TriggerErrors", "TriggerLogs",
        "TriggerRole", "TriggerSource",
    }  # fmt: skip
    all_of_them = made(RunOn=place)
    without = made(RunOn=place, RunOnEvents="false")
    assert all_of_them.keys() - without.keys() == of_events
    # The schedule puts aside there what it could not start.
    dead_letters = {"Fn::GetAtt": ["DeadLetters", "Arn"]}
    assert without["Nightly"]["Properties"]["Target"]["DeadLetterConfig"]["Arn"] == dead_letters
    assert "DeadLetters" in without
    assert not of_events & named_in(without)


@pytest.mark.parametrize("place", PLACES)
def test_a_stack_takes_the_lake_that_an_earlier_one_has_left(place: str) -> None:
    new = made(RunOn=place)
    again = made(RunOn=place, MakeLake="false")
    assert new.keys() - again.keys() == {"Lake", "GlueDatabase"}
    assert not {"Lake", "GlueDatabase"} & named_in(again)
    assert new["LakePolicy"]["Properties"]["Bucket"] == {"Ref": "Lake"}
    assert again["LakePolicy"]["Properties"]["Bucket"] == {"Ref": "LakeBucket"}
    assert new.pop("LakePolicy") != again.pop("LakePolicy")
    assert {name: new[name] for name in again} == again
    # What begins to write when it is made waits for the bucket.
    for name in {"Cluster", "Application"} & again.keys():
        assert again[name]["DependsOn"] == "LakePolicy"


LANDING_KEY = "arn:aws:kms:us-east-1:123456789012:key/landing"
LAKE_KEY = "arn:aws:kms:us-east-1:123456789012:key/lake"


def rights(policy: dict[str, Any]) -> tuple[str, str, set[str]]:
    """Of a policy of one role: the role, the parameter with the key, and what is allowed."""
    [role] = policy["Roles"]
    [statement] = policy["PolicyDocument"]["Statement"]
    return role["Ref"], statement["Resource"]["Ref"], set(listed(statement["Action"]))


@pytest.mark.parametrize(("place", "role"), [("cluster", "NodeRole"), ("serverless", "JobRole")])
def test_with_keys_dms_and_runs_write_and_read_by_them(place: str, role: str) -> None:
    resources = made(RunOn=place, LandingKey=LANDING_KEY, LakeKey=LAKE_KEY)
    stack = {name: one["Properties"] for name, one in resources.items()}
    [encryption] = stack["Lake"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    by_default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": {"Ref": "LakeKey"}}
    assert encryption["ServerSideEncryptionByDefault"] == by_default
    assert encryption["BucketKeyEnabled"] is True
    assert [rights(stack[name]) for name in stack if name.endswith("KeyPolicy")] == [
        ("DmsTargetRole", "LandingKey", {"kms:GenerateDataKey", "kms:Decrypt", "kms:DescribeKey"}),
        (role, "LandingKey", {"kms:Decrypt"}),
        (role, "LakeKey", {"kms:Decrypt", "kms:GenerateDataKey"}),
    ]
    settings = stack["DmsTargetEndpoint"]["S3Settings"]
    assert settings["EncryptionMode"] == "sse-kms"
    assert settings["ServerSideEncryptionKmsKeyId"] == {"Ref": "LandingKey"}
    # CloudFormation deletes in the order of references: who uses a key goes before its right.
    assert "DmsKeyPolicy" in named_in({"": resources["DmsTargetEndpoint"]})
    user = resources["Cluster" if place == "cluster" else "Application"]
    assert {"LandingKeyPolicy", "LakeKeyPolicy"} <= named_in({"": user})
    without_dms = made(LandingKey=LANDING_KEY, MakeDmsEndpoint="false")
    assert "DmsKeyPolicy" not in without_dms


def test_without_keys_nothing_is_said_of_any() -> None:
    stack = {name: one["Properties"] for name, one in made().items()}
    assert "kms" not in str(stack)
    assert "ServerSideEncryptionKmsKeyId" not in stack["DmsTargetEndpoint"]["S3Settings"]
    assert stack["DmsTargetEndpoint"]["S3Settings"]["EncryptionMode"] == "sse-s3"
    [encryption] = stack["Lake"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


@pytest.mark.parametrize(
    ("place", "resource", "release"),
    [
        # It has long-term support.
        ("cluster", "Cluster", "emr-spark-8.1.0"),
        # AWS's list of releases of EMR Serverless has no newer one with Spark 4.
        ("serverless", "Application", "emr-spark-8.0.0"),
    ],
)
def test_the_release_is_one_that_the_place_has(place: str, resource: str, release: str) -> None:
    assert made(RunOn=place)[resource]["Properties"]["ReleaseLabel"] == release
    named = made(RunOn=place, ReleaseLabel="emr-spark-9")[resource]["Properties"]
    assert named["ReleaseLabel"] == {"Ref": "ReleaseLabel"}


@pytest.mark.parametrize("role", ["DmsTargetRole", "ServiceRole", "JobRole", "NightlyRole"])
def test_a_service_takes_a_role_for_this_account_alone(role: str) -> None:
    [statement] = properties(role)["AssumeRolePolicyDocument"]["Statement"]
    account = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert statement["Condition"] == account


def several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_a_run_deletes_below_its_tables_alone_and_writes_where_it_and_emr_write() -> None:
    """Vacuum and committers delete; their folders are below the location of the database."""

    def allowed(action: str) -> set[str]:
        return {
            resource["Fn::Sub"].removeprefix("arn:${AWS::Partition}:s3:::${LakeBucket}")
            for one in statements("RunPolicy") if action in listed(one["Action"])
            for resource in several(one["Resource"])
        }  # fmt: skip

    location = properties("GlueDatabase")["DatabaseInput"]["LocationUri"]["Fn::Sub"]
    assert allowed("s3:DeleteObject") == {location.removeprefix("s3://${LakeBucket}") + "/*"}
    logs = properties("Cluster")["LogUri"]["Fn::Sub"].removeprefix("s3://${LakeBucket}")
    written = {"/warehouse/*", "/reports/*", f"{logs}*"}
    assert allowed("s3:PutObject") == allowed("s3:AbortMultipartUpload") == written


def test_deleted_versions_of_objects_and_parts_of_broken_uploads_go() -> None:
    rules = {one["Id"]: one for one in properties("Lake")["LifecycleConfiguration"]["Rules"]}
    for rule in (rules["broken-uploads"], rules["deleted"]):
        # Of the whole bucket.
        assert "Prefix" not in rule
        assert rule["Status"] == "Enabled"
    # No run takes as long (RunMinutes).
    days = rules["broken-uploads"]["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"]
    assert days * 24 * 60 >= TEMPLATE["Parameters"]["RunMinutes"]["MaxValue"]
    assert rules["deleted"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 7}
    assert rules["deleted"]["ExpiredObjectDeleteMarker"] is True
    # What is published has no age at which it goes.
    assert [one["Id"] for one in rules.values() if "ExpirationInDays" in one] == ["logs"]


MESSAGE_KEY = "arn:aws:kms:us-east-1:123456789012:key/messages"


@pytest.mark.parametrize("place", PLACES)
def test_queues_topic_and_log_take_a_key_and_whoever_uses_them_gets_its_rights(place: str) -> None:
    def keys(stack: dict[str, Any]) -> dict[str, Any]:
        names = ("KmsMasterKeyId", "KmsKeyId", "SqsManagedSseEnabled")
        return {
            f"{name}.{key}": one["Properties"][key]
            for name, one in stack.items() for key in names if key in one["Properties"]
        }  # fmt: skip

    without, with_key = made(RunOn=place), made(RunOn=place, MessageKey=MESSAGE_KEY)
    assert keys(without) == {
        "LandedQueue.SqsManagedSseEnabled": True, "DeadLetters.SqsManagedSseEnabled": True,
    }  # fmt: skip
    names = (
        "LandedQueue.KmsMasterKeyId", "DeadLetters.KmsMasterKeyId", "Alarms.KmsMasterKeyId",
        "TriggerLogs.KmsKeyId",
    )  # fmt: skip
    assert keys(with_key) == {name: {"Ref": "MessageKey"} for name in names}
    added = [
        rights(with_key[one]["Properties"]) for one in sorted(with_key.keys() - without.keys())
    ]
    assert added == [
        ("NightlyRole", "MessageKey", {"kms:Decrypt", "kms:GenerateDataKey"}),
        ("TriggerRole", "MessageKey", {"kms:Decrypt"}),
    ]
    # The function is not made then, nor is its role.
    quiet = made(RunOn=place, MessageKey=MESSAGE_KEY, RunOnEvents="false")
    assert "TriggerKeyPolicy" not in quiet


def test_jobs_run_in_subnets_if_some_are_named() -> None:
    assert "NetworkConfiguration" not in made(RunOn="serverless")["Application"]["Properties"]
    given = {"ServerlessSubnets": "subnet-1,subnet-2", "ServerlessSecurityGroups": "sg-1"}
    network = made(RunOn="serverless", **given)["Application"]["Properties"]["NetworkConfiguration"]
    assert network == {
        "SubnetIds": {"Ref": "ServerlessSubnets"},
        "SecurityGroupIds": {"Ref": "ServerlessSecurityGroups"},
    }
    for name in given:
        assert TEMPLATE["Parameters"][name]["Type"] == "CommaDelimitedList"


def test_a_run_has_a_limit_in_each_place_and_a_lost_job_runs_again() -> None:
    minutes = TEMPLATE["Parameters"]["RunMinutes"]
    # The alarm comes after 26 hours, and a hang must not hold up all tables for so long.
    assert minutes["Default"] <= 12 * 60
    given = properties("Cluster")["BootstrapActions"][0]["ScriptBootstrapAction"]["Args"]
    assert {"Fn::Sub": "DMS_RUN_MINUTES=${RunMinutes}"} in given
    in_job = settings_of("serverless")["spark.emr-serverless.driverEnv.DMS_RUN_MINUTES"]
    [function] = [made(RunOn="serverless")["Trigger"]["Properties"]["Environment"]["Variables"]]
    assert in_job == function["DMS_RUN_MINUTES"] == {"Fn::Sub": "${RunMinutes}"}
    nightly = made(RunOn="serverless")["Nightly"]["Properties"]["Target"]["Input"]["Fn::Sub"]
    asked = json.loads(nightly.replace("${RunMinutes}", str(minutes["Default"])))
    assert asked["ExecutionTimeoutMinutes"] == minutes["Default"]
    assert asked["RetryPolicy"] == {"MaxAttempts": 2}


@pytest.mark.parametrize(("place", "prefix"), [("cluster", ""), ("serverless", "spark.hadoop.")])
def test_glue_is_asked_for_the_database_once_in_a_while_and_for_tables_each_time(
    place: str, prefix: str
) -> None:
    """The client refuses to start with a cache of no size or no time."""
    kept = {
        name.removeprefix(f"{prefix}aws.glue.cache."): value
        for name, value in settings_of(place).items()
        if name.startswith(f"{prefix}aws.glue.cache.")
    }
    assert kept == {"db.enable": "true", "db.size": "100", "db.ttl-mins": "10"}


def test_the_memory_of_the_server_is_a_parameter() -> None:
    given = properties("Cluster")["BootstrapActions"][0]["ScriptBootstrapAction"]["Args"]
    assert {"Fn::Sub": "DMS_DRIVER_MEMORY=${DriverMemory}"} in given
    pattern = TEMPLATE["Parameters"]["DriverMemory"]["AllowedPattern"]
    assert re.fullmatch(pattern, TEMPLATE["Parameters"]["DriverMemory"]["Default"])


# ------------------------------------------------------------------ packages and Spark


def test_every_python_of_a_cluster_is_that_of_the_release_with_the_packages_of_the_bucket() -> None:
    settings = settings_of("cluster")
    packages = "/opt/dms/packages:/opt/dms/project/python_hooks"
    for name in ("", "spark.executorEnv."):
        assert settings[f"{name}PYSPARK_PYTHON"] == {"Ref": "Python"}
        assert settings[f"{name}PYTHONPATH"] == packages
        # Of the disk of the node, which bootstrap.sh makes: /tmp is in memory.
        assert settings[f"{name}TMPDIR"] == "/mnt/dms-tmp"
    [action] = properties("Cluster")["BootstrapActions"]
    given = action["ScriptBootstrapAction"]["Args"]
    assert {"Fn::Sub": "DMS_PYTHON=${Python}"} in given
    assert "venv" not in str(made())


# ------------------------------------------------------------------ the Thrift server


def test_the_step_enables_a_server_that_systemd_starts_again() -> None:
    step = properties("ThriftServer")["HadoopJarStep"]
    *_, commands = step["Args"]
    [unit] = re.findall(r"install -m 644 /opt/dms/project/(\S+) /etc/systemd/system/ ", commands)
    assert f"systemctl enable --now {Path(unit).name}" in commands
    settings = configparser.ConfigParser(strict=True)
    settings.read_string((REPOSITORY / unit).read_text())
    assert settings["Service"]["Restart"] == "always"
    # deploy/thrift-server puts a class there.
    assert settings["Service"]["RuntimeDirectory"] == "dms-thrift"
    assert settings["Unit"]["StartLimitIntervalSec"] == "0"
    assert settings["Install"]["WantedBy"] == "multi-user.target"
    program = settings["Service"]["ExecStart"].removeprefix("/opt/dms/project/")
    assert os.access(REPOSITORY / program, os.X_OK)


def test_the_server_listens_on_loopback_alone_and_lets_statements_run_side_by_side(
    tmp_path: Path,
) -> None:
    (tmp_path / "bin").mkdir()
    submit = tmp_path / "bin/spark-submit"
    submit.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    submit.chmod(0o755)
    (tmp_path / "project").symlink_to(REPOSITORY)
    (tmp_path / "environment").write_text("DMS_DRIVER_MEMORY=7g\n")
    told = subprocess.run(
        [REPOSITORY / "deploy/thrift-server", "--conf", "spark.master=local[2]"],
        env={
            "PATH": os.environ["PATH"], "SPARK_HOME": str(tmp_path), "DMS_HOME": str(tmp_path),
            "DMS_PYTHON": sys.executable,
        },
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    begin = told.index("spark-internal")
    assert told[begin + 1 :: 2] == ["--hiveconf"] * 3
    assert told[begin + 2 :: 2] == [
        "hive.server2.thrift.bind.host=127.0.0.1",
        "hive.server2.thrift.port=10001",
        "hive.server2.authentication=NOSASL",
    ]
    given = dict(one.split("=", 1) for one in told[:begin] if one.startswith("spark."))
    # bootstrap.sh writes what the stack says.
    assert given["spark.driver.memory"] == "7g"
    assert given["spark.scheduler.mode"] == "FAIR"
    assert given["spark.master"] == "local[2]"
    # It is one application for months, and the log would fill HDFS.
    assert given["spark.eventLog.enabled"] == "false"
    pools = Path(given["spark.scheduler.allocation.file"].removeprefix("file://"))
    assert "<schedulingMode>FAIR</schedulingMode>" in pools.read_text()


def test_statements_of_a_job_run_side_by_side() -> None:
    profiles = yaml.safe_load((REPOSITORY / "profiles.yml").read_text())
    settings = profiles["dms_snapshots"]["outputs"]["serverless"]["server_side_parameters"]
    assert settings["spark.scheduler.mode"] == "FAIR"
    # deploy/serverless.py says where the job has the project.
    home, path = re.split(r"/project/", settings["spark.scheduler.allocation.file"])
    assert home == "file://{{ env_var('DMS_HOME', '/opt/dms') }}"
    assert (REPOSITORY / path).is_file()


@pytest.mark.parametrize("place", PLACES)
def test_spark_writes_by_the_committer_of_emr_and_leaves_no_marker_of_success(place: str) -> None:
    settings = settings_of(place)
    protocol = "spark.sql.execution.datasources.SQLEmrOptimizedCommitProtocol"
    assert settings[f"{protocol}.leverageMagicCommitProtocol"] == "true"
    assert settings["spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs"] == "false"
    # A class that the release does not have would fail every write.
    assert not {
        name for name in settings if "commitProtocolClass" in name or "s3a.committer" in name
    }


def test_the_retention_reaches_the_nightly_run_and_is_none_by_default() -> None:
    assert TEMPLATE["Parameters"]["Retention"]["Default"] == ""
    [action] = properties("Cluster")["BootstrapActions"]
    given = action["ScriptBootstrapAction"]["Args"]
    assert {"Fn::Sub": "DMS_RETENTION_DAYS=${Retention}"} in given
    name = "spark.emr-serverless.driverEnv.DMS_RETENTION_DAYS"
    assert settings_of("serverless", Retention="90")[name] == {"Ref": "Retention"}
    # EMR Serverless takes no empty value.
    assert name not in settings_of("serverless")


def test_a_run_may_delete_old_versions_of_the_tables_of_its_database_in_glue() -> None:
    [statement] = [
        one for one in statements("RunPolicy") if "glue:BatchDeleteTableVersion" in one["Action"]
    ]
    assert {"glue:GetTables", "glue:GetTableVersions"} <= set(statement["Action"])
    named = {one["Fn::Sub"].split(":")[-1] for one in statement["Resource"]}
    assert named >= {
        "catalog",
        "database/${Database}",
        "table/${Database}/*",
        "tableVersion/${Database}/*",
    }
