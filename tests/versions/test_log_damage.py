"""A version log that somebody has damaged: an error that names the object, and a way out."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.version_log import manifest_of
from pyspark_dms.errors import DmsError
from pyspark_dms.versions import log
from pyspark_dms.versions.log import TableVersions, Wanted, create
from pyspark_dms.versions.numbered import Outcome, checkpoint_of, object_name

LABEL, OTHER = "hr.people", "hr.teams"
RUN = Wanted("2999-12-31")
# The table has two whole objects behind its first one.
EARLY, LATE = (number for number in range(2, 60) if checkpoint_of("hr.people", number) == number)
AGE = LATE + 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The log of a table with an age, beside one that nobody damages."""
    for label, count in ((LABEL, AGE), (OTHER, 2)):
        for number in range(1, count + 1):
            create(str(tmp_path), manifest_of(label, number), "token")
    return tmp_path / LABEL


def error_of(folder: Path, wanted: Wanted = RUN) -> str:
    """The error about the damaged table; the other one is read as ever."""
    # As a metastore gives it.
    found = log.read(f"file:{folder.parent}", {LABEL: wanted, OTHER: RUN})
    problem, other = found[LABEL], found[OTHER]
    assert isinstance(problem, DmsError)
    assert isinstance(other, TableVersions)
    assert other.newest == 2
    return str(problem)


def read(folder: Path, wanted: Wanted = RUN) -> TableVersions:
    found = log.read(str(folder.parent), {LABEL: wanted})[LABEL]
    assert isinstance(found, TableVersions), found
    return found


def follow(advice: str) -> None:
    """Give the command that a message ends with."""
    command = advice.rpartition(" [E")[0].rpartition(": ")[2]
    subprocess.run(command, shell=True, check=True)


def commit_next(folder: Path) -> int:
    number = read(folder).next
    manifest = manifest_of(LABEL, number)
    assert create(str(folder.parent), manifest, "later") is Outcome.CREATED
    found = read(folder, Wanted(versions=(number,), lineage=True))
    assert found.newest == number
    assert found.manifests[number]["staged"] == manifest["staged"]
    assert found.lineage[-1]["version"] == number
    return number


def content_of(folder: Path, number: int) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / object_name(number)).read_text())
    return content


CUT = "was cut, or is no JSON"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[: len(text) // 2], CUT),
        (lambda text: "", CUT),
        (lambda text: "\0" * len(text), CUT),
        (lambda text: "[]", "is not of this project"),
        (lambda text: "{}", "is not of this project"),
        (lambda text: text.replace(f'"number":{AGE}', '"number":3'), "is the copy of another"),
        (lambda text: text.replace('"label":"hr.people"', '"label":"hr.teams"'), "is the copy of"),
    ],
)  # fmt: skip
def test_a_damaged_object_is_named_and_can_be_brought_back_or_given_up(
    folder: Path, tmp_path: Path, change: Any, said: str
) -> None:
    path = folder / object_name(AGE)
    whole = path.read_text()
    path.write_text(change(whole))
    problem = error_of(folder)
    assert problem.startswith(f"{LABEL}: {path} {said}")
    assert "Nothing was done with this table. Bring it back, from a backup" in problem
    assert problem.endswith("[E425]")
    with pytest.raises(DmsError, match=r"\[E425\]"):
        create(str(tmp_path), manifest_of(LABEL, AGE + 1), "token")
    path.write_text(whole)
    assert read(folder).newest == AGE
    path.write_text(change(whole))
    follow(problem)
    found = read(folder)
    assert (found.newest, found.next) == (AGE - 1, AGE + 1)
    assert commit_next(folder) == AGE + 1


@pytest.mark.parametrize("number", [1, EARLY, LATE, LATE - 3, AGE - 1])
def test_an_object_that_is_gone_is_named_and_can_be_brought_back_or_given_up(
    folder: Path, number: int
) -> None:
    path = folder / object_name(number)
    kept = shutil.move(path, folder.parent / "kept")
    problem = error_of(folder)
    assert problem.startswith(f"{LABEL}: {path} is gone. Nothing was done")
    shutil.move(kept, path)
    assert read(folder).newest == AGE
    shutil.move(path, kept)
    follow(problem)
    found = read(folder, Wanted("2999-12-31", after=0, lineage=True))
    # What builds on a lost checkpoint is as if it had never been made.
    lost = {1: range(1, EARLY), EARLY: range(EARLY, LATE), LATE: range(LATE, AGE + 1)}
    assert {*range(1, AGE + 1)}.difference(found.manifests) == {*lost.get(number, [number])}
    assert found.next == AGE + 1
    assert commit_next(folder) == AGE + 1
    assert commit_next(folder) == AGE + 2


def test_an_object_of_another_name_is_named_and_can_be_moved(folder: Path) -> None:
    for name in ("notes.txt", "99999996-v4.json", "99999997-v2.json.bak", "99999998-v01.json"):
        (folder / name).write_text("{}")
        problem = error_of(folder)
        assert problem == (
            f"{LABEL}: {folder}/{name} was put into the version log by hand. Nothing was done with "
            "this table. Move it to another folder. [E425]"
        )
        shutil.move(folder / name, folder.parent / name)
        assert read(folder).newest == AGE
    (folder / "sub").mkdir()
    assert f"{folder}/sub was put into" in error_of(folder)
    (folder / "sub").rmdir()
    (folder / ".DS_Store").touch()
    assert read(folder).newest == AGE


def test_an_object_of_a_newer_release_is_named(folder: Path) -> None:
    path = folder / object_name(AGE)
    path.write_text(json.dumps({**content_of(folder, AGE), "format": 2, "release": "9.1.0"}))
    assert error_of(folder) == (
        f"{LABEL}: {path} was written by release 9.1.0, in a format that release "
        f"{content_of(folder, 1)['release']} cannot read. Nothing was done with this table. "
        "Install that release. [E426]"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"new": {"staged": [[0, 999_999]]}},
        {"new": {"staged": "all"}},
        {"new": {"staged": [{"added": []}]}},
        {"new": "all"},
        {"new": {"staged": [[0, 1]]}, "from": None},
        {"from": {}},
        {"from": 5},
        {"current_version": "5"},
        {"current_version": 0},
    ],
)
def test_an_object_that_says_what_cannot_be_is_named(folder: Path, change: Any) -> None:
    path = folder / object_name(AGE)
    path.write_text(json.dumps({**content_of(folder, AGE), **change}))
    wanted = Wanted("2999-12-31", versions=(AGE,))
    assert f"{path} is damaged (" in error_of(folder, wanted)
    follow(error_of(folder, wanted))
    assert commit_next(folder) == AGE + 1


def test_a_version_whose_current_one_was_given_up_is_given_up_too(folder: Path) -> None:
    manifest = manifest_of(LABEL, AGE + 1) | {"current_version": AGE}
    assert create(str(folder.parent), manifest, "token") is Outcome.CREATED
    (folder / object_name(AGE)).rename(folder / object_name(AGE, "lost"))
    problem = error_of(folder)
    assert f"{LABEL}: number {AGE} was given up" in problem
    follow(problem)
    assert read(folder).newest == AGE - 1


def test_a_version_that_was_given_up_and_is_asked_for_is_named(folder: Path) -> None:
    (folder / object_name(3)).rename(folder / object_name(3, "lost"))
    problem = error_of(folder, Wanted(versions=(3, 1)))
    assert problem.startswith(f"{LABEL}: number 3 was given up ({folder / object_name(3, 'lost')}")
    assert problem.endswith(f"Bring {object_name(3)} back [E425]")
    (folder / object_name(3, "lost")).rename(folder / object_name(3))
    assert read(folder, Wanted(versions=(3,))).manifests[3]["version"] == 3


def test_a_version_that_was_never_made_is_named(folder: Path) -> None:
    assert error_of(folder, Wanted(versions=(AGE + 5,))) == (
        f"{LABEL}: there is no version {AGE + 5}; the newest is {AGE}. Nothing was done with this "
        "table. [E413]"
    )
