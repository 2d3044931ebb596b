"""What dbt asks for a data test, before it asks Spark."""

import pytest
from dbt_common.exceptions import CompilationError

from tests.declaration.harness import Macros

ID = "model.dms_snapshots.people_snapshot"


def asked(relations: list[str], materialized: str = "dms_snapshot", active: bool = True) -> str:
    """The SQL of a data test of a table, in a schema that has these tables."""
    dms = {"source_name": "hr", "table_name": "people"}
    config = {"materialized": materialized, "meta": {"dms": dms}}
    node = {"config": config, "database": None, "schema": "lake", "alias": "people_snapshot"}
    stubs = {
        "model": type("Test", (), {"attached_node": ID}),
        "find_source": lambda source_name, table_name: None,
        "read_declaration": lambda source: type("Declared", (), {"active": active}),
        "adapter": type(
            "Adapter", (),
            {"get_relation": staticmethod(
                lambda database, schema, identifier: identifier in relations or None
            )},
        ),
        "passing_test_sql": lambda: "nothing to look at",
        "dbt": {"default__get_test_sql": lambda main_sql, *rest: main_sql},
    }  # fmt: skip
    macros = Macros({"sources": {}, "nodes": {ID: node}}, stubs=stubs)
    return str(macros.spark__get_test_sql("select 1", "count(*)", "!= 0", "!= 0", None))


def test_a_table_that_was_never_published_is_named_before_spark_misses_it() -> None:
    with pytest.raises(CompilationError) as raised:
        asked([])
    assert (
        "hr.people: there is no lake.people_snapshot yet. Nothing was tested. "
        "Publish it with dbt run, and do what that says. [E420]" in str(raised.value)
    )


def test_a_table_that_is_not_active_need_not_be_there() -> None:
    assert asked([], active=False) == "nothing to look at"


def test_a_table_that_is_there_is_tested() -> None:
    assert asked(["people_snapshot"]) == "select 1"


def test_a_model_of_a_user_is_tested_as_dbt_does() -> None:
    assert asked([], "table") == "select 1"
