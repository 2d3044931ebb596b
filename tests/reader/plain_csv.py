"""A reader of CSV that takes one character after the other: slow, and plain enough to believe."""

from collections.abc import Iterator

Field = str | None


class NotCsv(Exception):
    """The text breaks a rule of RFC 4180."""


def read_rows(
    text: str, delimiter: str, row_delimiter: str, quote: str | None, null_value: str
) -> Iterator[list[Field]]:
    """The rows of a text, NULL as None; without ``quote`` nothing is quoted."""
    place = 0
    while place < len(text):
        row: list[Field] = []
        while True:
            field, place = _field(text, place, delimiter, row_delimiter, quote, null_value)
            row.append(field)
            if not text.startswith(delimiter, place):
                break
            place += len(delimiter)
        place += len(row_delimiter)
        yield row


def _field(
    text: str, place: int, delimiter: str, row_delimiter: str, quote: str | None, null_value: str
) -> tuple[Field, int]:
    def at_end(place: int) -> bool:
        return place >= len(text) or text.startswith((delimiter, row_delimiter), place)

    value = ""
    if quote is not None and text.startswith(quote, place):
        place += 1
        while True:
            if place >= len(text):
                raise NotCsv("a quote is not closed")
            if text.startswith(quote * 2, place):
                value += quote
                place += 2
            elif text.startswith(quote, place):
                place += 1
                break
            else:
                value += text[place]
                place += 1
        if not at_end(place):
            raise NotCsv("text behind a closing quote")
        return value, place
    while not at_end(place):
        if text[place] == quote:
            raise NotCsv("a quote inside an unquoted field")
        value += text[place]
        place += 1
    return None if value == null_value else value, place
