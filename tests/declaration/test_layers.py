"""The folders of the macros are layers: each calls only those before it, and stays small."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LAYERS = (
    "utils", "declaration", "versions", "landing", "staging", "merge", "checks",
    "feed", "publish", "history", "operations", "report", "materializations",
)  # fmt: skip
BESIDE = {"generic_tests", "overrides"}
MOST_FILES = 25
WIDEST = 120
BLOCK = re.compile(r"{%-?\s*(macro|materialization|test)\s+(\w+)(.*?){%-?\s*end\1", re.DOTALL)


def sources() -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in sorted(REPOSITORY.glob("macros/*/*.sql"))}


def upward_calls(texts: dict[Path, str]) -> list[str]:
    """Calls from a layer to a later one."""
    blocks = {
        (path.parent.name, name): body
        for path, text in texts.items()
        for _, name, body in BLOCK.findall(re.sub(r"{#.*?#}", "", text, flags=re.DOTALL))
    }
    layer_of = {name: layer for layer, name in blocks if layer in LAYERS}
    return [
        f"{layer}: {name} calls {called} of {layer_of[called]}"
        for (layer, name), body in blocks.items()
        if layer in LAYERS
        for called in sorted(set(re.findall(r"\b(\w+)\(", body)) & set(layer_of))
        if LAYERS.index(layer_of[called]) > LAYERS.index(layer)
    ]


def test_every_folder_of_macros_is_a_layer_or_stands_beside_them() -> None:
    folders = {path.parent.name for path in sources()}
    assert folders == {*LAYERS, *BESIDE}


def test_no_layer_calls_a_later_one() -> None:
    assert upward_calls(sources()) == []


def test_a_call_of_a_later_layer_is_found() -> None:
    texts = {
        Path("macros/utils/low.sql"): "{% macro low() %}{# high() #}{% do high(1) %}{% endmacro %}",
        Path("macros/report/high.sql"): "{% macro high(x) %}{% do low() %}{% endmacro %}",
    }
    assert upward_calls(texts) == ["utils: low calls high of report"]


def unqualified_calls(macros: str, text: str) -> list[str]:
    """Calls of a macro of ours without the package's name: another project would not find it."""
    names = set(re.findall(r"{%-?\s*macro\s+(\w+)", macros)) - {"spark__get_test_sql"}
    code = re.sub(r"{#.*?#}|{%-?\s*(macro|test)\s+\w+", "", text, flags=re.DOTALL)
    return [name for name in re.findall(r"(?<![\w.])(\w+)\(", code) if name in names]


def test_macros_call_each_other_by_the_name_of_the_package() -> None:
    macros = "".join(sources().values())
    texts = [
        *sorted(REPOSITORY.glob("macros/*/*.sql")),
        *sorted(REPOSITORY.glob("models/**/*.sql")),
        *sorted(REPOSITORY.glob("models/**/*.yml")),
        *sorted(REPOSITORY.glob("data-tests/*.sql")),
        REPOSITORY / "dbt_project.yml",
    ]
    found = {path.name: unqualified_calls(macros, path.read_text("utf-8")) for path in texts}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_a_call_without_the_name_of_the_package_is_found() -> None:
    macros = "{% macro low() %}{% endmacro %}{% macro high() %}{% do low() %}{% endmacro %}"
    assert unqualified_calls(macros, macros) == ["low"]
    assert unqualified_calls(macros, "{# low() #}{{ dms_snapshots.low() }}{{ pack.low() }}") == []


@pytest.mark.parametrize("folder", [*LAYERS, *sorted(BESIDE)])
def test_a_folder_of_macros_is_small_and_says_what_it_may_call(folder: str) -> None:
    files = list((REPOSITORY / "macros" / folder).glob("*.sql"))
    assert len(files) <= MOST_FILES
    assert (REPOSITORY / "macros" / folder / "README.md").is_file()


def test_no_line_of_a_macro_is_too_wide() -> None:
    wide = [
        f"{path.name}: {line}"
        for path, text in sources().items()
        for line in text.splitlines()
        if len(line) > WIDEST
    ]
    assert wide == []
