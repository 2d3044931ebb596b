"""What runs ask of an object store and of the metastore: the sample on a lake behind an S3 API.

``python -m bench.requests`` runs the sample's dates and one without changes, and counts the
requests and the metastore's calls of each by what they are for. Any of the servers of
`tests.support.s3_server` logs its requests; the metastore has a log for audits.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from rich import box
from rich.console import Console
from rich.table import Table

from bench.sample_commands import ROOT, RUN_DATES, dbt_command, run_command
from tests.support.s3_server import LAKE, requests_of, s3_server, upload

_WORK = ROOT / "bench/work/requests"
_LANDING = "landing"
# By what they are for: kinds of relations, the landing area, and the rest.
INDEX, METADATA, STAGING, SNAPSHOTS, LANDING_AREA, OTHERS = KINDS = (
    "dms_files", "other metadata", "staging tables", "snapshot tables", "landing area", "others",
)  # fmt: skip
# Spark takes settings of its own where the root has no appender.
_AUDIT = """
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
logger.audit.name = org.apache.hadoop.hive.metastore.HiveMetaStore.audit
logger.audit.level = info
logger.audit.additivity = false
logger.audit.appenderRef.file.ref = audit
appender.audit.type = File
appender.audit.name = audit
appender.audit.fileName = {path}
appender.audit.layout.type = PatternLayout
appender.audit.layout.pattern = %m%n
"""


@dataclass(frozen=True)
class Counted:
    """What a command has asked for.

    Attributes:
        requests: of the object store, by kind.
        calls: of the metastore, by kind.
        commands: of the metastore, by their names.
    """

    requests: Counter[str]
    calls: Counter[str]
    commands: Counter[str]


def kind_of(relation: str) -> str:
    """The kind of a relation, by its name."""
    if relation.startswith("stg_"):
        return STAGING
    if relation.startswith("dms_files"):
        return INDEX
    if relation.endswith(("_snapshot", "_current", "_changes")):
        return SNAPSHOTS
    return METADATA


def request_kind(line: str) -> str:
    """What a request of the server's log is for."""
    address = unquote(unquote(line))
    if f"/{_LANDING}" in address:
        return LANDING_AREA
    found = re.search(r"warehouse/lake\.db/(\w+)", address)
    return kind_of(found[1]) if found else OTHERS


def call_kind(line: str) -> str:
    """What a call of the metastore's log is for."""
    found = re.search(r"\btbl=(?:\w+\.)*(\w+)", line)
    return kind_of(found[1]) if found else OTHERS


def count(work: Path) -> dict[str, Counted]:
    """Run the sample's dates on a lake of its own, and count.

    Args:
        work: an empty folder for the server and what the runs write.

    Returns:
        By the names of the dates.
    """
    counted = {}
    audit, config = work / "audit.log", work / "log4j2.properties"
    config.write_text(_AUDIT.format(path=audit), encoding="utf-8")
    with s3_server(work, LAKE, _LANDING) as server:
        upload(server, ROOT / "sample/dms", _LANDING, "dms")
        environment = {
            **server,
            "DMS_ROOT": f"s3://{_LANDING}/dms",
            "DMS_LAKE": f"s3://{LAKE}",
            "JAVA_TOOL_OPTIONS": f"-Dlog4j2.configurationFile={config}",
        }
        for name, run_date in RUN_DATES.items():
            asked_before = len(requests_of(work))
            audit.unlink(missing_ok=True)
            run_command(dbt_command("run", run_date), work, environment)
            calls = audit.read_text(encoding="utf-8").splitlines()
            counted[name] = Counted(
                Counter(request_kind(line) for line in requests_of(work)[asked_before:]),
                Counter(call_kind(line) for line in calls),
                Counter(found[1] for line in calls if (found := re.search(r"cmd=(\w+)", line))),
            )
    return counted


def main() -> None:
    """Count and print."""
    shutil.rmtree(_WORK, ignore_errors=True)
    _WORK.mkdir(parents=True)
    console = Console(highlight=False)
    tables = {
        name: Table("dbt run", *KINDS, "all", title=name, box=box.SIMPLE)
        for name in ("Requests", "Metastore calls")
    }
    for name, counted in count(_WORK).items():
        for table, counts in zip(tables.values(), (counted.requests, counted.calls), strict=True):
            table.add_row(name, *(str(counts[kind]) for kind in KINDS), str(counts.total()))
        console.print(f"{name}: {counted.commands.most_common()}")
    for table in tables.values():
        console.print(table)


if __name__ == "__main__":
    main()
