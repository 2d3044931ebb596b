"""From events about landed objects to the tables that have to run: rules, and no network.

This module and `emr` run in AWS Lambda, with nothing but Python and boto3.

The rule is that each landed file is covered by a run that began after it landed. A run that still
waits covers it; so does one that began later than the file landed, whatever became of the event in
between. While a run of the table is under way that began earlier, the file waits, for two runs of
one table at a time do the same work twice. So events may come twice, late and in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from urllib.parse import unquote_plus

from pyspark_dms.landing.file_names import classify, classify_transactions

# What the clocks of two services may differ by.
CLOCK_MARGIN = timedelta(minutes=1)
# S3 tells of no object that landed before.
_FIRST_EVENT = datetime(2014, 1, 1, tzinfo=UTC)


class MalformedEvent(Exception):
    """An event that is none; the text says what is wrong with it."""


@dataclass(frozen=True)
class LandedObject:
    """An object that was created: its bucket, its key, and when, as far as the event tells."""

    bucket: str
    key: str
    at: datetime

    @property
    def url(self) -> str:
        """Its address."""
        return f"s3://{self.bucket}/{self.key}"


@dataclass(frozen=True)
class WatchedTable:
    """A declared, active table.

    Attributes:
        label: its name.
        path: the folder of its files; the first of several.
        models: the models that make it.
        transaction_path: the folder of files with the changes of all tables; empty for none.
        other_paths: the other folders of a table that has several.
    """

    label: str
    path: str
    models: tuple[str, ...]
    transaction_path: str = ""
    other_paths: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The folders of its files."""
        return (self.path, *self.other_paths)

    def is_told_of_by(self, address: str) -> bool:
        """Whether a file, by its address without the scheme, may have changes of this table."""
        is_below = any(_is_below(address, path) for path in self.paths)
        return (is_below and classify(address).kind != "unknown") or (
            _is_below(address, self.transaction_path)
            and classify_transactions(address).kind != "unknown"
        )


@dataclass(frozen=True)
class Run:
    """A run that was started before.

    Attributes:
        models: what it was told to run; None for everything.
        state: waiting (it has not looked at the files yet), running, or done.
        began_at: when it began to run, or to wait.
    """

    models: frozenset[str] | None
    state: Literal["waiting", "running", "done"]
    began_at: datetime


@dataclass
class Plan:
    """What to do about some landed objects.

    Attributes:
        start: the tables to run now, in one run.
        later: tables that are under way; the event must come again.
        foreign: objects that are no data file of a watched table.
    """

    start: list[WatchedTable] = field(default_factory=list)
    later: list[WatchedTable] = field(default_factory=list)
    foreign: list[LandedObject] = field(default_factory=list)


def landed_objects(event: object) -> Iterator[LandedObject]:
    """Every created object that an event tells of.

    Takes what S3 sends directly, through EventBridge, and both of them in the body of an SQS
    record or an SNS message. Other events of S3 (a test, a removal) tell of none.

    Raises:
        MalformedEvent: it is none of these.
    """
    if not isinstance(event, Mapping):
        raise MalformedEvent(f"an event is a JSON object, and this is {_shown(event)}")
    if "Records" in event:
        records = event["Records"]
        if not isinstance(records, list):
            raise MalformedEvent(f"Records is no list: {_shown(records)}")
        for record in records:
            yield from _record_objects(record)
    elif event.get("source") == "aws.s3" and "detail" in event:
        yield from _eventbridge_objects(event)
    elif event.get("Type") == "Notification" and "Message" in event:
        yield from landed_objects(parse_body(event["Message"]))
    elif event.get("Event") != "s3:TestEvent":
        raise MalformedEvent(f"it comes neither from S3 nor from EventBridge: {_shown(event)}")


def parse_body(body: object) -> object:
    """The event in the body of a message.

    Raises:
        MalformedEvent: the body is no JSON.
    """
    try:
        return json.loads(str(body))
    except (ValueError, RecursionError):
        raise MalformedEvent(f"the body of a message is no JSON: {_shown(body)}") from None


def plan(
    objects: Iterable[LandedObject], tables: Sequence[WatchedTable], runs: Sequence[Run]
) -> Plan:
    """Decide which tables have to run because of some objects.

    Args:
        objects: what landed.
        tables: the declared tables.
        runs: the runs that wait or run, and those done since the oldest object landed.
    """
    result = Plan()
    landed: dict[WatchedTable, datetime] = {}
    for one in objects:
        concerned = [table for table in tables if table.is_told_of_by(f"{one.bucket}/{one.key}")]
        if not concerned:
            result.foreign.append(one)
        for table in concerned:
            landed[table] = max(one.at, landed.get(table, one.at))
    for table, at in landed.items():
        mine = [run for run in runs if run.models is None or run.models.issuperset(table.models)]
        if any(run.state == "waiting" or run.began_at > at + CLOCK_MARGIN for run in mine):
            continue
        if any(run.state == "running" for run in mine):
            result.later.append(table)
        else:
            result.start.append(table)
    return result


def batches(tables: Sequence[WatchedTable], limit: int) -> Iterator[list[str]]:
    """The models of some tables, in lists of at most ``limit`` characters each."""
    batch: list[str] = []
    for table in tables:
        if batch and len(" ".join([*batch, *table.models])) > limit:
            yield batch
            batch = []
        batch += table.models
    if batch:
        yield batch


def parse_tables(text: str) -> list[WatchedTable]:
    """Read the list of tables that `tables_json` wrote."""
    return [
        WatchedTable(
            entry["label"],
            entry["path"],
            tuple(entry["models"]),
            entry["transaction_path"],
            tuple(entry["other_paths"]),
        )
        for entry in json.loads(text)
    ]


def tables_json(tables: Iterable[WatchedTable]) -> str:
    """The tables as JSON, for a place where there are no declarations."""
    return json.dumps([asdict(table) for table in tables], indent=1) + "\n"


def _record_objects(record: object) -> Iterator[LandedObject]:
    if not isinstance(record, Mapping):
        raise MalformedEvent(f"a record is no JSON object: {_shown(record)}")
    source = record.get("eventSource") or record.get("EventSource")
    if source == "aws:sqs":
        yield from landed_objects(parse_body(record.get("body")))
    elif source == "aws:sns":
        yield from landed_objects(parse_body(_part(record, "Sns", "Message")))
    elif source == "aws:s3":
        if str(record.get("eventName", "")).startswith("ObjectCreated:"):
            bucket = _part(record, "s3", "bucket", "name")
            # Keys are encoded here as in a form: a space is a plus.
            key = unquote_plus(_part(record, "s3", "object", "key"))
            yield LandedObject(bucket, key, _time(record.get("eventTime")))
    else:
        raise MalformedEvent(f"a record comes neither from S3 nor from SQS: {_shown(record)}")


def _eventbridge_objects(event: Mapping[str, Any]) -> Iterator[LandedObject]:
    if event.get("detail-type") != "Object Created":
        return
    # EventBridge gives the key as it is.
    bucket = _part(event, "detail", "bucket", "name")
    yield LandedObject(bucket, _part(event, "detail", "object", "key"), _time(event.get("time")))


def _part(event: Mapping[str, Any], *names: str) -> str:
    value: Any = event
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, str) or not value:
        raise MalformedEvent(f"{'.'.join(names)} is missing in {_shown(event)}")
    return value


def _time(text: object) -> datetime:
    """When something landed: now, if the event tells no moment since there are events, or none."""
    now = datetime.now(UTC)
    try:
        at = datetime.fromisoformat(str(text))
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return min(at, now) if at > _FIRST_EVENT else now
    except (ValueError, OverflowError):
        return now


def _is_below(address: str, folder: str) -> bool:
    path = folder.split("://", 1)[-1].rstrip("/")
    return bool(path) and address.startswith(f"{path}/")


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 200 else text[:197] + "..."
