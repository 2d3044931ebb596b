"""What changes make of rows: order, deletes, NULLs, keys that come and go."""

from tests.support.engines import on_each_engine
from tests.support.side_by_side import Run, SharedRows, Steps, shared_scenario

pytestmark = on_each_engine


@shared_scenario()
def test_the_first_snapshot_is_the_full_load(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, None))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, None)]


@shared_scenario()
def test_of_several_updates_in_one_file_the_last_row_counts(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "Z"), ("U", 1, "B"), ("U", 1, "A"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "A")]


@shared_scenario()
def test_of_updates_in_two_files_the_later_file_counts(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "early"), ("U", 1, "earlier"))
    people.write_changes("20201114-110000000", ("U", 1, "late"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "late")]


@shared_scenario()
def test_an_update_to_null_is_null(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("U", 1, None))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, None), (2, "Bo")]


@shared_scenario()
def test_an_update_from_null_is_the_value(people: SharedRows) -> Steps:
    people.write_load((1, None))
    people.write_changes("20201114-100000000", ("U", 1, "Ann"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann")]


@shared_scenario()
def test_a_deleted_row_is_gone_from_that_date_on(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("D", 1, "Ann"))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo")]
    assert people.snapshot("2020-11-14") == [(2, "Bo")]
    assert people.snapshot("2020-11-15") == [(2, "Bo")]


@shared_scenario()
def test_a_delete_needs_the_key_only(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("D", 1, None))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(2, "Bo")]


@shared_scenario()
def test_delete_then_insert_of_one_key_in_one_file_leaves_the_new_row(people: SharedRows) -> Steps:
    people.write_load((1, "old"))
    people.write_changes("20201114-100000000", ("D", 1, "old"), ("I", 1, "new"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "new")]


@shared_scenario()
def test_insert_then_delete_of_one_key_in_one_file_leaves_nothing(people: SharedRows) -> Steps:
    people.write_load((9, "there"))
    people.write_changes("20201114-100000000", ("I", 1, "brief"), ("D", 1, "brief"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(9, "there")]


@shared_scenario()
def test_an_insert_of_a_known_key_replaces_the_row(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("I", 1, "Anna"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@shared_scenario()
def test_an_update_of_an_unknown_key_adds_the_row(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 2, "Bo"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo")]


@shared_scenario()
def test_a_delete_of_an_unknown_key_is_nothing(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("D", 2, "Bo"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann")]


@shared_scenario()
def test_a_deleted_key_comes_back_when_it_is_inserted_again(people: SharedRows) -> Steps:
    people.write_load((1, "first"))
    people.write_changes("20201114-100000000", ("D", 1, "first"))
    people.write_changes("20201115-100000000", ("I", 1, "second"))
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == []
    assert people.snapshot("2020-11-15") == [(1, "second")]


@shared_scenario()
def test_a_delete_after_an_insert_on_another_day_deletes(people: SharedRows) -> Steps:
    people.write_load((9, "there"))
    people.write_changes("20201114-100000000", ("I", 1, "Ann"))
    people.write_changes("20201115-100000000", ("D", 1, "Ann"))
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (9, "there")]
    assert people.snapshot("2020-11-15") == [(9, "there")]


@shared_scenario()
def test_changes_of_the_day_of_the_full_load_are_applied_to_it(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"))
    people.write_changes("20201113-080000000", ("U", 1, "Anna"), ("D", 2, "Bo"), ("I", 4, "Di"))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Anna"), (3, "Cy"), (4, "Di")]


@shared_scenario()
def test_the_current_table_has_the_newest_state(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201115-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), ("I", 3, "Cy"))
    yield Run("2020-11-14")
    assert people.current() == [(1, "Ann"), (2, "Bo")]
    yield Run("2020-11-15")
    assert people.current() == [(1, "Anna"), (3, "Cy")]


@shared_scenario()
def test_operations_may_be_written_in_lower_case(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("d", 1, "Ann"), ("u", 2, "Bob"), ("i", 3, "Cy"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(2, "Bob"), (3, "Cy")]


@shared_scenario()
def test_text_keeps_quotes_newlines_blanks_and_emoji(people: SharedRows) -> Steps:
    texts = [
        "it's", 'a "b"', "one\ntwo\r\n", "\\N", "NULL", "", " pad ", "\t", "🐑 żółć 日本", "\\",
    ]  # fmt: skip
    rows = list(enumerate(texts))
    people.write_load(*rows[:5])
    people.write_changes("20201114-100000000", *[("I", *row) for row in rows[5:]])
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == rows
