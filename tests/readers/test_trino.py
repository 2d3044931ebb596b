"""Trino reads what is published: through the Hive metastore, and through a Glue API.

Spark cannot write to the Glue of moto: AWS's client for it is not on Maven Central. So the tables
are published through the Hive metastore, and their definitions and partitions are copied to moto
(`tests.support.glue`). How a run itself gets on with Glue is not shown here.
"""

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import boto3
import pytest

from tests.scenarios.test_types import EVERY_TYPE, HIGHEST, LOWEST, NOTHING, OLD
from tests.support import glue
from tests.support.aws import aws_api
from tests.support.dms_files import Row
from tests.support.engines import REPOSITORY, ThriftEngine
from tests.support.project import Project, sort_by_value, take_sample
from tests.support.source_rows import canonical_rows, read_expected
from tests.support.trino import NO_JAVA, Trino, TrinoError, java_home, trino_server, value_of

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(java_home() is None, reason=NO_JAVA),
]

EXPECTED = REPOSITORY / "sample" / "expected"
DATES = sorted(folder.name for folder in EXPECTED.iterdir())
SAMPLE = sorted(f"{file.parent.name}/{file.stem}" for file in EXPECTED.glob(f"{DATES[0]}/*/*.csv"))
# In the sample and beside it: every type, every type by a business date, rows that are no numbers.
OWN = ("hr/values", "hr/dated_values", "hr/numbers")
RELATIONS = sorted(
    [
        *(
            relation
            for source, table in (name.split("/") for name in (*SAMPLE, *OWN))
            for relation in (f"{table}_snapshot", f"{table}_current", f"stg_{source}__{table}")
        ),
        *("employees_history", "values_changes", "dated_values_changes"),
        *("dms_files", "dms_staged_files", "dms_rejects"),
        *("snapshot_versions", "snapshot_dates"),
    ]
)
CATALOGS = ("hive", "glue")
TRINO_TYPES = {
    "int": "integer",
    "float": "real",
    "timestamp": "timestamp(6)",
    "binary": "varbinary",
    "string": "varchar",
}
# Values of every type on the first date, and after each row has taken the values of another.
LOADED = [LOWEST, HIGHEST, OLD, NOTHING]
CHANGED = [(key, *row[1:]) for key, row in enumerate((HIGHEST, NOTHING, LOWEST, OLD), 1)]
MANY = 2000


@dataclass(frozen=True)
class Lake:
    """What was published, and who reads it.

    Attributes:
        project: the sample with some tables more, on a Thrift server.
        trino: a server with the catalogs of `CATALOGS`.
        requests: what Glue was asked for, since it was last cleared.
    """

    project: Project
    trino: Trino
    requests: list[glue.PartitionRequest]

    @cached_property
    def spark_rows(self) -> dict[str, list[Any]]:
        """The rows of each table that Spark reads, as JSON."""
        options = "'ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'"
        return {
            relation: [
                json.loads(row, parse_float=str)
                for (row,) in self.project.query(
                    f"select to_json(struct(*), map({options}))"
                    f" from {self.project.schema}.{relation}"
                )
            ]
            for _, relation, is_temporary in self.project.query(
                f"show tables in {self.project.schema}"
            )
            if not is_temporary
        }

    def at(self, catalog: str, relation: str) -> str:
        """The name of a table in Trino; the names of its system tables have a $."""
        return f'{catalog}.{self.project.schema}."{relation}"'

    def asked(self, sql: str) -> list[glue.PartitionRequest]:
        """What Glue is asked for by a query."""
        self.requests.clear()
        self.trino.query(sql)
        return list(self.requests)


@pytest.fixture(scope="module")
def project(thrift_engine: ThriftEngine, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sample on its dates with its history, and tables with every type."""
    project = Project(tmp_path_factory.mktemp("readers"), thrift_engine)
    take_sample(project)
    values = project.declare("values", EVERY_TYPE, ["id"], change_feed=True)
    dated = project.declare(
        "dated_values", EVERY_TYPE, ["id"], change_feed=True, partition_date="due_on"
    )
    for table in (values, dated):
        table.write_load(*LOADED)
        table.write_changes("20201114-100000000", *(("U", *row) for row in CHANGED))
    numbers = project.declare(
        "numbers", {"id": "int", "amount": "int"}, ["id"], on_bad_row="quarantine"
    )
    numbers.write_load((1, "12"), (2, "twelve"), columns={"id": "int", "amount": "string"})
    for run_date in DATES:
        result = project.run(run_date)
        assert result.ok, result.errors
    for command in (["snapshot"], ["test", "--select", "store_snapshot"]):
        result = project.dbt(*command, "--vars", f"{{run_date: {DATES[-1]}}}")
        assert result.ok, result.errors
    return project


@pytest.fixture(scope="module")
def lake(
    project: Project,
    thrift_engine: ThriftEngine,
    lake_root: str | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Lake]:
    files = s3_properties(os.environ) if lake_root else {"fs.hadoop.enabled": "true"}
    common = {"connector.name": "hive", "hive.timestamp-precision": "MICROSECONDS", **files}
    metastore = thrift_engine.server.hive_metastore.start()
    tables = glue.definitions(metastore, project.schema)
    with aws_api("us-east-1"), glue.requests_for_partitions() as requests:
        client = boto3.client("glue")
        client.create_database(DatabaseInput={"Name": project.schema})
        for definition, partitions in tables.values():
            glue.create_table(client, project.schema, definition, partitions)
        create_many(client, project.schema, *tables["employees_snapshot"])
        hive = {**common, "hive.metastore": "thrift", "hive.metastore.uri": metastore}
        catalogs = {
            "hive": hive,
            "hive_in_new_york": {**hive, "hive.parquet.time-zone": "America/New_York"},
            "glue": {
                **common,
                "hive.metastore": "glue",
                "hive.metastore.glue.endpoint-url": os.environ["AWS_ENDPOINT_URL"],
                "hive.metastore.glue.region": "us-east-1",
                "hive.metastore.glue.aws-access-key": "id",
                "hive.metastore.glue.aws-secret-key": "secret",
                # For keys that are numbers; it does nothing for dates.
                "hive.metastore.glue.assume-canonical-partition-keys": "true",
            },
        }
        with trino_server(tmp_path_factory.mktemp("trino"), catalogs) as trino:
            yield Lake(project, trino, requests)


def s3_properties(environment: Mapping[str, str]) -> dict[str, str]:
    """How Trino reaches the S3 API of an environment."""
    return {
        "fs.native-s3.enabled": "true",
        "s3.endpoint": environment["AWS_ENDPOINT_URL"],
        "s3.region": environment["AWS_REGION"],
        "s3.path-style-access": "true",
        "s3.aws-access-key": environment["AWS_ACCESS_KEY_ID"],
        "s3.aws-secret-key": environment["AWS_SECRET_ACCESS_KEY"],
    }


def create_many(
    client: Any, schema: str, table: glue.Definition, partitions: Sequence[glue.Definition]
) -> None:
    """In Glue: a table with a partition for each of many dates, by a date and by a text."""
    for key_type in ("date", "string"):
        made = {
            **table,
            "tableName": f"many_by_{key_type}",
            "partitionKeys": [{**table["partitionKeys"][0], "type": key_type}],
        }
        days = [{**partitions[0], "values": [f"{day}"]} for day in many_dates()]
        glue.create_table(client, schema, made, days)


def many_dates() -> list[date]:
    return [date(2020, 1, 1) + timedelta(days=day) for day in range(MANY)]


# ------------------------------------------------------------------ every table


@pytest.mark.parametrize("catalog", CATALOGS)
def test_trino_finds_every_published_table(lake: Lake, catalog: str) -> None:
    found = {
        name for (name,) in lake.trino.query(f"show tables from {catalog}.{lake.project.schema}")
    }
    assert found - {"many_by_date", "many_by_string"} == set(RELATIONS)
    assert set(lake.spark_rows) == set(RELATIONS)


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_trino_reads_the_rows_that_spark_reads(lake: Lake, relation: str, catalog: str) -> None:
    answer = lake.trino.ask(f"select * from {lake.at(catalog, relation)}")
    kinds = dict(zip(answer.types, answer.signatures, strict=True))
    expected = [
        {name: value_of(value, kinds[name]) for name, value in row.items()}
        for row in lake.spark_rows[relation]
    ]
    found = [dict(zip(answer.types, row, strict=True)) for row in answer.rows]
    assert expected, f"{relation} is empty and shows nothing"
    assert sorted(found, key=in_order) == sorted(expected, key=in_order)


def in_order(row: Mapping[str, Any]) -> str:
    return repr(sorted(row.items()))


@pytest.mark.parametrize("run_date", DATES)
@pytest.mark.parametrize("name", SAMPLE)
def test_trino_reads_the_source_as_it_was_at_each_date(
    lake: Lake, name: str, run_date: str
) -> None:
    file = EXPECTED / run_date / f"{name}.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        columns = ", ".join(next(csv.reader(lines)))
    table = name.split("/")[1]
    found = lake.trino.query(
        f"select {columns} from {lake.at('glue', f'{table}_snapshot')}"
        f" where snapshot_date = date '{run_date}'"
    )
    assert canonical_rows(found) == read_expected(file)
    if run_date == DATES[-1]:
        current = lake.trino.query(f"select {columns} from {lake.at('glue', f'{table}_current')}")
        assert canonical_rows(current) == read_expected(file)


def test_trino_reads_the_manifest_of_each_version(lake: Lake) -> None:
    found = lake.trino.query(
        'select v.version, v.run_date, p."rows", cardinality(v.files), d.version'
        f" from {lake.at('hive', 'snapshot_versions')} v"
        ' cross join unnest(v.partitions) p (name, location, "rows", files)'
        " cross join unnest(v.dates) d (run_date, version)"
        " where v.table_name = 'departments' and d.run_date = v.run_date"
    )
    assert sort_by_value(found) == [
        (1, date(2020, 11, 13), 9, 1, 1),
        (2, date(2020, 11, 15), 10, 1, 2),
    ]


# ------------------------------------------------------------------ every type


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("table", ["values", "dated_values"])
def test_trino_reads_values_of_every_type_as_they_are(lake: Lake, table: str, catalog: str) -> None:
    def rows(relation: str, condition: str) -> list[Row]:
        answer = lake.trino.ask(
            f"select {', '.join(EVERY_TYPE)} from {lake.at(catalog, relation)} where {condition}"
        )
        assert answer.types == {
            name: TRINO_TYPES.get(kind, kind).replace(",", ", ")
            for name, kind in EVERY_TYPE.items()
        }
        return sort_by_value(answer.rows)

    assert rows(f"{table}_snapshot", "snapshot_date = date '2020-11-13'") == LOADED
    assert rows(f"{table}_snapshot", "snapshot_date = date '2020-11-14'") == CHANGED
    assert rows(f"{table}_current", "true") == CHANGED


@pytest.mark.parametrize("catalog", CATALOGS)
def test_partitions_of_old_dates_and_of_none_are_found_by_their_value(
    lake: Lake, catalog: str
) -> None:
    for condition, key in {
        "= date '0001-01-01'": 1,
        "= date '9999-12-31'": 2,
        "= date '1582-10-10'": 3,
        "is null": 4,
    }.items():
        answer = lake.trino.ask(
            f"select id from {lake.at(catalog, 'dated_values_snapshot')}"
            f" where snapshot_date = date '2020-11-13' and partition_date {condition}"
        )
        assert (answer.rows, answer.read_rows) == ([(key,)], 1), condition


def test_a_catalog_without_microseconds_rounds_moments(lake: Lake) -> None:
    query = (
        f"select cast(local_at as varchar) from {lake.at('hive', 'values_snapshot')}"
        " where snapshot_date = date '2020-11-13' and id = 3"
    )
    assert lake.trino.query(query) == [("1899-12-31 23:59:59.999999",)]
    rounded = lake.trino.ask(query, **{"hive.timestamp_precision": "MILLISECONDS"})
    assert rounded.rows == [("1900-01-01 00:00:00.000",)]


def test_a_catalog_of_another_time_zone_shifts_moments(lake: Lake) -> None:
    table = lake.at("hive_in_new_york", "store_current")
    shifted = lake.trino.query(f"select store_id, updated_at + interval '5' hour from {table}")
    stored = lake.trino.query(
        f"select store_id, updated_at from {lake.at('hive', 'store_current')}"
    )
    assert sort_by_value(shifted) == sort_by_value(stored)


# ------------------------------------------------------------------ what is read for a date


@pytest.mark.parametrize("catalog", CATALOGS)
def test_a_date_reads_the_files_of_its_partition_only(lake: Lake, catalog: str) -> None:
    counts = [len(read_expected(EXPECTED / day / "employees/employees.csv")) for day in DATES]
    snapshot, current = (
        f"select max(emp_no) from {lake.at(catalog, f'employees_{kind}')}"
        for kind in ("snapshot", "current")
    )
    read = {
        condition: lake.trino.ask(f"{snapshot}{condition}").read_rows
        for condition in (
            "",
            " where snapshot_date = date '2020-11-15'",
            " where snapshot_date >= date '2020-11-14'",
        )
    }
    assert list(read.values()) == [sum(counts), counts[2], counts[1] + counts[2]]
    assert lake.trino.ask(current).read_rows == counts[2]


def test_a_date_as_text_is_an_error(lake: Lake) -> None:
    with pytest.raises(TrinoError, match=r"Cannot apply operator: date = varchar\(10\)"):
        lake.trino.query(
            f"select * from {lake.at('hive', 'employees_snapshot')}"
            " where snapshot_date = '2020-11-15'"
        )


@pytest.mark.parametrize("catalog", CATALOGS)
def test_the_newest_date_is_known_without_reading_a_file(lake: Lake, catalog: str) -> None:
    newest = lake.trino.ask(
        f"select max(snapshot_date) from {lake.at(catalog, 'employees_snapshot$partitions')}"
    )
    assert newest.rows == [(date(2020, 11, 15),)]
    # The rows of this system table are the partitions.
    assert newest.read_rows == len(DATES)


def test_glue_is_asked_for_all_dates_and_for_one_text(lake: Lake) -> None:
    day = many_dates()[-1]
    by_date = lake.asked(
        f"select max(emp_no) from {lake.at('glue', 'many_by_date')}"
        f" where snapshot_date = date '{day}'"
    )
    by_text = lake.asked(
        f"select max(emp_no) from {lake.at('glue', 'many_by_string')} where snapshot_date = '{day}'"
    )
    assert figures(by_date) == {
        ("GetPartitions", ""): (5, MANY),
        ("BatchGetPartition", ""): (1, 1),
    }
    assert figures(by_text) == {
        ("GetPartitions", f"((snapshot_date = '{day}'))"): (5, 1),
        ("BatchGetPartition", ""): (1, 1),
    }


def test_glue_is_asked_for_few_partitions_of_all_versions(lake: Lake) -> None:
    rows = lake.spark_rows["snapshot_versions"]
    partitions = {row["since_command"] for row in rows}
    asked = lake.asked(
        f"select max(run) from {lake.at('glue', 'snapshot_versions')} where source_name = 'retail'"
    )
    assert len(partitions) < len(rows)
    assert figures(asked)["GetPartitions", ""] == (5, len(partitions))


def test_glue_is_not_asked_for_partitions_of_a_current_table(lake: Lake) -> None:
    assert lake.asked(f"select max(emp_no) from {lake.at('glue', 'employees_current')}") == []


def figures(asked: Sequence[glue.PartitionRequest]) -> dict[tuple[str, str], tuple[int, int]]:
    """The requests of each action and filter, and the partitions that they were answered with."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for one in asked:
        requests, partitions = found.get((one.action, one.expression), (0, 0))
        found[one.action, one.expression] = requests + 1, partitions + one.partitions
    return found
