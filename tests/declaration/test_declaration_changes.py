"""What a difference between two declarations means for what was made under the earlier one."""

from collections.abc import Mapping
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError

from tests.declaration.harness import Macros, graph_of, source

COLUMNS = {"id": "int", "part": "int", "name": "string"}
KEYED = {"path": "/dms/hr/people/", "primary_keys": ["id"]}


def facts(columns: Mapping[str, str] = COLUMNS, renamed: Any = None, **dms: Any) -> dict[str, Any]:
    """The facts of a declaration as they come back from where they were kept."""
    node = source("hr", "people", {**KEYED, **dms}, columns)
    for name, earlier in (renamed or {}).items():
        node["columns"][name]["meta"] = {"dms": {"renamed_from": earlier}}
    macros = Macros(graph_of(node))
    return macros.fromjson(macros.tojson(macros.declared_facts(macros.declaration("hr", "people"))))


def changes(then: Any, now: Any, use: str, **more: Any) -> dict[str, tuple[str, str]]:
    """Severity and message of each change, by its name."""
    found = Macros().declaration_changes(then, now, use, **more)
    assert len({change["change"] for change in found}) == len(found)
    return {change["change"]: (change["severity"], change["message"]) for change in found}


def severities(then: Any, now: Any, use: str, **more: Any) -> dict[str, str]:
    return {name: change[0] for name, change in changes(then, now, use, **more).items()}


BASE = facts()
NICKS = {"id": "int", "part": "int", "nick": "string"}
MORE = {**COLUMNS, "city": "string"}
LESS = {"id": "int", "part": "int"}
USES = ("build_on", "full_history", "history")


# -------------------------------------------------------------------- facts and fingerprint


def test_facts_name_columns_in_their_order_with_their_types() -> None:
    assert facts({"id": "INT", "paid": "Decimal(10, 2)"})["columns"] == [
        ["id", "int"], ["paid", "decimal(10,2)"],
    ]  # fmt: skip


def test_facts_have_the_start_date_as_text_and_the_layout_in_words() -> None:
    found = facts(cdc_start_date="2020-11-14", history=False)
    assert (found["cdc_start_date"], found["layout"]) == ("2020-11-14", "current state only")


def test_facts_have_the_earlier_names_of_columns_and_the_settings_of_staging() -> None:
    found = facts(NICKS, {"nick": ["name"]}, op_column="Operation")
    assert found["renamed_from"] == {"nick": ["name"]}
    assert found["settings"]["op_column"] == "Operation"
    assert "on_bad_row" not in found["settings"]


def test_a_fingerprint_is_twelve_characters_and_does_not_depend_on_the_order_of_keys() -> None:
    print_of = Macros().fingerprint
    assert len(print_of(BASE)) == 12
    assert print_of(BASE) == print_of(dict(reversed(BASE.items())))


def test_a_fingerprint_changes_with_a_column_a_key_and_a_setting() -> None:
    several = [BASE, facts(LESS), facts(primary_keys=["id", "part"]), facts(op_column="O")]
    several.append(facts(dict(reversed(COLUMNS.items()))))
    assert len({Macros().fingerprint(found) for found in several}) == 5


def test_a_comment_or_a_limit_is_no_part_of_a_fingerprint() -> None:
    node = source("hr", "people", {**KEYED, "max_delete_fraction": 0.5, "retention": 9}, COLUMNS)
    node["columns"]["name"]["description"] = "Full name."
    macros = Macros(graph_of(node))
    other = macros.declared_facts(macros.declaration("hr", "people"))
    assert macros.fingerprint(other) == macros.fingerprint(BASE)


# ------------------------------------------------------------------------------- every use


@pytest.mark.parametrize("use", USES)
def test_the_same_declaration_changes_nothing(use: str) -> None:
    assert changes(BASE, facts(), use) == {}


@pytest.mark.parametrize("use", USES)
def test_names_that_differ_in_case_alone_are_the_same(use: str) -> None:
    now = facts({"ID": "int", "Part": "int", "NAME": "string"}, primary_keys=["ID"])
    assert changes(BASE, now, use) == changes(now, BASE, use) == {}


@pytest.mark.parametrize("use", USES)
def test_what_is_not_known_of_the_earlier_declaration_changes_nothing(use: str) -> None:
    assert changes(None, BASE, use) == {}


@pytest.mark.parametrize("use", USES)
def test_another_type_is_left_to_the_tables_themselves(use: str) -> None:
    assert changes(BASE, facts({**COLUMNS, "part": "bigint"}), use) == {}


# ---------------------------------------------------------------------- build on a version


def test_a_version_of_another_key_is_not_built_on() -> None:
    now = facts(primary_keys=["id", "part"])
    assert changes(BASE, now, "build_on") == {
        "keys": ("error", "primary_keys were id and are id, part")
    }


def test_a_version_without_a_key_says_none() -> None:
    found = changes(facts(primary_keys=[]), BASE, "build_on")
    assert found == {"keys": ("error", "primary_keys were none and are id")}


def test_a_version_whose_key_has_another_order_is_built_on() -> None:
    then, now = facts(primary_keys=["part", "id"]), facts(primary_keys=["id", "part"])
    assert changes(then, now, "build_on") == {}


def test_a_version_is_not_built_on_if_columns_are_gone_and_others_new() -> None:
    severity, message = changes(BASE, facts(NICKS, {"nick": ["name"]}), "build_on")["renamed"]
    assert severity == "error"
    assert message == "columns name are gone and nick are new; they may be renamed columns"


def test_a_version_that_has_a_renamed_column_under_both_names_is_not_built_on() -> None:
    then = facts({**COLUMNS, "nick": "string"})
    severity, message = changes(then, facts(NICKS, {"nick": ["NAME"]}), "build_on")["reused_name"]
    assert severity == "error"
    assert message == "column nick has renamed_from NAME, which was a column of its own"


def test_a_column_that_keeps_its_name_while_files_have_a_new_one_is_built_on() -> None:
    assert changes(BASE, facts(renamed={"name": ["nick"]}), "build_on") == {}


def test_a_new_column_is_warned_of_and_built_on() -> None:
    severity, message = changes(BASE, facts(MORE), "build_on")["new"]
    assert (severity, message.split(".")[0]) == ("warning", "new columns: city")


def test_a_column_that_is_gone_is_warned_of_and_built_on() -> None:
    severity, message = changes(BASE, facts(LESS), "build_on")["gone"]
    assert severity == "warning"
    assert message.startswith("columns no longer declared: name")


def test_a_version_of_another_start_date_is_not_built_on() -> None:
    then = facts(cdc_start_date="2020-11-14")
    assert changes(then, BASE, "build_on") == {
        "cdc_start_date": ("error", "cdc_start_date was 2020-11-14 and is none")
    }


def test_a_version_of_other_settings_or_another_layout_is_built_on() -> None:
    now = facts(op_column="O", image="partial", history=False, csv={"delimiter": ";"})
    assert changes(BASE, now, "build_on") == {}


# ------------------------------------------------------------------- merge with full history


def test_changes_that_were_staged_under_another_key_than_published_are_not_merged() -> None:
    then, applied = facts(primary_keys=["id", "part"]), BASE
    assert changes(then, BASE, "full_history", applied=applied) == {
        "applied_keys": ("error", "primary_keys were id when published and id, part when staged")
    }


def test_the_key_of_published_changes_may_have_had_another_order() -> None:
    then, applied = facts(primary_keys=["id", "part"]), facts(primary_keys=["part", "id"])
    assert changes(then, applied, "full_history", applied=applied) == {}


def test_changes_that_lack_a_published_column_are_not_merged() -> None:
    found = changes(facts(LESS), BASE, "full_history", applied=BASE)
    assert found == {
        "lost": ("error", "columns name were published and are not in these staged changes")
    }


def since(*staged: Any, now: Any = BASE) -> dict[str, list[str]]:
    found = Macros().columns_since([*staged], now)
    return {name: sorted(columns) for name, columns in found.items()}


def reading(then: Any, on_schema_change: str) -> Any:
    return {**then, "reading": {**then["reading"], "on_schema_change": on_schema_change}}


def test_changes_of_files_that_cannot_have_had_a_column_are_merged() -> None:
    found = since(facts(LESS))
    assert changes(facts(LESS), BASE, "full_history", applied=BASE, since=found) == {}


def test_changes_that_lack_a_column_that_was_dropped_in_between_are_not_merged() -> None:
    found = since(BASE, facts(LESS))
    dropped = changes(facts(LESS), BASE, "full_history", applied=facts(LESS), since=found)
    assert dropped.keys() == {"lost"}
    assert changes(BASE, BASE, "full_history", applied=facts(LESS), since=found) == {}


def test_a_column_is_new_if_it_is_in_no_folder_before_and_in_each_after() -> None:
    all_of_them = {"new": ["id", "name", "part"], "again": []}
    assert since(facts(LESS)) == since(facts(LESS), BASE, BASE) == all_of_them
    assert since(reading(facts(LESS), "append_new_columns"), BASE) == all_of_them
    spelled = facts({"id": "int", "part": "int", "Name": "string"})
    assert since(facts(LESS), now=spelled) == all_of_them


def test_a_column_that_was_dropped_in_between_is_there_again() -> None:
    dropped = {"new": ["id", "part"], "again": ["name"]}
    assert since(BASE, facts(LESS)) == since(facts(LESS), BASE, facts(LESS)) == dropped


@pytest.mark.parametrize(
    "then",
    [
        None,
        reading(facts(LESS), "ignore"),
        {**facts(LESS), "reading": None},
        facts(LESS, timestamp_column="Name"),
        facts(LESS, op_column="name"),
        facts(LESS, change_seq_column="name"),
        facts(LESS, before_image_prefix="NA", timestamp_column="at"),
    ],
)
def test_a_column_that_files_may_have_had_is_not_new(then: Any) -> None:
    assert "name" not in since(then)["new"]


def test_a_column_with_an_earlier_name_is_not_new() -> None:
    renamed = facts(NICKS, {"nick": ["name"]})
    assert "nick" not in since(facts(LESS), now=renamed)["new"]
    assert "nick" not in since(facts(LESS), renamed, now=facts(NICKS))["new"]


def test_changes_that_lack_a_published_column_that_is_no_longer_declared_are_merged() -> None:
    assert changes(facts(LESS), facts(LESS), "full_history", applied=BASE) == {}


def test_changes_from_before_a_column_was_declared_are_merged() -> None:
    assert changes(BASE, facts(MORE), "full_history", applied=BASE) == {}
    assert changes(BASE, facts(MORE), "full_history") == {}


def test_partial_rows_are_not_merged_as_whole_ones() -> None:
    found = changes(facts(image="partial"), BASE, "full_history")
    assert found == {"full_history_setting": ("error", "image was partial and is full")}


def test_whole_and_partial_rows_are_merged_as_partial_ones() -> None:
    partial = facts(image="partial")
    assert changes(BASE, partial, "full_history") == {}
    assert changes(partial, partial, "full_history") == {}


def test_changes_with_before_images_are_not_merged_without() -> None:
    then = facts(before_image_prefix="BI_", timestamp_column="at")
    found = changes(then, facts(timestamp_column="at"), "full_history")
    assert found == {"full_history_setting": ("error", "before_image_prefix was BI_ and is none")}


def test_changes_without_a_time_are_not_merged_with_before_images() -> None:
    now = facts(before_image_prefix="BI_", timestamp_column="at")
    found = changes(BASE, now, "full_history")
    assert found == {"full_history_setting": ("error", "timestamp_column was none and is at")}


def test_times_of_another_column_are_merged_with_before_images() -> None:
    then, now = (facts(before_image_prefix="BI_", timestamp_column=name) for name in ("at", "on"))
    assert changes(then, now, "full_history") == {}


def test_times_of_another_column_have_no_common_order() -> None:
    then, now = (facts(order_by="timestamp", timestamp_column=name) for name in ("at", "on"))
    assert changes(then, now, "full_history") == {
        "full_history_setting": ("error", "timestamp_column was at and is on")
    }
    assert changes(facts(timestamp_column="AT"), then, "full_history") == {}


def test_times_of_another_zone_have_no_common_order() -> None:
    by_time: dict[str, Any] = {"order_by": "timestamp", "timestamp_column": "at"}
    now = facts(**by_time, timestamp_timezone="Europe/Berlin")
    assert changes(facts(**by_time), now, "full_history") == {
        "full_history_setting": ("error", "timestamp_timezone was UTC and is Europe/Berlin")
    }


def test_times_do_not_matter_in_the_order_of_files() -> None:
    now = facts(timestamp_column="on", timestamp_timezone="Europe/Berlin")
    assert changes(facts(timestamp_column="at"), now, "full_history") == {}


@pytest.mark.parametrize(
    "setting",
    [{"order_by": "change_seq"}, {"primary_keys": []}, {"before_image_prefix": "BI_"}],
)
def test_sequences_of_another_column_have_no_common_order(setting: dict[str, Any]) -> None:
    then, now = (facts(**setting, change_seq_column=name) for name in ("seq", "lsn"))
    assert changes(then, now, "full_history") == {
        "full_history_setting": ("error", "change_seq_column was seq and is lsn")
    }
    without = {**then, "settings": {**then["settings"], "change_seq_column": None}}
    message = changes(without, now, "full_history")["full_history_setting"][1]
    assert message == "change_seq_column was none and is lsn"


def test_sequences_do_not_matter_in_the_order_of_files() -> None:
    then, now = facts(change_seq_column="seq"), facts(change_seq_column="lsn")
    assert changes(then, now, "full_history") == {}


def test_a_sequence_that_is_no_longer_declared_does_no_harm() -> None:
    then, now = facts(primary_keys=[], change_seq_column="seq"), facts(primary_keys=[])
    assert changes(then, now, "full_history") == {}


def test_a_full_load_is_merged_whatever_its_settings_were() -> None:
    then, now = facts(image="partial"), facts(order_by="timestamp", timestamp_column="at")
    assert len(Macros().declaration_changes(then, now, "full_history")) == 2
    assert changes(then, now, "full_history", is_whole=True) == {}


def test_a_full_load_of_another_key_than_published_is_not_merged() -> None:
    then = facts(primary_keys=["id", "part"])
    found = severities(then, BASE, "full_history", is_whole=True, applied=BASE)
    assert found == {"applied_keys": "error"}


# ----------------------------------------------------------------------------------- history


def test_a_history_is_not_continued_under_another_key() -> None:
    now = facts(primary_keys=["id", "part"])
    assert changes(BASE, now, "history") == {
        "history_keys": ("error", "primary_keys were id and are id, part")
    }
    assert severities(now, BASE, "history") == {"history_keys": "error"}


def test_a_history_is_continued_under_the_new_name_of_its_key() -> None:
    columns = {"no": "int", "part": "int", "name": "string"}
    renamed = facts(columns, {"no": ["number", "ID"]}, primary_keys=["no"])
    assert changes(BASE, renamed, "history") == {}
    other = facts(columns, {"no": ["number"]}, primary_keys=["no"])
    assert severities(BASE, other, "history") == {"history_keys": "error"}


# --------------------------------------------------------------------------------- the rules


def test_every_rule_is_of_a_known_use_and_severity() -> None:
    for _, found, message in Macros()._change_rules():
        assert set(found) <= set(USES)
        assert set(found.values()) <= {"error", "warning"}
        assert len(message.split()) <= 25


def test_a_name_with_braces_is_told_as_it_is() -> None:
    message = changes(BASE, facts({**COLUMNS, "{was}": "int"}), "build_on")["new"][1]
    assert message.startswith("new columns: {was}. ")


def test_an_error_has_a_full_stop_behind_each_part_and_its_number_last() -> None:
    fail = Macros().fail
    # None, where a part is given behind it, stands for the words of the default.
    for what, fix in (("it is wrong", "Mend it"), ("it is wrong.", "Mend it. ")):
        with pytest.raises(CompilationError) as raised:
            fail("E502", "hr.people", what, None, fix)
        assert raised.value.msg == (
            "hr.people: it is wrong. Nothing of this table was published. Mend it. [E502]"
        )


def test_an_error_of_no_table_has_its_own_words_and_a_list_keeps_its_lines() -> None:
    with pytest.raises(CompilationError) as raised:
        Macros().fail("E115", None, "two things:\n  one\n  two", "Nothing was run", "")
    assert raised.value.msg == "two things:\n  one\n  two.\nNothing was run.\n[E115]"


@pytest.mark.parametrize("key", ["trim", "lower", "unaccent"])
def test_columns_that_are_folded_since_stop_a_version_on_what_was_not(key: str) -> None:
    named: dict[str, Any] = {key: ["name"]}
    folded = facts(**named)
    for use in ("build_on", "full_history"):
        found = changes(BASE, folded, use)
        assert found["folded"] == ("error", f"{key} was none and is name")
    assert changes(folded, folded, "build_on") == {}


def test_what_few_tables_declare_leaves_the_facts_of_others_as_they_were() -> None:
    rare = {"trim", "lower", "unaccent", "shard_column", "on_time_out_of_range"}
    assert not rare & BASE["settings"].keys()
