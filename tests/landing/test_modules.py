"""The modules of landing import only those that their README names before them."""

import re
from pathlib import Path

from pyspark_dms import landing

FOLDER = Path(landing.__file__).parent
LARGEST = 500


def test_a_module_imports_only_those_named_before_it() -> None:
    lines = re.findall(r"^\* (.*?):", (FOLDER / "README.md").read_text(), re.MULTILINE)
    places = {name: at for at, line in enumerate(lines) for name in re.findall(r"`(\w+)`", line)}
    found = {path.relative_to(FOLDER).parts[0].removesuffix(".py") for path in sources()}
    assert found == {*places, "__init__"}
    for path in sources():
        name = path.relative_to(FOLDER).parts[0].removesuffix(".py")
        for other in re.findall(r"^from pyspark_dms\.landing\.(\w+)", path.read_text(), re.M):
            assert places[other] <= places[name], f"{name} imports {other}"


def test_no_module_is_large() -> None:
    assert [path.name for path in sources() if path.read_text().count("\n") > LARGEST] == []


def sources() -> list[Path]:
    return sorted(FOLDER.rglob("*.py"))
