"""The one exception of this package for what a person has to fix."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\s*\[(E\d{3})\]")


class DmsError(Exception):
    """Something in the declaration, the files or the settings that only a person can fix.

    Its text ends with its number in brackets. Where it holds the text of another error, it has the
    number of that one: the cause.

    Args:
        number: what kind of problem it is, such as E208; ``errors.yml`` says what it means.
        text: names the table or file, the value, what is allowed and the way out.
    """

    def __init__(self, number: str, text: str) -> None:
        inner = _NUMBER.findall(text)
        super().__init__(inner[0] if inner else number, _NUMBER.sub("", text))

    def __str__(self) -> str:
        number, text = self.args
        # Several lines may end with a list, a command or a log: the number has a line of its own.
        space = "\n" if "\n" in text else " "
        return f"{text.rstrip()}{space}[{number}]"
