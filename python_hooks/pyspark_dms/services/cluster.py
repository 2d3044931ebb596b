"""A Spark cluster (``DMS_MASTER=spark://…``): what its executors need of this machine.

The Python workers of an executor read and write files with these modules, which are sent to it. A
worker machine needs no copy of the project, only Python with the locked packages, at the same path.

``python -m pyspark_dms.services.cluster`` is what Spark's own start script asks
(``profiles/spark/spark-env.sh``). What it prints is no secret: it is in the command line of Spark.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from pyspark_dms.errors import DmsError

_MODULES = Path(__file__).resolve().parents[2]
# One time for all files, so that the same modules are the same bytes.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def driver_host(master: str) -> str:
    """The address of this machine that the machines of a cluster see.

    Args:
        master: ``spark://host:port``, or some hosts with commas.

    Raises:
        DmsError: the address has no port, or the name of its host is not known.
    """
    host, _, port = master.removeprefix("spark://").split(",")[0].rpartition(":")
    try:
        target = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
        # Nothing is sent: the system only says which way it would go.
        with socket.socket(target[0], socket.SOCK_DGRAM) as probe:
            probe.connect(target[4])
            return str(probe.getsockname()[0])
    except (ValueError, OSError) as problem:
        raise DmsError(
            "E702",
            f"DMS_MASTER is {master}, and no way to it was found: {problem}. Spark was not "
            "started. Give it as spark://host:7077, and the address of this machine that the "
            "workers reach as DMS_DRIVER_HOST.",
        ) from problem


def zip_modules(folder: Path) -> Path:
    """Pack the modules into a folder, under a name that tells their content.

    Raises:
        DmsError: it could not be written.
    """
    files = {
        path.relative_to(_MODULES).as_posix(): path.read_bytes()
        for path in sorted(_MODULES.glob("pyspark_dms*/**/*.py"))
        + sorted(_MODULES.glob("pyspark_dms_*.py"))
    }
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    path = folder / f"pyspark_dms-{digest.hexdigest()[:16]}.zip"
    if path.is_file():
        return path
    # A command that is starting beside this one may write the same.
    new = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        folder.mkdir(exist_ok=True)
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(zipfile.ZipInfo(name, _ZIP_TIME), content)
        new.rename(path)
    except OSError as problem:
        raise DmsError(
            "E603",
            f"{path}, the modules for the workers, could not be written: {problem}. Spark was not "
            f"started. Let this user write to {folder}.",
        ) from problem
    return path


def executor_settings(spark_home: Path, jars: str) -> dict[str, str]:
    """The Spark settings by which executors get the modules and Hadoop's client for S3.

    Args:
        spark_home: where the zip is kept, beside the jars.
        jars: class path of the client, as on this machine; empty if it is among Spark's own jars.
    """
    modules = zip_modules(spark_home / "dms-modules")
    settings = {
        # Spark puts it into the current folder of each executor.
        "spark.files": modules.as_uri(),
        "spark.executorEnv.PYTHONPATH": modules.name,
    }
    return settings | ({"spark.executor.extraClassPath": jars} if jars else {})


def variables(environment: Mapping[str, str], jars: str) -> dict[str, str]:
    """The variables with which Spark's start script goes on.

    Raises:
        DmsError: the master has no address, or the modules could not be packed.
    """
    settings = executor_settings(Path(environment["SPARK_HOME"]), jars)
    options = [f'"-D{name}={value}"' for name, value in settings.items()]
    given = environment.get("SPARK_SUBMIT_OPTS", "")
    return {
        "DMS_DRIVER_HOST": environment.get("DMS_DRIVER_HOST")
        or driver_host(environment["DMS_MASTER"]),
        "SPARK_SUBMIT_OPTS": " ".join([*options, *filter(None, [given])]),
    }


def main() -> None:
    """What Spark's start script asks: a variable a line. The errors are for a person."""
    try:
        for name, value in variables(os.environ, sys.argv[1]).items():
            print(f"{name}={value}")
    except DmsError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
