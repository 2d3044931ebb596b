"""Plans which files of the landing area a run takes for a table, and what it does with them.

One pure function, `plan_files`, reads the events of one table (`pyspark_dms.landing.objects`) and
the versions that matter, and says: nothing to do, merge or build, with which files; what to warn
of; or why the table fails. What is known stands in `known_table`, which files wait in `pending`,
what is wrong in `rules`. The rules are those of docs/reference/dms.md and of the decisions 3, 13
and 17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from pyspark_dms.errors import DmsError
from pyspark_dms.landing.events import CDC, LOAD, ObjectEvent, Run
from pyspark_dms.landing.facts import FilePlan, TableFacts, Version
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.known_table import KnownTable
from pyspark_dms.landing.outcome import Warned
from pyspark_dms.landing.pending import PendingFiles
from pyspark_dms.landing.rules import changes, listing, loads, missing, strays

# It gives warnings, or raises what fails the table.
Rule = Callable[[PendingFiles], Iterable[Warned] | None]

# In this order: the first that fails is the error of the table, behind the warnings before it.
RULES: tuple[Rule, ...] = (
    listing.check_listed,
    listing.check_two_formats,
    listing.check_time_zone,
    listing.check_indexed_generation,
    listing.check_indexed_load,
    listing.warn_of_other_names,
    strays.check_other_formats,
    strays.warn_of_other_formats,
    strays.warn_of_ignored,
    strays.check_copies,
    missing.warn_of_skipped_files,
    missing.warn_of_missing_files,
    listing.warn_of_empty_folder,
    changes.warn_of_replaced_changes,
    changes.warn_of_copied_changes,
    changes.warn_of_changes_before_load,
    changes.warn_of_no_load,
    listing.warn_of_no_files,
)
# Only if the run makes a version.
RULES_OF_A_VERSION: tuple[Rule, ...] = (
    missing.check_lost_files,
    missing.check_excluded_uploads,
    loads.check_excluded_load,
    loads.check_partial_load,
    loads.warn_of_partial_load,
    loads.check_first_file,
)


def plan_files(events: Sequence[ObjectEvent], facts: TableFacts, run: Run) -> FilePlan:
    """Plan what a run does with a table.

    Args:
        events: all events of the table, those of this run among them.
        facts: the table and its versions.
        run: the run.

    Returns:
        The plan. What fails the table is its error and not an exception; so is what is wrong with
        an earlier version, if it has to be read.
    """
    # What a run beside this one indexes meanwhile is taken by the next.
    table = KnownTable(
        [event for event in events if event.indexed_at <= run.started_at], facts, run
    )
    files = PendingFiles(table)
    warnings: list[Warned] = []
    try:
        _apply(RULES, files, warnings)
        if files.is_repeated:
            return _without_files(table, warnings, shown=facts.current)
        if facts.base and not files.taken:
            return _without_files(table, warnings, shown=facts.base)
        _apply(RULES_OF_A_VERSION, files, warnings)
        return _with_files(files, warnings)
    except DmsError as error:
        text = f"{error}".removeprefix(f"{facts.label}: ")
        return _without_files(table, warnings, error=f"{facts.label}: {text}")


def _apply(rules: Iterable[Rule], files: PendingFiles, warnings: list[Warned]) -> None:
    for rule in rules:
        for warned in rule(files) or ():
            warnings.append(warned)


def _without_files(
    table: KnownTable,
    warnings: Sequence[Warned],
    shown: Version | None = None,
    error: str | None = None,
) -> FilePlan:
    """The plan that takes no files: the date shows a version, or the table fails."""
    start = table.base.indexed_through if table.base else None
    seen = table.events if shown and shown.indexed_through else []
    return FilePlan(
        action="none",
        files=(),
        generation=shown.generation if shown else 1,
        load_file_count=0,
        last_file_seq=shown.last_file_seq if shown else 0,
        indexed_from=start,
        indexed_through=max((event.indexed_at for event in seen), default=start),
        warnings=tuple(warnings),
        error=error,
        shown_version=shown.version if shown else None,
    )


def _with_files(files: PendingFiles, warnings: Sequence[Warned]) -> FilePlan:
    """The plan that merges or builds."""
    base, action = files.table.base, files.action
    in_order = sorted(files.taken, key=lambda file: (file.file_seq or 0, file.path))
    places = [file.file_seq or 0 for file in in_order]
    before = base.last_file_seq if base and action == "merge" else 0
    start = base.indexed_through if base else None
    moments = [file.indexed_at for file in in_order] + ([start] if start else [])
    return FilePlan(
        action=action,
        files=tuple(_planned(file) for file in in_order),
        generation=max((file.load_generation for file in in_order), default=1),
        load_file_count=sum(file.is_load for file in in_order),
        last_file_seq=max([before, *places]),
        indexed_from=start,
        indexed_through=max(moments, default=None),
        warnings=tuple(warnings),
        error=None,
        is_late=action == "merge" and bool(places) and min(places) <= before,
    )


def _planned(event: ObjectEvent) -> IndexedFile:
    return IndexedFile(
        path=event.path,
        size=event.size or 0,
        kind=LOAD if event.is_load else CDC,
        etag=event.etag or "",
        generation=event.load_generation,
        file_seq=event.file_seq or 0,
        indexed_at=_text(event.indexed_at),
        modified_at=_text(event.modified_at) if event.modified_at else None,
    )


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
