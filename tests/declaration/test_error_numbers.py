"""Every error that a user can meet has a number, and errors.yml says what it means."""

import ast
import pickle
import re
from collections import Counter
from pathlib import Path

import yaml

from pyspark_dms.errors import DmsError

REPOSITORY = Path(__file__).resolve().parents[2]
CATALOGUE = REPOSITORY / "python_hooks/pyspark_dms/errors.yml"
NUMBER = re.compile(r"E\d{3}")
# Macros that take a number, and the names of the exception.
CALL = re.compile(r"dms_snapshots\.(?:fail|error_text|_fail_for_changes)\(\s*([^\s,)]+)")
RAISED = {"DmsError", "TableError"}


def numbers_of_macros() -> dict[str, str]:
    """The first argument of each call of `fail`, by file and line."""
    found = {}
    for path in sorted((REPOSITORY / "macros").rglob("*.sql")):
        text = path.read_text(encoding="utf-8")
        for call in CALL.finditer(text):
            line = text[: call.start()].count("\n") + 1
            found[f"{path.relative_to(REPOSITORY)}:{line}"] = call[1]
    return found


def numbers_of_python() -> dict[str, str]:
    """The first argument of each `DmsError`, by file and line."""
    found = {}
    for path in sorted((REPOSITORY / "python_hooks").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in RAISED:
                place = f"{path.relative_to(REPOSITORY)}:{node.lineno}"
                found[place] = ast.unparse(node.args[0]).replace("'", '"')
    return found


def catalogue() -> list[str]:
    """Its numbers as they stand in the file, where YAML would keep the last of two."""
    return re.findall(r"^    (\w+):$", CATALOGUE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_error_has_a_number_of_the_catalogue() -> None:
    raised = numbers_of_macros() | numbers_of_python()
    assert len(raised) > 150
    known = {f'"{number}"' for number in catalogue()}
    wrong = {place: given for place, given in raised.items() if given not in known}
    # Those that hand on what they were given.
    handed_on = sorted(place for place, given in wrong.items() if given == "number")
    places = ["macros/checks/check_changes.sql", "macros/utils/fail.sql"]
    assert [place.split(":")[0] for place in handed_on] == places
    assert sorted(wrong) == handed_on


def test_no_macro_stops_with_an_error_in_another_way() -> None:
    stopping = [
        path.name
        for path in sorted((REPOSITORY / "macros").rglob("*.sql"))
        if "raise_compiler_error" in path.read_text(encoding="utf-8")
    ]
    assert stopping == ["fail.sql"]


def test_an_error_that_spark_raises_has_a_number_too() -> None:
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted((REPOSITORY / "macros").rglob("*.sql"))
    }
    raising = {name: text for name, text in texts.items() if "raise_error(" in text}
    assert [*raising] == ["create_files_view.sql", "publish_newer.sql"]
    known = catalogue()
    for name, text in raising.items():
        found = re.search(r"\[(E\d{3})\]|error_text\(\s*\"(E\d{3})\"", text)
        assert found, name
        assert (found[1] or found[2]) in known, name


def test_every_number_of_the_catalogue_is_used_and_there_once() -> None:
    used = {*numbers_of_macros().values(), *numbers_of_python().values()}
    assert [number for number in catalogue() if f'"{number}"' not in used] == []
    assert [number for number, count in Counter(catalogue()).items() if count > 1] == []


def test_the_catalogue_is_sorted_and_says_what_each_number_means() -> None:
    groups = yaml.safe_load(CATALOGUE.read_text(encoding="utf-8"))
    errors = {number: error for group in groups for number, error in group["errors"].items()}
    assert list(errors) == sorted(catalogue())
    for digit, group in enumerate(groups, start=1):
        assert {number[:2] for number in group["errors"]} == {f"E{digit}"}, group["name"]
    for number, error in errors.items():
        assert NUMBER.fullmatch(number), number
        assert len(error["title"].split()) <= 10, number
        assert error["text"].endswith((".", ":")), number
    titles = Counter(error["title"] for error in errors.values())
    assert [title for title, count in titles.items() if count > 1] == []


def test_an_error_ends_with_its_number() -> None:
    assert str(DmsError("E420", "Nothing is published.")) == "Nothing is published. [E420]"
    assert str(DmsError("E114", "Remove:\n  a.sql\n")) == "Remove:\n  a.sql\n[E114]"


def test_an_error_around_another_ends_with_the_number_of_the_other_only() -> None:
    inner = DmsError("E204", "hr.people: files are gone. Put them back.")
    outer = DmsError("E654", f"{inner} Until then nothing is compared.")
    assert str(outer) == (
        "hr.people: files are gone. Put them back. Until then nothing is compared. [E204]"
    )
    assert str(DmsError("E602", str(outer))) == str(outer)


def test_an_error_is_the_same_behind_a_worker_of_spark() -> None:
    error = DmsError("E208", "cannot be read:\n  a row")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
