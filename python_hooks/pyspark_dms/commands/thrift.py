"""The commands ``thrift start``, ``thrift stop`` and ``thrift status``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.thrift import DEFAULT_HOST, DEFAULT_PORT, ThriftServer, default_lake

Command = Callable[..., Any]


def _server_options(command: Command) -> Command:
    """The options that say which server is meant."""
    for option in (
        click.option(
            "--lake",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder of the lake; the server keeps its part in thrift/ below it.  "
            "[default: $DMS_LAKE, else lake]",
        ),
        click.option(
            "--port",
            type=click.IntRange(1, 65535),
            default=DEFAULT_PORT,
            envvar="DMS_THRIFT_PORT",
            show_default=True,
            show_envvar=True,
        ),
        click.option("--host", default=DEFAULT_HOST, show_default=True, help="Loopback only."),
    ):
        command = option(command)
    return command


def _server(lake: Path | None, port: int, host: str) -> ThriftServer:
    return ThriftServer(lake or default_lake(), port, host)


@click.group("thrift")
def thrift_command() -> None:
    """Start, stop and look at a Spark Thrift server on this machine.

    It is the Spark that is installed here, so dbt run --target thrift does what it would do
    against a cluster.
    """


@thrift_command.command()
@_server_options
def start(lake: Path | None, port: int, host: str) -> None:
    """Start the server, and wait until it takes statements."""
    with errors_in_one_line():
        server = _server(lake, port, host)
        with console.status("Starting Spark …"):
            started = server.start()
    state = "Started" if started else "Already running"
    console.print(f"{state}: jdbc:hive2://{host}:{port}")
    console.print(f"[dim]Log and warehouse: {escape(str(server.folder))}[/]", soft_wrap=True)
    settings = f"DMS_THRIFT_PORT={port} " if port != DEFAULT_PORT else ""
    print_next_steps(
        (f"{settings}dbt run --target thrift", "run the project against it"),
        ("python -m pyspark_dms thrift stop", "end it"),
    )


@thrift_command.command()
@_server_options
def stop(lake: Path | None, port: int, host: str) -> None:
    """End the server; running statements are cancelled, published tables stay."""
    with errors_in_one_line():
        server = _server(lake, port, host)
        stopped = server.stop()
    console.print("Stopped." if stopped else "No server of this lake was running.")


@thrift_command.command()
@_server_options
def status(lake: Path | None, port: int, host: str) -> None:
    """Say whether the server runs and answers; exit code 1 if it does not."""
    with errors_in_one_line():
        server = _server(lake, port, host)
    running = server.running()
    if running is None:
        console.print("Not running. Start it with: python -m pyspark_dms thrift start")
        raise SystemExit(1)
    server = ThriftServer(server.lake, running.port, host)
    answers = server.answers()
    state = "Running" if answers else "Running, but it does not answer"
    console.print(f"{state}: jdbc:hive2://{host}:{running.port}, process {running.pid}")
    console.print(f"[dim]Log: {escape(str(server.log_file))}[/]", soft_wrap=True)
    if not answers:
        raise SystemExit(1)
