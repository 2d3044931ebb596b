"""What readers see of tables under their dates, for pages, `show` and `compare`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.read_state import read_version, said_of_tables
from pyspark_dms.versions.recorded import Records
from pyspark_dms.versions.states import shown_dates

Said = dict[str, Any]
FACTS = (
    "version", "run_date", "action", "layout",
    "rows_before", "rows_inserted", "rows_updated", "rows_deleted", "rows_after",
)  # fmt: skip


def seen(job: Mapping[str, Any]) -> Said:
    """What readers see of all tables.

    Of a table a few objects are read, whatever its age.

    Args:
        job: ``root`` (the folder of the version log), ``until`` (the last date that counts; None:
            all do) and ``limit`` (dates are said, and the versions of so many; None: they are not).

    Returns:
        By label ``date``, the newest one, and ``version``, `FACTS` of what it shows; ``dates``, the
        version of each, and ``newest``, the versions of the newest dates. Or ``error``. A table
        without dates has none of it. What is not published whole yet does not count.
    """
    records = recorded.read(job["root"])
    return said_of_tables(records.tables, lambda label: _said(job, label, records))


def _said(job: Mapping[str, Any], label: str, records: Records) -> Said:
    numbered, until, limit = log.table_log(job["root"], label), job["until"], job["limit"]
    if not (newest := numbered.newest_counting(records.newest(label))):
        return {}
    version = read_version(numbered, newest, ("dates",))
    unchanged = records.version(label, version.current_version)["dates"]
    shown = shown_dates(version, unchanged)
    dates = sorted(date for date in shown if not until or date <= until)
    # The version of a date may have been given up since.
    date = next((one for one in reversed(dates) if numbered.counts(shown[one])), None)
    if date is None:
        return {}
    own = log.read_manifest(numbered, shown[date], ())
    said = {"date": date, "version": {name: own[name] for name in FACTS}}
    if limit is None:
        return said
    return said | {"dates": shown, "newest": sorted({shown[one] for one in dates[-limit:]})}
