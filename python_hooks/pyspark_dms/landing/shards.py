"""The folders of a table that has several: shards, tenants or partition children.

Each folder is decided (`objects.decide`) and planned (`planning.plan_files`) as if it were a table
of its own, with full loads, load generations and an order of files of its own. Here its events are
told from those of the others, and the plans of all are made one. In dms_files and in staging the
load generations of the first folder count from 1, those of the second from 100001 and so on: so a
load generation is one of one folder, and a place in it is taken once. See decision 24.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pyspark_dms.errors import DmsError
from pyspark_dms.landing.events import FileKey, ObjectEvent, Run
from pyspark_dms.landing.facts import FilePlan, TableFacts, Version
from pyspark_dms.landing.full_loads import GENERATIONS_OF_A_FOLDER, folder_number
from pyspark_dms.landing.planning import plan_files
from pyspark_dms.versions.manifest import Shard


@dataclass(frozen=True)
class Folder:
    """A folder of a table.

    Attributes:
        path: the folder, as `TableFacts.path`.
        shard: the value of the shard column; None for the folder of a table that has one.
        number: its place among the load generations, from 0.
    """

    path: str
    shard: str | None
    number: int

    def as_recorded(self, events: Sequence[ObjectEvent]) -> list[ObjectEvent]:
        """Events of the folder as dms_files has them: the opposite of `events_of`."""
        return [
            event if event.generation is None else _moved(event, self.number) for event in events
        ]

    def generation(self, own: int) -> int:
        """A load generation as dms_files has it, of one that counts from 1."""
        return own + self.number * GENERATIONS_OF_A_FOLDER

    def own_generation(self, recorded: int) -> int:
        """A load generation that counts from 1, of one as dms_files has it."""
        return recorded - self.number * GENERATIONS_OF_A_FOLDER

    def holds(self, path: str) -> bool:
        """Whether a path is the folder or below it."""
        return f"{path.rstrip('/')}/".startswith(self.path)


def events_of(folders: Sequence[Folder], events: Sequence[ObjectEvent]) -> list[list[ObjectEvent]]:
    """The events that are about each folder, with its load generations counted from 1."""
    only = folders[0]
    if only.shard is None and not only.number and not any(map(_is_of_later_folder, events)):
        # A table with one folder may have had files elsewhere, and they are its own.
        return [[*events]]
    of_number: dict[int, list[ObjectEvent]] = {folder.number: [] for folder in folders}
    for event in events:
        number = _number(event)
        if number is None:
            for folder in folders:
                if folder.holds(event.path):
                    of_number[folder.number].append(event)
        elif number in of_number:
            of_number[number].append(_moved(event, -number))
    return [of_number[folder.number] for folder in folders]


def folders_of(
    path: str | None,
    shards: Sequence[tuple[str, str]],
    known: Mapping[str, Shard],
    events: Sequence[ObjectEvent],
) -> list[Folder]:
    """The folders of a table, each with its number.

    A folder keeps its number, wherever it stands in the declaration: that of the version history
    or, before a version has it, of its newest event, if only files of the folder have it. Any other
    gets the next that is free.

    Args:
        path: the folder of a table that has one; None for several.
        shards: value of the shard column and path of each of several folders.
        known: what the current version says of its folders, by value of the shard column.
        events: all events of the table.
    """
    paths = [path] if path is not None else [folder for _, folder in shards]
    newest = _newest_numbers(paths, events)
    if path is not None:
        return [Folder(path, None, newest.get(path, 0))]
    numbers = {
        shard: folder_number(known[shard].generation) for shard, _ in shards if shard in known
    }
    # The files of these were those of another folder, or of one that had several of the list.
    shared = _shared_numbers(paths, events)
    for shard, folder in shards:
        number = newest.get(folder)
        if shard in numbers or number is None or number in {*shared, *numbers.values()}:
            continue
        numbers[shard] = number
    taken = {folder_number(state.generation) for state in known.values()} | {*numbers.values()}
    taken |= {number for number in map(_number, events) if number is not None}
    free = max(taken, default=-1) + 1
    for shard, _ in shards:
        if shard not in numbers:
            numbers[shard] = free
            free += 1
    return [Folder(folder, shard, numbers[shard]) for shard, folder in shards]


def plan_table(events: Sequence[ObjectEvent], facts: TableFacts, run: Run) -> FilePlan:
    """Plan what a run does with a table, whether it has one folder or several.

    Args:
        events: all events of the table, those of this run among them.
        facts: the table and its versions.
        run: the run.

    Returns:
        The plan. One folder that fails fails the table.
    """
    if problem := _problem_of_folders(facts):
        return _without_files(facts, error=str(DmsError("E409", f"{facts.label}: {problem}")))
    known = facts.current.shards if facts.current else {}
    folders = folders_of(facts.path or None, facts.shards, known, events)
    if not facts.shards and not folders[0].number:
        return plan_files(events_of(folders, events)[0], facts, run)
    plans = _plan_folders(folders, events, facts, run)
    warnings = tuple(dict.fromkeys(warning for plan in plans for warning in plan.warnings))
    if errors := [plan.error for plan in plans if plan.error]:
        return replace(_without_files(facts, error=errors[0]), warnings=warnings)
    return replace(_combined(folders, plans, facts), warnings=warnings)


def _problem_of_folders(facts: TableFacts) -> str | None:
    """Why the rows of the version to build on are not those of the folders of now."""
    if facts.base is None or facts.base.rows_after == 0:
        return None
    nothing = "Nothing of this table was published"
    was_sharded = bool(facts.base.shards)
    if was_sharded != bool(facts.shards):
        kinds = ("one folder", "a list of folders")
        return (
            f"path is {kinds[not was_sharded]}, and version {facts.base.version} was made from "
            f"{kinds[was_sharded]}. {nothing}. Declare it as before, or build the table again: "
            f"{facts.rebuild_command}"
        )
    gone = sorted(facts.base.shards.keys() - {shard for shard, _ in facts.shards})
    if gone:
        return (
            f"version {facts.base.version} has rows of the shards {', '.join(gone)}, of which path "
            f"has no folder any more. {nothing}. Declare them again, or build the table without "
            f"them: {facts.rebuild_command}"
        )
    return None


def _plan_folders(
    folders: Sequence[Folder], events: Sequence[ObjectEvent], facts: TableFacts, run: Run
) -> list[FilePlan]:
    """The plans of the folders. They repeat a date together, or none of them does."""
    own = [
        (of_folder, _facts_of(folder, facts, of_folder))
        for folder, of_folder in zip(folders, events_of(folders, events), strict=True)
    ]
    plans = [plan_files(of_folder, facts_of, run) for of_folder, facts_of in own]
    current = facts.current.version if facts.current else None
    base = facts.base.version if facts.base else None
    repeats = [plan.shown_version == current != base for plan in plans]
    if any(repeats) and not all(repeats):
        return [
            plan_files(of_folder, replace(facts_of, is_altered=True), run)
            for of_folder, facts_of in own
        ]
    return plans


def _facts_of(folder: Folder, facts: TableFacts, events: Sequence[ObjectEvent]) -> TableFacts:
    keys = {event.key for event in events}
    return replace(
        facts,
        path=folder.path,
        current=_version_of(folder, facts.current, keys),
        base=_version_of(folder, facts.base, keys),
        excluded=facts.excluded & keys,
        included=facts.included & keys,
        is_new_folder=facts.base is not None
        and folder.shard is not None
        and folder.shard not in facts.base.shards,
    )


def _version_of(folder: Folder, version: Version | None, keys: set[FileKey]) -> Version | None:
    """A version as far as it is of one folder; one that it has nothing of counts as empty."""
    if version is None:
        return None
    if folder.shard is None:
        generation = folder.own_generation(version.generation)
        return replace(version, generation=generation) if generation > 0 else None
    state = version.shards.get(folder.shard)
    if state is None:
        return replace(
            version, generation=1, last_file_seq=0, rows_after=0, indexed_from=None,
            indexed_through=None, files=frozenset(), load_files=frozenset(),
        )  # fmt: skip
    return replace(
        version,
        generation=folder.own_generation(state.generation),
        last_file_seq=state.last_file_seq,
        files=version.files & keys,
    )


def _combined(folders: Sequence[Folder], plans: Sequence[FilePlan], facts: TableFacts) -> FilePlan:
    """One plan of those of the folders.

    Where a folder begins again, with a new full load, and others go on, its rows of before are
    taken out in a merge: `FilePlan.replaced_shards`.
    """
    base = facts.base
    states = [
        Shard(folder.shard or "", folder.generation(plan.generation), plan.last_file_seq)
        for folder, plan in zip(folders, plans, strict=True)
    ]
    begins = [plan.action == "build" for plan in plans]
    if all(plan.action == "none" for plan in plans):
        action = "none"
    else:
        action = "build" if base is None or all(begins) else "merge"
    files = [
        replace(file, generation=folder.generation(file.generation), shard=folder.shard)
        for folder, plan in zip(folders, plans, strict=True)
        for file in plan.files
    ]
    taking = [plan for plan in plans if plan.action != "none"] or plans
    return FilePlan(
        action=action,
        files=tuple(files),
        generation=max(state.generation for state in states),
        load_file_count=sum(plan.load_file_count for plan in plans),
        last_file_seq=max(state.last_file_seq for state in states),
        indexed_from=base.indexed_through if base else None,
        indexed_through=_last(
            [*(plan.indexed_through for plan in taking), base.indexed_through if base else None]
        ),
        warnings=(),
        error=None,
        shown_version=plans[0].shown_version if action == "none" else None,
        is_late=any(plan.is_late for plan in plans),
        shards=tuple(states) if facts.shards else (),
        replaced_shards=tuple(
            folder.shard
            for folder, is_new in zip(folders, begins, strict=True)
            if is_new and folder.shard is not None
        )
        if action == "merge"
        else (),
    )


def _without_files(facts: TableFacts, error: str) -> FilePlan:
    start = facts.base.indexed_through if facts.base else None
    return FilePlan(
        action="none", files=(), generation=1, load_file_count=0,
        last_file_seq=0, indexed_from=start, indexed_through=start, warnings=(), error=error,
    )  # fmt: skip


def _last(moments: Sequence[datetime | None]) -> datetime | None:
    return max((moment for moment in moments if moment is not None), default=None)


def _number(event: ObjectEvent) -> int | None:
    return None if event.generation is None else folder_number(event.generation)


def _is_of_later_folder(event: ObjectEvent) -> bool:
    return event.generation is not None and event.generation > GENERATIONS_OF_A_FOLDER


def _newest_numbers(paths: Sequence[str], events: Sequence[ObjectEvent]) -> dict[str, int]:
    """The number of the newest event of a file below each folder that has any."""
    newest: dict[str, tuple[datetime, int]] = {}
    for path, event in _with_folder(paths, events):
        if path is not None:
            one = (event.indexed_at, folder_number(event.generation or 0))
            newest[path] = max(newest.get(path, one), one)
    return {path: number for path, (_, number) in newest.items()}


def _shared_numbers(paths: Sequence[str], events: Sequence[ObjectEvent]) -> set[int]:
    """The numbers under which files of more than one folder, or of none of them, are known."""
    folders: dict[int, set[str | None]] = defaultdict(set)
    for path, event in _with_folder(paths, events):
        folders[folder_number(event.generation or 0)].add(path)
    return {number for number, found in folders.items() if len(found) > 1 or None in found}


def _with_folder(
    paths: Sequence[str], events: Sequence[ObjectEvent]
) -> Iterator[tuple[str | None, ObjectEvent]]:
    """Each event of a load generation, with the folder that its file is below."""
    known = frozenset(paths)
    # One look for each length, and not for each of a thousand folders.
    lengths = sorted({len(path) for path in paths})
    for event in events:
        if event.generation is not None:
            starts = (event.path[:length] for length in lengths)
            yield next((start for start in starts if start in known), None), event


def _moved(event: ObjectEvent, by: int) -> ObjectEvent:
    assert event.generation is not None
    return replace(event, generation=event.generation + by * GENERATIONS_OF_A_FOLDER)
