"""Where the marks of a table's plot go: rows at the end of each date, and what changed on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from pyspark_dms.pages.table_records import Version

# Of the drawing, in its own units: the two panels share their width and their dates.
WIDTH, ROWS_HEIGHT, CHANGES_HEIGHT = 640, 150, 90
_LABEL_WIDTH = 90
_WIDEST_BAR = 22


@dataclass(frozen=True)
class Mark:
    """One date: ``x`` and ``rows_y`` of its point, and its bars as (class, y, height)."""

    run_date: str
    x: float
    rows_y: float
    bars: tuple[tuple[str, float, float], ...]
    version: Version
    has_label: bool


@dataclass(frozen=True)
class Plot:
    """A plot with two panels; each y counts from the top of its panel.

    Attributes:
        marks: one per date, oldest first.
        most_rows: what the top of the upper panel means, in rows.
        most_added, most_deleted: what top and bottom of the lower panel mean, in rows.
        zero_y: the line between them.
        bar_width: of every bar.
    """

    marks: tuple[Mark, ...]
    most_rows: int
    most_added: int
    most_deleted: int
    zero_y: float
    bar_width: float


def plot_of(shown: Sequence[tuple[str, Version]]) -> Plot:
    """Lay out a plot of at least one date, oldest first.

    A version that was built from all of its files has no bars: nothing changed, it began.
    """
    days = [date.fromisoformat(run_date).toordinal() for run_date, _ in shown]
    span = max(days[-1] - days[0], 1)
    bar_width = max(1.0, min(_WIDEST_BAR, 0.7 * WIDTH / (span + 1)))
    changes = [_changes(version) for _, version in shown]
    most_rows = _round_up(max(version.rows_after for _, version in shown))
    most_added = max(inserted + updated for inserted, updated, _ in changes)
    most_deleted = max(deleted for *_, deleted in changes)
    per_row = CHANGES_HEIGHT / max(most_added + most_deleted, 1)
    zero_y = most_added * per_row if most_added + most_deleted else CHANGES_HEIGHT / 2
    marks: list[Mark] = []
    free_from = 0.0
    for place, ((run_date, version), day) in enumerate(zip(shown, days, strict=True)):
        inserted, updated, deleted = (count * per_row for count in changes[place])
        bars = (
            ("inserted", zero_y - inserted, inserted),
            ("updated", zero_y - inserted - updated, updated),
            ("deleted", zero_y, deleted),
        )
        # Half a bar from the edges, so that the first and the last are whole.
        x = bar_width / 2 + (day - days[0]) / span * (WIDTH - bar_width)
        marks.append(
            Mark(
                run_date=run_date,
                x=x,
                rows_y=ROWS_HEIGHT * (1 - version.rows_after / most_rows),
                bars=tuple(bar for bar in bars if bar[2]),
                version=version,
                has_label=x >= free_from,
            )
        )
        if x >= free_from:
            free_from = x + _LABEL_WIDTH
    return Plot(tuple(marks), most_rows, most_added, most_deleted, zero_y, bar_width)


def _changes(version: Version) -> tuple[int, int, int]:
    if version.action not in ("merge", "backfill"):
        return (0, 0, 0)
    return version.rows_inserted, version.rows_updated, version.rows_deleted


def _round_up(count: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50 … that is not below a count."""
    step: int = 10 ** max(len(str(count)) - 1, 0)
    return next(step * factor for factor in (1, 2, 5, 10) if step * factor >= count)
