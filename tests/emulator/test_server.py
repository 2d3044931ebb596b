"""The private MariaDB."""

from pathlib import Path

import pymysql
import pytest

from development.emulator import MariaDb


def test_a_server_started_again_in_its_directory_has_its_data(tmp_path: Path) -> None:
    with MariaDb.start(tmp_path) as server:
        server.execute(
            "create schema kept; create table kept.t (id int); insert into kept.t values (1)"
        )
    with (
        MariaDb.start(tmp_path) as server,
        server.connection() as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("select id from kept.t")
        assert cursor.fetchall() == ((1,),)


def test_an_error_of_any_statement_of_a_script_is_raised(server: MariaDb) -> None:
    with pytest.raises(pymysql.err.ProgrammingError, match="nowhere"):
        server.execute("select 1; insert into nowhere.t values (1); select 2")


def test_a_session_is_in_utc(server: MariaDb) -> None:
    with server.connection() as connection, connection.cursor() as cursor:
        cursor.execute("select unix_timestamp('1970-01-01 01:00:00')")
        assert cursor.fetchone() == (3600,)
