"""Which versions a version was built on: the one place that walks from one to another.

All functions take the versions of one table by number. They ask only for those that they walk
through, so the mapping may read them when asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from pyspark_dms.versions.manifest import Linked
from pyspark_dms.versions.numbered import GivenUp

_Version = TypeVar("_Version", bound=Linked)


def is_current(versions: Mapping[int, Linked], number: int) -> bool:
    """Whether a version's own state is the current one with it.

    If not, it only adds a date, or it was given up.
    """
    return number in versions and versions[number].current_version == number


def counting(versions: Mapping[int, Linked], numbers: Iterable[int]) -> set[int]:
    """Those of some numbers whose versions count: the others were given up.

    Asked from the newest, as a log reads them: side by side.
    """
    return {number for number in sorted({*numbers}, reverse=True) if number in versions}


def previous_version(versions: Mapping[int, Linked], number: int) -> int | None:
    """The version before one, without those that were given up; None at the first."""
    return next((one for one in range(number - 1, 0, -1) if one in versions), None)


def without_copies(versions: Mapping[int, Linked], number: int) -> int:
    """The version that one is a copy of, or itself: the last that changed what readers see."""
    copies = [number]
    while (restored := needed(versions, copies[-1], copies[:-1]).restored_version) is not None:
        copies.append(restored)
    return copies[-1]


def needed(
    versions: Mapping[int, _Version], number: int, needed_by: Iterable[int] = ()
) -> _Version:
    """A version that others need, which are built on it or are copies of it.

    Raises:
        GivenUp: it was given up; the message names those too.
    """
    try:
        return versions[number]
    except GivenUp as problem:
        raise problem.needed_by([*needed_by]) from None


def origin_version(
    versions: Mapping[int, Linked], number: int, needed_by: Iterable[int] = ()
) -> int:
    """The version that made the state which one shows: a copy leads to what it is a copy of.

    Args:
        versions: the versions.
        number: the one.
        needed_by: versions that need it; see `needed`.
    """
    return next(walk_lineage(versions, number, needed_by))


def walk_lineage(
    versions: Mapping[int, Linked], number: int, needed_by: Iterable[int] = ()
) -> Iterator[int]:
    """The versions whose changes are in the state of one, newest first, read one by one."""
    for one in walk(versions, number, needed_by):
        if versions[one].current_version == one and versions[one].restored_version is None:
            yield one


def walk(
    versions: Mapping[int, Linked], number: int, needed_by: Iterable[int] = ()
) -> Iterator[int]:
    """The same, and what they are copied from on the way."""
    at: int | None = number
    above = [*needed_by]
    while at is not None:
        version = needed(versions, at, above)
        above.append(at)
        yield at
        is_own = version.current_version == at
        at = version.restored_version or version.base_version if is_own else version.current_version


def applied_versions(versions: Mapping[int, Linked], number: int) -> tuple[int, ...]:
    """The versions whose changes are in the state of one, newest first."""
    return tuple(walk_lineage(versions, number))


def lineage_changes(
    versions: Mapping[int, Linked], now: int, then: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The applied versions of one version that another has not, and the other way round.

    Both newest first. Reads no further than to the newest that they share.
    """
    left, right = walk_lineage(versions, now), walk_lineage(versions, then)
    one, other = next(left, 0), next(right, 0)
    undone, redone = [], []
    while one != other:
        if one > other:
            undone.append(one)
            one = next(left, 0)
        else:
            redone.append(other)
            other = next(right, 0)
    return tuple(undone), tuple(redone)


def versions_of_date(versions: Mapping[int, Linked], number: int) -> tuple[int, ...]:
    """The versions whose changes are in what a date shows that shows this version.

    A version that only adds a date has what its base has; what it took from staging beside that
    no version of the lineage has applied.
    """
    at: int | None = number
    while at is not None:
        if is_current(versions, at):
            return applied_versions(versions, at)
        at = versions[at].base_version
    return ()


class OfFolder(Protocol):
    """Where one of several folders stands."""

    @property
    def name(self) -> str: ...
    @property
    def generation(self) -> int: ...


class Standing(Protocol):
    """Where a version stands, or the plan of one."""

    @property
    def generation(self) -> int: ...
    @property
    def shards(self) -> Iterable[OfFolder]: ...


def live_generations(version: Standing) -> tuple[int, ...]:
    """The load generations that the rows of a version stand on: one of each folder."""
    return generations_of(version.generation, [shard.generation for shard in version.shards])


def generations_of(generation: int, of_folders: Iterable[int]) -> tuple[int, ...]:
    """The same, from what a manifest says of its generation and those of its folders."""
    return tuple(of_folders) or (generation,)


def reloaded_folders(
    version: Standing, before: int, before_folders: Iterable[OfFolder]
) -> tuple[str | None, ...]:
    """The folders of which a version has a newer full load than one before it.

    Args:
        version: the version.
        before: the load generation of the one before.
        before_folders: where each of several folders stood then.

    Returns:
        Their names; None for a table with one folder.
    """
    if not [*version.shards]:
        return (None,) if version.generation > before else ()
    were = {shard.name: shard.generation for shard in before_folders}
    return tuple(
        shard.name
        for shard in version.shards
        if shard.generation > were.get(shard.name, shard.generation)
    )
