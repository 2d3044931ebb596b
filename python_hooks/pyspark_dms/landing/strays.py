"""Tells files that DMS plainly did not write, stray files, from those whose rows would be missed.

DMS gives a name once. So of two files of one name in two formats one is a stray file: somebody
looked at the other, or DMS loaded the table again in another format. The three rules here are pure
functions of names and times: which new file is not read (`judge_format`), what is to be done about
two of a name (`way_out`), and which missing file is no loss (`why_not_missed`). See decision 25.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime

from pyspark_dms.landing.file_names import classify, is_transactions

# The values of the key ``format``.
ANY_FORMAT = "auto"

_ENDING = re.compile(r"\.(?P<format>parquet|csv)(?:\.gz)?$", re.IGNORECASE)

# What `judge_format` says of a new file.
READ = "read"
NOT_READ = "not read"
REFUSED = "refused"


def format_of(path: str) -> str | None:
    """The format that a name tells: parquet or csv; None if it tells none."""
    found = _ENDING.search(path)
    return found["format"].lower() if found else None


def stem(path: str) -> str:
    """A path without its ending, with its name in lower case: two files of one stem are twins."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{_ENDING.sub('', name).lower()}"


def is_other_format(path: str, declared: str) -> bool:
    """Whether a file has a name of DMS in another format than the declared one.

    The files below ``transaction_path`` are CSV whatever is declared.
    """
    if declared == ANY_FORMAT or is_transactions(path):
        return False
    # Mostly the format is the declared one, and that is seen faster than what the name says.
    return format_of(path) != declared and classify(path).kind != "unknown"


def by_stem(paths: Iterable[str]) -> dict[str, list[str]]:
    """Paths by their stem: each list has the twins of one folder and name."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(stem(path), []).append(path)
    return found


def judge_format(
    path: str,
    modified_at: datetime | None,
    declared: str,
    others: Collection[str],
    newest_declared: datetime | None,
) -> tuple[str, str | None]:
    """Say whether a file that no run has seen yet is read, by its format.

    | declared | its format | another file has its name | later than all of the declared format | |
    |---|---|---|---|---|
    | auto | any | yes | | refused |
    | auto | any | no | | read |
    | F | F | yes, also in F (``.csv`` and ``.csv.gz``) | | refused |
    | F | F | no, or in another format | | read |
    | F | not F | yes | | not read |
    | F | not F | no | no | not read |
    | F | not F | no | yes: DMS may write that format now | refused |

    Args:
        path: the file; its name is one of DMS.
        modified_at: when it was written.
        declared: the key ``format``.
        others: the other files of its stem, sorted.
        newest_declared: when the newest file of the declared format was written; None for none.

    Returns:
        `READ`, `NOT_READ` or `REFUSED`; and if it is refused the other file of the name, or None.
    """
    if not is_other_format(path, declared):
        same = [one for one in others if not is_other_format(one, declared)]
        return (REFUSED, same[0]) if same else (READ, None)
    if others:
        return NOT_READ, None
    is_newest = newest_declared is None or modified_at is None or modified_at > newest_declared
    return (REFUSED, None) if is_newest else (NOT_READ, None)


def way_out(path: str, other: str | None, declared: str) -> tuple[str, str]:
    """What is wrong with a file that `judge_format` refuses, and what to do about it."""
    if other is None:
        return (
            f"format is {declared}, and the newest file has another one: {path}",
            "If DMS wrote it, declare format: auto. Else delete it",
        )
    advice = "Delete the stray file"
    if classify(path).kind == "load":
        advice += " or, after a reload, the older one"
    if format_of(path) != format_of(other):
        advice += "; or declare format: parquet (without csv), or csv"
    return f"two files have one name: {' and '.join(sorted((path, other)))}", advice


def why_not_missed(
    *,
    is_allowed: bool,
    is_applied: bool,
    was_allowed: bool,
    has_twin: bool,
    has_copy: bool,
    is_other_format: bool,
) -> str | None:
    """Why the rows of a file that is missing, and that a run would have to read, are no loss.

    The first line that holds counts; ``allow_missing_files`` is the variable of that name.

    | The file | is |
    |---|---|
    | is allowed to be missing in this run | ignored |
    | has name and content of a file that is there | one that was moved |
    | was applied by the state to build on | missed: its rows were published |
    | was allowed to be missing in an earlier run | ignored |
    | has the name of a file that is there, in another format | a stray file |
    | is of another format than declared | a stray file |
    | is any other | missed: DMS may have written it |

    Returns:
        The reason, as messages give it; None if its rows are missed.
    """
    if is_allowed:
        return "as allow_missing_files says"
    if has_copy:
        return "because another file has their name and content"
    if is_applied:
        return None
    if was_allowed:
        return "as allow_missing_files said"
    if has_twin:
        return "because another file has their name"
    return "because their format is not the declared one" if is_other_format else None
