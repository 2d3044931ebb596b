"""The command ``emulate``."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from development.emulator import MariaDb
from development.emulator.cli import emulate
from tests.emulator.conftest import Read

Source = Callable[[str], None]
Emulate = Callable[..., Result]


@pytest.fixture
def run(server: MariaDb, target: Path) -> Emulate:
    port = str(server.address.port)
    return lambda *arguments: CliRunner().invoke(
        emulate, ["--port", port, "--target", str(target), *arguments]
    )


def test_a_schema_is_loaded_and_followed_from_the_position_that_is_printed(
    run: Emulate, source: Source, target: Path, read: Read
) -> None:
    source("create table t (id int primary key); create table u (id int primary key)")
    source("insert into t values (1); insert into u values (1)")
    first = run("--schema", "hr", "--s3-settings", '{"IncludeOpForFullLoad": true}')
    assert first.exit_code == 0, first.output
    assert "1 rows  load     hr/t/LOAD00000001.parquet" in first.output
    position = first.output.rstrip().rsplit("'", 2)[1]

    source("insert into u values (2)")
    second = run("--table", "hr.u", "--migration-type", "cdc", "--cdc-start-position", position)
    assert second.exit_code == 0, second.output
    (change,) = (target / "hr/u").glob("2*.parquet")
    assert read(str(change.relative_to(target))) == [{"Op": "I", "id": 2}]


def test_csv_with_before_images_may_be_asked_for(
    run: Emulate, source: Source, target: Path
) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    settings = '{"DataFormat": "csv", "CsvDelimiter": ";"}'
    result = run("--schema", "hr", "--before-image-prefix", "BI_", "--s3-settings", settings)
    assert result.exit_code == 0, result.output
    assert (target / "hr/t/LOAD00000001.csv").read_text() == "1;NULL\n"


def test_following_goes_on_until_it_is_interrupted(
    run: Emulate, source: Source, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    naps: list[float] = []

    def interrupt_the_second(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            raise KeyboardInterrupt
        source("insert into t values (2)")

    monkeypatch.setattr("development.emulator.capture.sleep", interrupt_the_second)
    result = run("--table", "hr.t", "--follow", "--s3-settings", '{"CdcMaxBatchInterval": 7}')
    assert result.exit_code == 0, result.output
    assert naps == [7, 7]
    assert "Stopped." in result.output
    assert len(list((target / "hr/t").glob("2*.parquet"))) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Nothing to copy: give --schema or --table"),
        (("--schema", "nowhere"), "no tables in schema nowhere"),
        (("--table", "t"), "--table t: expected schema.table"),
        (("--table", "hr.missing"), "no table hr.missing"),
        (("--schema", "hr", "--s3-settings", "{"), "--s3-settings is no JSON"),
        (("--schema", "hr", "--s3-settings", "[]"), "expected a JSON object"),
        (("--schema", "hr", "--s3-settings", '{"DataFormat": "orc"}'), "allowed: parquet"),
        (("--schema", "hr", "--cdc-start-position", "0-1-1"), "needs --migration-type cdc"),
        (
            ("--schema", "hr", "--migration-type", "cdc", "--cdc-start-position", "binlog.1:4"),
            "'binlog.1:4' is no MariaDB GTID position",
        ),
        (("--schema", "hr", "--follow", "--migration-type", "full-load"), "--follow needs"),
        (("--schema", "hr", "--user", "nobody"), "nobody@127.0.0.1"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    run: Emulate, source: Source, arguments: tuple[str, ...], message: str
) -> None:
    source("create table t (id int primary key)")
    result = run(*arguments)
    assert result.exit_code != 0
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_the_password_comes_from_the_environment(
    server: MariaDb, run: Emulate, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    source("create table t (id int primary key)")
    server.execute(
        "create or replace user reader@127.0.0.1 identified by 's3cret';"
        "grant select, replication slave, binlog monitor on *.* to reader@127.0.0.1"
    )
    monkeypatch.setenv("SOURCE_PASSWORD", "s3cret")
    good = run("--schema", "hr", "--user", "reader", "--password-env", "SOURCE_PASSWORD")
    assert good.exit_code == 0, good.output
    monkeypatch.setenv("SOURCE_PASSWORD", "wrong")
    bad = run("--schema", "hr", "--user", "reader", "--password-env", "SOURCE_PASSWORD")
    assert "Access denied" in bad.output


def test_a_second_full_load_needs_replace(run: Emulate, source: Source) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    assert run("--schema", "hr").exit_code == 0
    assert "already has 1 file," in " ".join(run("--schema", "hr").output.split())
    assert run("--schema", "hr", "--replace").exit_code == 0
