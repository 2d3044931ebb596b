"""Object stores behind one door: local folders, ``s3://``, ``gs://`` and ``az://`` roots."""

from __future__ import annotations

import io
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from mmap import ACCESS_READ, mmap
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import obstore
import pyarrow as pa
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    PermissionDeniedError,
    PreconditionError,
)
from obstore.store import ObjectStore
from pyarrow import fs

from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.store_access import (
    RefusedObject,
    connected_store,
    is_marker,
    is_there,
    problem_text,
    refused,
    s3_endpoint,
    split_address,
    store_variables,
    take_store_variables,
)

if TYPE_CHECKING:
    from obstore import GetOptions

    Content = bytes | mmap | SpooledTemporaryFile[bytes]

# What others take from here too.
__all__ = ["RefusedObject", "problem_text", "store_variables", "take_store_variables"]

# A smaller file is fetched whole: one request instead of a few, and it fits beside a batch.
_FETCH_WHOLE_BYTES = 16 * 1024 * 1024
# What is written to a store is gathered in memory up to this, and on a disk above.
_GATHERED_BYTES = 16 * 1024 * 1024
# What is larger is sent in parts.
_REQUEST_BYTES = 256 * 1024 * 1024
# Of a larger one no less than this is asked for at once.
_BUFFER_BYTES = 1024 * 1024


@dataclass(frozen=True)
class StoredObject:
    """One object of a listing: its full path, size in bytes, entity tag and time of writing."""

    path: str
    size: int
    etag: str
    modified_at: datetime


def list_objects(url: str, after: str | None = None) -> Iterator[list[StoredObject]]:
    """List every object under ``url`` in the order of the keys, a page at a time.

    Markers of folders are left out: objects without content whose keys end in a slash, as
    consoles, Spark and Hive put where they make a folder. A key that obstore cannot name, as one
    with an empty folder (``//``) or a line break, is listed, in a bucket of S3 and in a local
    folder, and cannot be read.

    Args:
        url: a folder; one that does not exist lists nothing, as an object store would.
        after: the full path of an object: the listing starts behind it, and on an object store
            costs only what comes behind it.
    """
    root = split_address(url)[0]
    prefix = _folder_key(url)
    shown = _shown_root(url)
    offset = split_address(after)[1] if after else None
    listed = ""
    is_local = root.startswith("file:")
    # Local folders are listed in no order.
    seen: set[str] = set()
    try:
        for page in obstore.list(connected_store(root), prefix=prefix, offset=offset):
            if is_local:
                seen.update(item["path"] for item in page)
            yield [
                StoredObject(
                    path=f"{shown}/{item['path']}",
                    size=item["size"],
                    etag=item["e_tag"] or "",
                    modified_at=item["last_modified"],
                )
                for item in page
                if item["size"] or not is_marker(root, prefix, item["path"])
            ]
            listed = page[-1]["path"] if page else listed
    except InvalidPathError:
        if not (is_local or root.startswith("s3:")):
            raise
        after = (offset or "") if is_local else max(listed, offset or "")
        yield _list_odd_keys(root, prefix, shown, after, seen)


def _list_odd_keys(
    root: str, prefix: str, shown: str, after: str, seen: Container[str]
) -> list[StoredObject]:
    """List what comes behind a key and was not seen, also keys that obstore refuses to name.

    These clients list any key, but without entity tags: each is asked for. So it is for folders
    that have such a key, and says nothing of an entity tag of that.
    """
    is_local = root.startswith("file:")
    client = fs.LocalFileSystem() if is_local else _s3_client()
    bucket = "" if is_local else root.removeprefix("s3://")
    selector = fs.FileSelector(f"{bucket}/{prefix}".rstrip("/"), recursive=True)
    found = {
        key: info
        for info in client.get_file_info(selector)
        # A folder of that client is no object.
        if info.is_file
        and (key := info.path.removeprefix(f"{bucket}/")) > after
        and key not in seen
    }

    def stored(key: str) -> StoredObject:
        one = StoredObject(f"{shown}/{key}", found[key].size, "", found[key].mtime)
        try:
            meta = obstore.head(connected_store(root), key)
        except ValueError:  # such a key cannot be asked for
            return one
        # Of a local file each client rounds the time in its own way.
        time = meta["last_modified"] if is_local else one.modified_at
        return replace(one, etag=meta["e_tag"] or "", modified_at=time)

    return side_by_side(stored, sorted(found))


def _s3_client() -> fs.S3FileSystem:
    endpoint = s3_endpoint()
    return fs.S3FileSystem(
        endpoint_override=endpoint.split("://", 1)[-1] or None,
        scheme="http" if endpoint.startswith("http:") else "https",
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
    )


def data_files(folder: str) -> list[StoredObject]:
    """The data files of a folder that Spark or a merge has written, as Spark sees them."""
    address = folder_address(folder)

    def is_hidden(path: str) -> bool:
        # A task that Spark gave up writes on below _temporary.
        return any(name.startswith(("_", ".")) for name in path.removeprefix(address).split("/"))

    return [one for one in lake_objects(folder) if not is_hidden(one.path)]


def lake_objects(folder: str) -> Iterator[StoredObject]:
    """The objects below a folder of the lake; see `list_objects`.

    Raises:
        RefusedObject: the store does not list it.
    """
    try:
        for page in list_objects(folder):
            yield from page
    except (BaseError, OSError, ValueError) as problem:
        raise refused(folder, problem, "listed") from None


def folder_address(url: str) -> str:
    """A folder as the paths of the objects below it begin, its closing slash included."""
    return f"{_shown_root(url)}/{_folder_key(url)}"


def _folder_key(url: str) -> str:
    # The exact prefix is kept: without its slash `orders` would also list `orders_old`.
    key = split_address(url)[1].rstrip("/")
    return f"{key}/" if key else ""


def _shown_root(url: str) -> str:
    # Paths are given in the words of the declaration: `s3a://` stays `s3a://`.
    return "/".join(url.split("/", 3)[:3]) if "://" in url else ""


def object_key(url: str) -> str:
    """The key of an object or folder in its store, however its address is written."""
    return split_address(url)[1]


def has_objects(url: str) -> bool:
    """Whether there is any object under a folder."""
    return any(page for page in list_objects(url))


def check_listing(url: str) -> None:
    """Ask for the first level below a folder, which costs a request whatever lies deeper.

    Raises:
        Exception: the store refuses; `problem_text` says how.
    """
    with suppress(InvalidPathError):  # it was listed, and has a key that obstore cannot name
        obstore.list_with_delimiter(connected_store(split_address(url)[0]), _folder_key(url))


def delete_objects(paths: Sequence[str]) -> list[RefusedObject]:
    """Delete the objects at these paths, all of one store; one that is gone already is no error.

    Returns:
        Why, of each that the store has not deleted, in the order of the paths.

    Raises:
        RefusedObject: the store does not answer, or answers of none of them.
    """
    if not paths:
        return []
    root = split_address(paths[0])[0]
    store = connected_store(root)

    def delete(path: str) -> RefusedObject | None:
        try:
            obstore.delete(store, object_key(path))
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as problem:
            return refused(path, problem, "deleted")
        return None

    try:
        obstore.delete(store, [object_key(path) for path in paths])
    except (BaseError, OSError) as problem:
        is_of_one = isinstance(problem, PermissionDeniedError) or "for key" in str(problem)
        if root.startswith("s3:") and not is_of_one:
            # Each path would be asked for again, with all retries.
            raise refused(paths[0], problem, "deleted") from None
        # The others may be there still.
        return [refusal for refusal in side_by_side(delete, paths) if refusal]
    return []


class _Ranges(io.RawIOBase):
    """An object of which parts are fetched as they are asked for, each only if it is unchanged."""

    def __init__(self, path: str, size: int, etag: str) -> None:
        self._path, self._size, self._etag = path, size, etag
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        end = min(self._position + len(buffer), self._size)
        if self._position >= end:
            return 0
        content = _fetch(self._path, self._etag, (self._position, end))
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        return self._position


class _Writable(io.RawIOBase):
    """Gives the writer of obstore the attributes that pyarrow asks a Python file for."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._inner.write(data)
        self._written += len(data)
        return len(data)

    def tell(self) -> int:
        return self._written

    def close(self) -> None:
        if not self.closed and self._inner is not None:
            self._inner.close()
        super().close()

    def __exit__(self, kind: Any, failure: Any, trace: Any) -> None:
        if kind is not None:
            self._inner = None  # what was not closed never appears
        super().__exit__(kind, failure, trace)


class _Upload:
    """An object of a store, gathered on this machine and sent when it is whole.

    What is sent in parts leaves them in the bucket, unseen and paid for, if its process is killed.
    So it is sent in one request, unless it is large.
    """

    def __init__(self, root: str, key: str) -> None:
        self._root, self._key = root, key
        # Closed where it is sent, and else with this object.
        self._gathered = SpooledTemporaryFile(_GATHERED_BYTES)  # noqa: SIM115

    def write(self, data: Any) -> None:
        self._gathered.write(data)

    def close(self) -> None:
        with self._gathered as gathered:
            size = gathered.tell()
            gathered.seek(0)
            if size <= _GATHERED_BYTES:
                self._send(gathered.read())
            elif size <= _REQUEST_BYTES:
                gathered.flush()
                # Not closed here: the client may hold it for a moment after the store has refused
                # it, and closing would fail instead.
                content = mmap(gathered.fileno(), 0, access=ACCESS_READ)
                # By default a request may take 30 seconds, whatever its size.
                seconds = 30 * -(-size // _GATHERED_BYTES)
                self._send(content, seconds)
            else:
                self._send(gathered)

    def _send(self, content: Content, seconds: int | None = None) -> None:
        try:
            _put(connected_store(self._root, seconds), self._key, content)
        except (BaseError, OSError) as problem:
            raise refused(f"{self._root}/{self._key}", problem, "written") from None


def _put(store: ObjectStore, key: str, content: Content) -> None:
    # A file is sent in parts, and anything else in one request.
    in_parts = None if isinstance(content, SpooledTemporaryFile) else False
    obstore.put(store, key, content, use_multipart=in_parts)


class TakenName(Exception):
    """There is, or may be, an object of this name already."""


def create_object(path: str, content: bytes) -> None:
    """Write an object whose name nobody has taken, at once: it is there whole or not at all.

    Raises:
        TakenName: the store says that the name is taken; after a lost answer, perhaps by this.
        RefusedObject: the store does not take it, or did not answer, so that it may be there.
    """
    root, key = split_address(path)
    try:
        obstore.put(connected_store(root), key, content, mode="create", use_multipart=False)
    except (AlreadyExistsError, PreconditionError):
        raise TakenName(path) from None
    except (BaseError, OSError) as problem:
        raise refused(path, problem, "written") from None


def first_names(folder: str, count: int) -> list[str]:
    """The names in a folder that sort first, in order, for one request of one page.

    Args:
        folder: one that holds no other folders; one that does not exist has no names.
        count: how many at most, up to 1,000; in a local folder all come that are not hidden.

    Raises:
        RefusedObject: the store does not list it.
    """
    root = split_address(folder)[0]
    prefix = _folder_key(folder)
    try:
        if root.startswith("file:"):
            # The fastest way: there may be hundreds of folders with thousands of names.
            names = os.listdir(f"/{prefix}")  # noqa: PTH208
            # What obstore has not finished writing ends in a number behind a "#".
            return sorted(name for name in names if name[0] != "." and "#" not in name)
        pages = obstore.list(connected_store(root), prefix=prefix, chunk_size=count)
        page = next(iter(pages), [])
    except FileNotFoundError:
        return []
    except (BaseError, OSError) as problem:
        raise refused(folder, problem, "listed") from None
    return [item["path"].removeprefix(prefix) for item in page if f"{item['path']}/" != prefix]


def folders_in(folder: str) -> list[str]:
    """The names of the folders in a folder.

    Raises:
        RefusedObject: the store does not list it.
    """
    root, _ = split_address(folder)
    prefix = _folder_key(folder)
    try:
        found = obstore.list_with_delimiter(connected_store(root), prefix)["common_prefixes"]
    except FileNotFoundError:
        return []
    except (BaseError, OSError) as problem:
        raise refused(folder, problem, "listed") from None
    return sorted(name.removeprefix(prefix).rstrip("/") for name in found)


class ChangedObject(Exception):
    """An object is no longer what was listed under its name."""


def open_for_reading(path: str, size: int, etag: str = "") -> pa.NativeFile | io.BufferedReader:
    """Open the object at ``path``, of ``size`` bytes, for random access.

    Args:
        path: where it is.
        size: its bytes, as they were listed.
        etag: the entity tag it must have whenever some of it is read; empty for any.

    Raises:
        FileNotFoundError: the object is gone; of a large one this comes when it is read.
        ChangedObject: it has another entity tag; of a large one, when it is read.
        RefusedObject: the store does not give it, say from an archive; of a large one, when it is
            read.
    """
    if size <= _FETCH_WHOLE_BYTES:
        return pa.BufferReader(_fetch(path, etag))
    return io.BufferedReader(_Ranges(path, size, etag), _BUFFER_BYTES)


def first_bytes(path: str, count: int, etag: str = "") -> bytes:
    """The first bytes of the object at ``path``, which has as many; see `open_for_reading`."""
    return bytes(_fetch(path, etag, (0, count)))


def read_object(path: str) -> memoryview:
    """The whole content of the object at ``path``.

    Raises:
        FileNotFoundError: there is none.
    """
    return _fetch(path, "")


def _fetch(path: str, etag: str, part: tuple[int, int] | None = None) -> memoryview:
    root, key = split_address(path)
    options: GetOptions = {}
    if etag:
        options["if_match"] = etag
    if part:
        options["range"] = part
    try:
        return memoryview(obstore.get(connected_store(root), key, options=options).bytes())
    except PreconditionError:
        raise ChangedObject(path) from None
    except FileNotFoundError:
        raise
    except BaseError as problem:
        if (there := is_there(path, problem)) is False:
            raise FileNotFoundError(path) from None
        raise refused(path, problem, "read", "it" if there is None else None) from None


def open_for_writing(path: str) -> io.RawIOBase:
    """Open the object at ``path`` for writing; it appears, whole, when its block ends well."""
    root, key = split_address(path)
    if root.startswith("file:"):
        return _Writable(obstore.open_writer(connected_store(root), key))
    return _Writable(_Upload(root, key))
