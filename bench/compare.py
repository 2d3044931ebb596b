"""What comparing a large table with its source costs, beside reading all of it.

``python -m bench.compare --rows 10000000`` makes the same table in a lake, in a MariaDB and in a
PostgreSQL, plants 100 differences at each source, compares, and checks that all are found and
nothing else. All that a source sends goes through a relay that counts it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from click.testing import CliRunner

from bench.project import BenchProject
from development.emulator import MariaDb
from pyspark_dms.cli import main as dms_snapshots
from pyspark_dms.compare.source import PASSWORD_VARIABLE, URL_VARIABLE
from pyspark_dms.services.postgres import DATABASE, USER, Postgres

RUN_DATE = "2020-11-13"
COLUMNS = {
    "order_id": "bigint",
    "customer_id": "int",
    "amount": "decimal(10,2)",
    "ordered_at": "timestamp",
    "weight": "double",
    "note": "string",
}
_FILE_ROWS = 1_000_000
# 2020-01-01, as microseconds since 1970.
_START = 1_577_836_800_000_000
_PLANTED = 100


@dataclass
class Relay:
    """Passes connections on to a port, and counts what comes back."""

    port: int
    target: int
    received: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def pass_on(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self.target))
        threading.Thread(target=self._copy, args=(client, server, False), daemon=True).start()
        self._copy(server, client, True)

    def _copy(self, source: socket.socket, sink: socket.socket, counts: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                if counts:
                    with self._lock:
                        self.received += len(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one of the two has gone


@contextmanager
def relay(target: int) -> Iterator[Relay]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Relay(listener.getsockname()[1], target)

        def accept() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=made.pass_on, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield made


def write_load(folder: Path, rows: int) -> None:
    """The table as DMS files, a million rows in each."""
    folder.mkdir(parents=True)
    for number, start in enumerate(range(1, rows + 1, _FILE_ROWS), start=1):
        n = pa.array(range(start, min(start + _FILE_ROWS, rows + 1)), pa.int64())
        cents = _rest(n, 1_000_003).cast(pa.decimal128(19, 0))
        dollars = pc.multiply(cents, pa.scalar(Decimal("0.01")))
        moments = pc.add(pc.multiply(n, 1_000_000), pc.add(_rest(n, 1000), _START))
        customers = _rest(n, 5003).cast(pa.string())
        table = pa.table(
            {
                "order_id": pc.multiply(n, 3),
                "customer_id": _rest(pc.multiply(n, 7919), 100_003).cast(pa.int32()),
                "amount": dollars.cast(pa.decimal128(10, 2)),
                "ordered_at": moments.cast(pa.timestamp("us")),
                "weight": pc.divide(_rest(n, 1000).cast(pa.float64()), 7.0),
                "note": pc.binary_join_element_wise("order of customer", customers, " "),
            }
        )
        pq.write_table(table, folder / f"LOAD{number:08X}.parquet")


def _rest(numbers: Any, divisor: int) -> Any:
    return pc.subtract(numbers, pc.multiply(pc.divide(numbers, divisor), divisor))


MARIADB_ROWS = """
create database bench;
use bench;
create table bench.orders (
    order_id bigint primary key, customer_id int, amount decimal(10, 2), ordered_at datetime(6),
    weight double, note varchar(60)
);
insert into bench.orders
select
    seq * 3, seq * 7919 % 100003, (seq % 1000003) / 100,
    '2020-01-01' + interval seq second + interval seq % 1000 microsecond,
    (seq % 1000) / 7e0, concat('order of customer ', seq % 5003)
from seq_1_to_{rows};
"""
POSTGRES_ROWS = """
create schema bench;
create table bench.orders (
    order_id bigint primary key, customer_id int, amount decimal(10, 2), ordered_at timestamp,
    weight double precision, note varchar(60)
);
insert into bench.orders
select
    n * 3, n * 7919 % 100003, (n % 1000003) / 100.0,
    timestamp '2020-01-01' + n * interval '1 second' + n % 1000 * interval '1 microsecond',
    (n % 1000) / 7::float8, concat('order of customer ', n % 5003)
from generate_series(1, {rows}::bigint) as n;
analyze bench.orders;
"""


def plant(rows: int) -> tuple[str, dict[str, list[list[str]]]]:
    """A script of 100 differences, and what is to be found of them."""
    chosen = sorted(random.Random(36).sample(range(1, rows + 1), _PLANTED))
    found: dict[str, list[list[str]]] = {"only_here": [], "only_there": [], "different": []}
    changes = (
        "amount = amount + 0.01",
        "weight = weight * 1.0000000000000002 + 1e-16",
        "note = ''",
        "ordered_at = ordered_at + interval '1' second",
        "customer_id = null",
    )
    script = []
    for place, n in enumerate(chosen):
        key = n * 3
        if place % 3 == 0:
            script.append(f"delete from bench.orders where order_id = {key};")
            found["only_here"].append([f"{key}"])
        elif place % 3 == 1:
            script.append(
                "insert into bench.orders select order_id + 1, customer_id, amount, ordered_at,"
                f" weight, note from bench.orders where order_id = {key};"
            )
            found["only_there"].append([f"{key + 1}"])
        else:
            change = changes[place // 3 % len(changes)]
            script.append(f"update bench.orders set {change} where order_id = {key};")
            found["different"].append([f"{key}"])
    return "\n".join(script), found


def compare(project: BenchProject, variables: dict[str, str]) -> dict[str, Any]:
    """Run the command, as a person does."""
    file = project.folder / "compared.json"
    os.environ.update(variables)
    options = ["--project-dir", str(project.folder), "--wait", "0", "--json", str(file)]
    result = CliRunner().invoke(
        dms_snapshots, ["compare", "bench.orders", "--sample", "1000", *options]
    )
    if not file.exists():
        raise RuntimeError(f"compare failed: {result.output} {result.exception!r}")
    (told,) = json.loads(file.read_text())["tables"]
    return told


def report(
    name: str,
    project: BenchProject,
    variables: dict[str, str],
    through: Relay,
    rows: int,
    run_script: Callable[[str], None],
    read: Sequence[str],
) -> None:
    """Measure a source: equal, with the differences, and a read of everything."""
    started, before = time.monotonic(), through.received
    equal = compare(project, variables)
    assert equal["state"] == "equal", equal
    show(name, "equal", time.monotonic() - started, through.received - before, equal)
    script, planted = plant(rows)
    run_script(script)
    started, before = time.monotonic(), through.received
    told = compare(project, variables)
    show(
        name, f"{_PLANTED} differences", time.monotonic() - started, through.received - before, told
    )
    sample = told["sample"]
    found = {
        "only_here": sample["only_here"],
        "only_there": sample["only_there"],
        "different": [one["key"] for one in sample["different"]],
    }
    assert {kind: sorted(keys) for kind, keys in found.items()} == {
        kind: sorted(keys) for kind, keys in planted.items()
    }, "not what was planted"
    started, before = time.monotonic(), through.received
    with Path(os.devnull).open("wb") as nowhere:
        subprocess.run(read, stdout=nowhere, check=True)
    show(name, "full read", time.monotonic() - started, through.received - before, {})


def show(name: str, what: str, seconds: float, received: int, told: dict[str, Any]) -> None:
    queries = told.get("queries_of_source", 1)
    click.echo(f"| {name} | {what} | {seconds:.1f} | {received / 1e6:.1f} | {queries} |")


@click.command()
@click.option("--rows", default=10_000_000, show_default=True)
@click.option("--work", type=click.Path(path_type=Path), default=Path("bench/work/compare"))
@click.option("--source", "sources", multiple=True, default=["mariadb", "postgresql"])
def main(rows: int, work: Path, sources: tuple[str, ...]) -> None:
    """Measure, and fail unless exactly what was planted is found."""
    shutil.rmtree(work, ignore_errors=True)
    work = work.resolve()
    write_load(work / "dms" / "orders", rows)
    project = BenchProject.create(work / "project", [])
    _declare(project, work / "dms" / "orders")
    started = time.monotonic()
    project.run(RUN_DATE, "orders")
    click.echo(f"published {rows:,} rows in {time.monotonic() - started:.0f} s\n")
    click.echo("| source | what | seconds | MB received | queries |\n|---|---|--:|--:|--:|")
    if "mariadb" in sources:
        with MariaDb.start(work / "mariadb") as mariadb:
            mariadb.execute(MARIADB_ROWS.format(rows=rows))
            with relay(mariadb.address.port) as through:
                address = f"127.0.0.1:{through.port}"
                variables = {URL_VARIABLE: f"mysql://root@{address}", PASSWORD_VARIABLE: ""}
                read: tuple[str, ...] = (
                    "mariadb", "--no-defaults", "--quick", "--batch", "--host=127.0.0.1",
                        f"--port={through.port}", "--user=root", "--skip-ssl",
                        "-e", "select * from bench.orders")  # fmt: skip
                report("MariaDB", project, variables, through, rows, mariadb.execute, read)
        shutil.rmtree(work / "mariadb")
    if "postgresql" in sources:
        server = Postgres(work / "postgresql")
        server.start()
        try:
            with relay(server.port()) as through:
                login = f"{USER}:{server.password()}"
                url = f"postgresql://{login}@127.0.0.1:{through.port}/{DATABASE}"
                variables = {URL_VARIABLE: url, PASSWORD_VARIABLE: ""}

                def execute(text: str) -> None:
                    direct = f"postgresql://{login}@127.0.0.1:{server.port()}/{DATABASE}"
                    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", direct],
                                   input=text.encode(), check=True)  # fmt: skip

                execute(POSTGRES_ROWS.format(rows=rows))
                read = ("psql", url, "-c", "copy bench.orders to stdout")
                report("PostgreSQL", project, variables, through, rows, execute, read)
        finally:
            server.stop()
    shutil.rmtree(work)


def _declare(project: BenchProject, folder: Path) -> None:
    columns = [{"name": name, "data_type": kind} for name, kind in COLUMNS.items()]
    keys = {"path": str(folder), "primary_keys": ["order_id"]}
    entry = {"name": "orders", "config": {"meta": {"dms": keys}}, "columns": columns}
    files = {
        "models/sources/bench/orders.yml": json.dumps(
            {"sources": [{"name": "bench", "tables": [entry]}]}
        ),
        "models/staging/stg_bench__orders.sql": "{{ dms_staging('bench', 'orders') }}\n",
        "models/snapshots/orders_snapshot.sql": "{{ dms_snapshot('bench', 'orders') }}\n",
    }
    for relative, text in files.items():
        (project.folder / relative).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / relative).write_text(text)


if __name__ == "__main__":
    main()
