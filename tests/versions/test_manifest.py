"""What a manifest says, as JSON has it."""

import json
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import (
    FileRef,
    Manifest,
    Partition,
    Shard,
    ShownDate,
    StagedFolder,
    shown,
)
from pyspark_dms.versions.metadata import SCHEMAS
from tests.versions.made import manifest

FULL = manifest(
    3,
    on=2,
    applied="a b.2",
    excluded="c",
    included="d",
    shards={"eu": 2},
    indexed_from="20201113T060000000000Z",
    partitions=(
        Partition("2020-11-01", "lake/1", 4, ("0.parquet", "1.parquet")),
        Partition("NULL", "lake/2", 0, None),
    ),
    staged=(
        StagedFolder("2020-11-13", "stg/1", "report/1", None, "1"),
        StagedFolder("2020-11-14", "stg/2", "report/2", "rejects/2", "1"),
    ),
    feed_location="lake/feed",
    feed_dates=(ShownDate("2020-11-13", 1),),
)


def broken(**values: Any) -> dict[str, Any]:
    return FULL.to_json() | values


def test_a_manifest_is_what_its_json_says() -> None:
    text = json.dumps(FULL.to_json())
    assert Manifest.from_json(json.loads(text)) == FULL
    assert FULL.partitions[0].files == ("0.parquet", "1.parquet")
    assert FULL.files == (FileRef("a", "1"), FileRef("b", "2"))
    assert FULL.shards == (Shard("eu", 2, 0),)


def test_a_manifest_has_the_columns_of_the_version_history() -> None:
    own = {*FULL.to_json(), "commit_id", "source_name", "table_name"}
    assert own == {*SCHEMAS["snapshot_versions"].names}


def test_what_is_empty_may_be_null_but_a_feed_without_dates_is_no_missing_feed() -> None:
    lists = ["shards", "partitions", "dates", "staged", "files", "load_files"]
    lists += ["excluded_files", "included_files", "declarations"]
    read = Manifest.from_json(broken(**dict.fromkeys(lists)))
    assert {name for name in lists if getattr(read, name)} == set()
    assert Manifest.from_json(broken(feed_dates=None)).feed_dates is None
    assert Manifest.from_json(broken(feed_dates=[])).feed_dates == ()


def test_what_a_row_has_beside_its_manifest_is_left_out() -> None:
    row = broken(source_name="hr", table_name="people", last_date="2020-11-13")
    assert Manifest.from_json(row) == FULL


@pytest.mark.parametrize("name", sorted(FULL.to_json()))
def test_a_missing_field_is_named(name: str) -> None:
    values = FULL.to_json()
    del values[name]
    with pytest.raises(DmsError, match=rf"^{name} is missing \[E425\]$"):
        Manifest.from_json(values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"generation": "1"}, "generation is '1', which is not a whole number"),
        ({"version": True}, "version is True, which is not a whole number"),
        ({"rows_after": 1.0}, "rows_after is 1.0, which is not a whole number"),
        ({"run_date": None}, "run_date is None, which is not a text"),
        ({"base_version": "2"}, "base_version is '2', which is not a whole number"),
        ({"files": "a"}, "files is 'a', which is not a list"),
        ({"files": [{"path": "a"}]}, "files[0].etag is missing"),
        ({"files": ["a"]}, "files[0] is 'a', which is not an object"),
        ({"declarations": ["1"]}, "declarations is ['1'], which is not an object"),
        ({"declarations": {"1": 2}}, "declarations.1 is 2, which is not a text"),
        (
            {"partitions": [{"partition": None, "location": "a", "rows": 1, "files": ["b", 2]}]},
            "partitions[0].files[1] is 2, which is not a text",
        ),
        ({"current_version": 4}, "current_version of version 3 is 4, no earlier one"),
        ({"restored_version": 3}, "restored_version of version 3 is 3, no earlier one"),
        ({"base_version": 0}, "base_version of version 3 is 0, no earlier one"),
        ({"version": 0}, "current_version of version 0 is 3, no earlier one"),
    ],
)
def test_a_value_of_another_kind_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(DmsError) as raised:
        Manifest.from_json(broken(**values))
    assert str(raised.value) == f"{said} [E425]"


def test_what_is_no_object_is_no_manifest() -> None:
    with pytest.raises(DmsError, match=r"^the manifest is \[\], which is not an object \[E425\]$"):
        Manifest.from_json([])  # type: ignore[arg-type]


def test_dates_are_written_in_their_order() -> None:
    assert shown({"2020-11-14": 2, "2020-11-13": 1}) == (
        ShownDate("2020-11-13", 1),
        ShownDate("2020-11-14", 2),
    )
