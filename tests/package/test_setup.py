"""The script that makes the environment."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_scripts_compare_texts_and_not_patterns() -> None:
    # Without quotes the brackets of "[GCC 12.2.0]" would be a set of letters, which it never has.
    scripts = [*ROOT.glob("requirements/*.sh"), *ROOT.glob("deploy/*.sh"), ROOT / ".ci/run"]
    assert ROOT / "requirements/setup.sh" in scripts
    for script in scripts:
        found = re.findall(r"\[\[.* (?:!=|==) \$.*", script.read_text(encoding="utf-8"))
        assert not found, (script, found)
