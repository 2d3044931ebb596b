"""What the name of an object says about it: full load, changes, or neither.

Source of the rules: AWS DMS user guide, "Using Amazon S3 as a target". The counter of full load
files is hexadecimal, parallel loads put ``SEGMENTn_`` before the name, and the name of a change
file is the time at which DMS wrote it, with a fraction of a second of any width. Only the last
part of the path decides: a table may well be called ``payloads``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

Kind = Literal["load", "cdc", "unknown"]

_EXTENSION = r"\.(?:parquet|csv)(?:\.gz)?$"
_LOAD = re.compile(r"^(?:SEGMENT\d+_)?LOAD(?P<counter>[0-9A-F]{1,15})" + _EXTENSION, re.IGNORECASE)
_CDC = re.compile(r"^(?P<second>\d{8}-\d{6})(?P<fraction>\d*)" + _EXTENSION, re.IGNORECASE)
# Changes of all tables in the order of their transactions (``PreserveTransactions``).
_TRANSACTIONS = re.compile(
    r"^CDC_TXN-(?P<second>\d{14})(?P<fraction>\d*)\.csv(?:\.gz)?$", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NANOSECOND_DIGITS = 9
# The years of which every moment, in any zone, is a number of nanoseconds that the index can hold.
_YEARS = range(1678, 2262)


@dataclass(frozen=True)
class FileName:
    """What a file name tells.

    Attributes:
        kind: ``load`` (full load), ``cdc`` (changes) or ``unknown`` (not a DMS data file).
        file_time: when DMS wrote a change file, in UTC, to the microsecond; None for the others.
        name_order: orders the files of one kind in one table: the counter of a full load file,
            nanoseconds since 1970 of a change file; None when unknown. Digits of a second beyond
            the ninth cannot be told apart here; the index breaks such ties by path.
        other_time: of an hour that comes twice, the time that it may be as well; else None.
    """

    kind: Kind
    file_time: datetime | None = None
    name_order: int | None = None
    other_time: datetime | None = None


UNKNOWN = FileName(kind="unknown")


def cannot_be_read(path: str) -> bool:
    """Whether no client can name the key: an empty folder, ``.``, ``..`` or a control character."""
    key = path.split("://", 1)[-1].strip("/")
    return _CONTROL.search(key) is not None or not {"", ".", ".."}.isdisjoint(key.split("/"))


def classify(path: str) -> FileName:
    """Tell what the object at ``path`` is, by its base name, if it can be read at all."""
    if cannot_be_read(path):
        return UNKNOWN
    name = path.rsplit("/", 1)[-1]
    if load := _LOAD.match(name):
        return FileName(kind="load", name_order=int(load["counter"], 16))
    if cdc := _CDC.match(name):
        return _classify_changes(cdc["second"], cdc["fraction"])
    return UNKNOWN


def classify_transactions(path: str) -> FileName:
    """Tell what an object of the folder of transaction files (``CdcPath``) is."""
    if found := _TRANSACTIONS.match(path.rsplit("/", 1)[-1]):
        second = found["second"]
        return _classify_changes(f"{second[:8]}-{second[8:]}", found["fraction"])
    return UNKNOWN


def is_transactions(path: str) -> bool:
    """Whether a file holds the changes of all tables."""
    return _TRANSACTIONS.match(path.rsplit("/", 1)[-1]) is not None


def _classify_changes(second: str, fraction: str) -> FileName:
    try:
        whole = datetime.strptime(second, "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:  # digits in the right places that are no time, say a month 13
        return UNKNOWN
    if whole.year not in _YEARS:
        return UNKNOWN
    # The fraction counts from the left: ".5" is 500 ms whatever the width of its neighbours.
    nanoseconds = int(fraction[:_NANOSECOND_DIGITS].ljust(_NANOSECOND_DIGITS, "0"))
    epoch_second = int(whole.timestamp())
    return FileName(
        kind="cdc",
        file_time=whole + timedelta(microseconds=nanoseconds // 1000),
        name_order=epoch_second * 10**_NANOSECOND_DIGITS + nanoseconds,
    )


def in_zone(name: FileName, zone: str, modified_at: datetime) -> FileName:
    """The same name, if DMS was told to write local time (``DatePartitionTimezone``).

    Args:
        name: what the name tells when it is read as UTC.
        zone: the zone it is written in, such as ``Europe/Berlin``.
        modified_at: when the store says it was written: of an hour that comes twice, the one is
            meant in which that was.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such zone.
    """
    if zone == "UTC" or name.file_time is None or name.name_order is None:
        return name
    local = name.file_time.replace(tzinfo=ZoneInfo(zone))
    moments = [local.replace(fold=fold).astimezone(UTC) for fold in (0, 1)]
    moments.sort(key=lambda moment: abs(moment - modified_at))
    moment, other = moments
    shift = int((moment - name.file_time).total_seconds())
    order = name.name_order + shift * 10**_NANOSECOND_DIGITS
    return FileName("cdc", moment, order, other if other != moment else None)
