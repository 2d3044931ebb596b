"""How dbt and the macros of the project read the key ``csv`` of a declaration."""

from collections.abc import Mapping
from typing import Any

from dbt.clients.jinja import get_rendered

from pyspark_dms.reading.csv_format import CsvFormat
from tests.declaration.harness import Macros

_MACROS = Macros()
_KEYS = _MACROS.dms_keys()


def form_of(csv: Mapping[str, Any]) -> CsvFormat:
    """The form that is declared; dbt takes line ends away, and the macros know escapes."""
    given = {key: get_rendered(value, {}, native=True) if isinstance(value, str) else value
             for key, value in csv.items()}  # fmt: skip
    read = _MACROS._read_keys({"path": "/a", "primary_keys": [], "csv": given}, _KEYS)
    assert read["problems"] == []
    return CsvFormat(**read["filled"]["csv"])
