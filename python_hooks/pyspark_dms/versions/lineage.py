"""Which versions a version was built on: the one place that walks from one to another.

All functions take the versions of one table by number. They ask only for those that they walk
through, so the mapping may read them when asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyspark_dms.versions.manifest import Linked, Manifest


def is_current(versions: Mapping[int, Linked], number: int) -> bool:
    """Whether a version's own state is the current one with it.

    If not, it only adds a date, or it was given up.
    """
    return number in versions and versions[number].current_version == number


def previous_version(versions: Mapping[int, Linked], number: int) -> int | None:
    """The version before one, without those that were given up; None at the first."""
    return next((one for one in range(number - 1, 0, -1) if one in versions), None)


def without_copies(versions: Mapping[int, Linked], number: int) -> int:
    """The version that one is a copy of, or itself: the last that changed what readers see."""
    while (restored := versions[number].restored_version) is not None:
        number = restored
    return number


def origin_version(versions: Mapping[int, Linked], number: int) -> int:
    """The version that made the state which one shows: a copy leads to what it is a copy of."""
    while True:
        version = versions[number]
        if version.current_version != number:
            number = version.current_version
        elif version.restored_version is not None:
            number = version.restored_version
        else:
            return number


def walk_lineage(versions: Mapping[int, Linked], number: int) -> Iterator[int]:
    """The versions whose changes are in the state of one, newest first, read one by one."""
    at: int | None = number
    while at is not None:
        at = origin_version(versions, at)
        yield at
        at = versions[at].base_version


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


def live_generations(version: Manifest) -> tuple[int, ...]:
    """The load generations that the rows of a version stand on: one of each folder."""
    return tuple(shard.generation for shard in version.shards) or (version.generation,)
