"""The one exception of this package for what a person has to fix."""

from __future__ import annotations

import re
from collections.abc import Sequence

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

    def with_others(self, others: Sequence[DmsError]) -> DmsError:
        """This error with the texts of others behind its own; the number stays."""
        number, text = self.args
        return type(self)(number, "\n".join([text, *(other.args[1] for other in others)]))

    def __str__(self) -> str:
        number, text = self.args
        # Several lines may end with a list, a command or a log: the number has a line of its own.
        space = "\n" if "\n" in text else " "
        return f"{text.rstrip()}{space}[{number}]"


def sentences(*parts: str) -> str:
    """The text of an error: what is wrong, what was not done, what to do; empty parts are left out.

    Each part becomes a sentence. Behind a list that has a line for each entry, the rest has a line
    of its own.
    """
    said = [part.strip() for part in parts if part.strip()]
    ended = (part if part[-1] in ".!?" else f"{part}." for part in said)
    return ("\n" if said and "\n" in said[0] else " ").join(ended)


def raise_all(errors: Sequence[DmsError]) -> None:
    """Raise what can be corrected in one go as one error; nothing if there is none.

    Args:
        errors: in their order; the number is that of the first.

    Raises:
        DmsError: the only error, or one with the texts of all, each on lines of its own.
    """
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise errors[0].with_others(errors[1:])
