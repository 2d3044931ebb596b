"""What the values of sample files say about the task and the source: a person has to look.

Pure functions over rows; each gives lines for a person, none if there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.discovery.evidence import texts, without_differences_of_collations

# LobMaxSize of a task is in kilobytes.
_KILOBYTE = 1024
# One value may have such a length by chance.
_FEWEST_CUT = 2


def cut_values(rows: pa.Table) -> Iterator[str]:
    """Columns in which several values have the greatest length, and that is one of LobMaxSize.

    Source: AWS DMS user guide, "Setting LOB support": in limited LOB mode, DMS cuts what is
    longer than LobMaxSize, with no more than a warning in its log.
    """
    for name in rows.column_names:
        values = rows.column(name)
        is_text = _is_text(values)
        if not is_text and not pa.types.is_binary(values.type):
            continue
        # A text is cut at bytes, one of two bytes for each character at characters.
        for measure, unit in (
            (pc.binary_length, "bytes"), *(((pc.utf8_length, "characters"),) if is_text else ()),
        ):  # fmt: skip
            lengths = measure(values)
            greatest = pc.max(lengths).as_py() or 0
            count = pc.sum(pc.equal(lengths, greatest)).as_py() or 0
            if greatest and greatest % _KILOBYTE == 0 and count >= _FEWEST_CUT:
                yield (
                    f"column {name!r}: {count} of {len(values) - values.null_count} values have "
                    f"{greatest} {unit}, and none has more: the task may have cut them "
                    "(LobMaxSize). Compare with the source; if so, raise LobMaxSize and reload"
                )
                break


def keys_alike(keys: pa.Table, columns: Sequence[str]) -> Iterator[str]:
    """Key values that differ in case, accents or blanks at the end only.

    Args:
        keys: the rows of all sample files.
        columns: the proposed key.
    """
    as_text = {name: texts(keys.column(name)) for name in columns if name in keys.column_names}
    is_text = any(_is_text(keys.column(name)) for name in as_text)
    if not is_text or len(as_text) < len(columns) or any(one is None for one in as_text.values()):
        return
    names = [f"key_{place}" for place in range(len(columns))]
    plain = [f"plain_{place}" for place in range(len(columns))]
    given = pa.table(dict(zip(names, as_text.values(), strict=True))).drop_null()
    distinct = given.group_by(names).aggregate([])
    for name, other in zip(names, plain, strict=True):
        distinct = distinct.append_column(other, without_differences_of_collations(distinct[name]))
    groups = distinct.group_by(plain).aggregate([([], "count_all")])
    alike = groups.filter(pc.greater(groups["count_all"], 1))
    if not alike.num_rows:
        return
    first = distinct.join(alike.slice(0, 1), plain, join_type="left semi").sort_by(
        [(name, "ascending") for name in names]
    )
    one, other = (_shown([row[name] for name in names]) for row in first.slice(0, 2).to_pylist())
    yield (
        "keys that differ in case, accents or blanks at the end only, such as "
        f"{one} and {other}: the source's collation may call them equal, and then "
        "they are one row there and two here"
    )


def _is_text(values: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_string(values.type) or pa.types.is_large_string(values.type))


def _shown(values: Sequence[str]) -> str:
    text = ", ".join(map(repr, values))
    return text if len(text) <= 80 else text[:77] + "..."
