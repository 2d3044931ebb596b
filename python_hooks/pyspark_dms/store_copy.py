"""Copies of objects that are made by their store: nothing is read or written by this process."""

from __future__ import annotations

import shutil
import uuid
from contextlib import suppress
from pathlib import Path

import obstore
from obstore.exceptions import BaseError

from pyspark_dms.store_access import connected_store, is_there, refused, split_address

# What S3 copies in one request, and the seconds that it may take.
_MOST_BYTES, _SECONDS = 5_000_000_000, 600


def can_copy(source: str, target: str, size: int) -> bool:
    """Whether `copy_object` makes an object of so many bytes: both are of one store."""
    root = split_address(source)[0]
    is_small = size <= _MOST_BYTES or root.startswith("file:")
    return is_small and root == split_address(target)[0]


def copy_object(source: str, target: str) -> int:
    """Make an object the same as another one of its store, which takes one request.

    In a local folder it is a second name of the same file, which nobody may write any more, and
    where a disk has none, a copy: the files of a lake are never changed, so either is as good.

    Args:
        source: the path of the object; `can_copy` says whether it can be copied.
        target: the path of the new one; what is there is replaced.

    Returns:
        The bytes of the new one, by which a source that was written again meanwhile is known.

    Raises:
        RefusedObject: there is no such object, or the store does not copy it.
    """
    root, key = split_address(source)
    new = split_address(target)[1]
    try:
        if root.startswith("file:"):
            return _link(Path(f"/{key}").resolve(), Path(f"/{new}"))
        store = connected_store(root, _SECONDS)
        obstore.copy(store, key, new)
        return obstore.head(store, new)["size"]
    except FileNotFoundError as problem:
        raise refused(source, problem, "read") from None
    except (BaseError, OSError) as problem:
        if (there := is_there(source, problem)) is False:
            raise refused(source, FileNotFoundError("it is gone"), "read") from None
        raise refused(target, problem, "copied", source if there is None else None) from None


def _link(source: Path, target: Path) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    # As others name what is not finished: a listing passes it over.
    beside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        beside.hardlink_to(source)
        with suppress(OSError):
            beside.chmod(0o444)
    except FileNotFoundError:
        raise
    except OSError:
        try:
            shutil.copyfile(source, beside)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
    beside.replace(target)
    # A name that is put in the place of another one of the same file stays.
    beside.unlink(missing_ok=True)
    return target.stat().st_size
