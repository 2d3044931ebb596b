"""Which versions are read for the plan of a run, and how many at once."""

from pathlib import Path

import pytest

from pyspark_dms.versions.lineage import applied_versions, counting
from pyspark_dms.versions.numbered import checkpoint_of
from pyspark_dms.versions.read_state import PastVersions
from tests.versions.logged import LABEL, commit, give_up
from tests.versions.made import manifest

# Forty changes; all but the first two are undone; ten more; a full load, and changes on it.
VERSIONS = (
    manifest(1),
    *(manifest(one, on=one - 1) for one in range(2, 41)),
    manifest(41, of=2, action="rollback"),
    *(manifest(one, on=one - 1) for one in range(42, 52)),
    manifest(52),
    manifest(53, on=52),
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    commit(folder, *VERSIONS)
    return folder


def past(lake: Path) -> PastVersions:
    return PastVersions(str(lake / "version_log"), LABEL)


def test_versions_that_nobody_asks_for_cost_nothing(lake: Path, asked: list[str]) -> None:
    past(lake)
    assert asked == []


@pytest.mark.parametrize(
    ("number", "applied", "read"),
    [
        (53, (53, 52), {53, 52}),
        (51, (*range(51, 41, -1), 2, 1), {1, 2, *range(41, 52)}),
        (40, (*range(40, 0, -1),), {*range(1, 41)}),
        (41, (2, 1), {1, 2, 41}),
    ],
)
def test_what_a_version_was_built_on_is_read_side_by_side_and_nothing_else(
    lake: Path, asked: list[str], at_once: list[int], number: int, applied: tuple[int, ...],
    read: set[int],
) -> None:  # fmt: skip
    assert applied_versions(past(lake), number) == applied
    # How one leads to another is read of the newest version; whether one counts, of its checkpoint.
    links = {53, checkpoint_of(LABEL, 53)}
    objects = read | links | {checkpoint_of(LABEL, one) for one in read}
    names = {f"read_object {99_999_999 - one:08}-v{one}.json" for one in objects}
    assert sorted(asked) == sorted({f"first_names {LABEL}", *names})
    assert at_once == [len(links), *([len(objects - links)] if objects - links else [])]


def test_what_any_version_has_applied_is_read_lineage_by_lineage(
    lake: Path, at_once: list[int]
) -> None:
    assert counting(past(lake), range(1, 54)) == {*range(1, 54)}
    assert sum(at_once) == 53
    assert len(at_once) <= 5


def test_a_version_does_not_count_without_its_checkpoint(tmp_path: Path) -> None:
    commit(tmp_path, *VERSIONS)
    whole = checkpoint_of(LABEL, 53)
    built_on_it = {one for one in range(whole, 54) if checkpoint_of(LABEL, one) == whole}
    give_up(tmp_path, whole)
    commit(tmp_path, manifest(54), *(manifest(one, on=one - 1) for one in range(55, 90)))
    for number in range(89, 0, -1):
        assert (number in past(tmp_path)) == (number not in built_on_it), number


def test_a_version_that_was_brought_back_is_read(tmp_path: Path) -> None:
    commit(tmp_path, *VERSIONS[:2])
    give_up(tmp_path, 2)
    commit(tmp_path, manifest(3, on=1))
    (lost,) = (tmp_path / "version_log" / LABEL).glob("*.lost")
    lost.rename(lost.with_suffix(".json"))
    assert past(tmp_path)[2].base_version == 1
