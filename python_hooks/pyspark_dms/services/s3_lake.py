"""A lake on S3 for a Spark of this machine: Hadoop's S3 client, its settings, and a first look.

Endpoint, region, keys and encryption come from the variables that the AWS command line has for
them. obstore reads them by itself. Spark gets them from `spark_settings`, and with the target
``local`` from ``profiles.yml``, under the same names.

``python -m pyspark_dms.services.s3_lake`` is what Spark's own start script asks
(``profiles/spark/spark-env.sh``): it looks whether the lake can be reached and prints the class
path of the client, which it fetches the first time.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark_dms import stores
from pyspark_dms.errors import DmsError

_S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem"
_COMMITTERS = "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory"
# In the local folder of a lake on S3: which one it is. Two addresses can give one name.
_OWNER_FILE = "lake_on_s3.txt"
# Hadoop's words for what the AWS command line calls the encryption of an object.
_ENCRYPTION = {"AES256": "SSE-S3", "aws:kms": "SSE-KMS", "aws:kms:dsse": "DSSE-KMS"}


def is_on_s3(lake: str) -> bool:
    """Whether the address of a lake is one of S3."""
    return re.match(r"s3[an]?://", lake) is not None


def spark_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What Spark must be told about S3 beside the keys, which it finds itself.

    Args:
        environment: the variables of the process.
    """

    def first(*names: str) -> str:
        return next((environment[name] for name in names if environment.get(name)), "")

    endpoint = first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    encryption = _ENCRYPTION.get(first("AWS_SERVER_SIDE_ENCRYPTION"), "")
    return {
        "spark.hadoop.fs.s3.impl": _S3A,
        "spark.hadoop.fs.s3n.impl": _S3A,
        # With the magic committer, Spark sets this for s3a:// only.
        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3": _COMMITTERS,
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": first("AWS_REGION", "AWS_DEFAULT_REGION"),
        "spark.hadoop.fs.s3a.path.style.access": str(bool(endpoint)).lower(),
        "spark.hadoop.fs.s3a.encryption.algorithm": encryption,
        "spark.hadoop.fs.s3a.encryption.key": first("AWS_SSE_KMS_KEY_ID"),
        # Nothing reads _SUCCESS: the files of a version are named where it is committed.
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    }


def local_folder(lake: str) -> Path:
    """Where what must be on a local disk is: the lake itself, or a folder named after it.

    Args:
        lake: a local path, or the URL of a folder in an object store.
    """
    if "://" not in lake:
        return Path(lake)
    return Path("lake") / _below_s3(lake).replace("/", "-")


def check_folder(folder: Path, lake: str) -> None:
    """Check that a local folder is not that of another lake on S3.

    Raises:
        DmsError: it is, and the metastore there has the tables of the other lake.
    """
    other = _owner(folder)
    if other and other != _below_s3(lake):
        raise DmsError(
            "E712",
            f"The lake {lake} cannot use the local folder {folder}, which the lake s3://{other} "
            "uses. Nothing was done. Run one of the two in another project folder. If the other "
            "lake is gone, delete the folder.",
        )


def take_folder(folder: Path, lake: str) -> None:
    """Record in the local folder of a lake on S3 which lake uses it.

    Raises:
        DmsError: another lake uses it, or it cannot be written.
    """
    check_folder(folder, lake)
    if _owner(folder):
        return
    owner = folder / _OWNER_FILE
    new = owner.with_name(f"{owner.name}.{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new.write_text(_below_s3(lake), encoding="utf-8")
        new.replace(owner)
    except OSError as problem:
        raise DmsError(
            "E603",
            f"{owner} could not be written: {problem.strerror}. Nothing was started. The local "
            "metastore of a lake on S3 is there: start from a folder that can be written.",
        ) from problem


def _owner(folder: Path) -> str:
    """The lake that uses a folder, without its scheme; empty if none does."""
    path = folder / _OWNER_FILE
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _below_s3(lake: str) -> str:
    return lake.split("://", 1)[1].rstrip("/")


def check_lake(lake: str) -> None:
    """Look whether a lake on S3 can be listed.

    Raises:
        DmsError: it cannot be; the text says what the store answered and what to do. Or a
            variable of S3 cannot be used.
    """
    bucket = lake.split("://", 1)[1].split("/", 1)[0]
    if not bucket:
        raise DmsError(
            "E703", f"DMS_LAKE is {lake} and names no bucket. Give it as s3://bucket/folder."
        )
    try:
        stores.check_listing(lake)
    except DmsError:
        raise
    except Exception as problem:  # whatever a store may raise
        raise DmsError(
            "E703",
            f"DMS_LAKE is {lake}, and it cannot be listed: {stores.problem_text(problem)}. "
            "Spark was not started. The keys come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY "
            "and AWS_SESSION_TOKEN, or from the role of this machine. AWS_REGION and "
            "AWS_ENDPOINT_URL say where the bucket is.",
        ) from problem


def client_class_path(spark_home: Path) -> str:
    """The class path of Hadoop's S3 client, in the version of this Spark; fetched if need be.

    Returns:
        It may be empty: a client among Spark's own jars needs no more.

    Raises:
        DmsError: it could not be fetched.
    """
    if list((spark_home / "jars").glob("hadoop-aws-*.jar")):
        return ""
    folder = spark_home / "s3-jars"
    if not folder.is_dir():
        _fetch_client(spark_home, folder)
    return f"{folder}/*"


def _fetch_client(spark_home: Path, folder: Path) -> None:
    jars = spark_home / "jars"
    (hadoop,) = (path.stem.rpartition("-")[2] for path in jars.glob("hadoop-client-api-*.jar"))
    (ivy,) = jars.glob("ivy-*.jar")
    java = Path(os.environ["JAVA_HOME"]) / "bin/java" if os.environ.get("JAVA_HOME") else "java"
    print(
        f"Fetching Hadoop's client for S3, once: hadoop-aws {hadoop} and the AWS SDK, some 670 MB, "
        f"from Maven to {folder}",
        file=sys.stderr,
    )
    new = folder.with_name(f"s3-jars.{os.getpid()}")
    command = [str(java), "-jar", str(ivy), "-warn", "-cache", str(new / "cache")]
    command += ["-dependency", "org.apache.hadoop", "hadoop-aws", hadoop, "-confs", "default"]
    command += ["-retrieve", f"{new}/jars/[artifact]-[revision].[ext]"]
    if settings := os.environ.get("DMS_IVY_SETTINGS"):
        command += ["-settings", settings]
    try:
        fetched = subprocess.run(command, capture_output=True, text=True, check=False)
        if fetched.returncode or not list((new / "jars").glob("hadoop-aws-*.jar")):
            raise DmsError(
                "E704",
                "Hadoop's client for S3 could not be fetched, and Spark cannot reach the lake "
                "without it. Where Maven Central is not reached, name an Ivy settings file with "
                f"DMS_IVY_SETTINGS, or put hadoop-aws-{hadoop}.jar and what it needs into {jars}.\n"
                f"{fetched.stdout[-1500:]}{fetched.stderr[-1500:]}",
            )
        (new / "jars").rename(folder)
    except OSError as problem:
        # Another process may have been first.
        if not folder.is_dir():
            raise DmsError("E603", f"{folder} could not be written: {problem}") from problem
    finally:
        shutil.rmtree(new, ignore_errors=True)


def main() -> None:
    """What Spark's start script asks; the errors are for a person, the output for the script."""
    try:
        lake = os.environ["DMS_LAKE"]
        check_lake(lake)
        # A server has looked before, and its current folder may be any.
        if not os.environ.get("DMS_SERVER"):
            take_folder(local_folder(lake), lake)
        print(client_class_path(Path(os.environ["SPARK_HOME"])))
    except DmsError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
