"""What a table with versions is to be, said plainly: the model that random histories are held to.

It walks no lineage. With each version it keeps what its rows come from, what each date shows, which
files no run takes and the version that a rollback goes to, as they are when the version is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tests.versions.commands import File, Landing, Refused, Rows, chosen, finished
from tests.versions.made import day


@dataclass(frozen=True)
class State:
    """A state that a run or a replay has made, and all its copies.

    Attributes:
        made: the version that made it first.
        place: the version that wrote its rows.
        rows: the files that they come from.
        applied: the same, with those that a later full load has replaced.
        generation: the load generation.
        change: two states of the same change are one change.
        date, own, fingerprint: what the run was of: its date, its files, its declaration.
        start: what it was made from.
    """

    made: int
    place: int
    rows: Rows
    applied: Rows
    generation: int
    change: tuple[object, ...]
    date: str
    own: Rows
    fingerprint: int
    start: State | None


@dataclass(frozen=True)
class Seen:
    """What readers see of a date: rows, the version that wrote them, and the one that it shows."""

    version: int
    place: int
    rows: Rows
    generation: int


@dataclass(frozen=True)
class Version:
    """A version.

    Attributes:
        state: the current state with it.
        holder: the version that unchanged dates show from then on.
        place: the version that wrote its own rows.
        dates: what each date shows.
        feed: the version that made each date of the change feed.
        excluded: what no run takes.
        included: what was excluded, and is taken again.
        before: what was shown before its change; of a copy, what it is a copy of tells.
        action: what made it.
        copied: the version it is a copy of.
        moment: when it was made.
    """

    state: State
    holder: int
    place: int
    dates: Mapping[str, Seen]
    feed: Mapping[str, int]
    excluded: Rows
    included: Rows
    before: int | None
    action: str
    copied: int | None
    moment: int


@dataclass
class Plain:
    """The plain table; `unchanged` has the dates without changes by the version that they show."""

    landing: Landing
    history: bool
    change_feed: bool
    fingerprint: int = 1
    versions: list[Version] = field(default_factory=list)
    unchanged: dict[int, set[str]] = field(default_factory=dict)
    published: set[int] = field(default_factory=set)
    visible: tuple[Rows, Mapping[str, Rows]] | None = None
    deleted: set[int] = field(default_factory=set)
    fed: set[int] = field(default_factory=set)

    @property
    def newest(self) -> int:
        return len(self.versions)

    @property
    def now(self) -> Version:
        return self.versions[-1]

    def at(self, number: int) -> Version:
        return self.versions[number - 1]

    def dates(self, number: int) -> dict[str, Seen]:
        """What readers see of each date with a version."""
        version = self.at(number)
        state, holder = version.state, version.holder
        seen = Seen(holder, state.place, state.rows, state.generation)
        return dict.fromkeys(self.unchanged.get(holder, ()), seen) | dict(version.dates)

    def newest_date(self) -> str:
        return max([self.now.state.date, *self.dates(self.newest)])

    def publish(self) -> None:
        self.published.add(self.newest)
        dates = {date: seen.rows for date, seen in self.dates(self.newest).items()}
        self.visible = (self.now.state.rows, dates if self.history else {})

    # ------------------------------------------------------------------------- runs

    def run(self, date: str, moment: int, *, full_refresh: bool, dies: bool) -> None:
        start, is_again, is_altered = None, False, False
        if self.versions:
            state = self.now.state
            is_again, is_altered = state.date == date, state.fingerprint != self.fingerprint
            if date < self.newest_date():
                raise Refused
            if not full_refresh:
                start = state.start if is_again else state
        plan = self._plan(start, date)
        if plan is None or (not plan[1] and not start):
            raise Refused
        action, files = plan
        own = frozenset(file.ref for file in files)
        is_same = is_again and own == self.now.state.own and not full_refresh
        if self.versions and self.newest not in self.published:
            self.publish()
        if not is_altered and (is_same or not (files or is_again)):
            self._run_unchanged(date, dies=dies)
            return
        action = action if files else "alter"
        if start and action != "build" and start.place in self.deleted:
            raise Refused
        self._add_run(start, date, action, files, moment)
        if not dies:
            self.publish()

    def _plan(self, start: State | None, date: str) -> tuple[str, list[File]] | None:
        """The files of a run: all that are not excluded, and not in what it starts from."""
        left_out = self.now.excluded if self.versions else Rows()
        was_rolled_back = bool(left_out)
        left_out |= start.applied if start else Rows()
        pending = [file for file in self.landing.up_to(date) if file.ref not in left_out]
        generation = start.generation if start else None
        return chosen(pending, generation, was_rolled_back=was_rolled_back)

    def _run_unchanged(self, date: str, *, dies: bool) -> None:
        is_shown = date == self.now.state.date or date in self.dates(self.newest)
        if is_shown and (dies or self.newest in self.published):
            raise Refused
        if not dies:
            self._record_unchanged(set() if is_shown else {date})
            self.publish()

    def _record_unchanged(self, dates: set[str]) -> None:
        self.unchanged.setdefault(self.now.holder, set()).update(dates)
        self.published.add(self.now.holder)

    def _add_run(
        self, start: State | None, date: str, action: str, files: list[File], moment: int
    ) -> None:
        number, own = self.newest + 1, frozenset(file.ref for file in files)
        state = State(
            made=number,
            place=start.place if start and action == "alter" else number,
            rows=own | (start.rows if start and action != "build" else Rows()),
            applied=own | (start.applied if start else Rows()),
            generation=files[0].generation if files or not start else start.generation,
            change=(action, date, own, start and start.made) if files else (number,),
            date=date,
            own=own,
            fingerprint=self.fingerprint,
            start=start,
        )
        version = Version(
            state=state, holder=number, place=state.place, dates={}, feed={}, excluded=Rows(),
            included=Rows(), before=None, action=action, copied=None, moment=moment,
        )  # fmt: skip
        if self.versions:
            now = self.now
            is_same_change = now.state.change == state.change and self._changed_state(self.newest)
            version = replace(
                version,
                dates=self.dates(self.newest) if self.history else {},
                feed=now.feed,
                excluded=now.excluded,
                included=now.included,
                before=self._before(self.newest, Rows()) if is_same_change else self.newest,
            )
        seen = Seen(number, state.place, state.rows, state.generation)
        feed = {date: number} if self.change_feed else {}
        if self.change_feed and files:
            self.fed.add(number)
        self.versions.append(
            replace(version, dates={**version.dates, date: seen}, feed={**version.feed, **feed})
        )

    def _changed_state(self, number: int) -> bool:
        """Whether the last change of a version was not a date that was filled in."""
        version = self.at(number)
        return version.action != "backfill" and (
            version.copied is None or self._changed_state(version.copied)
        )

    # ------------------------------------------------------------------- operations

    def _begin(self) -> None:
        if not self.versions:
            raise Refused
        if self.newest not in self.published:
            self.publish()
            raise Refused

    def _commit(self, version: Version, *, meanwhile: str | None, dies: bool) -> None:
        added: set[str] = set()
        if meanwhile and self._is_unchanged(meanwhile):
            added = {meanwhile}
            self._record_unchanged(added)
            self.publish()
        same_state = version.state.made == self.now.state.made or version.action == "replay"
        self.versions.append(version)
        if added and same_state and version.holder == self.newest:
            self.unchanged[self.newest] = added
        if dies:
            raise Refused
        self.publish()

    def _is_unchanged(self, date: str) -> bool:
        state = self.now.state
        if date <= self.newest_date() or state.fingerprint != self.fingerprint:
            return False
        plan = self._plan(state, date)
        return plan is not None and not plan[1]

    def _copy(
        self, target: int, action: str, moment: int, excluded: Rows, included: Rows
    ) -> Version:
        then, number, dates = self.at(target), self.newest + 1, self.dates(target)
        if then.state.made == self.now.state.made:
            # The state stays, and so do the dates that show it.
            now = self.dates(self.newest).items()
            dates = {date: one for date, one in now if self._shows_current(one)} | dates
        return Version(
            state=then.state, holder=number, place=then.state.place, dates=dates,
            feed=then.feed, excluded=excluded, included=included - excluded, before=None,
            action=action, copied=target, moment=moment,
        )  # fmt: skip

    def rollback(self, moment: int, **how: Any) -> None:
        self._begin()
        target = self._before(self.newest, self.now.included)
        if target is None:
            raise Refused
        self._go_back(target, "rollback", moment, how)

    def _before(self, number: int, waiting: Rows) -> int | None:
        """What was shown before the last change, or before files were included that still wait."""
        version = self.at(number)
        if version.copied is None:
            return version.before
        again = version.included - self.at(version.copied).included
        if version.action == "reapply" and version.copied == number - 1 and again & waiting:
            return version.copied
        return self._before(version.copied, waiting)

    def rollback_to(self, to: int | str, moment: int, **how: Any) -> None:
        self._begin()
        target = to if isinstance(to, int) else self._of_date(to)
        if not 1 <= target <= self.newest or self.at(target).state.made == self.now.state.made:
            raise Refused
        self._go_back(target, "rollback_to", moment, how)

    def _of_date(self, date: str) -> int:
        """What readers see under a date now, else the newest version of it; 0 for none."""
        if seen := self.dates(self.newest).get(date):
            return seen.version if self.at(seen.version).holder == seen.version else 0
        of_date = [
            number for number, version in enumerate(self.versions, 1)
            if version.holder == number
            and (version.state.date == date or date in self.unchanged.get(number, ()))
        ]  # fmt: skip
        return max(of_date, default=0)

    def _go_back(self, target: int, action: str, moment: int, how: Mapping[str, Any]) -> None:
        """Whatever was applied since, and is not in the state, is excluded."""
        now, then = self.now, self.at(target)
        since = (one.state.own for one in self.versions[target:] if one.action != "backfill")
        excluded = now.excluded.union(now.state.applied, *since, now.included - then.included)
        version = self._copy(
            target, action, moment,
            excluded - then.state.applied, now.included | then.included,
        )  # fmt: skip
        self._show_again(version, how)

    def _show_again(self, version: Version, how: Mapping[str, Any]) -> None:
        """Fails if the vacuum has deleted what is not shown now."""
        now = self.dates(self.newest)
        places = {
            seen.place for date, seen in version.dates.items()
            if self.history and (date not in now or now[date].version != seen.version)
        }  # fmt: skip
        feed = {*version.feed.values()} - {*self.now.feed.values()}
        if (places | {version.state.place}) & self.deleted or not feed <= self.fed | self.unfed:
            raise Refused
        self._commit(version, **how)

    @property
    def unfed(self) -> set[int]:
        """The versions that changed no rows."""
        return {number for number, one in enumerate(self.versions, 1) if one.action == "alter"}

    def reapply(self, moment: int, **how: Any) -> None:
        self._begin()
        undoing = self._not_vacuum(self.newest)
        if self.at(undoing).action == "reapply":
            undoing = self._not_vacuum(self.at(undoing).copied or 0)
        if not self.at(undoing).action.startswith("rollback"):
            self._include_again(moment, how)
            return
        before = self.at(undoing - 1)
        self._show_again(
            self._copy(undoing - 1, "reapply", moment, before.excluded, before.included), how
        )

    def _not_vacuum(self, number: int) -> int:
        return self._not_vacuum(number - 1) if self.at(number).action == "vacuum" else number

    def _include_again(self, moment: int, how: Mapping[str, Any]) -> None:
        """What the newest rollback took away, and runs would take if it were not excluded."""
        excluded = self.now.excluded
        known, generation = self.landing.known, self.now.state.generation
        of_today = {ref for ref in excluded if known[ref].generation >= generation}
        for number in range(self.newest, 1, -1):
            taken_away = self.at(number - 1).state.applied - self.at(number).state.applied
            files = taken_away & of_today
            if files and self.at(number).action.startswith("rollback"):
                if files.isdisjoint(file.ref for file in self.landing.files.values()):
                    break
                included = self.now.included | files
                version = self._copy(self.newest, "reapply", moment, excluded - files, included)
                self._commit(version, **how)
                return
        raise Refused

    def replay(self, moment: int, **how: Any) -> None:
        self._begin()
        now, number = self.now, self.newest + 1
        state = replace(now.state, made=number, place=number, change=(number,))
        again = Seen(number, number, state.rows, state.generation)
        dates = self.dates(self.newest)
        feed = {state.date: number} if self.change_feed else {}
        version = replace(
            now, state=state, holder=number, place=number,
            dates={d: again if self._shows_current(one) else one for d, one in dates.items()},
            feed={**now.feed, **feed}, before=self.newest, action="replay", copied=None,
            moment=moment,
        )  # fmt: skip
        self.fed.update(feed.values())
        self._commit(version, **how)

    def _shows_current(self, seen: Seen) -> bool:
        shown = self.at(seen.version)
        return shown.state.made == self.now.state.made and shown.holder == seen.version

    def backfill(self, from_date: str, to_date: str, moment: int, **how: Any) -> None:
        self._begin()
        dates = self.dates(self.newest)
        if not self.history or to_date > max(dates):
            raise Refused
        missing = [
            one for one in map(day, range(1, 31))
            if from_date <= one <= to_date and one not in dates
        ]  # fmt: skip
        # What belongs to another full load, the index knows.
        if any(self._built_on(one).generation != self.now.state.generation for one in missing):
            raise Refused
        for one in missing:
            self._commit(self._filled_in(one, moment), **how)

    def _built_on(self, date: str) -> Seen:
        dates = self.dates(self.newest)
        return dates[max((one for one in dates if one < date), default=min(dates))]

    def _filled_in(self, date: str, moment: int) -> Version:
        """A date shows the date before it, and all changes up to its end."""
        number, dates, known = self.newest + 1, self.dates(self.newest), self.landing.known
        before, generation = self._built_on(date), self._built_on(date).generation
        is_first = min(dates) > date
        rows = frozenset(
            ref for ref in self.now.state.applied
            if known[ref].generation == generation and known[ref].date <= date
            and (is_first or not known[ref].is_load)
        ) | (Rows() if is_first else before.rows)  # fmt: skip
        return replace(
            self.now, place=number,
            dates={**dates, date: Seen(number, number, rows, generation)},
            before=self.newest, action="backfill", copied=None, moment=moment,
        )  # fmt: skip

    def vacuum(self, since: datetime, moment: int, **how: Any) -> None:
        self._begin()
        rows, feed = self.kept(since)
        written = {one.place for one in self.versions} - self.deleted
        if written <= rows and self.fed <= feed:
            raise Refused
        now = self.now
        self._commit(self._copy(self.newest, "vacuum", moment, now.excluded, now.included), **how)
        self.deleted |= written - rows
        self.fed &= feed

    def kept(self, since: datetime) -> tuple[set[int], set[int]]:
        """The rows and the changes that readers see, saw since a moment, or that a run needs."""
        seen = [
            number for number in range(1, self.newest + 1)
            if number == self.newest or finished(self.at(number + 1).moment) >= since
        ]  # fmt: skip
        now, start = self.now, self.now.state.start
        # What a run of the current date starts from, and what the changes of it are compared with.
        needed = {start.made} if start else set()
        earlier = [date for date in now.feed if date < now.state.date]
        if earlier and self.change_feed:
            needed.add(now.feed[max(earlier)])
        rows = {self.at(number).place for number in needed}
        for number in seen:
            rows |= {self.at(number).state.place, self.at(number).place}
            needed |= {number, self.at(number).holder}
            for one in self.dates(number).values():
                rows.add(one.place)
                needed.add(one.version)
        return rows, {made for number in needed for made in self.at(number).feed.values()}
