"""How this process reaches an object store, and what a store's refusal is called.

Credentials and endpoints come from the environment of the process (instance roles,
``AWS_ENDPOINT_URL`` and so on), the way every client of these stores takes them; none is ever
written in SQL or in a declaration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError
from obstore.store import ObjectStore, from_url

from pyspark_dms.errors import DmsError
from pyspark_dms.secrets import without_secrets

if TYPE_CHECKING:
    from obstore.store import ClientConfig

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
# What the role of a run needs on S3, by what was done to an object or a folder.
_RIGHTS = {
    "read": "s3:GetObject, and kms:Decrypt for its key",
    "written": "s3:PutObject, and kms:GenerateDataKey and kms:Decrypt for its key",
    "copied": "s3:GetObject and s3:PutObject, of tagged objects s3:GetObjectTagging and "
    "s3:PutObjectTagging, and kms:GenerateDataKey and kms:Decrypt for its key",
    "deleted": "s3:DeleteObject",
    "listed": "s3:ListBucket",
}


def split_address(url: str) -> tuple[str, str]:
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


def s3_endpoint() -> str:
    """The address of S3, if the environment has another one than Amazon's; else empty."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")


class RefusedObject(DmsError):
    """A store did not give, take, delete or list something that it has, or may have.

    Attributes:
        path: the object or folder.
        answer: what the store said, in a line.
        may_be_gone: whether the store says the same of an object that is not there.
    """

    path = ""
    answer = ""
    may_be_gone = False


def refused(
    path: str, problem: Exception, act: str, may_be_gone: str | None = None
) -> RefusedObject:
    """The error about an object or folder that a store has not read, written and so on.

    Args:
        path: the object or folder.
        problem: what the store answered.
        act: what was not done; a key of `_RIGHTS`.
        may_be_gone: an object of which `is_there` does not know whether there is one.
    """
    answer = without_secrets(problem_text(problem))
    rights = f" ({_RIGHTS[act]})" if path.startswith("s3") else ""
    gone = (
        f"{may_be_gone} is still there, which only s3:ListBucket tells, and whether "
        if may_be_gone
        else ""
    )
    error = RefusedObject(
        "E710",
        f"{path} could not be {act}: {answer}. Look whether {gone}the role of this command may do "
        f"that{rights}, and at the store. Then give the command again.",
    )
    error.path, error.answer, error.may_be_gone = path, answer, bool(may_be_gone)
    return error


def is_there(path: str, problem: Exception) -> bool | None:
    """Whether a store has an object that it did not give.

    S3 refuses an object that is gone, instead of saying so, to whoever may list its bucket only
    below a prefix. Such a listing knows.

    Args:
        path: the object.
        problem: what the store answered.

    Returns:
        None if the store refuses that, too.
    """
    root, key = split_address(path)
    if root.startswith("file:") or not isinstance(problem, PermissionDeniedError):
        return True
    folder, slash, _ = key.rpartition("/")
    # Few keys can stand between the beginning of a key and the whole of it.
    listed = _first_listed(root, folder + slash, key[:-1])
    return None if listed is None else key in listed


def is_marker(root: str, prefix: str, path: str) -> bool:
    """Whether an object without content is the marker of a folder.

    obstore lists a marker ``folder/`` without its slash. A file of that name is there if it is
    asked for; a marker is not. Whoever may list only below a prefix gets a refusal for either.

    Args:
        root: the store.
        prefix: the key of the folder that was listed, with its slash.
        path: the key of the object, as obstore lists it.
    """
    if root.startswith("file:"):
        return False
    if f"{path}/" == prefix:
        return True
    try:
        obstore.head(connected_store(root), path)
    except FileNotFoundError:
        return True
    except PermissionDeniedError:
        # A listing below it begins with the marker itself.
        return path in (_first_listed(root, f"{path}/") or ())
    return False


def _first_listed(root: str, prefix: str, after: str | None = None) -> list[str] | None:
    """The first keys below a prefix, without closing slashes; None if the store refuses."""
    try:
        pages = obstore.list(connected_store(root), prefix or None, offset=after)
        return [item["path"] for item in next(iter(pages), [])]
    except (BaseError, OSError, ValueError):
        return None


def connected_store(root: str, seconds: int | None = None) -> ObjectStore:
    """The client of a store, by its root; a request may take so many seconds (None: 30)."""
    return _connected(root, s3_endpoint() if root.startswith("s3:") else "", seconds)


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
