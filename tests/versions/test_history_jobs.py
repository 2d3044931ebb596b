"""What `dbt snapshot` asks the version log: what a history has to do."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.versions.history_jobs import OPEN, history_rows
from pyspark_dms.versions.manifest import Manifest, StagedFolder
from tests.versions.logged import LABEL, ask, commit, record
from tests.versions.made import day, manifest

CHAIN = tuple(
    replace(
        manifest(number, on=number - 1 or None, date=12 + number, last_file_seq=number),
        staged=tuple(
            StagedFolder(day(12 + one), f"stg/{one}", f"report/{one}", None, f"read {one}")
            for one in range(1, number + 1)
        ),
    )
    for number in range(1, 6)
)


def planned(
    lake: Path, *closed: int, open_of: int | None = None, described: int = 99, published: Any = ()
) -> dict[str, Any]:
    """The plan of a history whose newest partitions these versions have closed."""
    dates = [day(12 + version) for version in closed]
    folders = [f"lake/history/{version}/run/closed" for version in closed]
    if closed:
        dates.insert(0, OPEN)
        folders.insert(0, f"lake/history/{open_of or closed[0]}/run/open")
    job = {"dates": dates, "folders": folders[:described], "published": published}
    found: dict[str, Any] = ask(lake, "history", label=LABEL, name="people_history", **job)[LABEL]
    return found


def publish(lake: Path, *versions: Manifest) -> None:
    commit(lake, *versions)
    record(lake, *(one.version for one in versions))


def test_a_run_of_a_history_gets_all_that_its_sql_needs(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN[:3])
    plan = planned(tmp_path, 2, 1)
    assert (plan["is_due"], plan["stale"]) == (True, [])
    base, (run,) = plan["base"], plan["runs"]
    assert {name: base[name] for name in ("run_date", "open", "generations", "last_file_seq")} == {
        "run_date": day(14), "open": "lake/history/2/run/open", "generations": [1],
        "last_file_seq": 2,
    }  # fmt: skip
    assert (run["run_date"], run["starts_at"]) == (day(15), f"{day(15)} 00:00:00")
    assert (run["oldest_generation"], run["reloads"]) == (1, [])
    assert run["fingerprints"] == ["read 3"]
    assert base["manifest"]["version"] == 2
    # What tells how its rows are read, and not every date of years.
    assert run["manifest"] == {
        "version": 3, "fingerprint": "1", "declarations": {"1": "{}"}, "has_no_files": False,
    }  # fmt: skip


def test_a_full_refresh_has_no_changes_that_are_in_the_history_already(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN[:2], manifest(3, date=15, generation=2))
    plan = planned(tmp_path, 2, 1)
    assert plan["base"]["manifest"]["version"] == 2
    assert (plan["base"]["generations"], plan["base"]["last_file_seq"]) == ([], None)
    reload = {"generation": 2, "generations": [2], "shard": None}
    assert plan["runs"][0]["reloads"] == [reload]


def test_a_table_that_was_never_published_has_nothing_to_do(tmp_path: Path) -> None:
    assert planned(tmp_path)["is_due"] is False


def test_what_a_history_has_taken_and_readers_do_not_see_any_more_goes(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN[:2], manifest(3, of=1))
    plan = planned(tmp_path, 2, 1)
    assert (plan["is_due"], plan["stale"]) == (True, [day(14)])
    assert plan["base"]["open"] == "lake/history/1/run/open"
    assert planned(tmp_path, 1)["is_due"] is False
    # A command died when it had shown the open rows of the version that was undone.
    assert planned(tmp_path, 1, open_of=2)["is_due"]


def test_folders_of_older_partitions_are_asked_for_when_the_plan_depends_on_them(
    tmp_path: Path,
) -> None:
    publish(tmp_path, *CHAIN)
    assert planned(tmp_path, 4, 3, 2, 1, described=2)["base"]["manifest"]["version"] == 4
    publish(tmp_path, manifest(6, of=2, date=14))
    assert planned(tmp_path, 5, 4, 3, 2, 1, described=3) == {"is_due": None}
    plan = planned(tmp_path, 5, 4, 3, 2, 1, described=5)
    assert plan["base"]["manifest"]["version"] == 2
    assert plan["stale"] == [day(17), day(16), day(15)]
    # A full refresh of the 13th: nothing of the history counts, whatever the folders are.
    publish(tmp_path, manifest(7, date=13))
    plan = planned(tmp_path, 5, 4, 3, 2, described=2)
    assert (plan["is_due"], plan["base"]) == (True, None)
    assert plan["stale"] == [day(17), day(16), day(15), day(14)]


def test_partitions_that_a_full_refresh_replaced_are_asked_for_too(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN[:3], manifest(4, date=15))
    assert planned(tmp_path, 3, 2, 1, described=2) == {"is_due": None}
    assert planned(tmp_path, 3, 2, 1, described=3)["base"]["manifest"]["version"] == 2


@pytest.mark.parametrize(("published", "error"), [([], True), ([None, 2], False)])
def test_a_version_that_is_not_published_whole_is_an_error(
    tmp_path: Path, published: list[int | None], error: bool
) -> None:
    publish(tmp_path, CHAIN[0])
    commit(tmp_path, CHAIN[1])
    said = planned(tmp_path, published=published)
    assert ("[E408]" in said.get("error", "")) is error


def test_a_damaged_log_is_an_error(tmp_path: Path) -> None:
    publish(tmp_path, CHAIN[0])
    (path,) = (tmp_path / "version_log" / LABEL).iterdir()
    path.write_text("{")
    assert planned(tmp_path)["error"].endswith("[E425]")


def test_folders_tell_which_version_closed_rows() -> None:
    assert history_rows([], []) == ([], None)
    closed, open_now = history_rows([OPEN, day(14), day(13)], ["h/3/r/open", "h/2/r/closed"])
    assert open_now == "h/3/r/open"
    (rows,) = closed
    assert (rows.version, rows.closed, rows.open) == (2, "h/2/r/closed", "h/2/r/open")
