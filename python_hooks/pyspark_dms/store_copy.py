"""Copies of objects that are made by their store: nothing is read or written by this process."""

from __future__ import annotations

import shutil
from pathlib import Path

import obstore
from obstore.exceptions import BaseError

from pyspark_dms.store_access import connected_store, refused, split_address


def copy_object(source: str, target: str) -> None:
    """Make an object the same as another one of its store, which takes one request.

    In a local folder it is a second name of the same file, and where a disk has none, a copy: the
    files of a lake are never changed, so either is as good.

    Args:
        source: the path of the object, of at most 5 GB: a store copies no larger one at once.
        target: the path of the new one; what is there is replaced.

    Raises:
        RefusedObject: there is no such object, or the store does not copy it.
    """
    root, key = split_address(source)
    try:
        if root.startswith("file:"):
            _link(Path(f"/{key}"), Path(f"/{split_address(target)[1]}"))
        else:
            obstore.copy(connected_store(root), key, split_address(target)[1])
    except FileNotFoundError as problem:
        raise refused(source, problem, "read") from None
    except (BaseError, OSError) as problem:
        raise refused(target, problem, "written") from None


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # As others name what is not finished: a listing passes it over.
    beside = target.with_name(f".{target.name}")
    beside.unlink(missing_ok=True)
    try:
        beside.hardlink_to(source)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, beside)
    # A name is not put in the place of another one of the same file.
    target.unlink(missing_ok=True)
    beside.replace(target)
