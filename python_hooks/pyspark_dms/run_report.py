"""What became of each table in the last dbt run, from dbt's own records of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pyspark_dms.errors import DmsError
from pyspark_dms.pages import render
from pyspark_dms.secrets import without_secrets

State = Literal["failed", "skipped", "published", "unchanged", "not active"]
# What needs attention first.
STATES: tuple[State, ...] = ("failed", "skipped", "published", "unchanged", "not active")

_COUNTS = re.compile(r"\+(\d+) ~(\d+) -(\d+), (\d+) rows")
_UNCHANGED = re.compile(r"unchanged, (\d+) rows")
_HEADLINE = re.compile(r"\s*[A-Za-z]+ Error(?: in .*)?\s*")
_TRACE = re.compile(r"\s*(?:> in|> called by|compiled code at) .*")
_REASON_LINES = 12
_AWAY = re.compile(
    r"TTransportException|Connection refused|Could not connect|Broken pipe|Connection reset"
    r"|TSocket|NoneType: None|failed to connect",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TableReport:
    """How one table ended.

    Attributes:
        table: ``<schema>.<table>`` as declared; the name of a model that belongs to no table.
        state: failed, skipped (what it needs failed), published, unchanged or not active.
        inserted, updated, deleted, rows: rows, if the snapshot was published.
        seconds: of its models together.
        reason: why it failed or was skipped; else empty.
        next_step: what to do about it; else empty.
    """

    table: str
    state: State
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    rows: int | None = None
    seconds: float = 0.0
    reason: str = ""
    next_step: str = ""


@dataclass(frozen=True)
class RunReport:
    """One dbt run.

    Attributes:
        run_date: as given to dbt, or the day of the run in UTC.
        command: the dbt command: run, build or retry.
        started_at: when dbt was called, in UTC, as ISO text.
        seconds: how long dbt took.
        invocation_id: dbt's name for the run, also in its log.
        tables: every table that the command had to do with, what needs attention first.
    """

    run_date: str
    command: str
    started_at: str
    seconds: float
    invocation_id: str
    tables: list[TableReport]

    def count(self, state: State) -> int:
        """How many tables ended so."""
        return sum(table.state == state for table in self.tables)

    @property
    def succeeded(self) -> bool:
        """Whether no table failed or was skipped."""
        return not (self.count("failed") or self.count("skipped"))


def read_run_report(target_dir: Path) -> RunReport:
    """Read the records of the last dbt command.

    Args:
        target_dir: dbt's folder ``target``.

    Raises:
        DmsError: there are none, or the last command ran no models.
    """
    results = _read(target_dir / "run_results.json")
    nodes = _read(target_dir / "manifest.json")["nodes"]
    by_table: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for result in results["results"]:
        node = nodes.get(result["unique_id"])
        if not node or node["resource_type"] != "model":
            continue
        by_table.setdefault(_table_of(node), []).append((node, result))
    if not by_table:
        raise DmsError(
            f"The last dbt command, dbt {results['args'].get('which')}, ran no models. Run the "
            "report after dbt run, dbt build or dbt retry."
        )
    started_at = str(results["metadata"].get("invocation_started_at", ""))
    tables = [_report(table, parts) for table, parts in by_table.items()]
    # What is left over are the index and the logs; they are told only if they failed.
    tables = [table for table in tables if "." in table.table or table.reason]
    variables = results["args"].get("vars") or {}
    return RunReport(
        run_date=str(variables.get("run_date") or started_at[:10]),
        command=str(results["args"].get("which")),
        started_at=started_at,
        seconds=round(float(results["elapsed_time"]), 1),
        invocation_id=str(results["metadata"]["invocation_id"]),
        tables=sorted(tables, key=lambda one: (STATES.index(one.state), one.table)),
    )


def write_run_report(report: RunReport, target_dir: Path) -> tuple[Path, Path]:
    """Write ``run_report.html`` and ``run_report.json``; return their paths."""
    page, data = target_dir / "run_report.html", target_dir / "run_report.json"
    page.write_text(as_html(report), encoding="utf-8")
    content = {
        "succeeded": report.succeeded,
        "counts": {state: report.count(state) for state in STATES},
        **asdict(report),
    }
    data.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return page, data


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DmsError(f"{path} is not there: no dbt run has ended yet. Run dbt run.") from None
    except ValueError as problem:
        raise DmsError(f"{path} is damaged ({problem}). Run dbt run again.") from None


def _table_of(node: Mapping[str, Any]) -> str:
    settings = (node["config"].get("meta") or {}).get("dms")
    if node["config"]["materialized"] in ("dms_staging", "dms_snapshot") and settings:
        return f"{settings['source_name']}.{settings['table_name']}"
    return str(node["name"])


def _report(
    table: str, parts: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> TableReport:
    seconds = round(sum(float(result["execution_time"]) for _, result in parts), 1)
    failed = [result for _, result in parts if result["status"] not in ("success", "skipped")]
    if failed:
        reason = clean_reason(str(failed[0]["message"]))
        return TableReport(
            table, "failed", seconds=seconds, reason=reason, next_step=_next_step(reason)
        )
    if any(result["status"] == "skipped" for _, result in parts):
        return TableReport(
            table, "skipped", seconds=seconds, reason="what it depends on failed",
            next_step="Mend what failed, then: dbt retry",
        )  # fmt: skip
    messages = [
        str(result["message"])
        for node, result in parts
        if node["config"]["materialized"] == "dms_snapshot"
    ]
    message = messages[0] if messages else ""
    if message == "not active":
        return TableReport(table, "not active", seconds=seconds)
    if counts := _COUNTS.match(message):
        inserted, updated, deleted, rows = map(int, counts.groups())
        return TableReport(table, "published", inserted, updated, deleted, rows, seconds)
    unchanged = _UNCHANGED.match(message)
    return TableReport(
        table, "unchanged", 0, 0, 0, int(unchanged[1]) if unchanged else None, seconds
    )


def clean_reason(message: str) -> str:
    """An error of dbt without its headlines and traces, not longer than a screen, no secrets."""
    lines = [
        line.strip()
        for line in without_secrets(message).splitlines()
        if line.strip() and not _HEADLINE.fullmatch(line) and not _TRACE.fullmatch(line)
    ]
    if len(lines) > _REASON_LINES:
        lines = [
            *lines[:_REASON_LINES],
            f"… {len(lines) - _REASON_LINES} more lines in logs/dbt.log",
        ]
    return "\n".join(lines) or "dbt gave no reason"


def _next_step(reason: str) -> str:
    if _AWAY.search(reason):
        return (
            "Spark did not answer: see that the server runs (python -m pyspark_dms thrift status), "
            "then: dbt retry"
        )
    return (
        "Mend the cause and run the same command again; dbt retry is enough where no file was "
        "replaced"
    )


def as_html(report: RunReport) -> str:
    """The report as one page that needs nothing else."""
    return render("run_report.html", report=report, states=STATES)
