"""The command ``discover``: from a folder of DMS files to declarations."""

import datetime
import gzip
import threading
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from pyspark_dms.discovery import declare as declare_module
from pyspark_dms.discovery import shape as shape_module
from pyspark_dms.discovery.found import FoundTable
from pyspark_dms.discovery.shape import Shape
from tests.support.dms_files import Row, write_rows
from tests.support.engines import REPOSITORY

AT = "2020-11-14 09:00:00.000000"
SEQ = "20201114090000000000000000000000001"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "dbt_project.yml").write_text("name: a_project\n")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "dms"


def discover(project: Path, root: Path | str, *arguments: str) -> Result:
    options = ["--project-dir", str(project)]
    return CliRunner().invoke(main, ["discover", str(root), *arguments, *options])


def declared(project: Path, file: str) -> dict[str, Any]:
    """The table that a declaration file declares."""
    content = yaml.safe_load((project / "models/sources" / file).read_text())
    return dict(content["sources"][0]["tables"][0])


def dms(project: Path, file: str) -> dict[str, Any]:
    return dict(declared(project, file)["config"]["meta"]["dms"])


def columns(project: Path, file: str) -> dict[str, str]:
    return {column["name"]: column["data_type"] for column in declared(project, file)["columns"]}


def declarations(project: Path) -> list[str]:
    folder = project / "models/sources"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


PEOPLE = {"id": "int", "name": "string", "born": "date", "wage": "decimal(10,2)"}


def write_people(root: Path, folder: str = "hr/people") -> None:
    rows: Sequence[Row] = [
        (AT, number, f"name {number % 7}", datetime.date(2000, 1, 1 + number % 20), None)
        for number in range(30)
    ]
    write_rows(root / folder / "LOAD00000001.parquet", {"cdc_at": "string", **PEOPLE}, rows)
    write_rows(
        root / folder / "2020/11/14/20201114-100000000.parquet",
        {"Op": "string", "cdc_at": "string", "seq": "string", **PEOPLE},
        [
            ("U", AT, SEQ, 3, "Eve", None, None),
            ("D", AT, SEQ, 4, None, None, None),
            ("I", AT, SEQ, 40, "Zoe", None, None),
        ],
    )


# ------------------------------------------------------------------ what is found


def test_a_new_table_is_declared_and_not_active(project: Path, root: Path) -> None:
    write_people(root)
    result = discover(project, root)
    assert result.exit_code == 0, result.output
    assert columns(project, "hr/people.yml") == PEOPLE
    found = dms(project, "hr/people.yml")
    assert found.pop("path").endswith("') }}/hr/people/")
    assert found == {
        "active": False,
        "primary_keys": ["id"],
        "timestamp_column": "cdc_at",
        "change_seq_column": "seq",
    }


def test_the_key_is_marked_as_a_proposal_with_its_evidence(project: Path, root: Path) -> None:
    write_people(root)
    discover(project, root)
    text = (project / "models/sources/hr/people.yml").read_text()
    assert "Proposed from the data, to be confirmed" in text
    assert "unique and never NULL in 30 rows; 3 of 3 changes agree" in text


def test_a_key_of_two_columns_is_told_from_columns_that_happen_to_be_unique(
    project: Path, root: Path
) -> None:
    # The amounts are unique in the full load, until one is changed.
    load = [(number // 2, number % 2, 100 + number) for number in range(40)]
    line = {"order_id": "int", "line_no": "int", "amount": "int"}
    write_rows(root / "shop/lines/LOAD00000001.parquet", line, load)
    write_rows(
        root / "shop/lines/20201114-100000000.parquet",
        {"Op": "string", **line},
        [("U", 3, 1, 999), ("U", 4, 0, 998), ("I", 4, 2, 997), ("D", 5, 1, 111)],
    )
    discover(project, root)
    assert dms(project, "shop/lines.yml")["primary_keys"] == ["order_id", "line_no"]


def test_an_amount_with_a_fraction_is_proposed_as_no_key(project: Path, root: Path) -> None:
    price = {"sku": "string", "valid_from": "date", "price": "decimal(10,3)"}
    rows = [
        (f"S{number % 5}", datetime.date(2026, 1, 1 + number // 5), Decimal(number) / 8)
        for number in range(20)
    ]
    write_rows(root / "shop/prices/LOAD00000001.parquet", price, rows)
    # NUMBER of Oracle: whole numbers in a decimal.
    number = {"x": "decimal(38,10)", "name": "string"}
    write_rows(root / "shop/a/LOAD00000001.parquet", number, [(Decimal(n), "n") for n in range(30)])
    discover(project, root)
    assert dms(project, "shop/prices.yml")["primary_keys"] == ["sku", "valid_from"]
    assert dms(project, "shop/a.yml")["primary_keys"] == ["x"]


def test_a_table_without_a_key_says_so(project: Path, root: Path) -> None:
    twice = [("a", 1), ("a", 1)]
    write_rows(root / "log/hits/LOAD00000001.parquet", {"page": "string", "n": "int"}, twice)
    result = discover(project, root)
    assert dms(project, "log/hits.yml")["primary_keys"] == []
    assert "no key found" in result.output


def test_change_files_without_op_are_those_of_an_insert_only_task(
    project: Path, root: Path
) -> None:
    rows = [(AT, number) for number in range(30)]
    write_rows(root / "log/hits/LOAD00000001.parquet", {"at": "string", "id": "int"}, rows)
    write_rows(
        root / "log/hits/20201114-100000000.parquet", {"at": "string", "id": "int"}, [(AT, 99)]
    )
    result = discover(project, root)
    assert dms(project, "log/hits.yml")["captures_deletes"] is False
    assert "deletes not captured" in result.output


def test_what_a_person_has_to_decide_is_listed_with_its_tables(project: Path, root: Path) -> None:
    for table in ("one", "two"):
        write_rows(root / f"hr/{table}/LOAD00000001.parquet", {"id": "int"}, [(1,), (2,)])
    result = discover(project, root)
    lines = [line.strip() for line in result.output.splitlines()]
    for decision in (
        "key with little evidence: confirm it against the source database",
        "no change files yet: Op, timestamp and deletes cannot be told",
        "no timestamp column: commit times are unknown (TimestampColumnName of the task)",
    ):
        assert lines[lines.index(decision) + 1] == "hr.one, hr.two"


def test_types_that_spark_has_not_become_the_next_wider_one(project: Path, root: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([1], pa.uint32()),
            "big": pa.array([1], pa.uint64()),
            "small": pa.array([1], pa.uint8()),
            "at": pa.array([1], pa.timestamp("ms")),
            "clock": pa.array([1], pa.time32("ms")),
            "nothing": pa.array([None], pa.null()),
            "word": pa.array(["a"]).dictionary_encode(),
            "either": pa.array([1], pa.uint64()),
        }
    )
    path = root / "hr/types/LOAD00000001.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(table, path)
    signed = pa.table({"either": pa.array([1], pa.int64())})
    pq.write_table(signed, path.with_name("LOAD00000002.parquet"))
    result = discover(project, root)
    assert columns(project, "hr/types.yml") == {
        "id": "bigint", "big": "decimal(20,0)", "small": "smallint", "at": "timestamp",
        "clock": "string", "nothing": "string", "word": "string", "either": "decimal(20,0)",
    }  # fmt: skip
    assert "types to decide: clock, nothing, either" in result.output


def test_files_that_differ_in_type_are_declared_with_the_wider_one(
    project: Path, root: Path
) -> None:
    write_rows(root / "hr/a/LOAD00000001.parquet", {"id": "int", "x": "decimal(5,2)"}, [])
    write_rows(root / "hr/a/LOAD00000002.parquet", {"id": "bigint", "x": "decimal(6,3)"}, [])
    discover(project, root)
    assert columns(project, "hr/a.yml") == {"id": "bigint", "x": "decimal(6,3)"}


def test_a_parallel_load_and_its_names_are_one_table(project: Path, root: Path) -> None:
    for part in ("p1", "p2"):
        write_rows(root / f"hr/a/{part}/LOAD00000001.parquet", {"id": "int"}, [(1,)])
    result = discover(project, root)
    assert declarations(project) == ["hr", "hr/a.yml"]
    assert "full load in several folders" in result.output


# ------------------------------------------------------------------ CSV


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def test_csv_with_names_takes_them(project: Path, root: Path) -> None:
    load = "".join(f"{AT};{number};0{number};2.50\n" for number in range(30))
    write_text(root / "hr/a/LOAD00000001.csv", f"dms_ts;id;code;price\n{load}")
    write_text(
        root / "hr/a/20201114-100000000.csv", f"Op;dms_ts;id;code;price\nD;{AT};3;NULL;NULL\n"
    )
    discover(project, root)
    assert columns(project, "hr/a.yml") == {
        "id": "bigint",
        "code": "string",
        "price": "decimal(38,2)",
    }
    found = dms(project, "hr/a.yml")
    assert found["csv"] == {"header": True, "delimiter": ";"}
    assert found["format"] == "csv"
    assert found["timestamp_column"] == "dms_ts"
    assert found["primary_keys"] == ["id"]


def test_csv_names_of_any_letters_are_taken_behind_a_mark_of_the_encoding(
    project: Path, root: Path
) -> None:
    write_text(root / "hr/a/LOAD00000001.csv", "\ufeffnúmero,名前\n1,x\n2,y\n")
    discover(project, root)
    assert columns(project, "hr/a.yml") == {"número": "bigint", "名前": "string"}


def test_csv_values_may_be_long(project: Path, root: Path) -> None:
    write_text(root / "hr/a/LOAD00000001.csv", f"id,note\n1,{'x' * 1_000_000}\n2,y\n")
    discover(project, root)
    assert columns(project, "hr/a.yml") == {"id": "bigint", "note": "string"}


def test_csv_without_names_is_numbered_and_flagged(project: Path, root: Path) -> None:
    load = "".join(f'{number},"a, ""b""",2020-01-01\n' for number in range(30))
    write_text(root / "hr/a/LOAD00000001.csv.gz", load)
    write_text(root / "hr/a/20201114-100000000.csv.gz", "U,3,b,2020-01-01\nD,4,NULL,NULL\n")
    result = discover(project, root)
    assert columns(project, "hr/a.yml") == {"c1": "bigint", "c2": "string", "c3": "date"}
    assert dms(project, "hr/a.yml")["csv"] == {"header": False}
    assert "CSV without names" in result.output


# ------------------------------------------------------------------ again


def test_what_a_person_wrote_stays_and_what_is_new_is_added(project: Path, root: Path) -> None:
    write_people(root)
    discover(project, root)
    file = project / "models/sources/hr/people.yml"
    mine = file.read_text().replace("active: false", "active: true") + "# mine\n"
    file.write_text(mine)
    write_people(root, "hr/friends")
    result = discover(project, root)
    assert file.read_text() == mine
    assert declarations(project) == ["hr", "hr/friends.yml", "hr/people.yml"]
    assert "2 tables found, 1 newly declared, 0 drifted" in result.output


def declare(project: Path, source: str, table: str, path: str) -> None:
    file = project / "models/sources/mine.yml"
    file.parent.mkdir(parents=True)
    dms = {"path": path, "primary_keys": ["id"]}
    entry = {"name": table, "config": {"meta": {"dms": dms}}, "columns": []}
    file.write_text(yaml.safe_dump({"sources": [{"name": source, "tables": [entry]}]}))


def test_a_table_declared_under_another_name_is_known_by_its_folder(
    project: Path, root: Path
) -> None:
    write_people(root)
    declare(project, "staff", "persons", f"{root}/hr/people")
    discover(project, root)
    assert declarations(project) == ["mine.yml"]


@pytest.mark.parametrize("dms_root", [None, "/elsewhere", "s3://elsewhere/dms"])
@pytest.mark.parametrize(("source", "table"), [("hr", "people"), ("staff", "persons")])
def test_a_table_that_dms_root_puts_elsewhere_is_not_declared_again(
    project: Path,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    table: str,
    dms_root: str | None,
) -> None:
    write_people(root)
    write_people(root, "hr/friends")
    written = "{{ env_var('DMS_ROOT') }}/hr/people/"
    declare(project, source, table, written)
    monkeypatch.delenv("DMS_ROOT", raising=False)
    if dms_root:
        monkeypatch.setenv("DMS_ROOT", dms_root)
    result = discover(project, root)
    assert result.exit_code == 0, result.output
    assert declarations(project) == ["hr", "hr/friends.yml", "mine.yml"]
    path = f"{dms_root}/hr/people/" if dms_root else written
    told = f"{source}.{table} is declared in models/sources/mine.yml with path {path}, which"
    assert told in result.output
    assert "declare it by hand under another name\n    hr/people" in result.output
    assert discover(project, root, "--check").exit_code == 1
    monkeypatch.setenv("DMS_ROOT", str(root))
    assert "declared in" not in discover(project, root).output


def test_a_table_of_the_same_name_under_another_address_is_another_table(
    project: Path, root: Path
) -> None:
    write_people(root)
    declare(project, "hr", "people", "s3://elsewhere/dms/hr/people/")
    result = discover(project, root)
    assert declarations(project) == ["hr", "hr/hr_people.yml", "mine.yml"]
    assert "table 'people' is also in hr.people: declared as hr.hr_people" in result.output


def test_drift_is_shown_and_nothing_is_changed(project: Path, root: Path) -> None:
    write_people(root)
    discover(project, root)
    file = project / "models/sources/hr/people.yml"
    written = file.read_text()
    changed = {**PEOPLE, "wage": "decimal(12,2)", "email": "string"}
    del changed["born"]
    for name in ("LOAD00000001.parquet", "2020/11/14/20201114-100000000.parquet"):
        write_rows(root / "hr/people" / name, {"Op": "string", "cdc_at": "string", **changed}, [])
    result = discover(project, root)
    for drift in (
        "column 'email' (string) is in the files and not declared",
        "column 'born' is declared and not in the files",
        "column 'wage' is declared as decimal(10,2), and the files have decimal(12,2)",
    ):
        assert drift in result.output
    assert file.read_text() == written


def test_a_type_chosen_by_a_person_is_no_drift(project: Path, root: Path) -> None:
    write_people(root)
    discover(project, root)
    file = project / "models/sources/hr/people.yml"
    file.write_text(file.read_text().replace("data_type: int}", "data_type: bigint}"))
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("declared_type", "seen", "is_drift"),
    [
        ("double", "int", False), ("double", "bigint", False), ("float", "smallint", False),
        ("double", "decimal(10,2)", False), ("decimal(10,2)", "double", False),
        ("double", "float", False), ("int", "boolean", False), ("string", "int", False),
        ("decimal( 12, 2 )", "decimal(10,2)", False), ("decimal(12,2)", "int", False),
        ("timestamp", "date", False), ("int", "string", False), ("decimal(38,10)", "double", False),
        ("float", "double", True), ("int", "bigint", True), ("date", "timestamp", True),
        ("boolean", "int", True), ("decimal(10,2)", "decimal(10,3)", True),
        ("decimal(11,2)", "int", True), ("string", "binary", True), ("date", "int", True),
        ("varchar(3)", "int", True), ("decimal(38,0)", "decimal(38,1)", True),
    ],
)  # fmt: skip
def test_a_type_that_a_run_reads_another_as_is_no_drift(
    project: Path, root: Path, declared_type: str, seen: str, is_drift: bool
) -> None:
    write_rows(root / "hr/a/LOAD00000001.parquet", {"id": "int", "x": seen}, [])
    discover(project, root)
    file = project / "models/sources/hr/a.yml"
    text, _, _ = file.read_text().rpartition("- {name: x")
    file.write_text(f'{text}- {{name: x, data_type: "{declared_type}"}}\n')
    result = discover(project, root, "--check")
    assert result.exit_code == is_drift, result.output
    assert (f"declared as {declared_type}, and the files have {seen}" in result.output) == is_drift


def test_a_type_guessed_from_text_and_corrected_is_no_drift(project: Path, root: Path) -> None:
    rows = "".join(f"{number},{number}.50,{number % 2}\n" for number in range(30))
    write_text(root / "hr/a/LOAD00000001.csv", f"id,price,paid\n{rows}")
    discover(project, root)
    assert columns(project, "hr/a.yml") == {
        "id": "bigint",
        "price": "decimal(38,2)",
        "paid": "bigint",
    }
    file = project / "models/sources/hr/a.yml"
    corrected = file.read_text().replace("decimal(38,2)", "decimal(10,2)")
    corrected = corrected.replace("name: id, data_type: bigint", "name: id, data_type: int")
    corrected = corrected.replace("name: paid, data_type: bigint", "name: paid, data_type: boolean")
    file.write_text(corrected)
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output


def test_a_type_that_files_differ_in_is_no_drift_in_any_case(project: Path, root: Path) -> None:
    write_rows(root / "hr/a/LOAD00000001.parquet", {"id": "int", "x": "decimal(5,2)"}, [])
    write_rows(root / "hr/a/LOAD00000002.parquet", {"id": "int", "x": "decimal(6,3)"}, [])
    discover(project, root)
    file = project / "models/sources/hr/a.yml"
    decided = file.read_text().replace(
        'name: x, data_type: "decimal(6,3)"', "name: X, data_type: double"
    )
    file.write_text(decided)
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("BI_id", "before_image_prefix: BI_"),
        ("anything", "on_schema_change: ignore"),
    ],
)
def test_columns_that_a_person_has_settled_are_no_drift(
    project: Path, root: Path, extra: str, said: str
) -> None:
    write_people(root)
    discover(project, root)
    more = {"Op": "string", "cdc_at": "string", **PEOPLE, extra: "int"}
    write_rows(root / "hr/people/20201115-100000000.parquet", more, [])
    assert discover(project, root, "--check").exit_code == 1
    file = project / "models/sources/hr/people.yml"
    file.write_text(file.read_text().replace("dms:\n", f"dms:\n              {said}\n"))
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output


def test_a_column_under_its_earlier_name_is_no_drift(project: Path, root: Path) -> None:
    write_people(root)
    discover(project, root)
    earlier = {"given" if name == "name" else name: kind for name, kind in PEOPLE.items()}
    columns = {"Op": "string", "cdc_at": "string", **earlier}
    write_rows(root / "hr/people/20201115-100000000.parquet", columns, [])
    assert discover(project, root, "--check").exit_code == 1
    file = project / "models/sources/hr/people.yml"
    renamed = "{name: name, config: {meta: {dms: {renamed_from: [given]}}}"
    file.write_text(file.read_text().replace("{name: name", renamed))
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output


def test_a_column_that_has_its_earlier_name_in_all_files_is_no_drift(
    project: Path, root: Path
) -> None:
    write_people(root)
    discover(project, root)
    file = project / "models/sources/hr/people.yml"
    renamed = "{name: called, config: {meta: {dms: {renamed_from: [Name]}}}"
    file.write_text(file.read_text().replace("{name: name", renamed))
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output


def test_check_writes_nothing_and_fails_when_there_is_something_to_do(
    project: Path, root: Path
) -> None:
    write_people(root)
    assert discover(project, root, "--check").exit_code == 1
    assert not (project / "models").exists()
    assert discover(project, root).exit_code == 0
    assert discover(project, root, "--check").exit_code == 0


def test_a_declared_table_without_files_is_told(project: Path, root: Path) -> None:
    write_people(root)
    write_people(root, "hr/gone")
    discover(project, root)
    for path in (root / "hr/gone").rglob("*.parquet"):
        path.unlink()
    result = discover(project, root)
    assert "declared, but there are no files\n    hr.gone" in result.output


# ------------------------------------------------------------------ names


def test_names_that_are_no_identifiers_are_cleaned_and_told(project: Path, root: Path) -> None:
    write_people(root, "2020-hr/order items")
    result = discover(project, root)
    assert declarations(project) == ["t_2020_hr", "t_2020_hr/order_items.yml"]
    assert "'2020-hr/order items' is no name for a model" in result.output
    assert dms(project, "t_2020_hr/order_items.yml")["path"].endswith("/2020-hr/order items/")


def test_a_table_of_two_schemas_is_called_after_its_schema_too(project: Path, root: Path) -> None:
    write_people(root, "crm/people")
    write_people(root, "hr/People")
    result = discover(project, root)
    assert declarations(project) == ["crm", "crm/people.yml", "hr", "hr/hr_People.yml"]
    assert "table 'People' is also in crm.people" in result.output
    assert CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)]).exit_code == 0


def test_names_that_collide_even_so_are_refused_alone(project: Path, root: Path) -> None:
    for folder in ("hr/a-b", "hr/a_b", "hr/a.b"):
        write_people(root, folder)
    result = discover(project, root)
    assert result.exit_code == 0
    assert declarations(project) == ["hr", "hr/a_b.yml", "hr/hr_a_b.yml"]
    assert "declare it by hand under another name\n    hr/a_b" in result.output


HOSTILE = ["{{ 7*7 }}", "x: [", "#", "a\nsources: []", '"}', "<b>", "[red]", "' or 1", "`;drop"]


def test_names_from_outside_stay_texts(project: Path, root: Path) -> None:
    names: Mapping[str, str] = dict.fromkeys(HOSTILE, "int")
    rows = [tuple(range(number, number + len(HOSTILE))) for number in range(30)]
    write_rows(root / "h{{r}}/a['] #b/LOAD00000001.parquet", names, rows)
    result = discover(project, root)
    assert result.exit_code == 0, result.output
    table = declared(project, "h_r/a_b.yml")
    # dbt renders declarations: what looks like Jinja is itself again only after that.
    assert [column["name"] for column in table["columns"]] == [
        '{{ "{{ 7*7 }}" }}',
        *HOSTILE[1:],
    ]
    assert table["config"]["meta"]["dms"]["path"].endswith("""/{{ "h{{r}}" }}/a['] #b/""")


@pytest.mark.parametrize(
    "name", ["NO", "on", "\U00020bb7\u91ce", "a\x7fb", "a\x97b", "\u2028c", "1e3"]
)
def test_what_is_declared_for_any_name_is_found_again(project: Path, root: Path, name: str) -> None:
    rows = [(number, None) for number in range(30)]
    path = root / name.replace("\x7f", "_") / "t/LOAD00000001.parquet"  # no store takes that one
    write_rows(path, {name: "int", f"{name} x": "string"}, rows)
    assert discover(project, root).exit_code == 0
    result = discover(project, root, "--check")
    assert result.exit_code == 0, result.output
    # What is generated can be read: the second time, it is.
    for _ in range(2):
        result = CliRunner().invoke(main, ["scaffold", "--project-dir", str(project)])
        assert result.exit_code == 0, result.output


# ------------------------------------------------------------------ what cannot be


def refused(project: Path, root: Path | str, *parts: str) -> None:
    result = discover(project, root)
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit)
    for part in parts:
        assert part in result.output
    assert not (project / "models").exists()


def test_a_root_that_is_not_there_is_refused(project: Path, root: Path) -> None:
    refused(project, root, str(root), "No such file or directory")


def test_a_root_without_dms_files_is_refused(project: Path, root: Path) -> None:
    write_text(root / "hr/people/readme.csv.txt", "x")
    refused(project, root, "has no DMS files")


def test_an_unknown_store_is_refused(project: Path) -> None:
    refused(project, "ftp://bucket/dms", "there is no reader for ftp://", "s3://")


@pytest.mark.parametrize("level", ["", "hr"])
def test_a_root_too_high_or_too_low_is_refused(project: Path, tmp_path: Path, level: str) -> None:
    write_people(tmp_path / "top/dms")
    root = tmp_path / ("top/dms/hr" if level else "top")
    refused(project, root, "Name the folder that has the schema folders")


def test_files_that_cannot_be_read_leave_the_other_tables(project: Path, root: Path) -> None:
    write_people(root)
    write_text(root / "hr/broken/LOAD00000001.parquet", "no parquet")
    result = discover(project, root)
    assert result.exit_code == 0
    assert declarations(project) == ["hr", "hr/people.yml"]
    assert "hr/broken/LOAD00000001.parquet cannot be read" in result.output


def test_a_column_of_lists_leaves_the_other_tables(project: Path, root: Path) -> None:
    write_people(root)
    for folder in ("lists", "mixed"):
        path = root / f"hr/{folder}/LOAD00000001.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(pa.table({"id": [1, 2], "tags": [["a"], ["b"]]}), path)
    write_rows(root / "hr/mixed/20201114-100000000.parquet", {"id": "int", "tags": "string"}, [])
    result = discover(project, root)
    assert declarations(project) == ["hr", "hr/people.yml"]
    assert "column tags has type list<element: string>, which no declared" in result.output


def test_a_name_that_is_too_long_for_a_file_leaves_the_other_tables(
    project: Path, root: Path
) -> None:
    write_people(root, f"hr/{'x' * 250}")
    write_people(root, "hr/y")
    result = discover(project, root)
    assert result.exit_code == 0, result.output
    assert "cannot be written: File name too long" in result.output
    assert declarations(project) == ["hr", "hr/y.yml"]


def test_when_no_table_can_be_read_it_fails(project: Path, root: Path) -> None:
    write_text(root / "hr/broken/LOAD00000001.parquet", "no parquet")
    refused(project, root, "none of the tables found (1) can be read")


def test_a_file_that_is_in_the_way_is_not_written_over_and_stops_its_table_only(
    project: Path, root: Path
) -> None:
    write_people(root)
    write_people(root, "hr/friends")
    other = project / "models/sources/hr/people.yml"
    write_text(other, "sources: []\n")
    result = discover(project, root)
    assert result.exit_code == 0, result.output
    assert "models/sources/hr/people.yml is there and does not declare" in result.output
    assert other.read_text() == "sources: []\n"
    assert declarations(project) == ["hr", "hr/friends.yml", "hr/people.yml"]


def test_a_fault_of_the_program_is_named_and_leaves_the_other_tables(
    project: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_people(root)
    write_people(root, "hr/friends")
    look = shape_module.look_at

    def fail_at_friends(found: FoundTable) -> Shape:
        if found.table == "friends":
            raise KeyError("none of this name")
        return look(found)

    monkeypatch.setattr(declare_module, "look_at", fail_at_friends)
    result = discover(project, root)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert declarations(project) == ["hr", "hr/people.yml"]
    assert "discover itself failed at it: KeyError: 'none of this name'" in result.output
    assert "discover failed at hr/friends; see above" in result.output.splitlines()[-1]


class Refusal(BaseHTTPRequestHandler):
    """A store that refuses everything, as S3 does with a wrong key."""

    def do_GET(self) -> None:
        body = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def refusing_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Refusal)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    yield endpoint
    server.shutdown()


def test_refused_credentials_are_told_and_not_shown(
    project: Path, refusing_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", refusing_store)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "the-key-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the-secret")
    refused(project, "s3://refused/dms", "s3://refused/dms/", "The store refuses these credentials")
    output = discover(project, "s3://refused/dms").output
    assert "the-secret" not in output
    assert "the-key-id" not in output


def test_missing_credentials_are_told(
    project: Path, refusing_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where a machine of AWS asks for the credentials of its role.
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", refusing_store)
    refused(project, "s3://missing/dms", "No credentials were found", "AWS_ACCESS_KEY_ID")


def test_the_declarations_of_the_sample_do_not_drift() -> None:
    result = discover(REPOSITORY, REPOSITORY / "sample/dms", "--check")
    assert result.exit_code == 0, result.output


# ------------------------------------------------------------ what is not declared


def review(output: str) -> str:
    return " ".join(output.split("To review", 1)[-1].split())


def test_one_folder_of_another_layout_does_not_stop_the_others(project: Path, root: Path) -> None:
    write_people(root)
    write_people(root, "archive/2019/hr/people")
    write_people(root, "hr/deeper/still")
    output = discover(project, root).output
    assert declarations(project) == ["hr", "hr/people.yml"]
    assert "its files lie deeper than <schema>/<table>/" in review(output)
    assert "hr/deeper" in review(output)
    assert "archive/2019/" in review(output)


@pytest.mark.parametrize("folder", ["processed", "year=2020/month=11"])
def test_folders_that_dms_does_not_make_are_read_and_listed(
    project: Path, root: Path, folder: str
) -> None:
    write_people(root)
    path = root / "hr/people" / folder / "20201115-100000000.parquet"
    write_rows(path, {"Op": "string", **PEOPLE}, [("I", 50, "Kim", None, None)])
    output = discover(project, root).output
    written = (project / "models/sources/hr/people.yml").read_text()
    assert "# Read: 3 of 3 files;" in written
    assert f"are read, too: {folder.split('/')[0]}" in review(output)
    assert declarations(project) == ["hr", "hr/people.yml"]


def test_objects_that_are_not_read_are_named_by_their_folder(project: Path, root: Path) -> None:
    write_people(root)
    for name in ("hr/ends/LOAD00000001.snappy.parquet", "hr/ends/LOAD00000002.tmp", "readme.txt"):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    (root / "hr/people/20201116-100000000.csv").touch()
    shown = review(discover(project, root).output)
    assert "not read: no name of a file of DMS, or of a table" in shown
    assert "./readme.txt, hr/ends/LOAD0000000" in shown
    assert " and 1 more" in shown
    assert "files of 0 bytes" in shown
    assert "hr/people/20201116-100000000.csv" in shown


def test_control_tables_of_dms_are_set_apart(project: Path, root: Path) -> None:
    write_people(root)
    for table in ("awsdms_status", "awsdms_apply_exceptions"):
        write_text(root / f"hr/{table}/20201114-100000000.csv", "Op,id\nI,1\n")
    shown = review(discover(project, root).output)
    assert declarations(project) == ["hr", "hr/people.yml"]
    assert "control tables of DMS: not declared hr/awsdms_status" in shown
    assert f"set vars: {{dms_control_tables: {root}/hr/}} in dbt_project.yml hr/awsdms_ap" in shown


def test_a_folder_of_control_tables_that_yaml_would_not_take_is_quoted(
    project: Path, tmp_path: Path
) -> None:
    write_people(tmp_path / "a, b")
    write_text(tmp_path / "a, b/hr/awsdms_apply_exceptions/20201114-100000000.csv", "Op,id\nI,1\n")
    shown = review(discover(project, tmp_path / "a, b").output)
    written = shown.partition("set vars: ")[2].partition(" in dbt_project.yml")[0]
    assert yaml.safe_load(written) == {"dms_control_tables": f"{tmp_path}/a, b/hr/"}


def test_change_tables_of_qlik_are_refused_by_name(project: Path, root: Path) -> None:
    write_people(root)
    write_text(root / "hr/people__ct/20201114-100000000.csv", "header__change_oper,id\nI,1\n")
    shown = review(discover(project, root).output)
    assert "a change table of Qlik Replicate" in shown
    assert declarations(project) == ["hr", "hr/people.yml"]


@pytest.mark.parametrize(
    ("header", "decision"),
    [
        ("Op,id,op", "'Op' and 'op' differ in case only, and one is the operation of DMS"),
        ("Op,id,ID", "'id' and 'ID' differ in case only: rename all but one in the task"),
        ("Op,id,id", "2 columns are called 'id': rename all but one in the task"),
    ],
)
def test_columns_that_differ_in_case_only_are_listed(
    project: Path, root: Path, header: str, decision: str
) -> None:
    write_text(root / "hr/twins/20201114-100000000.csv", f"{header}\nI,1,2\nU,2,3\n")
    assert decision in review(discover(project, root).output)


def test_two_tables_in_one_folder_are_listed(project: Path, root: Path) -> None:
    write_rows(root / "hr/both/LOAD00000001.parquet", {"id": "int", "name": "string"}, [(1, "a")])
    write_rows(root / "hr/both/LOAD00000002.parquet", {"no": "int"}, [(1,)])
    # A column that came later is of the same table.
    write_rows(root / "hr/one/LOAD00000001.parquet", {"id": "int"}, [(1,)])
    write_rows(root / "hr/one/LOAD00000002.parquet", {"id": "int", "name": "string"}, [(2, "a")])
    what = "files have no column in common, as (id, name) and (no): if these are two tables"
    shown = review(discover(project, root).output)
    assert f"{what} in one folder, give each its own hr.both" in shown


def test_numbers_of_two_types_get_one_in_which_the_same_key_is_the_same(
    project: Path, root: Path
) -> None:
    folder = root / "hr/nums"
    folder.mkdir(parents=True)
    load = {
        "id": pa.array([1, 2], pa.int64()).cast(pa.decimal128(38, 10)),
        "n": pa.array([1, 2], pa.int32()),
        "d": pa.array([1, 2], pa.int32()).cast(pa.date32()),
    }
    pq.write_table(pa.table(load), folder / "LOAD00000001.parquet")
    changes = {
        "Op": ["U", "D"], "id": [1.0, 2.0], "n": [1.5, None],
        "d": pa.array([0, None], pa.timestamp("us")),
    }  # fmt: skip
    pq.write_table(pa.table(changes), folder / "20201114-100000000.parquet")
    discover(project, root)
    assert columns(project, "hr/nums.yml") == {
        "id": "decimal(38,10)", "n": "double", "d": "timestamp",
    }  # fmt: skip
    assert dms(project, "hr/nums.yml")["primary_keys"] == ["id"]
    assert "2 of 2 changes agree" in (project / "models/sources/hr/nums.yml").read_text()


def test_a_key_that_most_changes_contradict_is_no_key_with_little_evidence(
    project: Path, root: Path
) -> None:
    write_text(root / "hr/codes/LOAD00000001.csv", "code,name\nAB   ,one\nCD   ,two\n")
    write_text(root / "hr/codes/20201114-100000000.csv", "Op,code,name\nU,AB,ONE\nD,CD,two\n")
    shown = review(discover(project, root).output)
    assert "key that most changes do not agree with: name that of the source" in shown
    assert "little evidence" not in shown


def test_a_before_image_is_shown_with_what_declares_it(project: Path, root: Path) -> None:
    columns = {"Op": "string", "id": "int", "name": "string", "BI_id": "int"}
    write_rows(root / "hr/a/20201114-100000000.parquet", columns, [("U", 2, "a", 1)])
    shown = review(discover(project, root).output)
    way_out = "if it is, declare before_image_prefix: BI_ and delete the column"
    assert f"column 'BI_id' looks like a before image: {way_out}" in shown


def test_folders_that_may_be_one_table_are_told_with_the_list_to_declare(
    project: Path, root: Path
) -> None:
    columns = {"id": "int", "name": "string"}
    for number in (1, 2, 10):
        write_rows(root / f"shard_{number}/orders/LOAD00000001.parquet", columns, [(number, "a")])
    # The same columns under another name, and other columns: those are tables of their own.
    write_rows(root / "shard_1/people/LOAD00000001.parquet", columns, [(1, "a")])
    write_rows(root / "shard_2/people/LOAD00000001.parquet", {"id": "int"}, [(2,)])
    printed = " ".join(discover(project, root).output.split())
    told = "3 folders have the same columns and names that differ by a number"
    assert printed.count(told) == 1
    paths = [f"/shard_{number}/orders/" for number in (1, 10, 2)]
    assert all(path in printed.split(told)[1] for path in paths)
    assert "shard_1.people" not in printed.split(told)[1]

    # Declared as one table, the folders are its folders, and its column is no drift.
    for file in (project / "models/sources").rglob("*orders*.yml"):
        file.unlink()
    settings = {
        "path": [f"{root}/shard_{number}/orders/" for number in (1, 2, 10, 11)],
        "shard_column": "shard", "primary_keys": ["shard", "id"],
    }  # fmt: skip
    table = {
        "name": "orders", "config": {"meta": {"dms": settings}},
        "columns": [{"name": name, "data_type": data_type}
                    for name, data_type in {**columns, "shard": "string"}.items()],
    }  # fmt: skip
    content = {"sources": [{"name": "all", "tables": [table]}]}
    (project / "models/sources/orders.yml").write_text(yaml.safe_dump(content))
    again = discover(project, root, "--check")
    assert again.exit_code == 0, again.output


def test_a_name_with_a_line_break_is_listed_and_the_tables_are_declared(
    project: Path, root: Path
) -> None:
    write_people(root)
    (root / "hr/people/no\nte.csv").write_text("1\n")
    (root / "hr/or\nders").mkdir()
    (root / "hr/or\nders/LOAD00000001.csv").write_text("1\n")
    result = discover(project, root)
    assert result.exit_code == 0, result.output
    assert declarations(project) == ["hr", "hr/people.yml"]
    assert r"hr/people/no\nte.csv" in result.output
    assert r"hr/or\nders/LOAD00000001.csv" in result.output
