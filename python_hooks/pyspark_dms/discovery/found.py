"""Finds the tables under a DMS root, by the names of the objects alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.file_names import classify
from pyspark_dms.secrets import without_secrets

# A table is two folders below the root: <schema>/<table>.
_LEVELS = 2
# Files of each kind that are looked into, half of them the first ones and half the last ones.
FILES_READ = 4
# 2020/11/13, 2020-11-13, 20201113 and the like; see DatePartitionSequence of DMS.
_DATE_FOLDER = re.compile(r"[\d_-]+")
_STORE_REFUSAL = re.compile(
    r"403|401|forbidden|access ?denied|unauthori[sz]ed|signature|invalidaccesskey", re.IGNORECASE
)
# Without any in the environment, a client asks the machine for those of its role.
_NO_CREDENTIALS = re.compile(
    r"169\.254\.|/latest/(?:api|meta-data)|metadata\.google|credential", re.IGNORECASE
)


@dataclass(frozen=True)
class SampleFile:
    """One data file: its full path, its bytes, whether it is a full load, its place in time."""

    path: str
    size: int
    is_load: bool
    order: int


@dataclass
class FoundTable:
    """A folder ``<schema>/<table>`` with DMS files.

    Attributes:
        schema, table: the folders as DMS named them.
        path: the full path of the folder, with a slash at the end.
        loads, changes: how many files of each kind.
        sample: the files to look into: full loads first, each kind in the order of the names.
        extensions: the kinds of file seen, such as ``parquet`` and ``csv.gz``.
        load_folders: whether full load files lie in folders below (a parallel load).
        has_own_files: whether any file lies where DMS puts the files of every table.
        other_folders: the folders below in which DMS writes no files of its own.
    """

    schema: str
    table: str
    path: str
    loads: int = 0
    changes: int = 0
    extensions: set[str] = field(default_factory=set)
    load_folders: bool = False
    has_own_files: bool = False
    other_folders: set[str] = field(default_factory=set)
    _samples: dict[bool, list[SampleFile]] = field(default_factory=lambda: {True: [], False: []})

    @property
    def folder(self) -> str:
        """How the table is called in messages, before it has a declared name."""
        return f"{self.schema}/{self.table}"

    @property
    def is_control_table(self) -> bool:
        """Whether DMS writes about itself in it (``awsdms_status`` and the like)."""
        return self.table.lower().startswith("awsdms_")

    @property
    def lies_deeper(self) -> bool:
        """Whether it looks like the folder of a schema, and not like that of a table."""
        return bool(self.other_folders) and not self.has_own_files

    @property
    def has_csv_only(self) -> bool:
        """Whether no file, read or not, is called Parquet."""
        return not any(extension.startswith("parquet") for extension in self.extensions)

    @property
    def sample(self) -> list[SampleFile]:
        return [*self._samples[True], *self._samples[False]]

    def add(self, file: SampleFile, below: list[str]) -> None:
        """Take one more file; ``below`` are the folders between the table's and the file."""
        seen = sorted([*self._samples[file.is_load], file], key=lambda one: (one.order, one.path))
        # Local folders are listed in no order, and a root may hold a million files.
        half = FILES_READ // 2
        self._samples[file.is_load] = (
            seen if len(seen) <= FILES_READ else seen[:half] + seen[-half:]
        )
        if all(map(_DATE_FOLDER.fullmatch, below)):
            self.has_own_files = True
        elif not file.is_load or len(below) > 1:
            # A parallel full load has a folder for each part.
            self.other_folders.add(below[0])
        if file.is_load:
            self.loads += 1
            self.load_folders |= bool(below)
        else:
            self.changes += 1
        self.extensions.add(file.path.rsplit("/", 1)[-1].split(".", 1)[1].lower())


@dataclass
class Unread:
    """Objects that are no files of a table: below a folder, how many, and one of them.

    Attributes:
        folder: relative to the root; ``.`` for the root itself.
        example: the name of the first one.
        count, empty: how many there are, and how many of them have no content.
    """

    folder: str
    example: str
    count: int = 0
    empty: int = 0

    def add(self, size: int) -> None:
        """Count one more."""
        self.count += 1
        self.empty += size == 0


@dataclass(frozen=True)
class Found:
    """What lies under a root: its tables, and what is not read."""

    tables: list[FoundTable]
    unread: list[Unread]


def find_tables(root: str) -> Found:
    """List a DMS root and group its data files by table, in the order of the folders.

    Raises:
        DmsError: the root cannot be listed, holds no DMS files, or is not the folder that has
            the schema folders.
    """
    root = listable(root)
    tables: dict[tuple[str, str], FoundTable] = {}
    unread: dict[str, Unread] = {}
    misplaced = ""
    try:
        for page in stores.list_objects(root):
            for stored in page:
                *folders, file_name = stored.path[len(root) :].split("/")
                name = classify(stored.path)
                # In the folder of a schema, date folders would be its tables.
                is_misplaced = name.name_order is not None and (
                    len(folders) < _LEVELS or _DATE_FOLDER.fullmatch(folders[1]) is not None
                )
                if name.name_order is None or stored.size == 0 or is_misplaced:
                    misplaced = misplaced or (stored.path if is_misplaced else "")
                    folder = "/".join(folders[:_LEVELS]) or "."
                    unread.setdefault(folder, Unread(folder, file_name)).add(stored.size)
                    continue
                file = SampleFile(stored.path, stored.size, name.kind == "load", name.name_order)
                schema, table, *below = folders
                path = f"{root}{schema}/{table}/"
                found = tables.setdefault((schema, table), FoundTable(schema, table, path))
                found.add(file, below)
    except DmsError:
        raise
    except Exception as problem:  # each store has exceptions of its own
        raise DmsError("E202", why_not(root, problem)) from problem
    deeper = [table for table in tables.values() if table.lies_deeper]
    if len(deeper) == len(tables):
        misplaced = next((table.sample[0].path for table in deeper), misplaced)
        if misplaced:
            raise DmsError(
                "E621",
                f"{root}: {misplaced} does not lie as <schema>/<table>/ below it. Name the folder "
                "that has the schema folders: the bucket, or its BucketFolder.",
            )
        seen = next(iter(unread.values()), None)
        others = f" There are others, such as {seen.folder}/{seen.example}." if seen else ""
        raise DmsError(
            "E620",
            f"{root} has no DMS files: none is named LOAD00000001.… or 20201113-150000000.… with "
            f"the ending .parquet, .csv or .csv.gz.{others} Check the address, and that the task "
            "has written.",
        )
    return Found([tables[key] for key in sorted(tables)], [unread[key] for key in sorted(unread)])


def why_not(root: str, problem: Exception) -> str:
    """What a store's exception means for the person who named the root; one line and a way out."""
    reason = without_secrets(stores.problem_text(problem)) or type(problem).__name__
    # Which server was asked is not in what it answered.
    if _NO_CREDENTIALS.search(str(problem).split("\n", 1)[0]):
        way_out = (
            "No credentials were found. Give them as every client of this store takes them: for "
            "S3 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role of this machine. Profiles "
            "in ~/.aws are not read; this puts one into the environment: "
            'eval "$(aws configure export-credentials --format env)".'
        )
    elif _STORE_REFUSAL.search(reason):
        way_out = "The store refuses these credentials. They must be allowed to list and to read."
    elif "invalid path" in reason:
        way_out = "Rename this file, or move it out of the folder."
    else:
        way_out = "Check the address, the endpoint and the network."
    return f"{root} cannot be read: {reason}\n{way_out} Nothing was written."


def listable(root: str) -> str:
    """The root as a listing gives it back: a URL, or an absolute folder that is there."""
    if "://" in root.removeprefix("file://"):
        return root.rstrip("/") + "/"
    folder = Path(root.removeprefix("file://").removeprefix("file:")).expanduser().resolve()
    try:
        next(folder.iterdir(), None)
    except OSError as problem:
        raise DmsError(
            "E202", f"{folder} cannot be read: {problem.strerror}. Nothing was written."
        ) from None
    return f"{folder}/".replace("//", "/")
