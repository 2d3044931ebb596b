"""A folder of numbered objects that are created once and never changed: 1, 2, 3, … without gaps.

Their names sort newest first, so one page of a listing has the newest number whatever its age.
Every `CHECKPOINT`-th object is whole; the others may say only what is new since that one. An object
that is lost for good can be given up by a person: one that ends in ``.lost`` keeps its number
taken, and does not count.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from threading import Lock
from time import sleep
from typing import Any
from uuid import uuid4
from zlib import crc32

from pyspark_dms import stores
from pyspark_dms.counted import numbered
from pyspark_dms.errors import DmsError
from pyspark_dms.release import RELEASE

FORMAT = 1
CHECKPOINT = 32
Body = Mapping[str, Any]

_LARGEST = 99_999_999
_NAME = re.compile(r"\d{8}-v([1-9]\d{0,7})\.(json|lost)")
# An object may build on one that is up to a checkpoint older.
_NAMES_AT_ONCE = 2 * CHECKPOINT
# Two writers of one name at once may both be told that the other one was first (409 of S3).
_ATTEMPTS = 6
# So many commands a message has.
_NAMED = 5


class Outcome(Enum):
    """Who has a number: this writer, or another one."""

    CREATED = "created"
    TAKEN = "taken"


def object_name(number: int, ending: str = "json") -> str:
    """The name of the object of a number, from 1."""
    return f"{_LARGEST - number:08d}-v{number}.{ending}"


def object_content(label: str, number: int, said: Body, token: str) -> bytes:
    """An object, as it is written."""
    own = {"format": FORMAT, "release": RELEASE, "label": label, "number": number}
    return json.dumps({**own, "commit_id": token, **said}, separators=(",", ":")).encode()


def checkpoint_of(label: str, number: int) -> int:
    """The number of the whole object that the one of a number may build on.

    Tables that change on the same days have theirs on different ones, so that a command that looks
    at the newest object of all does not find them all whole.
    """
    shift = crc32(label.encode()) % CHECKPOINT
    return max(number - (number + shift) % CHECKPOINT, 1)


_known_names: list[str] = []
_growing = Lock()


def _expected_names(newest: int, count: int) -> list[str]:
    """The names of the newest numbers, as a folder without gaps lists them."""
    with _growing:
        _known_names.extend(object_name(one) for one in range(len(_known_names) + 1, newest + 1))
    return _known_names[max(newest - count, 0) : newest][::-1]


@dataclass(frozen=True)
class Numbers:
    """The numbers that are taken in a folder.

    Attributes:
        newest: the largest one; 0 if there is none.
        lost: those near it that were given up.
    """

    newest: int
    lost: frozenset[int] = frozenset()


class GivenUp(DmsError):
    """An object that a person has given up is needed (E425).

    Attributes:
        log: the log that it is of; None for an error that has others with it.
        lost: its number.
    """

    log: NumberedLog | None = None
    lost: int = 0

    def needed_by(self, numbers: Sequence[int]) -> GivenUp:
        """The same error, which names what cannot be used without the object."""
        return self.log.given_up(self.lost, numbers) if self.log and numbers else self


@dataclass
class NumberedLog:
    """One such folder, as a command sees it: what it has read once, it does not ask for again.

    Attributes:
        folder: its path or URL.
        label: what it is of, as messages say it, such as ``hr.people``.
        not_done: what messages say was not done.
    """

    folder: str
    label: str
    not_done: str
    _bodies: dict[int, Body | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What messages name is pasted into a shell, which has no file:/lake.
        self.folder = re.sub("^file:/*", "/", self.folder)

    @cached_property
    def numbers(self) -> Numbers:
        """Which numbers are taken, for one request.

        Raises:
            DmsError: one is missing, or an object has another name.
        """
        names = stores.first_names(self.folder, _NAMES_AT_ONCE)
        first = _NAME.fullmatch(names[0]) if names else None
        newest = int(first[1]) if first else 0
        is_whole_page = len(names) in (newest, _NAMES_AT_ONCE)
        if newest and is_whole_page and names == _expected_names(newest, len(names)):
            return Numbers(newest)
        return self._checked_numbers(names)

    def _checked_numbers(self, names: list[str]) -> Numbers:
        endings: dict[int, set[str]] = {}
        for name in names:
            found = _NAME.fullmatch(name)
            if not found or name != object_name(int(found[1]), found[2]):
                raise DmsError(
                    "E425",
                    f"{self.label}: {self.folder}/{name} was put into the version log by hand. "
                    f"{self.not_done} Move it to another folder.",
                )
            endings.setdefault(int(found[1]), set()).add(found[2])
        newest = max(endings, default=0)
        oldest = min(endings, default=1) if len(names) == _NAMES_AT_ONCE else 1
        for number in range(newest, oldest - 1, -1):
            if number not in endings:
                raise self._missing(number)
        return Numbers(newest, frozenset(one for one in endings if "json" not in endings[one]))

    def forget_numbers(self) -> None:
        """Ask for `numbers` again: another writer has taken one."""
        self.__dict__.pop("numbers", None)

    def path(self, number: int, ending: str = "json") -> str:
        """Where the object of a number is."""
        return f"{self.folder}/{object_name(number, ending)}"

    def checkpoint_of(self, number: int) -> int:
        """The number of the whole object that the one of a number may build on."""
        return checkpoint_of(self.label, number)

    def body(self, number: int, needed_by: int | None = None) -> Body:
        """What an object says.

        Args:
            number: its number.
            needed_by: the number of the object that cannot be used without it.

        Raises:
            DmsError: it is missing, damaged, of a newer release, or was given up.
        """
        body = self._body_if_any(number)
        if body is None:
            raise self.given_up(number, [needed_by] if needed_by else [])
        return body

    def _body_if_any(self, number: int) -> Body | None:
        """What an object says; None if it was given up."""
        if number not in self._bodies:
            self._bodies[number] = None if number in self.numbers.lost else self._read(number)
        return self._bodies[number]

    def has_read(self, numbers: Iterable[int]) -> bool:
        """Whether no request is needed for some objects."""
        return all(number in self._bodies for number in numbers)

    def read_at_once(self, numbers: Iterable[int], readers: ThreadPoolExecutor) -> None:
        """Read objects side by side; what is wrong with one is raised where it is asked for."""

        def read(number: int) -> None:
            with suppress(DmsError):
                self._body_if_any(number)

        missing = {number for number in numbers if number not in self._bodies}
        if len(missing) == 1:
            read(*missing)
        else:
            deque(readers.map(read, sorted(missing)), maxlen=0)

    def _read(self, number: int) -> Body | None:
        path = self.path(number)
        try:
            body = json.loads(bytes(stores.read_object(path)))
        except FileNotFoundError:
            if self._is_marked(number):
                return None
            if number > (newest := self.numbers.newest):
                text = f"{self.label}: there is no version {number}; the newest is {newest}."
                raise DmsError("E413", f"{text} {self.not_done}") from None
            raise self._missing(number) from None
        except ValueError:
            raise self.damaged(number, "was cut, or is no JSON") from None
        written_in = body.get("format") if isinstance(body, dict) else None
        if not isinstance(written_in, int):
            raise self.damaged(number, "is not of this project")
        if written_in > FORMAT:
            raise DmsError(
                "E426",
                f"{self.label}: {path} was written by release {body.get('release')}, in a format "
                f"that release {RELEASE} cannot read. {self.not_done} Install that release.",
            )
        if (body.get("label"), body.get("number")) != (self.label, number):
            raise self.damaged(number, "is the copy of another object")
        if "from" in body and body["from"] != self.checkpoint_of(number):
            raise self.damaged(number, "is damaged (from)")
        return body

    def number_in(self, number: int, key: str) -> int | None:
        """The number that an object names.

        Raises:
            DmsError: it is no number.
        """
        named = self.body(number).get(key)
        if named is not None and (not isinstance(named, int) or named < 1):
            raise self.damaged(number, f"is damaged ({key})")
        return named

    def _is_marked(self, number: int) -> bool:
        """Whether an older object than the listed ones was given up."""
        try:
            stores.read_object(self.path(number, "lost"))
        except FileNotFoundError:
            return False
        return True

    def counts(self, number: int) -> bool:
        """Whether neither an object was given up nor the one that it builds on.

        Raises:
            DmsError: it is missing or damaged.
        """
        body = self._body_if_any(number)
        builds_on = body.get("from") if body else None
        if body is None or builds_on is None:
            return body is not None
        return builds_on not in self.numbers.lost and self._bodies.get(builds_on, body) is not None

    def newest_counting(self, number: int) -> int:
        """The newest number up to one that counts; 0 if none does."""
        return next((one for one in range(number, 0, -1) if self.counts(one)), 0)

    def create(self, number: int, said: Body, token: str) -> Outcome:
        """Create the object of a number, unless another writer has: the commit.

        Args:
            number: the next one.
            said: what the object says.
            token: what no other writer has: a lost answer is settled by reading the object.

        Raises:
            DmsError: the store does not take it, or cannot say whether it has.
        """
        if number in self.numbers.lost:
            return Outcome.TAKEN
        content = object_content(self.label, number, said, token)
        for attempt in range(_ATTEMPTS):
            refusal: DmsError | None = None
            try:
                stores.create_object(self.path(number), content)
                return Outcome.CREATED
            except stores.TakenName:
                pass
            except stores.RefusedObject as problem:
                refusal = problem
            if (writer := self._writer(number)) is not None:
                return Outcome.CREATED if writer == token else Outcome.TAKEN
            if refusal:
                raise refusal
            sleep(0.05 * 2**attempt)
        raise _unfit(self.folder, "says that there is one and has none")

    def _writer(self, number: int) -> str | None:
        """The token that an object has; None if there is no object."""
        try:
            body = json.loads(bytes(stores.read_object(self.path(number))))
        except FileNotFoundError:
            return None
        except ValueError:
            return ""
        return str(body.get("commit_id")) if isinstance(body, dict) else ""

    def damaged(self, number: int, what: str) -> DmsError:
        """The error about an object that cannot be used."""
        path = self.path(number)
        command = _moving(path, self.path(number, "lost"))
        return DmsError("E425", f"{self.label}: {path} {what}. {self.not_done} {_BACK} {command}")

    def _missing(self, number: int) -> DmsError:
        command = _making(self.path(number, "lost"))
        text = f"{self.label}: {self.path(number)} is gone. {self.not_done} {_BACK} {command}"
        return DmsError("E425", text)

    def given_up(self, number: int, needed_by: Sequence[int] = ()) -> GivenUp:
        """The error about an object that was given up, and all that was built on it."""
        text = (
            f"{self.label}: number {number} was given up ({self.path(number, 'lost')}), and is "
            f"needed. {self.not_done} Bring {object_name(number)} back"
        )
        if above := sorted({*needed_by}):
            were = "which was" if len(above) == 1 else "which were"
            moves = [_moving(self.path(one), self.path(one, "lost")) for one in above]
            names, commands = numbered("number", above), " && ".join(moves[:_NAMED])
            if len(above) > _NAMED:
                names = f"{len(above)} numbers from {above[0]} to {above[-1]}"
                commands += ", and so on"
            text = f"{text}, or give up {names} too, {were} built on it: {commands}"
        error = GivenUp("E425", text)
        error.log, error.lost = self, number
        return error


_BACK = (
    "Bring it back, from a backup or a version of the bucket. If there is none, give it up, and "
    "the next run applies its files again:"
)


def _moving(path: str, target: str) -> str:
    """The command that renames an object."""
    if path.startswith("s3"):
        return f"aws s3 mv {_for_aws(path)} {_for_aws(target)}"
    verb = "mv" if "://" not in path else "rename"
    return f"{verb} {shlex.quote(path)} {shlex.quote(target)}"


def _making(path: str) -> str:
    """The command that makes an empty object."""
    if path.startswith("s3"):
        return f"echo | aws s3 cp - {_for_aws(path)}"
    verb = "touch" if "://" not in path else "make the empty object"
    return f"{verb} {shlex.quote(path)}"


def _for_aws(path: str) -> str:
    return shlex.quote(re.sub("^s3[an]?:", "s3:", path))


def probe(root: str) -> None:
    """Check that a store gives a name to one writer only, with three requests.

    For the first command of a lake: without that, two runs at once would publish the same version.

    Args:
        root: the folder of the version log.

    Raises:
        DmsError: it does not, or refuses to say.
    """
    path = f"{root}/_probe/{uuid4().hex}"
    try:
        stores.create_object(path, b"1")
        stores.create_object(path, b"2")
    except stores.TakenName:
        return
    except stores.RefusedObject as problem:
        # Whoever may not write at all gets that error.
        with stores.open_for_writing(path) as sink:
            sink.write(b"3")
        raise _unfit(root, f"refuses that: {problem.answer}") from None
    finally:
        # What a role may not delete is a byte, and no reason to stop.
        with suppress(DmsError):
            stores.delete_objects([path])
    raise _unfit(root, "has overwritten one")


def _unfit(folder: str, why: str) -> DmsError:
    return DmsError(
        "E713",
        f"{folder}: the version log needs a store that creates an object only if there is none "
        f"(If-None-Match), and this one {why}. Nothing was run. Put the lake on Amazon S3, Google "
        "Cloud Storage, Azure or a local disk with hard links.",
    )
