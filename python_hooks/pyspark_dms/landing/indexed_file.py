"""A file to read, as the index knows it: what a plan hands to staging."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IndexedFile:
    """One file as the index knows it.

    Attributes:
        path: where it is.
        size: its bytes.
        kind: ``load`` or ``cdc``.
        etag: the entity tag of its content; behind ``#`` how often that has come to the path,
            if more than once.
        generation: the full load it belongs to, from 1.
        file_seq: its place among the files of its generation.
        indexed_at: when the index first saw it, as text.
        shard: which of several folders of its table it is in; None if the table has one.
        modified_at: when the store says it was written, as text; None if that is not known.
    """

    path: str
    size: int
    kind: str
    etag: str
    generation: int
    file_seq: int
    indexed_at: str
    shard: str | None = None
    modified_at: str | None = None
