"""Names and texts as YAML that dbt renders has them, and as a message shows them."""

from __future__ import annotations

import json
import re

import yaml

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What may end a line, or what YAML does not take as it is.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def quoted(text: str) -> str:
    """A string of JSON, YAML and Jinja on one line.

    Letters stay as they are: neither YAML nor Jinja puts the two halves together by which JSON
    escapes what is beyond U+FFFF.
    """
    as_json = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", as_json)


def jinja_text(text: str) -> str:
    """A text that dbt, which renders declarations, takes as it stands."""
    return f"{{{{ {quoted(text)} }}}}" if re.search(r"\{[{%#]", text) else text


def yaml_name(name: str) -> str:
    """A name in YAML that is rendered by dbt: itself, or quoted."""
    if _PLAIN.fullmatch(name) and isinstance(yaml.safe_load(name), str):
        return name
    return quoted(jinja_text(name))


def in_one_line(text: str) -> str:
    """A text as a message shows it: what cannot be printed is escaped."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
