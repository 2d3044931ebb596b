"""What the values of sample files say about the task and the source: a person has to look.

Pure functions over rows; each gives lines for a person, none if there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.discovery.evidence import texts
from pyspark_dms.quoting import yaml_name
from pyspark_dms.reading.columns import is_text
from pyspark_dms.reading.folding import folded

# LobMaxSize of a task is in kilobytes.
_KILOBYTE = 1024
# The keys of a declaration that bring texts to one form.
FOLDS = ("trim", "lower", "unaccent")
# One value may have such a length by chance.
_FEWEST_CUT = 2


def cut_values(rows: pa.Table) -> Iterator[str]:
    """Columns in which several values have the greatest length, and that is one of LobMaxSize.

    Source: AWS DMS user guide, "Setting LOB support": in limited LOB mode, DMS cuts what is
    longer than LobMaxSize, with no more than a warning in its log.
    """
    for name in rows.column_names:
        values = rows.column(name)
        has_text = is_text(values.type)
        if not has_text and not pa.types.is_binary(values.type):
            continue
        # A text is cut at bytes, one of two bytes for each character at characters.
        for measure, unit in (
            (pc.binary_length, "bytes"), *(((pc.utf8_length, "characters"),) if has_text else ()),
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
    """Key values that differ in blanks at the end, case or accents only, and what makes them one.

    Args:
        keys: the rows of all sample files.
        columns: the proposed key.
    """
    as_text = {name: texts(keys.column(name)) for name in columns if name in keys.column_names}
    with_text = [name for name in as_text if is_text(keys.column(name).type)]
    if not with_text or len(as_text) < len(columns) or any(one is None for one in as_text.values()):
        return
    # Names of our own, because those of a file may be any.
    names = {name: f"key_{place}" for place, name in enumerate(columns)}
    given = pa.table({names[name]: text for name, text in as_text.items()}).drop_null()
    distinct = given.group_by(list(names.values())).aggregate([])
    in_text = [names[name] for name in with_text]
    groups = _folded(distinct, in_text, FOLDS)
    if groups.num_rows == distinct.num_rows:
        return
    needed = [
        fold
        for fold in FOLDS
        if _folded(distinct, in_text, [one for one in FOLDS if one != fold]).num_rows
        > groups.num_rows
    ]
    one, other = _first_alike(distinct, groups, in_text)
    changed = ", ".join(
        yaml_name(name)
        for name in with_text
        if not _fold(distinct[names[name]], FOLDS).equals(distinct[names[name]])
    )
    keys_of_it = " and ".join(f"{fold}: [{changed}]" for fold in needed or FOLDS)
    yield (
        f"keys that differ in case, accents or blanks at the end only, such as {one} and {other}: "
        f"if the source's collation calls them equal, declare {keys_of_it}"
    )


def _fold(values: pa.ChunkedArray, folds: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([folded(chunk, folds) for chunk in values.chunks], pa.string())


def _folded(distinct: pa.Table, in_text: Sequence[str], folds: Sequence[str]) -> pa.Table:
    """The keys that are left if their texts are brought to one form."""
    for name in in_text:
        place = distinct.column_names.index(name)
        distinct = distinct.set_column(place, name, _fold(distinct[name], folds))
    return distinct.group_by(distinct.column_names).aggregate([([], "count_all")])


def _first_alike(distinct: pa.Table, groups: pa.Table, in_text: Sequence[str]) -> tuple[str, str]:
    """Two keys that are one in the form of all folds, which `groups` has with their counts."""
    names = distinct.column_names
    alike = groups.filter(pc.greater(groups["count_all"], 1)).slice(0, 1).select(names)
    plain = distinct
    for name in names:
        values = _fold(distinct[name], FOLDS) if name in in_text else distinct[name]
        plain = plain.append_column(f"plain_{name}", values)
    found = plain.join(
        alike, [f"plain_{name}" for name in names], right_keys=names, join_type="left semi"
    ).sort_by([(name, "ascending") for name in names])
    one, other = found.slice(0, 2).to_pylist()
    return _shown([one[name] for name in names]), _shown([other[name] for name in names])


def _shown(values: Sequence[str]) -> str:
    text = ", ".join(map(repr, values))
    return text if len(text) <= 80 else text[:77] + "..."
