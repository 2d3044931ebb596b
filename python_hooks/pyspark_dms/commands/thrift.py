"""The commands ``thrift start``, ``thrift stop`` and ``thrift status``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.services.thrift import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    MetastoreKind,
    ThriftServer,
    default_lake,
)

_lake_option = click.option(
    "--lake",
    help="Folder of the lake, or its address on S3. The server keeps its files in thrift/ below "
    "it.  [default: $DMS_LAKE, else lake]",
)
_host_option = click.option(
    "--host",
    default=DEFAULT_HOST,
    show_default=True,
    help="Address that it listens on. An address that others can reach needs --hive-conf.",
)
_hive_conf_option = click.option(
    "--hive-conf",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="DMS_THRIFT_HIVE_CONF",
    show_envvar=True,
    help="Folder with a hive-site.xml: login and TLS (docs/how-to/thrift.md).",
)


@click.group("thrift")
def thrift_command() -> None:
    """Start, stop and look at a Spark Thrift server on this machine.

    It starts the Spark that is installed here. dbt run --target thrift then uses it as it would
    use a server elsewhere.
    """


@thrift_command.command()
@_lake_option
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=DEFAULT_PORT,
    envvar="DMS_THRIFT_PORT",
    show_default=True,
    show_envvar=True,
    help="Port that it listens on.",
)
@_host_option
@_hive_conf_option
@click.option(
    "--metastore",
    type=click.Choice(["postgres", "derby"]),
    help="Where the metastore keeps table definitions; derby is for trials.  "
    "[default: what the lake has, else postgres]",
)
def start(
    lake: str | None,
    port: int,
    host: str,
    hive_conf: Path | None,
    metastore: MetastoreKind | None,
) -> None:
    """Start the server and its metastore, and wait until it takes statements."""
    with errors_in_one_line():
        server = ThriftServer.of_lake(
            lake or default_lake(), port, host=host, metastore=metastore, hive_conf=hive_conf
        )
        with console.status("Starting Spark …"):
            started = server.start()
    state = "Started" if started else "Already running"
    console.print(f"{state}: jdbc:hive2://{host}:{port}")
    console.print(f"[dim]Log and warehouse: {escape(str(server.folder))}[/]", soft_wrap=True)
    settings = f"DMS_THRIFT_PORT={port} " if port != DEFAULT_PORT else ""
    print_next_steps(
        (f"{settings}dbt run --target thrift", "run the project against it"),
        ("dms-snapshots thrift stop", "end it"),
    )


@thrift_command.command()
@_lake_option
def stop(lake: str | None) -> None:
    """End the server and its metastore. Running statements are cancelled; tables stay."""
    with errors_in_one_line():
        stopped = ThriftServer.of_lake(lake or default_lake()).stop()
    console.print("Stopped." if stopped else "No server of this lake was running.")


@thrift_command.command()
@_lake_option
@_host_option
@_hive_conf_option
def status(lake: str | None, host: str, hive_conf: Path | None) -> None:
    """Say whether the server runs and answers. The exit code is 1 if it does not."""
    with errors_in_one_line():
        server = ThriftServer.of_lake(lake or default_lake(), host=host, hive_conf=hive_conf)
    running = server.running()
    if running is None:
        console.print("Not running. Start it with: dms-snapshots thrift start")
        raise SystemExit(1)
    server = replace(server, port=running.port)
    answers = server.answers()
    state = "Running" if answers else "Running, but it does not answer"
    console.print(f"{state}: jdbc:hive2://{host}:{running.port}, process {running.pid}")
    console.print(f"[dim]Log: {escape(str(server.log_file))}[/]", soft_wrap=True)
    if not answers:
        raise SystemExit(1)
