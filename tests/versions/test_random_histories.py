"""Random histories of versions give what a plain replay of the same commands gives.

``DMS_HISTORIES`` asks for more of them, ``DMS_HISTORIES_SEED`` for others. What fails is printed
with as few commands as still fail.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pyspark_dms.versions.manifest import Manifest
from tests.versions.commands import Landing, Refused, Versions, finished
from tests.versions.made import day
from tests.versions.replay import Plain

HISTORIES = int(os.environ.get("DMS_HISTORIES", "300"))
SEED = os.environ.get("DMS_HISTORIES_SEED", "1")
LENGTH = 24
# How often a command is drawn.
COMMANDS = {
    "arrive": 6,
    "load": 1,
    "again": 1,
    "run": 10,
    "same date": 2,
    "refresh": 1,
    "redeclare": 1,
    "rollback": 4,
    "rollback_to": 2,
    "to date": 2,
    "reapply": 5,
    "replay": 1,
    "backfill": 2,
    "vacuum": 2,
    "snapshot": 2,
}


@dataclass(frozen=True)
class Step:
    """A command; `dice` are numbers from which it makes its arguments."""

    command: str
    dice: tuple[int, int, int]
    dies: bool = False
    meanwhile: bool = False


def drawn(dice: random.Random) -> list[Step]:
    names = dice.choices([*COMMANDS], [*COMMANDS.values()], k=LENGTH)
    first = [Step("arrive", (0, 0, 0)), Step("run", (0, 0, 0))]
    return first + [
        Step(
            name,
            (dice.randrange(1000), dice.randrange(1000), dice.randrange(1000)),
            dies=dice.random() < 0.05,
            meanwhile=dice.random() < 0.1,
        )
        for name in names
    ]


@dataclass
class Play:
    """Both tables, and the commands that they were given."""

    history: bool
    change_feed: bool
    landing: Landing = field(default_factory=Landing)
    moment: int = 0
    today: int = 3
    said: list[str] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        history, change_feed = self.history, self.change_feed
        self.versions = Versions(self.landing, history=history, change_feed=change_feed)
        self.plain = Plain(self.landing, history=history, change_feed=change_feed)
        self.landing.write_load("load1", 0)

    def step(self, step: Step) -> None:
        self.moment += 1
        one, two, three = step.dice
        at: dict[str, Any] = {"moment": self.moment}
        later = day(min(self.today + 1 + one % 2, 30)) if step.meanwhile else None
        how = at | {"dies": step.dies, "meanwhile": later}
        name = step.command
        if name in ("arrive", "load", "again"):
            self._write(name, one, two)
        elif name == "redeclare":
            self._both("redeclare")
        elif name in ("run", "same date", "refresh"):
            self.today = min(self.today + (one % 3 if name == "run" else 0), 28)
            date = day(self.today if name != "run" or two % 8 else max(3, self.today - 2))
            self._both("run", date, full_refresh=name == "refresh", dies=step.dies, **at)
        elif name == "rollback_to":
            self._both(name, 1 + two % (self.plain.newest + 1), **how)
        elif name == "to date":
            self._both("rollback_to", day(3 + two % (self.today + 1)), **how)
        elif name == "backfill":
            first = 2 + two % self.today
            self._both(name, day(first), day(first + three % 3), **how)
        elif name == "vacuum":
            since = finished(self.moment) - timedelta(hours=12 * (two % 4))
            self._both(name, since, **how)
        elif name == "snapshot":
            self._snapshot()
        else:
            self._both(name, **how)
        if later and self.plain.versions and later in self.plain.dates(self.plain.newest):
            self.today = max(self.today, int(later[-2:]))

    def _write(self, name: str, one: int, two: int) -> None:
        file = f"file{self.moment}"
        self.said.append(f"{name} {file}")
        if name == "load":
            self.landing.write_load(file, self.moment)
        elif name == "arrive":
            # Late, in time or for a later date.
            date = max(2, self.today - 1 + one % 4)
            self.landing.write_changes(file, day(date), self.moment)
        else:
            changes = [path for path, found in self.landing.files.items() if not found.is_load]
            if changes:
                self.landing.write_again(changes[two % len(changes)], self.moment)

    def _both(self, name: str, *args: Any, **how: Any) -> None:
        self.said.append(f"{name} {' '.join(map(str, args))} {how}")
        refused = []
        for table in (self.versions, self.plain):
            try:
                if name == "redeclare":
                    table.fingerprint += 1
                else:
                    getattr(table, name)(*args, **how)
                refused.append(False)
            except Refused:
                refused.append(True)
        assert refused[0] == refused[1], f"refused, and by the plain table: {refused}"
        self.done[name] = self.done.get(name, 0) + (not refused[0])
        self.compare()

    def _snapshot(self) -> None:
        """A history has taken all changes of the state, and none that was rolled back."""
        self.said.append("snapshot")
        try:
            self.versions.snapshot()
        except Refused:
            return
        self.done["snapshot"] = self.done.get("snapshot", 0) + 1
        taken = self.versions.taken_by_history[f"open/{self.versions.newest}"]
        now = self.plain.now
        assert taken >= now.state.applied, "the history lacks changes"
        # What was before a full refresh stays in a history.
        if len([one for one in self.plain.versions if one.state.start is None]) == 1:
            assert not taken & now.excluded, "the history has changes that were rolled back"

    def compare(self) -> None:
        newest = self.versions.newest
        assert (newest or 0) == self.plain.newest, "numbers of versions"
        if newest is None:
            return
        manifest, now = self.versions.versions[newest], self.plain.now
        current = self.versions.versions[manifest.current_version]
        assert {*self.versions.recorded} == self.plain.published, "published versions"
        assert self.versions.applied(newest) == now.state.applied, "applied files"
        assert place(current) == now.state.place, "current rows"
        assert {*manifest.excluded_files} == now.excluded, "excluded files"
        feed = {one.run_date: one.version for one in manifest.feed_dates or ()}
        assert feed == now.feed, "dates of the feed"
        assert {int(folder[5:]) for folder in self.versions.rows} == (
            {one.place for one in self.plain.versions} - self.plain.deleted
        ), "rows in the lake"
        assert {int(folder[5:]) for folder in self.versions.feed} == self.plain.fed, "feed folders"
        shown = self.versions.visible
        if shown is None or self.plain.visible is None:
            assert (shown, self.plain.visible) == (None, None), "anything visible"
            return
        rows, dates = self.plain.visible
        assert self.versions.rows[shown.current.partitions[0].location] == rows, "visible rows"
        if self.history:
            of = self.versions.versions
            seen = {
                date: self.versions.rows[of[version].partitions[0].location]
                for date, version in shown.dates.items()
            }
            assert seen == dates, "visible dates"


def place(manifest: Manifest) -> int:
    return int(manifest.partitions[0].location.removeprefix("rows/"))


def problem(number: int, steps: Sequence[Step]) -> tuple[str, Play]:
    """Why a history is wrong; empty if it is not."""
    play = Play(history=number % 3 > 0, change_feed=number % 2 > 0)
    try:
        for step in steps:
            play.step(step)
        if play.versions.newest:
            newest = play.versions.versions[play.versions.newest]
            assert Manifest.from_json(newest.to_json()) == newest, "JSON"
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0], play
    return "", play


def smallest(number: int, steps: list[Step]) -> list[Step]:
    """A history that is wrong with no step to leave out."""
    at = len(steps)
    while at > 0:
        at -= 1
        fewer = steps[:at] + steps[at + 1 :]
        if problem(number, fewer)[0]:
            steps = fewer
    return steps


def test_random_histories_give_what_a_plain_replay_gives() -> None:
    done: dict[str, int] = {}
    for number in range(HISTORIES):
        steps = drawn(random.Random(f"{SEED} {number}"))
        wrong, play = problem(number, steps)
        if wrong:
            wrong, play = problem(number, smallest(number, steps))
            lines = "\n  ".join(play.said)
            raise AssertionError(f"history {number}: {wrong}\n  {lines}")
        for name, count in play.done.items():
            done[name] = done.get(name, 0) + count
    # All of them happen, and often.
    names = {"run", "rollback", "rollback_to", "reapply", "replay", "backfill", "vacuum"}
    assert all(done.get(name, 0) * 10 >= HISTORIES for name in {*names, "snapshot"}), done
