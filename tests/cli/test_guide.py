"""The guide as pages: docs/, built by MkDocs and opened in a browser from its folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.browser import ask, dump
from tests.support.engines import REPOSITORY


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guide")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(guide: Path) -> None:
    pages = list(guide.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?([^\" >]+)", text)
        loaded += re.findall(r"<link[^>]* rel=\"?stylesheet\"?[^>]* href=\"?([^\" >]+)", text)
        assert [one for one in loaded if "//" in one] == [], page


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("rollback", "operations.html"),
        ("null_value", "dms.html"),
        ("E208", "errors.html"),
        ("zzyzx", ""),
    ],
)
def test_the_search_finds_what_users_ask_for(
    guide: Path, tmp_path: Path, word: str, page: str
) -> None:
    results = "[...document.querySelectorAll('.md-search-result__link')].map(a => a.href).join(' ')"
    found = ask(guide / "index.html", f"?q={word}", results, tmp_path)
    assert page in found if page else "html" not in found, found


def test_a_page_shows_its_headings_beside_it(guide: Path, tmp_path: Path) -> None:
    shown = dump((guide / "how-to/operations.html").as_uri(), tmp_path)
    assert "The rollback was a mistake" in shown
