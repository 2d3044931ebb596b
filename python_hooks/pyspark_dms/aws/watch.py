"""Runs the tables concerned whenever files land, on this machine: what Lambda does on AWS."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark_dms import stores
from pyspark_dms.aws.events import WatchedTable
from pyspark_dms.errors import DmsError
from pyspark_dms.secrets import without_secrets

Seen = dict[str, tuple[str, int]]


@dataclass
class Watch:
    """Looks for new files of some tables, again and again.

    Attributes:
        tables: the tables to look after.
        run: runs some tables and returns whether all went well, or raises `DmsError` if none was
            run; it is never called while it runs.
        tell: takes what a person may want to read.
    """

    tables: Sequence[WatchedTable]
    run: Callable[[Sequence[WatchedTable]], bool]
    tell: Callable[[str], None]
    _seen: dict[str, Seen] = field(default_factory=dict)

    def look(self) -> list[WatchedTable]:
        """Look once, run the tables that have files not seen before, and return them.

        What lands while they run is found by the next look. The first look finds every file, as
        it is not known what landed before it.

        Raises:
            DmsError: a table cannot be listed until a person has fixed something, or the run
                could not start; the next look finds the same files.
        """
        return self._run_new(self._found())

    def _found(self) -> dict[WatchedTable, Seen | None]:
        return {table: self._list(table) for table in self.tables}

    def _run_new(self, found: Mapping[WatchedTable, Seen | None]) -> list[WatchedTable]:
        concerned = [
            table
            for table, files in found.items()
            if files is not None and files.items() - self._seen.get(table.label, {}).items()
        ]
        if not concerned:
            return []
        self.tell("New files: " + ", ".join(table.label for table in concerned))
        if not self.run(concerned):
            self.tell(
                "Some tables failed; see above. They are run again when their next files land, "
                "or with: dbt retry"
            )
        for table in concerned:
            self._seen[table.label] = found[table] or {}
        return concerned

    def forever(self, seconds: float) -> Iterator[list[WatchedTable]]:
        """Look every so many seconds, without an end; give what each look ran.

        Raises:
            DmsError: a table cannot be listed until a person has fixed something.
        """
        while True:
            found = self._found()
            try:
                yield self._run_new(found)
            except DmsError as problem:
                self.tell(f"{problem}\nTried again in {seconds:g} s.")
            time.sleep(seconds)

    def _list(self, table: WatchedTable) -> Seen | None:
        """The data files of a table; None if they cannot be listed now."""
        try:
            return {
                stored.path: (stored.etag, stored.size)
                for folder in filter(None, (*table.paths, table.transaction_path))
                for page in stores.list_objects(folder)
                for stored in page
                if table.is_told_of_by(stored.path.split("://", 1)[-1])
            }
        except DmsError:
            raise
        except Exception as problem:  # a store that is away comes back
            reason = without_secrets(stores.problem_text(problem))
            self.tell(f"{table.label}: {', '.join(table.paths)} cannot be listed now: {reason}")
            return None
