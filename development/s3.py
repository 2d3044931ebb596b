"""The commands ``s3 start`` and ``s3 stop``: an S3 API on this machine, to try a lake on S3."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from development.s3_server import DEFAULT_PORT, LAKE, LANDING, S3Server
from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.commands.options import project_dir_option
from pyspark_dms.services.s3_lake import local_folder
from pyspark_dms.stores import problem_text


def _server(project_dir: Path, port: int = DEFAULT_PORT) -> S3Server:
    return S3Server((project_dir / "lake/s3").absolute(), port)


@click.group("s3")
def s3_command() -> None:
    """Start and stop an S3 API on this machine, with the sample's files in a bucket.

    It keeps its buckets in memory: when it ends, they are gone.
    """


@s3_command.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port that it listens on.",
)
@project_dir_option
def start(port: int, project_dir: Path) -> None:
    """Start it, and print what to export to run the sample on it."""
    server = _server(project_dir, port)
    lake = f"s3://{LAKE}/sample"
    with errors_in_one_line():
        started = server.start()
        count = _upload(server, project_dir / "sample/dms") if started else 0
    if running := server.running():
        server = _server(project_dir, running.port)
    state = "Started" if started else "Already running"
    console.print(f"{state}: {server.environment['AWS_ENDPOINT_URL']}")
    if started:
        console.print(f"{count} files of the sample are in s3://{LANDING}/dms")
        # What an earlier server had is gone, and this knows of it.
        shutil.rmtree(project_dir / local_folder(lake), ignore_errors=True)
    console.print("\n[bold]For this shell[/]")
    places = {"DMS_ROOT": f"s3://{LANDING}/dms", "DMS_LAKE": lake}
    for name, value in (server.environment | places).items():
        console.print(f"  [cyan]export {name}={value}[/]", soft_wrap=True)
    print_next_steps(
        ("make run", "run the sample on it"),
        ("make s3 ARGS=stop", "end it; its buckets are gone then"),
    )


def _upload(server: S3Server, folder: Path) -> int:
    try:
        return server.upload(folder, "dms")
    except Exception as problem:  # whatever a store may raise
        server.stop()
        raise click.ClickException(
            f"The S3 server took no file: {problem_text(problem)}. It was stopped. If a proxy is "
            "set (http_proxy), name 127.0.0.1 in NO_PROXY.",
        ) from problem


@s3_command.command()
@project_dir_option
def stop(project_dir: Path) -> None:
    """End it; its buckets are gone then."""
    with errors_in_one_line():
        stopped = _server(project_dir).stop()
    console.print("Stopped." if stopped else "No S3 server of this project was running.")
