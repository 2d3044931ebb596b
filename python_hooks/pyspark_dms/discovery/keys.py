"""Proposes key columns, and says what in the data speaks for them.

A key is unique and never NULL in the full load and never NULL in a change. An update or a delete
names a row that is known, an insert one that is not. That tells a key from a column that happens to
be unique: whoever changes a salary does not change an employee number. It is a proposal all the
same: only the source database knows its keys.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.discovery.evidence import texts

# Columns that are tried: the first ones, and as many that are called like a key. Two together are
# tried of all of them, three of the first ones only, as each try costs milliseconds.
_COLUMNS_TRIED = 8
_MOST_COLUMNS = 3
# Fewer rows than these make a lot of columns look unique.
FEW_ROWS = 20
_KEY_NAME = re.compile(
    r"(?:.*_)?(?:id|no|nr|num|number|key|pk|code|uuid|guid|sk)|.*[a-z]Id|.*ID", re.IGNORECASE
)


@dataclass(frozen=True)
class KeyProposal:
    """Key columns, and the evidence.

    Attributes:
        columns: the proposal; empty if nothing fits.
        others: further candidates, best first.
        rows: rows among which the columns are unique.
        changes: changes that were looked at.
        fitting: how many of those are as they would be with this key: an update or delete of a
            row that was seen before, an insert of one that was not.
    """

    columns: tuple[str, ...]
    others: tuple[tuple[str, ...], ...] = ()
    rows: int = 0
    changes: int = 0
    fitting: int = 0

    @property
    def is_weak(self) -> bool:
        """Whether the data cannot really tell."""
        return self.rows < FEW_ROWS or self.fitting < self.changes


@dataclass(frozen=True)
class _Candidate:
    columns: tuple[str, ...]
    fitting: int
    share: float
    likeness: float
    place: int

    @property
    def rank(self) -> tuple[float, int]:
        """Least for the best. Evidence counts twice as much as names, and each column costs.

        A row that is deleted and comes back is no evidence against a key, so a small lack of
        evidence does not outweigh a name.
        """
        return (-2 * self.share - self.likeness + 0.2 * len(self.columns), self.place)


def propose_key(base: pa.Table, inserts: pa.Table, changes: pa.Table) -> KeyProposal:
    """Find the columns that look most like a key.

    Args:
        base: full load rows, or the inserts of a table that was never loaded.
        inserts: inserted rows of change files.
        changes: updates and deletes.
    """
    names = [name for name in base.column_names if _may_be_key(base, inserts, changes, name)]
    likely = [name for name in names if _KEY_NAME.fullmatch(name)]
    # The first columns, as keys often stand there, and those that are called like a key.
    tried = sorted({*names[:_COLUMNS_TRIED], *likely[:_COLUMNS_TRIED]}, key=names.index)
    as_text = [_as_text(table, tried) for table in (base, inserts, changes)]
    tried = [name for name in tried if all(name in table for table in as_text)]
    base, inserts, changes = (
        pa.table({name: table[name] for name in tried if table[name] is not None})
        for table in as_text
    )
    if base.num_rows == 0:
        return KeyProposal(())
    change_count = inserts.num_rows + changes.num_rows
    found: list[_Candidate] = []
    for size in range(1, _MOST_COLUMNS + 1):
        found += _unique(
            base, inserts, changes, tried if size < 3 else tried[:_COLUMNS_TRIED], size
        )
        # More columns are unique, too, but no better.
        if any(one.likeness >= 0.7 and one.fitting == change_count for one in found):
            break
    if not found:
        return KeyProposal((), rows=base.num_rows, changes=change_count)
    best, *others = sorted(found, key=lambda one: one.rank)
    return KeyProposal(
        best.columns,
        tuple(one.columns for one in others[:3]),
        base.num_rows,
        change_count,
        best.fitting,
    )


def _may_be_key(base: pa.Table, inserts: pa.Table, changes: pa.Table, name: str) -> bool:
    data_type = base.schema.field(name).type
    if pa.types.is_floating(data_type) or pa.types.is_boolean(data_type):
        return False
    if pa.types.is_binary(data_type) or pa.types.is_null(data_type):
        return False
    # Oracle has whole numbers in a decimal, and an amount is no key.
    if pa.types.is_decimal(data_type):
        numbers = base.column(name)
        if pc.any(pc.not_equal(pc.trunc(numbers), numbers)).as_py():
            return False
    return not any(
        table.num_rows and (name not in table.column_names or table.column(name).null_count)
        for table in (base, inserts, changes)
    )


def _as_text(table: pa.Table, names: Sequence[str]) -> dict[str, pa.ChunkedArray | None]:
    """Columns as texts; None for one that a table without rows does not have.

    Files may have a column in two types, and text compares with text. What has no text is left out.
    """
    columns: dict[str, pa.ChunkedArray | None] = {}
    for name in names:
        if name not in table.column_names:
            columns[name] = None
        elif (text := texts(table.column(name))) is not None:
            columns[name] = text
    return columns


def _unique(
    base: pa.Table, inserts: pa.Table, changes: pa.Table, names: Sequence[str], size: int
) -> Iterator[_Candidate]:
    for columns in itertools.combinations(names, size):
        keys = base.select(columns)
        if keys.group_by(list(columns)).aggregate([]).num_rows < base.num_rows:
            continue
        fitting = 0
        known = keys
        if inserts.num_rows:
            inserted = inserts.select(columns).group_by(list(columns)).aggregate([])
            fitting += inserted.join(keys, list(columns), join_type="left anti").num_rows
            known = pa.concat_tables([keys, inserted])
        if changes.num_rows:
            changed = changes.select(columns)
            fitting += changed.join(known, list(columns), join_type="left semi").num_rows
        likeness = sum(bool(_KEY_NAME.fullmatch(name)) for name in columns) / size
        # A date beside a number is part of many keys, an amount is of none.
        likeness += 0.25 * sum(_is_date_name(name) for name in columns) / size
        place = sum(names.index(name) for name in columns)
        count = inserts.num_rows + changes.num_rows
        share = fitting / count if count else 1.0
        yield _Candidate(columns, fitting, share, likeness, place)


def _is_date_name(name: str) -> bool:
    return "date" in name.lower() or "from" in name.lower()
