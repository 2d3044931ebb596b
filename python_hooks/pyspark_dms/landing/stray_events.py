"""Where the rules about stray files meet listings and events: see `pyspark_dms.landing.strays`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyspark_dms.landing.events import (
    IGNORED,
    TWO_FORMATS,
    UNKNOWN,
    ListedObject,
    ObjectEvent,
    Run,
    content_tag,
    folder_event,
    last_by_path,
)
from pyspark_dms.landing.strays import (
    ANY_FORMAT,
    NOT_READ,
    REFUSED,
    by_stem,
    is_other_format,
    judge_format,
    stem,
)

# A copy of the whole landing area has a second file for each name.
_MOST_NAMED = 20


def of_format(
    objects: list[ListedObject], latest: dict[str, ObjectEvent], file_format: str, run: Run
) -> tuple[list[ListedObject], list[ObjectEvent]]:
    """A listing in which new files of another format than the declared one are no files.

    Returns:
        The listing; and the first events of those of which a person has to say which of two files
        counts: one for each name, with the number of all.
    """

    def is_known(listed: ListedObject) -> bool:
        """Whether it is the file that a run has seen: what has other content is another one."""
        recorded = latest.get(listed.path)
        if recorded is None or recorded.kind == UNKNOWN:
            return False
        if recorded.is_missing and file_format == ANY_FORMAT:
            return False
        if listed.etag is not None and content_tag(recorded.etag) == listed.etag:
            return True
        return not is_other_format(listed.path, file_format)

    new = {one.path: one for one in objects if one.kind != UNKNOWN and not is_known(one)}
    if not new:
        return objects, []
    files = [one for one in objects if one.kind != UNKNOWN]
    stems = by_stem(one.path for one in files)
    declared = [one.modified_at for one in files if not is_other_format(one.path, file_format)]
    newest = max((at for at in declared if at is not None), default=None)
    left, refused = set(), []
    for path, one in sorted(new.items()):
        others = sorted(other for other in stems[stem(path)] if other != path)
        judged, other = judge_format(path, one.modified_at, file_format, others, newest)
        if judged == NOT_READ:
            left.add(path)
        elif judged == REFUSED:
            refused.append(folder_event(path, TWO_FORMATS, other, run))
    of_names = {stem(event.path): event for event in reversed(refused)}
    first = [replace(event, size=len(of_names)) for event in of_names.values()]
    kept = [
        replace(one, kind=UNKNOWN, file_time=None, other_time=None, name_order=None)
        if one.path in left
        else one
        for one in objects
    ]
    return kept, sorted(first, key=lambda event: event.path)[:_MOST_NAMED]


def ignore_missing(events: Iterable[ObjectEvent], run: Run) -> list[ObjectEvent]:
    """The events that record, of each file that is missing now, that no run needs it."""
    missing = [event for event in last_by_path(events).values() if event.is_missing]
    return [
        replace(event, problem=IGNORED, indexed_at=run.started_at)
        for event in sorted(missing, key=lambda event: event.path)
        if event.problem != IGNORED
    ]
