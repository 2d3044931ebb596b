"""All declarations of a project are read once per command, and each has its own problems."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError

from tests.declaration.harness import Macros, graph_of, in_threads, source


def dms(path: str | list[str], **more: Any) -> dict[str, Any]:
    return {"path": path, "primary_keys": ["id"], **more}


def problems(*sources: Any, **more: Any) -> dict[str, list[str]]:
    """The problems of each table that has some, by its label."""
    macros = Macros(graph_of(*sources), **more)
    found = (macros.read_declaration(node) for node in sources)
    return {declared["label"]: declared["problems"] for declared in found if declared["problems"]}


def problems_of_path(path: str, root: str = "", **more: Any) -> list[str]:
    found = problems(source("hr", "a", dms(path, **more)), environment={"DMS_ROOT": root})
    return found.get("hr.a", [])


# ------------------------------------------------------------------------------ paths, names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("s3://b/hr/a/", "s3://b/hr/a"), ("s3://b/hr/a/", "s3://b/hr/"), ("s3://b/", "s3://b/x/"),
        ("/dms/hr/a", "/dms//hr/a/"), ("dms/hr/a", "./dms/./hr/a/"),
        ("dms/hr", "/project/dms/hr/a"),
    ],
)  # fmt: skip
def test_two_tables_in_one_folder_or_one_in_the_other_name_each_other(
    first: str, second: str
) -> None:
    found = problems(source("hr", "a", dms(first)), source("hr", "b", dms(second)))
    assert [len(found[label]) for label in ("hr.a", "hr.b")] == [1, 1]
    assert f"path {second} of hr.b" in found["hr.a"][0]
    assert f"path {first} of hr.a" in found["hr.b"][0]


def test_folders_whose_names_begin_alike_are_two() -> None:
    paths = (
        "s3://b/hr/a",
        "s3://b/hr/ab",
        "s3://b/hr/a b",
        "s3://b/hr/a-",
        "s3://b/hr/A",
        "s3://b2/hr/a",
    )
    assert problems(*(source("hr", f"t{i}", dms(path)) for i, path in enumerate(paths))) == {}


def test_a_folder_is_compared_with_those_that_come_long_before_it() -> None:
    paths = [
        "s3://b/x/",
        "s3://b/x/a/",
        "s3://b/x/a/b/",
        "s3://b/x/c/",
        "s3://b/y/",
        "s3://b/x/c/d/",
    ]
    found = problems(*(source("hr", f"t{i}", dms(path)) for i, path in enumerate(paths)))
    assert sorted(found) == ["hr.t0", "hr.t1", "hr.t2", "hr.t3", "hr.t5"]
    assert "s3://b/x/c/ of hr.t3" in found["hr.t5"][0]


def test_folders_are_compared_with_their_case() -> None:
    paths = ("s3://b/A/", "s3://b/a/", "s3://b/A/x/")
    found = problems(*(source("hr", f"t{i}", dms(path)) for i, path in enumerate(paths)))
    assert sorted(found) == ["hr.t0", "hr.t2"]


def test_each_of_many_tables_in_one_folder_has_one_problem() -> None:
    found = problems(*(source("hr", f"t{i:02}", dms("s3://b/x/")) for i in range(50)))
    assert {len(each) for each in found.values()} == {1}
    assert len(found) == 50


def test_a_table_with_a_wrong_key_or_that_is_not_active_still_takes_its_folder() -> None:
    wrong = source("hr", "a", dms("s3://b/x/", order_by="name"))
    found = problems(wrong, source("hr", "b", dms("s3://b/x/y/", active=False)))
    assert "of hr.a are one folder" in found["hr.b"][0]
    [own, shared] = found["hr.a"]
    assert "order_by" in own
    assert "of hr.b are one folder" in shared


def test_two_names_that_differ_in_case_alone_are_one_in_the_metastore() -> None:
    found = problems(source("hr", "a", dms("s3://b/1/")), source("hr", "A", dms("s3://b/2/")))
    assert "table a and table A of hr.A have one name in the metastore" in found["hr.a"][0]
    assert "table A and table a of hr.a" in found["hr.A"][0]


def test_a_type_that_only_spark_can_read_is_refused_with_the_one_to_take() -> None:
    columns = {"id": "int", "at": "timestamp_ntz"}
    found = problems(source("hr", "a", dms("s3://b/1/"), columns))
    [problem] = found["hr.a"]
    assert problem.startswith('column at has data_type "timestamp_ntz"; allowed are boolean,')
    assert problem.endswith("can be read by Spark only. Declare timestamp, with the same values")


def test_a_source_that_dms_does_not_write_takes_no_part() -> None:
    foreign = source("hr", "A", None)
    foreign["config"]["meta"] = {"owner": "somebody"}
    macros = Macros(graph_of(foreign, source("hr", "a", dms("s3://b/1/"))))
    assert macros.declaration("hr", "a")["problems"] == []
    with pytest.raises(CompilationError, match=r"hr\.A: the table is not declared"):
        macros.find_source("hr", "A")


# --------------------------------------------------------------------- folders without a name


@pytest.mark.parametrize("path", ["s3://b/SAP//BIC/FACT/", "gs://b//x/", "s3a://b/x//"])
@pytest.mark.parametrize("key", ["path", "transaction_path"])
def test_a_folder_without_a_name_in_a_store_is_a_problem(path: str, key: str) -> None:
    given = {"path": "s3://b/x/", key: path}
    (problem,) = problems_of_path(**given)
    assert f"{key} is {path}, with a folder without a name (//)" in problem


@pytest.mark.parametrize(
    "path", ["/dms//hr/a/", "dms//hr//a", "file:///dms//hr/a", "s3://b/hr/a", "s3://b/"]
)
def test_a_second_slash_on_a_disk_is_none(path: str) -> None:
    assert problems_of_path(path) == []


@pytest.mark.parametrize("root", ["s3://b/dms/", "s3://b/dms//", "s3://b/"])
def test_a_root_may_end_in_a_slash_and_the_rest_begin_with_one(root: str) -> None:
    assert problems_of_path(f"{root}/hr/a/", root) == []
    found = Macros(environment={"DMS_ROOT": root}).absolute_path(f"{root}/hr/a")
    assert found == root.rstrip("/") + "/hr/a/"


def test_a_second_slash_behind_a_root_that_has_none_is_a_problem() -> None:
    assert len(problems_of_path("s3://b/dms//hr/a/", "s3://b/dms")) == 1


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("dms/hr/a", "/project/dms/hr/a/"), ("./dms/./hr//a/", "/project/dms/hr/a/"),
        ("../dms/hr/a", "/dms/hr/a/"), ("/x/y/../../dms/hr/../hr/a/", "/dms/hr/a/"),
        ("/dms//hr/a", "/dms/hr/a/"), ("file:///dms//hr", "file:///dms/hr/"),
        ("s3://b//a", "s3://b//a/"), ("s3://b/./a", "s3://b/./a/"),
    ],
)  # fmt: skip
def test_a_path_is_absolute_and_ends_in_a_slash(path: str, absolute: str) -> None:
    assert Macros().absolute_path(path) == absolute


# What Python calls a temporary folder, in which astronomer-cosmos makes a copy of the project.
COPY = {"invocation_args_dict": {"project_dir": "/tmp/tmp4kpi_hwa", "vars": {}}}


def test_a_folder_in_a_copy_of_the_project_that_is_deleted_afterwards_fails() -> None:
    copy = Macros(stubs=COPY)
    assert copy.absolute_path("/data/dms/hr/a") == "/data/dms/hr/a/"
    with pytest.raises(CompilationError, match="/tmp/tmp4kpi_hwa/dms/hr/a is in a temporary copy"):
        copy.absolute_path("dms/hr/a")


def test_a_lake_in_a_copy_of_the_project_that_is_deleted_afterwards_fails() -> None:
    def new_table(location: str) -> str:
        described = SimpleNamespace(rows=[("Location", location)])
        stubs = {**COPY, "config": {}, "run_query": lambda _: described}
        relation = SimpleNamespace(schema="lake", identifier="people")
        return str(Macros(stubs=stubs).new_table_location(relation))

    assert new_table("file:/data/lake/lake.db") == "file:/data/lake/lake.db/people"
    with pytest.raises(CompilationError, match="DMS_LAKE=/data/lake"):
        new_table("file:/tmp/tmp4kpi_hwa/lake/warehouse/lake.db")


# -------------------------------------------------------------------------- read once, copied


def two_tables() -> dict[str, Any]:
    return graph_of(
        source("hr", "a", dms("s3://b/a/", csv={"delimiter": "\\t"})),
        source("hr", "b", dms("s3://b/b/", gates=[{"not_null": {"column_name": "id"}}])),
    )


def test_defaults_are_filled_in_and_invisible_characters_read() -> None:
    declared = Macros(two_tables()).declaration("hr", "a")
    assert (declared["csv"]["delimiter"], declared["csv"]["row_delimiter"]) == ("\t", "\n")
    assert (declared["order_by"], declared["gates"], declared["active"]) == ("file", [], True)


def test_declarations_are_read_once_for_all_nodes_of_a_command() -> None:
    graph = two_tables()
    first, second = Macros(graph), Macros(graph)
    assert first.declarations() is second.declarations() is graph["dms_declarations"]


def test_a_node_cannot_change_the_declaration_of_another() -> None:
    macros = Macros(two_tables())
    mine = macros.declaration("hr", "a")
    mine["columns"].append({"name": "more", "data_type": "int"})
    mine["active"] = False
    other = macros.declaration("hr", "a")
    assert [column["name"] for column in other["columns"]] == ["id", "name"]
    assert other["active"] is True


def test_columns_that_were_appended_are_those_of_one_table_alone() -> None:
    added = {"name": "city", "data_type": "string", "description": ""}
    graph = graph_of(
        source("hr", "a", dms("s3://b/a/", on_schema_change="append_new_columns")),
        source("hr", "b", dms("s3://b/b/")),
    )
    macros = Macros(graph, stubs={"appended_columns": lambda _: [added]})
    for _ in range(2):
        names = [column["name"] for column in macros.declaration("hr", "a")["columns"]]
        assert names == ["id", "name", "city"]
    kept = graph["dms_declarations"]["tables"]["source.dms_snapshots.hr.a"]["columns"]
    assert [column["name"] for column in kept] == ["id", "name"]


def test_threads_that_start_together_read_the_same() -> None:
    graph = two_tables()
    macros = [Macros(graph) for _ in range(8)]
    found = in_threads(8, lambda: macros.pop().declaration("hr", "b"))
    assert len(found) == 8
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("graph", [{}, {"sources": {}}])
def test_nothing_is_kept_while_dbt_parses(graph: dict[str, Any]) -> None:
    assert Macros(graph, execute=False).declarations() == {"tables": {}, "ids": {}}
    assert "dms_declarations" not in graph


def test_a_graph_without_sources_has_no_declarations() -> None:
    assert Macros({}).declarations()["tables"] == {}


def test_the_time_grows_with_the_number_of_tables() -> None:
    counted = {}
    for count in (20, 80):
        calls: list[str] = []
        graph = graph_of(*(source("hr", f"t{i}", dms(f"s3://b/{i}/")) for i in range(count)))
        macros = Macros(graph)
        read = macros.context["absolute_path"]
        macros.context["absolute_path"] = lambda path, read=read, calls=calls: (
            calls.append(path) or read(path)
        )
        for i in range(count):
            macros.declaration("hr", f"t{i}")
        counted[count] = len(calls)
    assert counted[80] == 4 * counted[20]


# ---------------------------------------------------------------------------------- messages


def test_a_wrong_declaration_names_the_file_and_each_problem() -> None:
    macros = Macros(graph_of(source("hr", "a", {"path": "", "actve": True})))
    with pytest.raises(CompilationError) as raised:
        macros.declaration("hr", "a")
    assert str(raised.value.msg).split("\n") == [
        "hr.a: the declaration in models/sources/hr/a.yml is wrong:",
        "  unknown key actve (did you mean active?); allowed are "
        + ", ".join(sorted(macros.dms_keys())),
        '  key path is ""; allowed is a text that is not empty, or a list of such texts',
        "  key primary_keys is missing; allowed is a list of column names, or [] for a table "
        "without a key.",
        "Nothing of this table was run.",
        "Correct the file, then run the same command again.",
        "[E101]",
    ]


@pytest.mark.parametrize("is_text", [True, False])
def test_a_start_date_that_has_not_come_yet_would_leave_out_every_change(is_text: bool) -> None:
    # The day of these tests is the 13th; YAML makes a date of a text without quotes.
    def found(start: str) -> list[str]:
        written = start if is_text else date.fromisoformat(start)
        node = source("hr", "a", dms("s3://b/a/", cdc_start_date=written))
        return problems(node).get("hr.a", [])

    assert found("2020-11-14") == []
    assert found("2202-11-13") == [
        'key cdc_start_date is "2202-11-13"; allowed is a date up to 2020-11-14, which is tomorrow'
    ]


@pytest.mark.parametrize("written", [None, "yes", ["path"]])
def test_what_is_no_mapping_of_keys_is_a_problem(written: Any) -> None:
    found = problems(source("hr", "a", written))
    assert found == {"hr.a": [f"config.meta.dms is {written}; allowed is a mapping of keys"]}


def test_a_table_that_is_not_declared_is_named_with_its_file() -> None:
    with pytest.raises(CompilationError, match=r"Write models/sources/hr/c\.yml with config\.meta"):
        Macros(two_tables()).declaration("hr", "c")


def test_the_newest_state_is_that_of_a_declared_table() -> None:
    stubs = {"ref": lambda name: name, "relation_beside": lambda model, kind: (model, kind)}
    assert Macros(two_tables(), stubs=stubs).dms_current("hr", "a") == ("a_snapshot", "current")
    assert Macros({}, stubs=stubs, execute=False).dms_current("rh", "a")
    with pytest.raises(CompilationError, match=r"rh\.a: the table is not declared"):
        Macros(two_tables(), stubs=stubs).dms_current("rh", "a")


def test_earlier_names_are_taken_once() -> None:
    node = source("hr", "a", dms("s3://b/a/"))
    node["columns"]["name"]["meta"] = {"dms": {"renamed_from": ["old", "OLD", "id", "op"]}}
    (same, declared, other) = problems(node)["hr.a"]
    assert "renamed_from OLD, which is also another column" in same
    assert "renamed_from id, which is also a declared column" in declared
    assert "renamed_from op, which is also another column" in other


def node(name: str, package: str = "dms_snapshots", **more: Any) -> dict[str, Any]:
    """A model in the graph."""
    return {
        "name": name, "package_name": package, "resource_type": "model",
        "config": {"materialized": "table"}, "depends_on": {"nodes": []}, **more,
    }  # fmt: skip


def test_in_another_project_flags_stop_what_belongs_to_a_declared_table_and_nothing_else() -> None:
    stub = node("a_snapshot", "shop", config={"materialized": "dms_snapshot"})
    test = node("not_null", "shop", resource_type="test", attached_node="model.shop.a_snapshot")
    history = node("a_history", "shop", resource_type="snapshot")
    history["raw_code"] = "select * from {{ ref('a_snapshot') }}"
    history["depends_on"] = {"nodes": ["model.shop.a_snapshot"]}
    nodes = {"model.shop.a_snapshot": stub, "x.test": test, "x.history": history}
    nodes["model.shop.orders"] = node("orders", "shop", depends_on=history["depends_on"])

    def check(*selected: str) -> None:
        stubs = {"invocation_args_dict": {"defer": True}, "selected_resources": selected}
        Macros({"sources": {}, "nodes": nodes}, stubs=stubs).check_flags()

    check("model.shop.orders")
    for ours in ("model.shop.a_snapshot", "x.test", "x.history"):
        with pytest.raises(CompilationError, match="--defer: not with the tables of DMS"):
            check("model.shop.orders", ours)


def test_tables_of_a_schema_that_are_not_ours_are_asked_for_as_dbt_spark_does_it() -> None:
    def materialized(kind: str, alias: str, **more: Any) -> dict[str, Any]:
        return node(alias, "shop", alias=alias, config={"materialized": kind}, **more)

    whole = {"resource_type": "snapshot", "raw_code": "select * from {{ ref('a_snapshot') }}"}
    nodes = {
        "model.shop.a_snapshot": materialized("dms_snapshot", "A_snapshot", schema="lake"),
        "model.shop.away": materialized("dms_log", "away", schema="other"),
        "model.shop.mine": materialized("table", "mine", schema="lake"),
        "snapshot.shop.a_history": materialized("snapshot", "a_history", schema="lake", **whole),
        "snapshot.shop.b_history": materialized(
            "snapshot", "b_history", schema="lake", **{**whole, "raw_code": "select 1 as id"}
        ),
    }
    for name in ("a_history", "b_history"):
        nodes[f"snapshot.shop.{name}"]["depends_on"] = {"nodes": ["model.shop.a_snapshot"]}
    asked = []

    def run_query(sql: str) -> dict[str, Any]:
        asked.append(sql)
        if sql.startswith("show tables"):
            names = ["a_snapshot", "a_current", "a_history", "b_history", "away", "mine"]
            return {"rows": [["lake", name, False] for name in names] + [["", "view", True]]}
        return {"rows": [["lake", "mine", False, "Provider: delta"], ["", "mine", True, ""]]}

    macros = Macros({"sources": {}, "nodes": nodes}, stubs={"run_query": run_query})
    found = macros.spark__list_relations_without_caching({"schema": "lake"})
    parquet = ["a_snapshot", "a_current", "a_history"]
    assert found == [
        *(["lake", name, False, "Provider: parquet"] for name in parquet),
        ["lake", "mine", False, "Provider: delta"],
    ]
    assert asked[1:] == ["show table extended in lake like 'b_history|away|mine'"]


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [
        ("region", True),
        ("date", True),
        ("rundate", False),
        ("run-date", False),
        ("RUN_DATE", False),
        ("run_date:2026-11-20", False),
    ],
)
def test_in_another_project_a_variable_may_have_any_name_but_not_one_like_ours(
    name: str, is_taken: bool
) -> None:
    given = {"invocation_args_dict": {"vars": {name: 1}}, "project_name": "shop"}
    macros = Macros(stubs={**given, "var": lambda name, default=None: default})
    if is_taken:
        macros.check_variables()
        return
    with pytest.raises(CompilationError, match=f"--vars: {name} is no variable of this project"):
        macros.check_variables()


def test_flags_and_variables_that_do_harm_stop_the_command() -> None:
    graph = {"sources": {}, "nodes": {"model.dms_snapshots.dms_files": node("dms_files")}}
    given = {"empty": True, "vars": {"rundate": "x"}}
    macros = Macros(graph, stubs={"invocation_args_dict": given})
    with pytest.raises(CompilationError, match=r"--empty: not with the tables of DMS.*dms_files"):
        macros.check_flags()
    with pytest.raises(CompilationError, match="--vars: rundate is no variable of this project"):
        macros.check_variables()
    given = {"late_file_days": -1, "run_date": "2020-11-15"}
    macros = Macros(stubs={"var": lambda name, default=None: given.get(name, default)})
    with pytest.raises(CompilationError, match="--vars: late_file_days is '-1'"):
        macros.check_variables()
    with pytest.raises(CompilationError, match="run_date: 2020-11-15 has not come yet"):
        macros.run_date()


@pytest.mark.parametrize(
    "name", ["allow_deletes", "allow_gates", "allow_reinserts", "allow_reloads"]
)
def test_a_variable_names_declared_tables(name: str) -> None:
    def check(given: Any, **more: Any) -> None:
        stubs = {"var": lambda asked, default=None: given if asked == name else default}
        Macros(two_tables(), stubs=stubs, **more).check_variables()

    for right in ([], None, "hr.a", ["hr.b", "hr.a"]):
        check(right)
    # While dbt parses, no table is known.
    check("hr.c", execute=False)
    wrong: list[tuple[Any, str]] = [
        ("hr.c", "hr.c"), (["hr.a", "b", "hr.c"], "b, hr.c"), (True, "True"), ("HR.A", "HR.A"),
    ]  # fmt: skip
    for given, shown in wrong:
        with pytest.raises(CompilationError, match=f"--vars: {name} has {shown}, which is no decl"):
            check(given)


# ------------------------------------------------------------------------------ several folders

WITH_SHARD = {"id": "int", "shard": "string"}


def of_folders(*paths: str, columns: Any = WITH_SHARD, **more: Any) -> list[str]:
    keys = {"path": list(paths), "primary_keys": ["id"], "shard_column": "shard", **more}
    return problems(source("hr", "a", keys, columns)).get("hr.a", [])


@pytest.mark.parametrize(
    ("paths", "values"),
    [
        (["s3://b/shard_1/hr/a/", "s3://b/shard_2/hr/a"], ["shard_1", "shard_2"]),
        (["s3://b/hr/a_1", "s3://b/hr/a_2", "s3://b/hr/a_10"], ["a_1", "a_2", "a_10"]),
        (["s3://b/1/x/a", "s3://b/1/y/a", "s3://b/2/x/a"], ["1/x", "1/y", "2/x"]),
        (["s3://b/a/a/t", "s3://b/a/t"], ["a/t", "t"]),
        (["s3://one/hr/a", "s3://two/hr/a"], ["one", "two"]),
        (["s3://b/hr/a", "s3://b/hr/A"], ["a", "A"]),
        (["s3://b/hr/a"], ["a"]),
    ],
)
def test_a_shard_is_what_is_left_of_a_folder_without_what_all_share(
    paths: list[str], values: list[str]
) -> None:
    shards = Macros().shards_of(paths)
    assert [shard["name"] for shard in shards] == values
    assert [shard["path"] for shard in shards] == [f"{path.rstrip('/')}/" for path in paths]


@pytest.mark.parametrize("keys", [["id"], ["id", "shard"], []])
def test_the_shard_is_a_part_of_the_key_while_a_version_is_made(keys: list[str]) -> None:
    written = {"path": ["/a/1", "/a/2"], "primary_keys": keys, "shard_column": "shard"}
    macros = Macros(graph_of(source("hr", "a", written, WITH_SHARD)))
    declared = macros.declaration("hr", "a")
    assert declared["primary_keys"] == (["shard", "id"] if keys else [])
    assert declared["declared_keys"] == keys


@pytest.mark.parametrize(
    ("paths", "more", "problem"),
    [
        (["/a/1", "/a/2"], {"shard_column": None}, "shard_column is missing"),
        (["/a/1", "/a/2"], {"columns": {"id": "int"}}, "Add {name: shard, data_type: string}"),
        (
            ["/a/1", "/a/2"],
            {"columns": {"id": "int"}, "shard_column": "yes"},
            'Add {name: "yes", data_type: string}',
        ),
        (["/a/1"], {"columns": {"id": "int", "shard": "int"}}, "data_type string"),
        (["/a/1", "/a/1/"], {}, "path has /a/1/ and /a/1/, which are one folder"),
        (["/a/1", "/a/1/b"], {}, "or one lies in the other"),
        (["/a/1", "/a/2"], {"transaction_path": "/t"}, "Declare each folder as a table of its own"),
        (["s3://b//1", "s3://b/2"], {}, "path is s3://b//1, with a folder without a name"),
        ([], {}, "allowed is a text that is not empty, or a list of such texts"),
        (["/a/1", ""], {}, "or a list of such texts"),
        (["/a/1", 2], {}, "or a list of such texts"),
    ],
)
def test_a_wrong_list_of_folders_is_a_problem(
    paths: list[str], more: dict[str, Any], problem: str
) -> None:
    found = of_folders(*paths, **more)
    assert len(found) == 1, found
    assert problem in found[0]


def test_shard_column_belongs_to_a_list_of_folders() -> None:
    keys = dms("/a/1", shard_column="shard")
    assert problems(source("hr", "a", keys, WITH_SHARD)) == {
        "hr.a": ["shard_column is shard, but path is one folder; allowed is a list of them"]
    }


def test_each_folder_of_a_list_belongs_to_one_table() -> None:
    many = source("hr", "a", dms(["/a/1", "/a/2"], shard_column="shard"), WITH_SHARD)
    found = problems(many, source("hr", "b", dms("/a/2/")))
    assert "path /a/2 and path /a/2/ of hr.b are one folder" in found["hr.a"][0]
    assert "path /a/2/ and path /a/2 of hr.a are one folder" in found["hr.b"][0]


def test_trim_takes_columns_of_text() -> None:
    columns = {"id": "int", "name": "string"}
    found = problems(source("hr", "a", dms("/a", trim=["name", "id", "nick"]), columns))
    assert found == {
        "hr.a": [f"trim has {name}; allowed are declared columns of data_type string"
                 for name in ("id", "nick")]
    }  # fmt: skip


def listed(*names: str, **more: Any) -> dict[str, Any]:
    return {"on_schema_change": "ignore", "csv": {"columns": names}, **more}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"partition_granularity": "month"}, "month, which needs partition_date"),
        ({"timestamp_timezone": "Asia/Tokyo"}, "Asia/Tokyo, which needs timestamp_column"),
        ({"max_reinserted_fraction": 0.5, "primary_keys": []}, "0.5, which needs primary_keys"),
        ({"max_reinserted_fraction": 0.5, "captures_deletes": False}, "captures_deletes: true"),
        ({"format": "parquet", "csv": {"header": True}}, "csv.header is set, but format"),
        (listed("id", "nmae"), "csv.columns has nmae, which is not declared, and lacks name;"),
        (
            listed("id", "nmae", path=["/a/1", "/a/2"], shard_column="shard"),
            "csv.columns has nmae, which is not declared, and lacks name;",
        ),
    ],
)  # fmt: skip
def test_a_setting_without_an_effect_is_a_problem(more: dict[str, Any], problem: str) -> None:
    columns = {"id": "int", "name": "string"} | ({"shard": "string"} if "path" in more else {})
    (found,) = problems(source("hr", "a", {**dms("/a"), **more}, columns))["hr.a"]
    assert problem in found


@pytest.mark.parametrize(
    "more",
    [
        {"partition_granularity": "day"},
        {"timestamp_timezone": "UTC"},
        {"format": "parquet", "csv": {"header": False, "row_delimiter": "\\n"}},
        # What the files have beside the declared columns, and what the source has dropped.
        listed("NAME", "extra", "id"),
        listed("id"),
        listed("id", "seq", change_seq_column="seq"),
        listed("id", "B_id", before_image_prefix="B_"),
    ],
)
def test_a_default_and_columns_that_only_the_files_have_are_no_problem(more: Any) -> None:
    assert problems(source("hr", "a", dms("/a", **more))) == {}


def test_a_file_may_have_the_earlier_name_of_a_column() -> None:
    node = source("hr", "a", dms("/a", **listed("id", "Old", "extra")))
    node["columns"]["name"]["meta"] = {"dms": {"renamed_from": ["old"]}}
    assert problems(node) == {}
    node["columns"]["name"]["meta"]["dms"]["renamed_from"] = 5
    assert "column name has renamed_from 5" in problems(node)["hr.a"][0]
