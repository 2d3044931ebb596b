"""A Hive metastore of one's own: a process on loopback that keeps what it knows in PostgreSQL."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from pyspark_dms.errors import DmsError
from pyspark_dms.services import metastore_service
from pyspark_dms.services.background import (
    Background,
    RunningServer,
    free_port,
    port_is_left,
    port_is_taken,
    python_environment,
)
from pyspark_dms.services.postgres import DATABASE, HOST, USER, Postgres
from pyspark_dms.services.s3_lake import spark_settings

START_SECONDS = 120.0
DRIVER_VARIABLE = "DMS_POSTGRES_JAR"
_DRIVER = "/usr/share/java/postgresql.jar"


@dataclass(frozen=True)
class Metastore:
    """The Hive metastore of the installed pyspark, and its database.

    Attributes:
        folder: holds the pid file, the log, and the data of PostgreSQL in ``postgres``.
        warehouse: where the database ``default`` has its tables: a local folder, or one on S3.
    """

    folder: Path
    warehouse: str

    @property
    def database(self) -> Postgres:
        """What it is kept in."""
        return Postgres(self.folder / "postgres")

    def running(self) -> RunningServer | None:
        """The process that serves, if it is alive."""
        return self._service.running()

    def start(self) -> str:
        """Start what does not run yet; returns the address for ``hive.metastore.uris``.

        It keeps its address for as long as the server that knows it may live, that is until
        `stop`, also if it has to be started again, and if that is interrupted.

        Raises:
            DmsError: something is not installed, or did not start; the text says what and why.
        """
        driver = _driver()
        noted = self._service.noted()
        port = noted.port if noted else free_port()
        if not self.database.running():
            # It will be at another address, which the process has to be told.
            self._service.end()
            self.database.start()
        if self.running() is None or not port_is_taken(HOST, port):
            # One that is alive and does not listen has lost its Java.
            self._service.end()
            self._launch(driver, port)
        self._service.wait_until(lambda: port_is_taken(HOST, port), START_SECONDS)
        return f"thrift://{HOST}:{port}"

    def stop(self) -> None:
        """End the process, then the database.

        Raises:
            DmsError: one of them did not end in time.
        """
        try:
            self._service.stop()
        finally:
            self.database.stop()

    @property
    def _service(self) -> Background:
        return Background(
            self.folder, "metastore", "The Hive metastore", metastore_service.__name__
        )

    def _launch(self, driver: Path, port: int) -> None:
        # After a kill, Java takes a moment to notice.
        if not port_is_left(HOST, port):
            raise DmsError(
                "E680",
                f"Port {port}, on which the running server looks for its metastore, is taken by "
                "another program. Stop the server and start it again: "
                "dms-snapshots thrift stop.",
            )
        arguments = metastore_service.Settings(
            port=port,
            jdbc_url=f"jdbc:postgresql://{HOST}:{self.database.port()}/{DATABASE}",
            jdbc_driver=str(driver),
            user=USER,
            warehouse=self.warehouse,
            hadoop={
                name.removeprefix("spark.hadoop."): value
                for name, value in spark_settings(os.environ).items()
            },
        )
        self._service.launch(
            [sys.executable, "-m", metastore_service.__name__, arguments.to_json()],
            port,
            {
                **python_environment(),
                # Spark's start script looks at it.
                "DMS_LAKE": self.warehouse,
                # Not an argument: those can be read by all users of a machine.
                metastore_service.PASSWORD_VARIABLE: self.database.password(),
            },
        )


def _driver() -> Path:
    driver = Path(os.environ.get(DRIVER_VARIABLE, _DRIVER))
    if not driver.is_file():
        raise DmsError(
            "E705",
            f"The JDBC driver of PostgreSQL is not in {driver}. Debian and Ubuntu: apt-get install "
            f"libpostgresql-jdbc-java; elsewhere say with {DRIVER_VARIABLE} where it is. Without "
            "PostgreSQL, a server for trials in another lake: --metastore derby.",
        )
    return driver
