"""The version log on a local disk: what is read is what was written, once, whatever happens."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.version_log import manifest_of
from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.versions import log
from pyspark_dms.versions.deltas import applied, difference
from pyspark_dms.versions.log import CUMULATIVE, TableVersions, Wanted, create
from pyspark_dms.versions.numbered import CHECKPOINT, Outcome, checkpoint_of, object_name, probe

LABEL = "hr.people"
ENTRIES = st.one_of(st.integers(0, 3), st.booleans(), st.text("ab", max_size=2))


def commit(root: Path | str, *numbers: int, label: str = LABEL, **changed: Any) -> None:
    for number in numbers:
        manifest = manifest_of(label, number) | changed
        assert create(str(root), manifest, f"token {number}") is Outcome.CREATED


def read_table(root: Path | str, wanted: Wanted, label: str = LABEL) -> TableVersions:
    found = log.read(str(root), {label: wanted})[label]
    assert isinstance(found, TableVersions), found
    return found


def error_of(root: Path | str, wanted: Wanted | None = None, label: str = LABEL) -> str:
    found = log.read(str(root), {label: wanted or Wanted("2999-12-31")})[label]
    assert isinstance(found, DmsError)
    return str(found)


@given(st.lists(ENTRIES), st.lists(ENTRIES))
def test_a_list_comes_back_from_what_is_new_in_it(earlier: list[Any], later: list[Any]) -> None:
    steps = json.loads(json.dumps(difference(earlier, later)))
    assert json.dumps(applied(earlier, steps)) == json.dumps(later)


def test_what_is_new_in_a_list_is_short() -> None:
    earlier = [{"number": number} for number in range(1000)]
    later = [*earlier[10:500], {"number": "new"}, *earlier[500:], {"number": "last"}]
    assert difference(earlier, later) == [
        [10, 500], {"add": [{"number": "new"}]}, [500, 1000], {"add": [{"number": "last"}]},
    ]  # fmt: skip
    assert difference([1, 1, 2, 2], [1, 1, 2, 2]) == [[0, 4]]


@pytest.mark.parametrize("steps", [[[0, 3]], [[1, 1]], [[-1, 1]], [5], [["a", "b"]], [{}]])
def test_steps_of_another_list_are_no_list(steps: list[Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        applied([1, 2], steps)


def random_manifests(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Manifests whose long fields grow, shrink, are replaced and empty."""
    chosen = random.Random(seed)
    values: dict[str, Any] = {name: [] for name in CUMULATIVE}
    for number in range(1, count + 1):
        for name in CUMULATIVE:
            entries = [*values[name]]
            for _ in range(chosen.randrange(4)):
                entries.insert(chosen.randint(0, len(entries)), {"entry": "x" * 30, "at": number})
            if chosen.random() < 0.2:
                del entries[: chosen.randint(0, len(entries))]
            values[name] = entries if chosen.random() > 0.02 else []
        declarations = {f"{one}": json.dumps(one) for one in values["declarations"]}
        dates = [entry | {"run_date": f"{at:04}"} for at, entry in enumerate(values["dates"])]
        yield {
            **manifest_of(LABEL, number), **values, "declarations": declarations, "dates": dates,
            "feed_dates": values["feed_dates"] or None,
        }  # fmt: skip


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1_000_000))
def test_every_manifest_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    root = tmp_path_factory.mktemp("log")
    manifests = [*random_manifests(seed, 2 * CHECKPOINT + 5)]
    for manifest in manifests:
        assert create(str(root), manifest, "token") is Outcome.CREATED
    found = read_table(root, Wanted(after=0, lineage=True))
    assert [*found.manifests] == [manifest["version"] for manifest in manifests]
    for manifest, known in zip(manifests, found.manifests.values(), strict=True):
        assert {key: known[key] for key in manifest if key != "finished_at"} == {
            key: value for key, value in manifest.items() if key != "finished_at"
        }
        shown = [one["run_date"] for one in manifest["dates"]]
        assert known["last_date"] == max(shown, default=None)
    assert [of["version"] for of in found.lineage] == [*found.manifests]
    assert found.lineage[6]["run_date"] == manifests[6]["run_date"]
    assert (found.newest, found.next) == (len(manifests), len(manifests) + 1)


def test_a_manifest_does_not_repeat_what_its_predecessors_said(tmp_path: Path) -> None:
    commit(tmp_path, *range(1, 100))
    whole = checkpoint_of(LABEL, 99)
    sizes = {int(path.stem.split("-v")[1]): path.stat().st_size for path in log_files(tmp_path)}
    assert sizes[whole + 1] < 3000
    assert sizes[whole] > 20_000
    # Others have theirs on another day.
    assert len({checkpoint_of(f"hr.table_{number}", 99) for number in range(100)}) > 25


def log_files(root: Path, label: str = LABEL) -> list[Path]:
    return sorted((root / label).glob("*.json")) if (root / label).exists() else []


def test_a_run_gets_the_versions_that_it_needs(tmp_path: Path) -> None:
    commit(tmp_path, 1, 2)
    commit(tmp_path, 3, current_version=2, action="backfill", run_date="2020-11-01")
    known = read_table(tmp_path, Wanted(manifest_of(LABEL, 2)["run_date"])).known
    assert {name: found and found["version"] for name, found in known.items()} == {
        "newest": 3, "current": 2, "base": 1,
    }  # fmt: skip
    known = read_table(tmp_path, Wanted("2999-12-31")).known
    assert known["base"] == known["current"]
    assert known["newest"] is not None
    assert "staged" not in known["newest"]
    assert known["newest"]["declared_as"] is None
    known = read_table(tmp_path, Wanted("2999-12-31", declared_as=True)).known
    assert known["newest"] is not None
    assert "column_1" in known["newest"]["declared_as"]
    nothing = read_table(tmp_path, Wanted("2999-12-31", lineage=True), "hr.teams")
    assert nothing == log.nothing(Wanted("2999-12-31"))
    assert (nothing.newest, nothing.next) == (0, 1)
    assert nothing.known == dict.fromkeys(("newest", "current", "base"))
    assert log.tables(str(tmp_path)) == [LABEL]
    assert log.tables(str(tmp_path / "none")) == []


def test_a_manifest_has_lists_where_it_was_given_none(tmp_path: Path) -> None:
    commit(tmp_path, 1, shards=None, files=None, excluded_files=None, partitions=None)
    manifest = read_table(tmp_path, Wanted(versions=(1,))).manifests[1]
    assert [manifest[name] for name in ("shards", "files", "excluded_files", "partitions")] == [
        [], [], [], [],
    ]  # fmt: skip
    assert manifest["feed_dates"] is None


@pytest.mark.parametrize("age", [10, 100])
def test_reading_costs_the_same_at_any_age(tmp_path: Path, asked: list[str], age: int) -> None:
    commit(tmp_path, *range(1, age + 1))
    asked.clear()
    commit(tmp_path, age + 1)
    assert len(asked) == 4
    for wanted, count in (
        (Wanted("2999-12-31"), 2),
        (Wanted(manifest_of(LABEL, age + 1)["run_date"]), 3),
        (Wanted("2999-12-31", declared_as=True), 3),
        (Wanted(lineage=True), 3),
        (Wanted(versions=(age,)), 4),
        (Wanted(versions=(age + 1,)), 3),
        (Wanted(versions=(age, age + 1), fields=()), 3),
    ):
        asked.clear()
        read_table(tmp_path, wanted)
        assert len(set(asked)) == len(asked) <= count, wanted


def test_of_64_writers_at_once_one_wins(tmp_path: Path) -> None:
    for number in range(1, 6):

        def write(writer: int, number: int = number) -> Outcome:
            return create(str(tmp_path), manifest_of(LABEL, number), f"writer {writer}")

        with ThreadPoolExecutor(64) as writers:
            outcomes = [*writers.map(write, range(64))]
        assert outcomes.count(Outcome.CREATED) == 1
        winner = outcomes.index(Outcome.CREATED)
        content = json.loads((tmp_path / LABEL / object_name(number)).read_text())
        assert content["commit_id"] == f"writer {winner}"
        assert write(winner) is Outcome.CREATED


def test_a_number_whose_predecessor_is_missing_is_not_given(tmp_path: Path) -> None:
    commit(tmp_path, 1)
    with pytest.raises(DmsError, match=r"there is no version 2; the newest is 1"):
        create(str(tmp_path), manifest_of(LABEL, 3), "token")
    assert len(log_files(tmp_path)) == 1


@pytest.mark.parametrize("is_written", [True, False])
def test_a_lost_answer_is_settled_by_reading_the_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    write = stores.create_object

    def lose_answer(path: str, content: bytes) -> None:
        if is_written:
            write(path, content)
        raise stores.RefusedObject("E710", "the answer was lost")

    commit(tmp_path, 1)
    monkeypatch.setattr(stores, "create_object", lose_answer)
    if is_written:
        assert create(str(tmp_path), manifest_of(LABEL, 2), "mine") is Outcome.CREATED
    else:
        with pytest.raises(DmsError, match="the answer was lost"):
            create(str(tmp_path), manifest_of(LABEL, 2), "mine")
    monkeypatch.undo()
    expected = Outcome.TAKEN if is_written else Outcome.CREATED
    assert create(str(tmp_path), manifest_of(LABEL, 2), "other") is expected


def test_writers_that_stop_each_other_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = stores.create_object
    refused: list[str] = []

    def refuse_first(path: str, content: bytes) -> None:
        if len(refused) < 2:
            refused.append(path)
            raise stores.TakenName(path)
        write(path, content)

    monkeypatch.setattr(stores, "create_object", refuse_first)
    commit(tmp_path, 1)
    assert len(refused) == 2


WRITER = """
import sys
from bench.version_log import manifest_of
from pyspark_dms.versions.log import create
for number in range(1, 10_000):
    manifest = manifest_of("hr.people", number) | {"root": "x" * 3_000_000}
    create(sys.argv[1], manifest, "token")
    print(number, flush=True)
"""


def test_what_a_killed_writer_leaves_is_whole_or_absent(tmp_path: Path) -> None:
    repository = Path(__file__).resolve().parents[2]
    environment = os.environ | {"PYTHONPATH": f"{repository}:{repository / 'python_hooks'}"}
    for chosen in range(6):
        command = [sys.executable, "-c", WRITER, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(random.Random(chosen).uniform(0.01, 0.1))
            writer.send_signal(signal.SIGKILL)
        found = read_table(tmp_path, Wanted("2999-12-31", after=0, fields=()))
        assert len(found.manifests) == found.newest > 0
        for path in log_files(tmp_path):
            path.unlink()
    # What was not finished is no damage, and hinders no later writer.
    (tmp_path / LABEL / f"{object_name(1)}#1").write_text("{")
    commit(tmp_path, 1)


def test_a_store_that_creates_once_is_fit(tmp_path: Path) -> None:
    probe(f"{tmp_path}/log")
    assert [*tmp_path.rglob("*.json")] == []


def test_a_store_that_overwrites_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overwrite(path: str, content: bytes) -> None:
        with stores.open_for_writing(path) as sink:
            sink.write(content)

    monkeypatch.setattr(stores, "create_object", overwrite)
    with pytest.raises(DmsError, match=rf"{tmp_path}: .* has overwritten one. Nothing .*\[E713\]"):
        probe(str(tmp_path))


def test_a_store_that_does_not_know_the_condition_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, content: bytes) -> None:
        error = stores.RefusedObject("E710", "no")
        error.answer = "the store says NotImplemented"
        raise error

    monkeypatch.setattr(stores, "create_object", refuse)
    with pytest.raises(DmsError, match=r"refuses that: the store says NotImplemented.*\[E713\]"):
        probe(str(tmp_path))
