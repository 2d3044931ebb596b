"""dbt in this process: one start of Python, and of Spark, for several dbt commands."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from pyspark_dms.errors import DmsError
from pyspark_dms.project import require_project
from pyspark_dms.secrets import without_secrets

Row = dict[str, Any]


class DbtSession:
    """Runs dbt commands on one project, with the profile, target and environment dbt would use.

    Attributes:
        target_dir: where dbt writes what it knows of the project and of its last run, and where
            `report` and `dbt retry` look for it.
        log_dir: where its log is.
        side_dir: where it writes the same of what is asked here beside the runs of a person.
    """

    def __init__(self, project_dir: Path, target: str | None = None) -> None:
        """Take the project.

        Args:
            project_dir: folder with ``dbt_project.yml``.
            target: a target of the profile; None for its default.

        Raises:
            DmsError: there is no project in the folder.
        """
        require_project(project_dir)
        # Imported here: dbt takes seconds to import, and most commands do not need it.
        from dbt.cli.main import dbtRunner

        self._runner = dbtRunner()
        # Absolute, because a Thrift server has a current folder of its own.
        project_dir = project_dir.resolve()
        self._options = ["--project-dir", str(project_dir)]
        if "DBT_PROFILES_DIR" not in os.environ and (project_dir / "profiles.yml").exists():
            self._options += ["--profiles-dir", str(project_dir)]
        if target:
            self._options += ["--target", target]
        self.target_dir = project_dir / os.environ.get("DBT_TARGET_PATH", "target")
        self.log_dir = project_dir / os.environ.get("DBT_LOG_PATH", "logs")
        self.side_dir = self.target_dir / "beside"
        self._side_options = [*self._options, "--target-path", str(self.side_dir)]

    def run(self, run_date: str | None, select: Sequence[str] = ()) -> bool:
        """``dbt run``, with dbt's own output; whether all models succeeded.

        Args:
            run_date: a date (YYYY-MM-DD); None for today.
            select: the models to run; none for all.

        Raises:
            DmsError: dbt ended with an error of its own, not of a model.
            KeyboardInterrupt: somebody wants it to end.
        """
        selection = ["--select", *select] if select else []
        variables = ["--vars", json.dumps({"run_date": run_date})] if run_date else []
        command = ["run", *selection, *variables, *self._options]
        ended = self._runner.invoke(command)
        if isinstance(ended.exception, KeyboardInterrupt):
            raise ended.exception  # dbt takes Ctrl-C for a failure
        if ended.exception is not None:
            reason = without_secrets(str(ended.exception).strip())
            raise DmsError(
                "E602",
                f"dbt could not start the run: {reason}\nMend that, then the same command again.",
            )
        return bool(ended.success)

    def command(self, *arguments: str) -> bool:
        """Another dbt command, with dbt's own output; whether all of it succeeded.

        Raises:
            KeyboardInterrupt: somebody wants it to end.
        """
        ended = self._runner.invoke([*arguments, *self._options])
        if isinstance(ended.exception, KeyboardInterrupt):
            raise ended.exception
        return bool(ended.success)

    def generate_docs(self) -> bool:
        """``dbt docs generate`` into `side_dir`, with dbt's own output; whether it succeeded.

        Nothing is compiled, so that a table whose declaration is refused is documented too.
        """
        self._take_over_parsed()
        # Without compiling, only `parse` writes the manifest.
        commands = (["--quiet", "parse"], ["docs", "generate", "--no-compile"])
        return all(
            self._runner.invoke([*command, *self._side_options]).success for command in commands
        )

    def _take_over_parsed(self) -> None:
        """Let dbt start from what it parsed for the last command of a person.

        It parses all again if the variables differ, so those of that command are given.
        """
        parsed, own = (
            folder / "partial_parse.msgpack" for folder in (self.target_dir, self.side_dir)
        )
        results = self.target_dir / "run_results.json"
        if not parsed.is_file() or not results.is_file():
            return
        given = json.loads(results.read_text(encoding="utf-8"))["args"].get("vars")
        if given:
            # As YAML without quotes, so that a date is a date to dbt, as a person types it.
            self._side_options += ["--vars", yaml.safe_dump(given).replace("'", "")]
        if not own.is_file() or own.stat().st_mtime < parsed.stat().st_mtime:
            self.side_dir.mkdir(parents=True, exist_ok=True)
            shutil.copy2(parsed, own)

    def call(
        self,
        macro: str,
        *,
        variables: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Any:
        """Call a macro that prints one line of JSON; returns what it says.

        Args:
            macro: its name.
            variables: those of the command (``--vars``).
            arguments: those of the macro.

        Raises:
            DmsError: dbt could not run it; the text is dbt's.
        """
        command = ["run-operation", macro, "--args", json.dumps(arguments)]
        command += ["--vars", json.dumps(variables)] if variables else []
        command += self._side_options
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # Errors are ours to tell, but with a lower level macros print nothing.
            outcome = self._runner.invoke(["--quiet", *command])
        lines = printed.getvalue().splitlines()
        if not outcome.success or not lines:
            results = getattr(outcome.result, "results", [])
            messages = [result.message for result in results if result.message]
            reason = outcome.exception or next(iter(messages), None) or _printed_reason(lines)
            raise DmsError("E602", f"dbt could not run the macro {macro}: {reason}")
        return json.loads(lines[-1])

    def query(self, sql: str) -> list[Row]:
        """Run a query, in which Jinja may name models, and return its rows.

        Raises:
            DmsError: dbt could not run it; the text is dbt's.
        """
        # dbt guesses types from text; inside JSON a value stays what it is.
        inline = (
            f"select to_json(struct(*), map('ignoreNullFields', 'false')) as row_json from ({sql})"
        )
        quiet = ["--quiet", "--log-level", "none"]
        command = ["show", "--inline", inline, "--limit", "-1", *self._side_options]
        # `dbt show` also prints what it found, which is for others to do here.
        with contextlib.redirect_stdout(io.StringIO()):
            outcome = self._runner.invoke([*quiet, *command])
        results = getattr(outcome.result, "results", [])
        if not outcome.success or not results:
            reason = outcome.exception or next((result.message for result in results), "no result")
            raise DmsError("E602", f"dbt could not run a query: {reason}")
        return [json.loads(row["row_json"]) for row in results[0].agate_table.rows]


def _printed_reason(lines: Sequence[str]) -> str:
    """Why a macro failed, from what dbt prints of it: without the macros that called each other."""
    said = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("> ")]
    return "\n".join(said[1:] or said) or "no result"
