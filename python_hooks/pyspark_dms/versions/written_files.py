"""The files that a manifest names, and those that are there: a difference was made by hand.

Only runs write to the lake, each to a folder of its own, and only `vacuum` deletes whole folders.
So another name in a folder, or one that is missing, is the work of somebody else, whatever the
number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark_dms import stores


@dataclass(frozen=True)
class RecordedFolder:
    """A partition of a version: its name, None if the table has none, its folder and its files.

    ``files`` are their names in the folder; None if the folder is one of staging.
    """

    partition: str | None
    location: str
    files: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its files.

        Raises:
            ValueError: it is a folder of staging.
        """
        if self.files is None:
            raise ValueError(f"no manifest names the files of {self.location}")
        return self.files


def parse_folder(fields: Mapping[str, Any]) -> RecordedFolder:
    """Read a partition as a manifest has it in JSON."""
    files = fields.get("files")
    return RecordedFolder(
        fields.get("partition"), fields["location"], None if files is None else tuple(files)
    )


@dataclass(frozen=True)
class Differences:
    """Names of files that no manifest has (``more``), and of those that are gone (``missing``)."""

    more: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.more or self.missing)

    def __str__(self) -> str:
        named = [
            f"{len(names)} {what} ({names[0]}{', …' if len(names) > 1 else ''})"
            for names, what in ((self.more, "more"), (self.missing, "missing"))
            if names
        ]
        return ", ".join(named)


def differences(recorded: Sequence[str], found: Iterable[str]) -> Differences:
    """Compare the names that a manifest has of a folder with those there."""
    names = set(found)
    return Differences(
        more=tuple(sorted(names.difference(recorded))),
        missing=tuple(sorted(set(recorded).difference(names))),
    )


def names_below(folder: str, files: Iterable[stores.StoredObject]) -> list[str]:
    """The names of listed files, relative to their folder."""
    address = stores.folder_address(folder)
    return [one.path.removeprefix(address) for one in files]


def changed_files(folder: RecordedFolder, files: Iterable[stores.StoredObject]) -> str | None:
    """What somebody has changed in a folder of a version, for people; None if nothing."""
    if folder.files is None:
        return None
    found = differences(folder.files, names_below(folder.location, files))
    return f"{found} in {folder.location}" if found else None
