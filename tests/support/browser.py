"""What a real browser makes of a page."""

import os
import re
import shutil
import subprocess
from pathlib import Path

# Of the page's own time, not of ours: what a page of dbt needs to build itself.
_BUDGET_MS = 10_000


def dump(address: str, folder: Path) -> str:
    """The page as the browser has it after running whatever it would run.

    ``folder`` takes what the browser keeps.
    """
    return subprocess.run(
        [
            _chromium(), "--headless", "--no-sandbox", "--disable-gpu",
            f"--user-data-dir={folder}/profile", f"--virtual-time-budget={_BUDGET_MS}",
            "--dump-dom", address,
        ],
        capture_output=True, text=True, timeout=120, check=True,
        env=os.environ | {"HOME": str(folder)},
    ).stdout  # fmt: skip


def ask(page: Path, fragment: str, script: str, folder: Path) -> str:
    """What a script says that runs in the page when the page is ready, as JSON or text.

    It is added to a copy beside the page, whose policy would refuse it. ``script`` is an
    expression; ``fragment`` is the part of the address from ``#``.
    """
    copy = page.with_name(f"asked-{page.name}")
    # Behind the page's own scripts; a title is all that a dump tells for sure.
    question = f"<script>setTimeout(() => {{ document.title = {script}; }}, 5000)</script>"
    content = re.sub(r"<meta http-equiv=[^>]*>", "", page.read_text(encoding="utf-8"), count=1)
    copy.write_text(content + question, encoding="utf-8")
    found = title(dump(copy.as_uri() + fragment, folder))
    copy.unlink()
    return found


def title(dumped: str) -> str:
    """The title of a dumped page."""
    found = re.search(r"<title>([^<]*)</title>", dumped)
    assert found, dumped[:2000]
    return found[1].replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<")


def _chromium() -> str:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "no browser: install chromium (requirements/setup.sh does on Debian)"
    return found
