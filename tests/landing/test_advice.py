"""Each advice of a plan, followed to the letter: right rows, or another true error.

A row has a cause that fails a table or makes it warn, the words of the message that advise
something, and what a person does who follows them. `DONE` in the end means that the run after it
publishes the rows that are given; else it fails with that error.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms import landing
from tests.landing.fake_table import ROOT, FakeTable, Row

FIRST, SECOND, THIRD = (f"{ROOT}LOAD0000000{number}.parquet" for number in (1, 2, 3))
ELSEWHERE = "s3://dms/elsewhere/people/"
Rows = list[Row]
Action = Callable[[FakeTable], object]


def day(number: int, ending: str = "parquet") -> str:
    return f"{ROOT}202011{number}-100000000.{ending}"


def named(number: int, key: int = 1) -> tuple[Row, ...]:
    """The changes of a day: its number becomes the name of a key."""
    return (("U", key, f"{number}"),)


def loaded(table: FakeTable) -> None:
    """A full load of two rows, and the changes of the 14th, are published."""
    table.write(FIRST, ((1, "Ann"), (2, "Bo")))
    table.run("2020-11-13")
    table.write(day(14), named(14))
    table.run("2020-11-14")


def reload(table: FakeTable) -> None:
    table.write(FIRST, ((1, "reloaded"),))


RELOADED: Rows = [(1, "reloaded")]
WHOLE: Rows = [(1, "14"), (2, "Bo")]


@dataclass(frozen=True)
class Case:
    """A message and an advice of it.

    Attributes:
        number: of the error; None for a warning.
        cause: builds the situation up to the run that fails or warns.
        says: the words that advise.
        does: what somebody does who follows them.
        rows: what is published then.
        then: the error of the run after it, if it cannot publish yet.
        facts: of the table.
        refresh: whether the run that fails, and the one after it, is with --full-refresh.
        again: whether only the run after the advice is with --full-refresh.
        run_date: of both runs.
    """

    number: str | None
    cause: Action
    says: str
    does: Action
    rows: Rows
    then: str = ""
    facts: tuple[tuple[str, Any], ...] = ()
    refresh: bool = False
    again: bool = False
    run_date: str = "2020-11-15"


def case(
    number: str | None, cause: Action, says: str, does: Action, rows: Rows, **more: Any
) -> Any:
    facts = tuple(more.pop("facts", {}).items())
    one = Case(number, cause, says, does, rows, facts=facts, **more)
    return pytest.param(one, id=f"{number or 'warning'} {cause.__name__}: {says}")


def both(*actions: Action) -> Action:
    return lambda table: [action(table) for action in actions]


def nothing(table: FakeTable) -> None:
    """The run that the message names is all."""


def allow_missing(table: FakeTable) -> None:
    table.allows_missing = True


def declare(**facts: Any) -> Action:
    return lambda table: table.facts.update(facts)


def delete(*paths: str) -> Action:
    return lambda table: table.remove(*paths)


def write(path: str, *rows: Row) -> Action:
    return lambda table: table.write(path, rows)


def reapply(number: int) -> Action:
    return lambda table: table.reapply(number)


def go_to(number: int) -> Action:
    return lambda table: table.roll_back(number)


def put_back(table: FakeTable) -> None:
    table.put_back(table.facts["removed"])


def remove(table: FakeTable, *paths: str) -> None:
    """Take files away so that `put_back` can bring them back."""
    table.facts["removed"] = table.remove(*paths)


# ------------------------------------------------------------------------------- causes


def unlisted(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15), named(15))
    table.listing_problem = "no such bucket"


def listed(table: FakeTable) -> None:
    table.listing_problem = None


def empty(table: FakeTable) -> None:
    """No file at all."""


def lost(table: FakeTable) -> None:
    loaded(table)
    remove(table, day(14))


def none_left(table: FakeTable) -> None:
    loaded(table)
    remove(table, day(14), FIRST)


def skipped(table: FakeTable) -> None:
    table.write(FIRST, None)
    table.write(SECOND, ((2, "Bo"),))
    table.try_run("2020-11-13")
    remove(table, SECOND)
    table.write(FIRST, ((1, "Ann"),))


def wrong_path(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15), named(15))
    table.index("2020-11-15")
    table.path = ELSEWHERE


def right_path(table: FakeTable) -> None:
    table.path = ROOT


def moved_after_a_run(table: FakeTable) -> None:
    """Run with the path of before, then move the files and declare the new path."""
    table.path = ROOT
    table.run("2020-11-15")
    for path in [*table.files]:
        table.move(path, path.replace(ROOT, ELSEWHERE))
    table.path = ELSEWHERE


def never_there(table: FakeTable) -> None:
    loaded(table)
    table.path = ELSEWHERE


def not_read(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15), named(15))
    table.index("2020-11-15")
    remove(table, day(15))


def load_not_read(table: FakeTable) -> None:
    table.write(FIRST, ((1, "Ann"),))
    table.write(SECOND, ((2, "Bo"),))
    table.index("2020-11-15")
    remove(table, SECOND)


def only_load_not_read(table: FakeTable) -> None:
    loaded(table)
    table.write(FIRST, ((1, "broken"),))
    table.index("2020-11-15")
    remove(table, FIRST)


def bad_upload_rolled_back(table: FakeTable) -> None:
    loaded(table)
    table.write(day(14), (("U", 1, "bad"),))
    table.run("2020-11-15")
    table.roll_back(2)


def date_of_a_rolled_back_upload_run_again(table: FakeTable) -> None:
    """The date of the first upload is made again with one more file."""
    loaded(table)
    table.write(day(14), (("U", 1, "bad"),))
    table.run("2020-11-14")
    table.roll_back(2)
    table.write(f"{ROOT}20201114-200000000.parquet", (("U", 2, "late"),))


def changes_of_a_rolled_back_load(table: FakeTable) -> None:
    loaded(table)
    table.write(FIRST, ((1, "bad"),))
    table.run("2020-11-15")
    table.roll_back(2)
    table.write(day(16), named(16))


def second_file_alone(table: FakeTable) -> None:
    table.write(FIRST, ((1, "Ann"),))
    table.write(SECOND, ((2, "Bo"),))
    table.run("2020-11-14")
    remove(table, FIRST)
    table.write(SECOND, ((2, "Bob"),))


def unchanged_first(table: FakeTable) -> None:
    table.write(FIRST, ((1, "Ann"),))
    table.write(SECOND, ((2, "Bo"),))
    table.run("2020-11-14")
    table.write(SECOND, ((2, "Bob"),))


def more_of_a_rolled_back_load(table: FakeTable) -> None:
    table.run("2020-11-13")
    table.write(FIRST, ((1, "Ann"),))
    table.run("2020-11-14")
    table.roll_back(1)
    table.write(SECOND, ((2, "Bo"),))


def changes_after_a_rolled_back_first_load(table: FakeTable) -> None:
    table.run("2020-11-13")
    table.write(FIRST, ((1, "Ann"),))
    table.run("2020-11-14")
    table.roll_back(1)
    table.write(day(15), named(15))


def first_before_the_second(table: FakeTable) -> None:
    """A full load that was published in part begins again, with fewer files."""
    table.write(FIRST, ((1, "Ann"),))
    table.run("2020-11-13")
    table.write(SECOND, None)
    table.try_run("2020-11-14")
    reload(table)


def other_zone(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15), named(15))
    table.shift = timedelta(hours=1)


def earlier_zone(table: FakeTable) -> None:
    table.shift = timedelta()


def zone_changed_as_documented(table: FakeTable) -> None:
    """A run takes all, the files are moved away, then the zone is changed."""
    shift, table.shift = table.shift, timedelta()
    table.run("2020-11-15")
    table.remove(*table.files)
    table.shift = shift
    table.run("2020-11-16")
    table.write(day(17), named(17))


def index_of_a_reload_lost(table: FakeTable) -> None:
    loaded(table)
    table.remove(day(14))
    reload(table)
    table.run("2020-11-15")
    table.facts["events"] = [*table.events]
    table.events.clear()
    table.write(day(16), named(16))


def index_lost_before_a_reload(table: FakeTable) -> None:
    loaded(table)
    table.facts["events"] = [*table.events]
    table.events.clear()
    table.remove(day(14))
    reload(table)


def bring_back_the_index(table: FakeTable) -> None:
    table.events[:] = table.facts["events"]


def copied(table: FakeTable) -> None:
    loaded(table)
    table.write(f"{ROOT}copy/20201114-100000000.parquet", named(14))


def moved_without_a_key(table: FakeTable) -> None:
    loaded(table)
    for path in [*table.files]:
        table.write(path.replace(ROOT, ELSEWHERE), table.files[path].rows)
    table.path = ELSEWHERE


def stray_beside(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15), named(15))
    table.write(day(15, "csv"), (("U", 1, "stray"),))


def load_beside(table: FakeTable) -> None:
    """DMS loads the table again, in another format than before."""
    older = FIRST.replace("parquet", "csv")
    table.write(older, ((1, "Ann"), (2, "Bo")))
    table.run("2020-11-14")
    reload(table)


def csv_after_parquet(table: FakeTable) -> None:
    loaded(table)
    table.facts["file_format"] = "parquet"
    table.write(day(15, "csv"), named(15))


def applied_in_csv(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15, "csv"), named(15))
    table.run("2020-11-15")
    table.facts["file_format"] = "parquet"


def applied_stray_beside(table: FakeTable) -> None:
    """DMS writes its file of a name that the state has the stray file of."""
    loaded(table)
    table.write(day(15, "csv"), (("I", 3, "stray"),))
    table.run("2020-11-15")
    table.write(day(15), (("U", 1, "right"),))


# ----------------------------------------------------------------------------- warnings


def no_load(table: FakeTable) -> None:
    table.write(day(14), named(14))


def strange_name(table: FakeTable) -> None:
    loaded(table)
    table.write(f"{ROOT}changes of the 15th.parquet", named(15))


def older_csv(table: FakeTable) -> None:
    loaded(table)
    table.facts["file_format"] = "parquet"
    at = table.files[FIRST].modified_at
    table.write(day(15, "csv"), named(15), at=at)


def gone_stray(table: FakeTable) -> None:
    loaded(table)
    table.write(day(15, "csv"), (("U", 1, "stray"),))
    table.index("2020-11-15")
    remove(table, day(15, "csv"))
    table.write(day(15), named(15))


def load_as_it_was(table: FakeTable) -> None:
    loaded(table)
    table.touch(FIRST)


def changes_before_the_load(table: FakeTable) -> None:
    """DMS had loaded the table before; its name says when a change file was written."""
    table.write(day(15), (("U", 1, "before"),), at=datetime(2020, 11, 15, 10, 1, tzinfo=UTC))
    table.write(FIRST, ((1, "Ann"), (2, "Bo")))


def late_changes_of_before(table: FakeTable) -> None:
    loaded(table)
    before = table.now
    table.write(FIRST, ((1, "by hand"), (2, "Bo")))
    table.run("2020-11-14")
    table.write(day(15), named(15), at=before)


def load_written_again_after_changes(table: FakeTable) -> None:
    """The load was published in part, and changes behind it were too."""
    table.write(FIRST, ((1, "Ann"),))
    table.write(day(13), named(13))
    table.run("2020-11-13")
    table.write(SECOND, None)
    table.try_run("2020-11-15")
    table.write(FIRST, ((1, "Ann"),))
    table.write(SECOND, ((2, "Bo"),))


FAIL = {"on_missing_files": "fail"}
NO_KEY = {"has_key": False}
OLDER = FIRST.replace("parquet", "csv")
CASES = [
    case("E202", unlisted, "Check path, endpoint and credentials", listed, [(1, "15"), (2, "Bo")]),
    # Missing files that the declaration does not let go.
    case("E203", lost, "Put them back", put_back, WHOLE, facts=FAIL),
    case("E203", lost, "reload the table in DMS", reload, RELOADED, facts=FAIL),
    case("E203", lost, "on_missing_files: warn", declare(on_missing_files="warn"), WHOLE,
         facts=FAIL),
    case("E203", none_left, "Put them back", put_back, WHOLE, facts=FAIL),
    case("E203", none_left, "reload the table in DMS", reload, RELOADED, facts=FAIL),
    case("E203", skipped, "Put them back", put_back, [(1, "Ann"), (2, "Bo")], facts=FAIL),
    case("E203", skipped, "on_missing_files: warn", declare(on_missing_files="warn"),
         [(1, "Ann")], facts=FAIL),
    case("E203", empty, "correct path", write(FIRST, (1, "Ann")), [(1, "Ann")], facts=FAIL),
    case("E203", wrong_path, "correct it", right_path, [(1, "15"), (2, "Bo")]),
    case("E203", wrong_path, "first run it once more with the path of before", moved_after_a_run,
         [(1, "15"), (2, "Bo")]),
    case("E203", never_there, "correct it", right_path, WHOLE, facts=FAIL),
    # Files that a run has to read.
    case("E204", not_read, "Put them back", put_back, [(1, "15"), (2, "Bo")]),
    case("E204", not_read, "reload the table in DMS", reload, RELOADED),
    case("E204", not_read, "allow_missing_files", allow_missing, WHOLE),
    case("E204", load_not_read, "Put them back", put_back, [(1, "Ann"), (2, "Bo")]),
    case("E204", load_not_read, "reload the table in DMS", reload, RELOADED),
    case("E204", load_not_read, "allow_missing_files", allow_missing, [(1, "Ann")]),
    case("E204", only_load_not_read, "Put them back", put_back, [(1, "broken")]),
    case("E204", only_load_not_read, "reload the table in DMS", reload, RELOADED),
    case("E204", lost, "Put them back", put_back, WHOLE, refresh=True),
    case("E204", lost, "reload the table in DMS", reload, RELOADED, refresh=True),
    case("E204", lost, "allow_missing_files", allow_missing, [(1, "Ann"), (2, "Bo")],
         refresh=True),
    # An upload that was rolled back.
    case("E205", bad_upload_rolled_back, "as they were", write(day(14), *named(14)), WHOLE,
         refresh=True),
    case("E205", bad_upload_rolled_back, "as they should be",
         write(day(14), ("U", 1, "good")), [(1, "good"), (2, "Bo")], refresh=True),
    case("E205", bad_upload_rolled_back, "run-operation reapply", reapply(3),
         [(1, "bad"), (2, "Bo")], refresh=True),
    case("E205", bad_upload_rolled_back, "rollback_to", go_to(3), [(1, "bad"), (2, "Bo")],
         refresh=True),
    case("E205", date_of_a_rolled_back_upload_run_again, "as they were",
         write(day(14), *named(14)), [(1, "14"), (2, "late")], run_date="2020-11-14"),
    case("E205", date_of_a_rolled_back_upload_run_again, "as they should be",
         write(day(14), ("U", 1, "good")), [(1, "good"), (2, "late")], run_date="2020-11-14"),
    case("E205", date_of_a_rolled_back_upload_run_again, "run-operation reapply", reapply(3),
         [(1, "bad"), (2, "late")], run_date="2020-11-14"),
    # A full load that was rolled back, or is not whole.
    case("E206", changes_of_a_rolled_back_load, "run-operation reapply", reapply(3),
         [(1, "16")], run_date="2020-11-16"),
    case("E206", changes_of_a_rolled_back_load, "reload the table in DMS", reload, RELOADED,
         run_date="2020-11-16"),
    case("E207", second_file_alone, "write all its files again, which drops earlier changes",
         both(write(FIRST, (1, "Anna")), lambda table: table.touch(SECOND)),
         [(1, "Anna"), (2, "Bob")]),
    case("E207", second_file_alone, "Reload the table in DMS",
         both(delete(SECOND), reload), RELOADED),
    case("E207", unchanged_first, "write all again, without earlier changes",
         lambda table: table.touch(FIRST), [(1, "Ann"), (2, "Bob")]),
    case("E207", unchanged_first, "delete what DMS no longer writes", delete(FIRST), [],
         then="E207"),
    case("E207", unchanged_first, "Reload it in DMS",
         both(reload, write(SECOND, (2, "again"))),
         [(1, "reloaded"), (2, "again")]),
    case("E207", first_before_the_second, "delete what DMS no longer writes", delete(SECOND),
         RELOADED),
    case("E207", more_of_a_rolled_back_load, "Reload the table in DMS",
         both(reload, write(SECOND, (2, "again"))),
         [(1, "reloaded"), (2, "again")]),
    case("E207", more_of_a_rolled_back_load, "run-operation reapply", reapply(2),
         [(1, "Ann"), (2, "Bo")]),
    case("E207", changes_after_a_rolled_back_first_load, "run-operation reapply", reapply(2),
         [(1, "15")]),
    case("E207", changes_after_a_rolled_back_first_load, "Reload the table in DMS", reload,
         RELOADED),
    case("E209", other_zone, "Declare the earlier one again", earlier_zone,
         [(1, "15"), (2, "Bo")]),
    case("E209", other_zone, "docs/reference/dms.md", zone_changed_as_documented,
         [(1, "17"), (2, "Bo")], run_date="2020-11-17"),
    case("E210", index_of_a_reload_lost, "Bring them back", bring_back_the_index, [(1, "16")],
         run_date="2020-11-16"),
    case("E210", index_of_a_reload_lost, "--full-refresh", nothing, [(1, "16")],
         run_date="2020-11-16", again=True),
    case("E210", index_lost_before_a_reload, "Bring them back", bring_back_the_index, RELOADED),
    case("E210", index_lost_before_a_reload, "--full-refresh", nothing, RELOADED, again=True),
    case("E214", copied, "take it away", delete(f"{ROOT}copy/20201114-100000000.parquet"), WHOLE,
         facts=NO_KEY),
    case("E214", moved_without_a_key, "--full-refresh", nothing, WHOLE, facts=NO_KEY, again=True),
    # Two formats.
    case("E215", stray_beside, "Delete the stray file", delete(day(15, "csv")),
         [(1, "15"), (2, "Bo")]),
    case("E215", stray_beside, "format: parquet", declare(file_format="parquet"),
         [(1, "15"), (2, "Bo")]),
    case("E215", load_beside, "the older one", delete(OLDER), RELOADED),
    case("E215", load_beside, "format: parquet", declare(file_format="parquet"), RELOADED),
    case("E215", csv_after_parquet, "declare format: auto", declare(file_format="auto"),
         [(1, "15"), (2, "Bo")]),
    case("E215", csv_after_parquet, "delete it", delete(day(15, "csv")), WHOLE),
    case("E215", applied_in_csv, "Declare format: auto", declare(file_format="auto"),
         [(1, "15"), (2, "Bo")], refresh=True),
    # That the rows of what was deleted are to go is said once more.
    case("E215", applied_in_csv, "delete them", delete(day(15, "csv")), [], then="E204",
         refresh=True),
    case("E215", applied_in_csv, "delete them",
         both(delete(day(15, "csv")), allow_missing), WHOLE, refresh=True),
    case("E215", applied_stray_beside, "if s3://dms/hr/people/20201115-100000000.csv was deleted",
         both(delete(day(15, "csv")), allow_missing), [(1, "right"), (2, "Bo")], refresh=True),
    # Warnings.
    case(None, no_load, "When a full load has landed", write(FIRST, (1, "Ann"), (2, "Bo")), WHOLE),
    case(None, strange_name, "upload it under the name that DMS gave it",
         lambda table: table.move(f"{ROOT}changes of the 15th.parquet", day(15)),
         [(1, "15"), (2, "Bo")]),
    case(None, older_csv, "declare format: auto", declare(file_format="auto"),
         [(1, "15"), (2, "Bo")]),
    case(None, gone_stray, "put them back", put_back, [], then="E215"),
    case(None, not_read, "put them back", put_back, [(1, "15"), (2, "Bo")],
         facts={"allows_missing": True}),
    case(None, changes_before_the_load, "reload it in DMS", reload, RELOADED),
    case(None, changes_before_the_load, "set cdc_start_date to the next day",
         declare(cdc_start_date="2020-11-16"), [(1, "Ann"), (2, "Bo")], again=True),
    case(None, late_changes_of_before, "reload the table in DMS", reload, RELOADED),
    case(None, load_written_again_after_changes, "reload the table in DMS", reload, RELOADED),
    case(None, load_as_it_was, "reload the table in DMS", reload, RELOADED),
    case(None, never_there, "correct it", right_path, WHOLE),
    case(None, skipped, "put them back", put_back, [(1, "Ann"), (2, "Bo")]),
    case(None, skipped, "reload the table in DMS", reload, RELOADED),
    case(None, none_left, "until DMS reloads the table", reload, RELOADED),
]  # fmt: skip


@pytest.mark.parametrize("one", CASES)
def test_an_advice_leads_to_right_rows_or_to_another_true_error(one: Case) -> None:
    facts = dict(one.facts)
    allows_missing = facts.pop("allows_missing", False)
    table = FakeTable(**facts)
    table.facts["on_missing_files"] = "warn"
    one.cause(table)
    table.facts.update(facts)
    table.allows_missing = allows_missing
    before = table.rows if table.versions else None
    ran = table.try_run(one.run_date, full_refresh=one.refresh)
    if one.number:
        assert f"[{one.number}]" in ran.error
        assert one.says in ran.error
        assert before == (table.rows if table.versions else None)
    else:
        assert not ran.error
        assert one.says in ran.said
    table.allows_missing = False
    one.does(table)
    ran = table.try_run(one.run_date, full_refresh=one.refresh or one.again)
    if one.then:
        assert f"[{one.then}]" in ran.error
    else:
        assert not ran.error
        assert table.rows == one.rows


def test_each_error_of_a_plan_has_its_advice_followed() -> None:
    sources = [path.read_text() for path in Path(landing.__file__).parent.rglob("*.py")]
    raised = set(re.findall(r'TableError\(\s*"(E\d{3})"', "".join(sources)))
    # That of a version that was given up is about the version log: test_index follows it.
    walked = {one.values[0].number for one in CASES} | {"E425"}
    assert len(raised) > 5
    assert raised <= walked
