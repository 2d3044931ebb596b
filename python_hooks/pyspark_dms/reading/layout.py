"""Which column of a file is which of its table, and whether the file has what it must have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.quoting import in_one_line
from pyspark_dms.reading.file_rows import TRANSACTION_FIELDS
from pyspark_dms.reading.indexed_files import Cause, FileProblem, ReadSettings

_MOST_NAMES = 12


@dataclass
class Layout:
    """Where each wanted column stands in a file: what the file has under that name, if anything.

    Attributes:
        names: the columns of the file.
        declared: the declared columns.
        op, committed_at, change_seq: what DMS adds.
        old_keys: the before images of the key.
        wanted: the columns of the file that are read.
        absent: the declared columns that the file lacks.
        needed_by_changes: columns that the file lacks, and without which only deletes can be taken.
        read_as_null: columns that the file lacks, and that are NULL in all its rows.
    """

    names: Sequence[str]
    declared: list[str | None]
    op: str | None
    committed_at: str | None
    change_seq: str | None
    old_keys: list[str | None]
    wanted: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    needed_by_changes: list[str] = field(default_factory=list)
    read_as_null: list[str] = field(default_factory=list)


def lay_out(names: Sequence[str], file: IndexedFile, settings: ReadSettings) -> Layout:
    """Match the file's column names, in any case, to what is declared.

    Raises:
        FileProblem: the file lacks a column, or has one too many.
    """
    _check_names(names, settings)
    by_lower = {name.lower(): name for name in names}

    def find(name: str | None) -> str | None:
        return by_lower.get(name.lower()) if name else None

    prefix = settings.before_image_prefix
    layout = Layout(
        names=names,
        declared=[_find_declared(find, column.name, settings) for column in settings.file_columns],
        op=find(settings.op_column),
        committed_at=find(settings.timestamp_column),
        change_seq=find(settings.change_seq_column),
        old_keys=[
            _find_declared(find, key, settings, prefix) if prefix else None
            for key in settings.file_keys
        ],
    )
    found = [
        *layout.declared, layout.op, layout.committed_at, layout.change_seq, *layout.old_keys,
    ]  # fmt: skip
    layout.wanted = [name for name in names if name in found]
    layout.absent = [
        column.name
        for column, name in zip(settings.file_columns, layout.declared, strict=True)
        if name is None
    ]
    _check_absent(layout, file, settings)
    # Before what is not declared: Op may be there under another name.
    _check_op(layout, file, settings)
    _check_undeclared(layout, settings)
    return layout


def listed(names: Sequence[str]) -> str:
    """Names as a message shows them: not more than a few, and on one line."""
    shown = [in_one_line(name)[:60] for name in names[:_MOST_NAMES]]
    return ", ".join(shown) + (", ..." if len(names) > _MOST_NAMES else "")


def undeclared_columns(names: Sequence[str], layout: Layout, settings: ReadSettings) -> list[str]:
    """The columns of a file that are not declared and that DMS has not added."""
    prefix = settings.before_image_prefix
    # A before image is one of a column that is declared, was once, or is in the file itself.
    columns = [*names, *(column.name for column in settings.columns)]
    columns += [name for earlier in settings.renamed_from.values() for name in earlier]
    images = {(prefix + name).lower() for name in columns} if prefix else set()
    return [
        name
        for name in names
        if name not in (*layout.wanted, *TRANSACTION_FIELDS) and name.lower() not in images
    ]


def _check_names(names: Sequence[str], settings: ReadSettings) -> None:
    if "" in names and settings.on_schema_change != "ignore":
        raise FileProblem(
            f"field {names.index('') + 1} of its header has no name; it has: {listed(names)}",
            Cause("nameless"),
        )
    named = [name.lower() for name in names if name]
    if len({*named}) < len(named):
        raise FileProblem(
            "two of its columns have one name (case does not tell names apart): "
            f"{listed(names)}; rename all but one in the task (rule rename-column)"
        )
    shard = (settings.shard_column or "").lower()
    if shard and shard in named:
        raise FileProblem(
            f"it has a column {settings.shard_column}, which is declared as shard_column, the "
            "column for the folder. Give that another name"
        )


def _find_declared(
    find: Callable[[str | None], str | None], name: str, settings: ReadSettings, prefix: str = ""
) -> str | None:
    """The column of the file that a declared one is, under its name or an earlier one."""
    candidates = [prefix + known for known in (name, *settings.renamed_from.get(name, ()))]
    found = [column for column in map(find, candidates) if column is not None]
    if len(found) > 1:
        raise FileProblem(
            f"it has {' and '.join(found)}, which are declared as one column, {name}: "
            "correct renamed_from"
        )
    return found[0] if found else None


def _check_absent(layout: Layout, file: IndexedFile, settings: ReadSettings) -> None:
    keys = [name for name in layout.absent if name in settings.primary_keys]
    if len(layout.absent) == len(settings.file_columns) or keys:
        what = f"no key column {listed(keys)}" if keys else "none of the declared columns"
        raise FileProblem(
            f"it has {what}; it has: {listed(layout.names)}", Cause("absent", tuple(layout.absent))
        )
    for setting, wanted, name in (
        ("timestamp_column", settings.timestamp_column, layout.committed_at),
        ("change_seq_column", settings.change_seq_column, layout.change_seq),
    ):
        if wanted and name is None:
            raise FileProblem(
                f"it has no column {wanted}, which is declared as {setting}; "
                f"it has: {listed(layout.names)}",
                Cause("absent", (wanted,)),
            )
    prefix = settings.before_image_prefix
    if prefix and file.kind == "cdc":
        layout.needed_by_changes += [
            prefix + key
            for key, name in zip(settings.file_keys, layout.old_keys, strict=True)
            if name is None
        ]
    if layout.absent and not (settings.image == "partial" and file.kind == "cdc"):
        if settings.on_schema_change == "fail":
            layout.needed_by_changes += layout.absent
        else:
            layout.read_as_null += layout.absent
    # Without Op, or in a full load, no row is a delete.
    if layout.needed_by_changes and (layout.op is None or file.kind == "load"):
        raise FileProblem(
            f"it has no column {listed(layout.needed_by_changes)}; it has: {listed(layout.names)}",
            Cause("absent", tuple(layout.needed_by_changes)),
        )


def _check_op(layout: Layout, file: IndexedFile, settings: ReadSettings) -> None:
    # DMS leaves Op out of full loads by default, and out of change files of insert-only tasks.
    if layout.op is None and file.kind != "load" and settings.captures_deletes:
        raise FileProblem(
            f"it has no column {settings.op_column}, so its changes cannot be told apart",
            Cause("no_op"),
        )


def _check_undeclared(layout: Layout, settings: ReadSettings) -> None:
    if settings.on_schema_change != "fail":
        return
    if undeclared := undeclared_columns(layout.names, layout, settings):
        raise FileProblem(
            f"it has a column that is not declared: {listed(undeclared)}",
            Cause("undeclared", tuple(undeclared)),
        )
