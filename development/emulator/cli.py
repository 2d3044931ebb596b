"""The command ``emulate``: write the DMS files of tables of a running MariaDB."""

import json
import os

import click
import pymysql
from rich.console import Console
from rich.markup import escape

from development.emulator.capture import DmsTask
from development.emulator.errors import EmulatorError
from development.emulator.files import WrittenFile
from development.emulator.server import ServerAddress
from development.emulator.settings import S3Settings
from development.emulator.tables import TableName, tables_of

console = Console(highlight=False)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Host of the source server.")
@click.option("--port", default=3306, show_default=True, help="Port of the source server.")
@click.option("--user", default="root", show_default=True, help="User with replication rights.")
@click.option(
    "--password-env",
    default="DMS_SOURCE_PASSWORD",
    show_default=True,
    help="Environment variable that holds the password.",
)
@click.option(
    "--schema", "schemas", multiple=True, help="Copy all tables of this schema; can be repeated."
)
@click.option(
    "--table", "tables", multiple=True, help="Copy this table, as schema.table; can be repeated."
)
@click.option("--target", required=True, help="Local folder or URL to write under.")
@click.option(
    "--migration-type",
    type=click.Choice(["full-load", "cdc", "full-load-and-cdc"]),
    default="full-load-and-cdc",
    show_default=True,
    help="Which files to write: the full load, the changes (cdc), or both.",
)
@click.option(
    "--cdc-start-position",
    help="GTID position at which the changes begin, with --migration-type cdc.  [default: now]",
)
@click.option("--follow", is_flag=True, help="Keep following changes until Ctrl-C.")
@click.option("--replace", is_flag=True, help="Remove the files of the tables before a full load.")
@click.option(
    "--before-image-prefix",
    default="",
    help="Also write the key before an update, in columns with this prefix.  [default: none]",
)
@click.option(
    "--s3-settings",
    default="{}",
    help='DMS S3 settings as JSON, for instance {"TimestampColumnName": "dms_timestamp"}.',
)
def emulate(
    host: str,
    port: int,
    user: str,
    password_env: str,
    schemas: tuple[str, ...],
    tables: tuple[str, ...],
    target: str,
    migration_type: str,
    cdc_start_position: str | None,
    follow: bool,
    replace: bool,
    before_image_prefix: str,
    s3_settings: str,
) -> None:
    """Copy tables of a running MariaDB into the files AWS DMS would write to S3.

    The source needs binlog_format=ROW, binlog_row_image=FULL and binlog_row_metadata=FULL.
    """
    if cdc_start_position is not None and migration_type != "cdc":
        raise click.UsageError(
            f"--cdc-start-position needs --migration-type cdc, not {migration_type}."
        )
    if follow and migration_type == "full-load":
        raise click.UsageError("--follow needs a migration type with cdc, not full-load.")
    source = ServerAddress(host, port, user, os.environ.get(password_env, ""))
    try:
        task = DmsTask(
            source,
            _selected(source, schemas, tables),
            target,
            _settings(s3_settings),
            on_file=_print_file,
            before_image_prefix=before_image_prefix,
        )
        if migration_type == "cdc":
            task.start_changes(cdc_start_position)
        else:
            task.full_load(replace=replace)
        if migration_type != "full-load":
            _write_changes(task, follow)
    except EmulatorError as error:
        raise click.ClickException(str(error)) from error
    except pymysql.err.MySQLError as error:
        raise click.ClickException(f"{user}@{host}:{port}: {error}") from error
    console.print(f"Done. Everything up to position [bold]{task.position}[/] is under {target}.")
    console.print(
        "To go on from here later, run the command again with: "
        f"--migration-type cdc --cdc-start-position '{task.position}'"
    )


def _selected(
    source: ServerAddress, schemas: tuple[str, ...], tables: tuple[str, ...]
) -> list[TableName]:
    if not schemas and not tables:
        raise click.UsageError("Nothing to copy: give --schema or --table, or both.")
    names = []
    connection = source.connect()
    try:
        for schema in schemas:
            found = tables_of(connection, schema)
            if not found:
                raise EmulatorError(f"The source has no tables in schema {schema}; check its name.")
            names += found
    finally:
        connection.close()
    for table in tables:
        schema, dot, name = table.partition(".")
        if not (schema and dot and name):
            raise click.UsageError(f"--table {table}: expected schema.table.")
        names.append(TableName(schema, name))
    return list(dict.fromkeys(names))


def _settings(text: str) -> S3Settings:
    try:
        settings = json.loads(text)
    except json.JSONDecodeError as error:
        raise click.UsageError(f"--s3-settings is no JSON: {error}.") from error
    if not isinstance(settings, dict):
        raise click.UsageError(f"--s3-settings {text}: expected a JSON object.")
    return S3Settings.from_dms(settings)


def _write_changes(task: DmsTask, follow: bool) -> None:
    if not follow:
        task.write_changes()
        return
    interval = task.settings.cdc_max_batch_interval
    console.print(f"Following changes every {interval} s. Press Ctrl-C to stop.")
    try:
        for _ in task.follow():
            pass
    except KeyboardInterrupt:
        console.print("Stopped.")


def _print_file(file: WrittenFile) -> None:
    console.print(f"{file.rows:>9,} rows  {file.kind:<7}  {escape(file.path)}")
