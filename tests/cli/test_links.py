"""The documents name files and headings that are there."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for path in (*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"))
)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_INDENTED_CODE = re.compile(r"^    .*$", re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_of_a_document_leads_somewhere(name: str) -> None:
    document = REPOSITORY / name
    for target, anchor in _LINK.findall(
        _INDENTED_CODE.sub("", document.read_text(encoding="utf-8"))
    ):
        path = document.parent / target if target else document
        assert path.exists(), f"{name} names {target}"
        assert not anchor or anchor in anchors(path), f"{name} names {target}#{anchor}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_command_block_is_inside_of_a_list(name: str) -> None:
    """MkDocs would show it as text."""
    is_list = False
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    for before, line in pairwise(["", *lines]):
        if re.match(r"\s*([*-]|\d+\.) ", line) and not (line.startswith("    ") and not is_list):
            is_list = True
        elif line.startswith("  "):
            assert before or not is_list, f"{name}: {line}"
        elif line:
            is_list = False


def test_the_files_to_edit_are_there() -> None:
    text = (REPOSITORY / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    table = text[text.index("## To change X") :]
    named = re.findall(r"`(\w+/[\w/]+\.(?:py|sql|yml))`", table)
    assert len(named) > 20
    roots = ("python_hooks/pyspark_dms", "macros", "")
    gone = [one for one in named if not any((REPOSITORY / root / one).is_file() for root in roots)]
    assert gone == []


def test_the_readme_is_short() -> None:
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
