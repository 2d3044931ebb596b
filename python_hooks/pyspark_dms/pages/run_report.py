"""What became of each table in the last dbt run, from dbt's own records of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from pyspark_dms.errors import DmsError
from pyspark_dms.pages.render import render
from pyspark_dms.secrets import without_secrets

State = Literal["failed", "skipped", "published", "staged", "unchanged", "not active"]
# What needs attention first.
STATES: tuple[State, ...] = (
    "failed", "skipped", "published", "staged", "unchanged", "not active",
)  # fmt: skip

_FAILED = ("error", "fail", "runtime error", "partial success")
_RUNS = ("run", "build", "retry")
# How dbt begins a command in its log, and how it ends one.
_STARTED = re.compile(r"^={30} [\d:.]+ \| ([0-9a-f-]{36}) ={30}$", re.MULTILINE)
_ENDED = re.compile(r"Command `[^`]*?([\w-]+)` (?:succeeded|failed) at ")

_COUNTS = re.compile(r"version \d+: \+(\d+) ~(\d+) -(\d+), (\d+) rows?")
_UNCHANGED = re.compile(r"unchanged since version \d+, (\d+) rows?")
# Between a result and what was warned of: the macro with_warnings.
_WARNING = "; warning: "
_HEADLINE = re.compile(r"\s*(?:[A-Za-z]+ Error(?: in .*)?|\S+ failed, error:)\s*")
# What Spark writes around the text of raise_error.
_RAISED = re.compile(
    r"(?:[\w.]+Exception: )*(?:Error running query: )?(?:[\w.]+Exception: )*"
    r"\[USER_RAISED_EXCEPTION\] | SQLSTATE: P0001"
)
_TRACE = re.compile(r"\s*(?:> in|> called by|compiled code at|at [\w.$]+\() ?.*")
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
        table: ``<schema>.<table>`` as declared; of what belongs to no table, and is told only if it
            failed or was skipped, its name: a model, a history, a test.
        state: failed, skipped (what it needs failed), published, staged (its staging model was run
            alone), unchanged or not active.
        inserted, updated, deleted, rows: rows, if the snapshot was published.
        seconds: of its models together.
        reason: why it failed or was skipped; else empty.
        next_step: what to do about it; else empty.
        warnings: what dbt has warned of.
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
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RunReport:
    """One dbt run.

    Attributes:
        run_date: as given to dbt, or the day of the run in UTC.
        command: the dbt command, run or build; of a retry, the one that it has repeated.
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


def read_run_report(target_dir: Path, log_dir: Path) -> RunReport:
    """Read the records of the last dbt command.

    Args:
        target_dir: dbt's folder ``target``.
        log_dir: dbt's folder ``logs``.

    Raises:
        DmsError: there are none, or they are not those of the last run: it left none, or another
            command has left its own.
    """
    results = _read(target_dir / "run_results.json")
    _check_older_results(log_dir / "dbt.log", str(results["metadata"]["invocation_id"]))
    command = str(results["args"].get("which"))
    if command not in _RUNS:
        # dbt keeps the second word only.
        said = "docs generate" if command == "generate" else command
        raise DmsError(
            "E640",
            f"The last dbt command, dbt {said}, was no run, and its records have taken the "
            "place of those of the run. Run the report right after dbt run, dbt build or dbt "
            "retry.",
        )
    manifest = _read(target_dir / "manifest.json")
    nodes = manifest["nodes"] | manifest["unit_tests"]
    by_table: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for result in results["results"]:
        node = nodes.get(result["unique_id"])
        if node and (node["resource_type"] == "model" or result["status"] in _FAILED):
            by_table.setdefault(_table_of(node), []).append((node, result))
    if not by_table:
        raise DmsError(
            "E640",
            f"The last dbt {command} ran no models. Run the report right after one that does.",
        )
    started_at = str(results["metadata"].get("invocation_started_at", ""))
    tables = [_report(table, parts) for table, parts in by_table.items()]
    # What is left over are the index and the logs, histories and tests.
    tables = [table for table in tables if "." in table.table or table.reason]
    variables = results["args"].get("vars") or {}
    return RunReport(
        run_date=str(variables.get("run_date") or started_at[:10]),
        command=command,
        started_at=started_at,
        seconds=round(float(results["elapsed_time"]), 1),
        invocation_id=str(results["metadata"]["invocation_id"]),
        tables=sorted(
            tables, key=lambda one: (STATES.index(one.state), not one.warnings, one.table)
        ),
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
        raise DmsError(
            "E640", f"{path} is not there: no dbt run has ended yet. Run dbt run."
        ) from None
    except ValueError as problem:
        raise DmsError("E640", f"{path} is damaged ({problem}). Run dbt run again.") from None


def _check_older_results(log: Path, invocation_id: str) -> None:
    """Refuse results after which a run has begun that left none of its own.

    A dbt that cannot start (a server that is away, a wrong variable) or is killed leaves the
    results of the command before it; only the log tells.
    """
    text = ""
    # dbt puts a log that has grown aside, as dbt.log.1, and the one before it as dbt.log.2.
    for file in (log, *(log.with_name(f"{log.name}.{number}") for number in range(1, 6))):
        if not file.is_file():
            return  # there is no log that could tell
        text = file.read_text(encoding="utf-8", errors="replace") + text
        if f"| {invocation_id} =" in text:
            break
    # Each command: its name for dbt, then what it has logged.
    parts = _STARTED.split(text)
    if invocation_id not in parts:
        return
    for logged in parts[parts.index(invocation_id) + 3 :: 2]:
        ended = _ENDED.findall(logged)
        if not ended or ended[-1] in _RUNS:
            raise DmsError(
                "E640",
                "The last dbt run has no results: dbt could not start it, or it was cut off or is "
                f"still at work. What it said is at the end of {log}. Fix the cause and run the "
                "same command again.",
            )


def _table_of(node: Mapping[str, Any]) -> str:
    settings = (node["config"].get("meta") or {}).get("dms")
    if node["config"].get("materialized") in ("dms_staging", "dms_snapshot") and settings:
        return f"{settings['source_name']}.{settings['table_name']}"
    if node["resource_type"] == "operation":
        # dbt's name of a hook says less.
        return "start of the run" if "on-run-start" in node["tags"] else "end of the run"
    return str(node["name"])


def _report(
    table: str, parts: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> TableReport:
    seconds = round(sum(float(result["execution_time"]) for _, result in parts), 1)
    messages = {
        node["config"].get("materialized"): str(result["message"]).split(_WARNING)
        for node, result in parts
    }
    warnings = [warning for message in messages.values() for warning in message[1:]]
    failed = [result for _, result in parts if result["status"] in _FAILED]
    if failed:
        reason = clean_reason(str(failed[0]["message"]))
        return TableReport(
            table, "failed", seconds=seconds, reason=reason, next_step=_next_step(reason),
            warnings=warnings,
        )  # fmt: skip
    if any(result["status"] == "skipped" for _, result in parts):
        return TableReport(
            table, "skipped", seconds=seconds, reason="what it depends on failed",
            next_step="Fix what failed, then: dbt retry", warnings=warnings,
        )  # fmt: skip
    message = messages.get("dms_snapshot", messages.get("dms_staging", [""]))[0]
    if message == "not active":
        return TableReport(table, "not active", seconds=seconds)
    if counts := _COUNTS.match(message):
        inserted, updated, deleted, rows = map(int, counts.groups())
        return TableReport(
            table, "published", inserted, updated, deleted, rows, seconds, warnings=warnings
        )
    if unchanged := _UNCHANGED.match(message):
        rows = int(unchanged[1])
        return TableReport(table, "unchanged", 0, 0, 0, rows, seconds, warnings=warnings)
    return TableReport(table, "staged", seconds=seconds, warnings=warnings)


def clean_reason(message: str) -> str:
    """An error of dbt without its headlines and traces, not longer than a screen, no secrets."""
    lines = [
        _RAISED.sub("", line).strip()
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
    # What a file holds, and stands in the reason, says nothing about the server.
    if _AWAY.search(reason) and "cannot be taken" not in reason:
        return (
            "Spark did not answer: see that the server runs (dms-snapshots thrift status), "
            "then: dbt retry"
        )
    if "dbt retry does not" in reason:
        return "Do what the message says"
    return (
        "Do what the message says, then run the same command again. dbt retry is enough if no file "
        "and no declaration changed"
    )


def as_html(report: RunReport) -> str:
    """The report as one page that needs nothing else."""
    return render("run_report.html", report=report, states=STATES)
