"""Which versions a version was built on."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pyspark_dms.landing.full_loads import folder_number
from pyspark_dms.versions.lineage import (
    applied_versions,
    lineage_changes,
    live_generations,
    origin_version,
    reloaded_folders,
    versions_of_date,
    without_copies,
)
from pyspark_dms.versions.manifest import Manifest
from tests.versions.made import by_number, manifest

# Two dates; both undone, and the first done again; vacuum; a date between; a third date.
VERSIONS = by_number(
    manifest(1, applied="a"),
    manifest(2, on=1, date=15, applied="b"),
    manifest(3, of=1, applied="a", action="rollback"),
    manifest(4, on=1, of=2, date=15, applied="b", action="reapply"),
    manifest(5, on=1, of=4, date=15, applied="b", action="vacuum"),
    manifest(6, on=1, date=14, current_version=5, action="backfill"),
    manifest(7, on=6, date=16, applied="c"),
    manifest(8, on=6, date=14, current_version=7, action="backfill"),
    manifest(9, date=16, applied="a b c"),
)


@pytest.mark.parametrize(
    ("version", "origin", "applied", "of_date"),
    [
        (1, 1, (1,), (1,)),
        (2, 2, (2, 1), (2, 1)),
        (3, 1, (1,), (1,)),
        (4, 2, (2, 1), (2, 1)),
        (5, 2, (2, 1), (2, 1)),
        # The state that stays current is that of version 5; the date is built on version 1.
        (6, 2, (2, 1), (1,)),
        (7, 7, (7, 2, 1), (7, 2, 1)),
        # Built on the date that version 6 has made.
        (8, 7, (7, 2, 1), (1,)),
        (9, 9, (9,), (9,)),
    ],
)
def test_a_copy_leads_to_what_it_is_a_copy_of(
    version: int, origin: int, applied: tuple[int, ...], of_date: tuple[int, ...]
) -> None:
    assert origin_version(VERSIONS, version) == origin
    assert applied_versions(VERSIONS, version) == applied
    assert versions_of_date(VERSIONS, version) == of_date


def test_a_date_that_is_built_on_nothing_has_no_versions() -> None:
    versions = by_number(
        manifest(1, date=15), manifest(2, date=14, current_version=1, action="backfill")
    )
    assert versions_of_date(versions, 2) == ()


@pytest.mark.parametrize(
    ("now", "then", "undone", "redone"),
    [
        (7, 1, (7, 2), ()),
        (3, 4, (), (2,)),
        (8, 5, (7,), ()),
        (9, 7, (9,), (7, 2, 1)),
        (6, 5, (), ()),
        (4, 4, (), ()),
    ],
)
def test_what_differs_between_two_lineages(
    now: int, then: int, undone: tuple[int, ...], redone: tuple[int, ...]
) -> None:
    assert lineage_changes(VERSIONS, now, then) == (undone, redone)


def test_a_copy_of_a_copy_leads_to_what_changed_something() -> None:
    assert [without_copies(VERSIONS, number) for number in (2, 4, 5, 6, 7)] == [2, 2, 2, 6, 7]


class Asked(Mapping[int, Manifest]):
    """Versions that remember which of them were read."""

    def __init__(self, versions: Mapping[int, Manifest]) -> None:
        self.versions = versions
        self.asked: set[int] = set()

    def __getitem__(self, number: int) -> Manifest:
        self.asked.add(number)
        return self.versions[number]

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("all versions were asked for")

    def __len__(self) -> int:
        raise AssertionError("all versions were asked for")


def test_only_the_lineage_is_read() -> None:
    asked = Asked(VERSIONS)
    assert applied_versions(asked, 4) == (2, 1)
    assert asked.asked == {4, 2, 1}


def test_rows_stand_on_one_load_generation_of_each_folder() -> None:
    assert live_generations(manifest(1, generation=3)) == (3,)
    sharded = manifest(1, generation=100_002, shards={"eu": 4, "us": 100_002})
    assert live_generations(sharded) == (4, 100_002)
    assert [folder_number(one) for one in (1, 4, 100_000, 100_001, 200_001)] == [0, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("why", "now", "before", "folders"),
    [
        ("the same full load", {"generation": 2}, {"generation": 2}, ()),
        ("a newer one", {"generation": 2}, {"generation": 1}, (None,)),
        ("one of two folders", {"shards": {"eu": 2, "us": 7}}, {"shards": {"eu": 1, "us": 7}},
         ("eu",)),
        ("a folder that is new has replaced nothing", {"shards": {"eu": 1, "us": 7}},
         {"shards": {"eu": 1}}, ()),
    ],
)  # fmt: skip
def test_folders_with_a_newer_full_load_are_named(
    why: str, now: dict[str, Any], before: dict[str, Any], folders: tuple[str | None, ...]
) -> None:
    then = manifest(1, **before)
    assert reloaded_folders(manifest(2, **now), then.generation, then.shards) == folders, why
