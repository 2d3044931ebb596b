"""Object stores behind one door: local folders, ``s3://``, ``gs://`` and ``az://`` roots.

Credentials and endpoints come from the environment of the process (instance roles,
``AWS_ENDPOINT_URL`` and so on), the way every client of these stores takes them; none is ever
written in SQL or in a declaration.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import obstore
import pyarrow as pa
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    PermissionDeniedError,
    PreconditionError,
)
from obstore.store import ObjectStore, from_url
from pyarrow import fs

from pyspark_dms.errors import DmsError
from pyspark_dms.secrets import without_secrets

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import ClientConfig

    Content = bytes | mmap | SpooledTemporaryFile[bytes]

_REQUESTS_AT_A_TIME = 16
# The names under which Hadoop knows a store, and the one under which obstore does.
_SCHEMES = {
    "s3": "s3",
    "s3a": "s3",
    "s3n": "s3",
    "gs": "gs",
    "gcs": "gs",
    "az": "az",
    "abfs": "abfs",
    "abfss": "abfss",
}
# The keys of S3 belong together; the others say where it is and how it is asked.
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_VARIABLES = (
    *_KEYS, "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
    "AWS_ALLOW_HTTP", "AWS_SERVER_SIDE_ENCRYPTION", "AWS_SSE_KMS_KEY_ID",
)  # fmt: skip
# Where a machine has its keys from: obstore asks the last of these only with a file of a token.
_KEYS_OF_MACHINE = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
_TOKEN_FILE = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
_KEYS_ADDRESS = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
# The address of a server, which may have a path: its name, or an IP address.
_ENDPOINT = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?(/[!-~]*)?")
# A smaller file is fetched whole: one request instead of a few, and it fits beside a batch.
_FETCH_WHOLE_BYTES = 16 * 1024 * 1024
# What the role of a run needs on S3, by what was done to an object or a folder.
_RIGHTS = {
    "read": "s3:GetObject, and kms:Decrypt for its key",
    "written": "s3:PutObject, and kms:GenerateDataKey and kms:Decrypt for its key",
    "deleted": "s3:DeleteObject",
    "listed": "s3:ListBucket",
}
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


def _split(url: str) -> tuple[str, str]:
    """Split a path or URL into the root of its store and the key below that root."""
    # By hand, because "#" and "?" are plain characters in the key of an object.
    if url.startswith("file:"):
        return "file:///", url.removeprefix("file:").lstrip("/")
    if "://" not in url:
        return "file:///", str(Path(url).absolute()).lstrip("/")
    name, rest = url.split("://", 1)
    scheme = _SCHEMES.get(name)
    if scheme is None:
        raise DmsError(
            "E201",
            f"{url}: there is no reader for {name}:// addresses; "
            f"allowed are a local path and {', '.join(f'{known}://' for known in _SCHEMES)}",
        )
    bucket, _, key = rest.partition("/")
    return f"{scheme}://{bucket}", key


def store_variables() -> dict[str, str]:
    """What the environment of this process says about S3, without what names its machine."""
    return {name: os.environ[name] for name in _VARIABLES if os.environ.get(name)}


def take_store_variables(variables: Mapping[str, str]) -> None:
    """Reach S3 from this process as the process of `store_variables` does.

    Keys that were given replace those of this process; without any, its own role stays.
    """
    if _KEYS[0] in variables:
        for name in _KEYS:
            os.environ.pop(name, None)
    os.environ.update(variables)


def _endpoint() -> str:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")


class RefusedObject(DmsError):
    """A store did not give, take, delete or list something that it has.

    Attributes:
        path: the object or folder.
        answer: what the store said, in a line.
    """

    path = ""
    answer = ""


def _refused(path: str, problem: Exception, act: str) -> RefusedObject:
    answer = without_secrets(problem_text(problem))
    rights = f" ({_RIGHTS[act]})" if path.startswith("s3") else ""
    error = RefusedObject(
        "E710",
        f"{path} could not be {act}: {answer}. Look whether the role of this command may do "
        f"that{rights}, and at the store. Then give the command again.",
    )
    error.path, error.answer = path, answer
    return error


def _store(root: str, seconds: int | None = None) -> ObjectStore:
    return _connected(root, _endpoint() if root.startswith("s3:") else "", seconds)


@lru_cache(maxsize=64)
def _connected(root: str, endpoint: str, seconds: int | None) -> ObjectStore:
    options: ClientConfig = {}
    # Whoever names an endpoint without TLS means it. obstore reads the endpoint itself.
    if endpoint.startswith("http:"):
        options["allow_http"] = True
    if seconds:
        options["timeout"] = timedelta(seconds=seconds)
    if root.startswith("s3:"):
        _check_variables()
    return from_url(
        root,
        client_options=options or None,
        credential_provider=_credential_provider(root),
    )


def _check_variables() -> None:
    """Check what obstore takes, and then panics at, past every `except`.

    Raises:
        DmsError: a variable has such a value.
    """
    for name in (*_VARIABLES, "AWS_ENDPOINT"):
        value = os.environ.get(name, "")
        if "ENDPOINT" in name and value and not _is_endpoint(value):
            raise DmsError(
                "E711",
                f"{name} is {without_secrets(value)}; allowed is an address such as "
                "http://127.0.0.1:9000. Nothing was read or written. Correct the variable.",
            )
        if not re.fullmatch(r"[!-~]*", value):
            raise DmsError(
                "E711",
                f"{name} has a space, a line break or another character that no such value has. "
                "Nothing was read or written. Set it again; a file with the line ends of Windows "
                "makes such values.",
            )


def _is_endpoint(value: str) -> bool:
    try:
        return urlsplit(value).port != 0 and _ENDPOINT.fullmatch(value) is not None
    except ValueError:  # no such port
        return False


def _credential_provider(root: str) -> Any:
    """What asks for the keys where obstore does not: by an address without a file of a token.

    EMR Serverless is said to give its jobs no more than this address.
    """
    others = (_KEYS[0], _KEYS_OF_MACHINE, _TOKEN_FILE)
    if not root.startswith("s3:") or _KEYS_ADDRESS not in os.environ:
        return None
    if any(os.environ.get(name) for name in others):
        return None
    try:
        import boto3  # an extra of this package
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError:
        raise DmsError(
            "E604",
            f"{_KEYS_ADDRESS} says where the keys of S3 are, and boto3, which asks there, is "
            "missing. Nothing was read. Install it: pip install 'dms-snapshots[aws]'",
        ) from None
    # The session would take its region, which the store then takes, from the second one alone.
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    try:
        return Boto3CredentialProvider(boto3.Session(region_name=region))
    except Exception as problem:  # whatever boto3 may raise
        raise PermissionError(f"the keys of S3 were not given: {problem}") from problem


def problem_text(problem: Exception) -> str:
    """What a store answered, in a line without its full stop.

    obstore tells its errors twice and in many lines, and the second time may hold headers.
    """
    if isinstance(problem, RefusedObject):
        return problem.answer
    if isinstance(problem, DmsError):
        return str(problem.args[1]).rstrip(".")
    text = " ".join(str(problem).split("\n\nDebug source:")[0].split())
    code = re.search(r"<Code>(\w+)</Code>(?:\s*<Message>([^<]*)</Message>)?", text)
    if code:
        message = f" ({code[2].rstrip('.')})" if code[2] else ""
        return f"the store says {code[1]}{message}"
    return text.rstrip(".")


def list_objects(url: str, after: str | None = None) -> Iterator[list[StoredObject]]:
    """List every object under ``url`` in the order of the keys, a page at a time.

    Markers of folders are left out: objects without content whose keys end in a slash, as
    consoles, Spark and Hive put where they make a folder. A key that obstore cannot name, as one
    with an empty folder (``//``), is listed, in a bucket of S3, and cannot be read.

    Args:
        url: a folder; one that does not exist lists nothing, as an object store would.
        after: the full path of an object: the listing starts behind it, and on an object store
            costs only what comes behind it.
    """
    root = _split(url)[0]
    prefix = _folder_key(url)
    shown = _shown_root(url)
    offset = _split(after)[1] if after else None
    listed = ""
    try:
        for page in obstore.list(_store(root), prefix=prefix, offset=offset):
            yield [
                StoredObject(
                    path=f"{shown}/{item['path']}",
                    size=item["size"],
                    etag=item["e_tag"] or "",
                    modified_at=item["last_modified"],
                )
                for item in page
                if item["size"] or not _is_marker(root, prefix, item["path"])
            ]
            listed = page[-1]["path"] if page else listed
    except InvalidPathError:
        if not root.startswith("s3:"):
            raise
        yield _list_odd_keys(root, prefix, shown, max(listed, offset or ""))


def _list_odd_keys(root: str, prefix: str, shown: str, after: str) -> list[StoredObject]:
    """List what comes behind a key, also keys that obstore refuses to name.

    This client lists any key, but without entity tags: each is asked for. So it is for folders
    that have such a key, and says nothing of an entity tag of that.
    """
    endpoint = _endpoint()
    client = fs.S3FileSystem(
        endpoint_override=endpoint.split("://", 1)[-1] or None,
        scheme="http" if endpoint.startswith("http:") else "https",
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
    )
    bucket = root.removeprefix("s3://")
    selector = fs.FileSelector(f"{bucket}/{prefix}".rstrip("/"), recursive=True)
    found = {
        key: info
        for info in client.get_file_info(selector)
        # A folder of that client is no object.
        if info.is_file and (key := info.path.removeprefix(f"{bucket}/")) > after
    }
    with ThreadPoolExecutor(_REQUESTS_AT_A_TIME) as threads:
        tags = threads.map(lambda key: _etag(root, key), sorted(found))
        return [
            StoredObject(f"{shown}/{key}", found[key].size, tag, found[key].mtime)
            for key, tag in zip(sorted(found), tags, strict=True)
        ]


def _etag(root: str, key: str) -> str:
    try:
        return obstore.head(_store(root), key)["e_tag"] or ""
    except ValueError:
        # Such a key cannot be asked for.
        return ""


def _is_marker(root: str, prefix: str, path: str) -> bool:
    """Whether a listed object without content is the marker of a folder.

    obstore lists a marker ``folder/`` without its slash. A file of that name is there if it is
    asked for; a marker is not. Whoever may list only below a prefix gets no such answer from S3,
    but a refusal: then it counts as a file.
    """
    if root.startswith("file:"):
        return False
    if f"{path}/" == prefix:
        return True
    try:
        obstore.head(_store(root), path)
    except FileNotFoundError:
        return True
    except PermissionDeniedError:
        return False
    return False


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
        raise _refused(folder, problem, "listed") from None


def folder_address(url: str) -> str:
    """A folder as the paths of the objects below it begin, its closing slash included."""
    return f"{_shown_root(url)}/{_folder_key(url)}"


def _folder_key(url: str) -> str:
    # The exact prefix is kept: without its slash `orders` would also list `orders_old`.
    key = _split(url)[1].rstrip("/")
    return f"{key}/" if key else ""


def _shown_root(url: str) -> str:
    # Paths are given in the words of the declaration: `s3a://` stays `s3a://`.
    return "/".join(url.split("/", 3)[:3]) if "://" in url else ""


def object_key(url: str) -> str:
    """The key of an object or folder in its store, however its address is written."""
    return _split(url)[1]


def has_objects(url: str) -> bool:
    """Whether there is any object under a folder."""
    return any(page for page in list_objects(url))


def check_listing(url: str) -> None:
    """Ask for the first level below a folder, which costs a request whatever lies deeper.

    Raises:
        Exception: the store refuses; `problem_text` says how.
    """
    with suppress(InvalidPathError):  # it was listed, and has a key that obstore cannot name
        obstore.list_with_delimiter(_store(_split(url)[0]), _folder_key(url))


def delete_objects(paths: Sequence[str]) -> list[RefusedObject]:
    """Delete the objects at these paths, all of one store; one that is gone already is no error.

    Returns:
        Why, of each that the store has not deleted, in the order of the paths.

    Raises:
        RefusedObject: the store does not answer, or answers of none of them.
    """
    if not paths:
        return []
    root = _split(paths[0])[0]
    store = _store(root)

    def delete(path: str) -> RefusedObject | None:
        try:
            obstore.delete(store, object_key(path))
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as problem:
            return _refused(path, problem, "deleted")
        return None

    try:
        obstore.delete(store, [object_key(path) for path in paths])
    except (BaseError, OSError) as problem:
        is_of_one = isinstance(problem, PermissionDeniedError) or "for key" in str(problem)
        if root.startswith("s3:") and not is_of_one:
            # Each path would be asked for again, with all retries.
            raise _refused(paths[0], problem, "deleted") from None
        # The others may be there still.
        with ThreadPoolExecutor(_REQUESTS_AT_A_TIME) as threads:
            return [refused for refused in threads.map(delete, paths) if refused]
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
            _put(_store(self._root, seconds), self._key, content)
        except (BaseError, OSError) as problem:
            raise _refused(f"{self._root}/{self._key}", problem, "written") from None


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
    root, key = _split(path)
    try:
        obstore.put(_store(root), key, content, mode="create", use_multipart=False)
    except (AlreadyExistsError, PreconditionError):
        raise TakenName(path) from None
    except (BaseError, OSError) as problem:
        raise _refused(path, problem, "written") from None


def first_names(folder: str, count: int) -> list[str]:
    """The names in a folder that sort first, in order, for one request of one page.

    Args:
        folder: one that holds no other folders; one that does not exist has no names.
        count: how many at most, up to 1,000; in a local folder all come that are not hidden.

    Raises:
        RefusedObject: the store does not list it.
    """
    root = _split(folder)[0]
    prefix = _folder_key(folder)
    try:
        if root.startswith("file:"):
            # The fastest way: there may be hundreds of folders with thousands of names.
            names = os.listdir(f"/{prefix}")  # noqa: PTH208
            # What obstore has not finished writing ends in a number behind a "#".
            return sorted(name for name in names if name[0] != "." and "#" not in name)
        pages = obstore.list(_store(root), prefix=prefix, chunk_size=count)
        page = next(iter(pages), [])
    except FileNotFoundError:
        return []
    except (BaseError, OSError) as problem:
        raise _refused(folder, problem, "listed") from None
    return [item["path"].removeprefix(prefix) for item in page if f"{item['path']}/" != prefix]


def folders_in(folder: str) -> list[str]:
    """The names of the folders in a folder.

    Raises:
        RefusedObject: the store does not list it.
    """
    root, _ = _split(folder)
    prefix = _folder_key(folder)
    try:
        found = obstore.list_with_delimiter(_store(root), prefix)["common_prefixes"]
    except FileNotFoundError:
        return []
    except (BaseError, OSError) as problem:
        raise _refused(folder, problem, "listed") from None
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
    root, key = _split(path)
    options: GetOptions = {}
    if etag:
        options["if_match"] = etag
    if part:
        options["range"] = part
    try:
        return memoryview(obstore.get(_store(root), key, options=options).bytes())
    except PreconditionError:
        raise ChangedObject(path) from None
    except FileNotFoundError:
        raise
    except BaseError as problem:
        raise _refused(path, problem, "read") from None


def open_for_writing(path: str) -> io.RawIOBase:
    """Open the object at ``path`` for writing; it appears, whole, when its block ends well."""
    root, key = _split(path)
    if root.startswith("file:"):
        return _Writable(obstore.open_writer(_store(root), key))
    return _Writable(_Upload(root, key))
