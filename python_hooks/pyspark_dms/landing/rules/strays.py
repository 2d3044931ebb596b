"""Rules about files that DMS plainly did not write, and about copies of files."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pyspark_dms.landing.known_table import KnownTable
from pyspark_dms.landing.outcome import NOT_PUBLISHED, TableError, Warned, named
from pyspark_dms.landing.pending import PendingFiles


def check_other_formats(files: PendingFiles) -> None:
    """Fail if the state was built from files of another format than the declared one."""
    table = files.table
    applied = [file.path for file in files.other_formats if table.is_in_state(file)]
    if applied:
        version = table.current.version if table.current else 0
        raise TableError(
            "E215",
            f"format is {table.facts.file_format}, and version {version} has rows of files of "
            f"another one {named(applied)}. {NOT_PUBLISHED}. Declare format: auto, "
            f"then: {table.facts.run_command}. If DMS did not write these files, delete them, "
            f"then: {table.facts.rebuild_without_missing}",
        )


def warn_of_other_formats(files: PendingFiles) -> Iterator[Warned]:
    """Warn once of files that were indexed before their format was declared away."""
    new = {file.path for file in files.other_formats if files.table.is_new(file)}
    yield from warned_of_other_format(files.table, new)


def warned_of_other_format(table: KnownTable, paths: Collection[str]) -> Iterator[Warned]:
    """A warning of files that have names of DMS and another format than the declared one."""
    if paths:
        yield (
            f"format is {table.facts.file_format}, so files of another one are not read "
            f"{named(paths)}",
            "If DMS wrote them, declare format: auto. Else nothing is to be done.",
        )


def warn_of_ignored(files: PendingFiles) -> Iterator[Warned]:
    """Warn once of files to read that are missing and no loss."""
    table = files.table
    for reason, ignored in files.ignored.items():
        last = [table.last_events[file.path] for file in ignored]
        new = [event.path for event in last if event.is_missing and table.is_new(event)]
        if new:
            yield (
                f"files to be read are no longer there {named(new)}",
                f"They are ignored, {reason}. If DMS wrote them, put them back.",
            )


def check_copies(files: PendingFiles) -> None:
    """Fail if a table without a key would have the rows of a file twice."""
    for file, other in files.copies:
        if files.is_there(file):
            raise TableError(
                "E214",
                f"{file.path} has the name of a file that is known from another path, "
                f"{other.path}. {NOT_PUBLISHED}: a table without a key could have its "
                "rows twice. If it is a copy, take it away. If the files are in another "
                "folder now, this takes them from there alone: "
                f"{files.table.facts.rebuild_command}",
            )
