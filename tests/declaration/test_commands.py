"""Commands that messages propose: as a person pastes them."""

from typing import Any

import pytest

from tests.declaration.harness import Macros

HIDDEN = {"hr.people": True, "hr.teams": True, "hr.seen": False}


def macros(which: str = "run", **stubs: Any) -> Macros:
    graph = {"sources": {}, "nodes": {"model.dms_snapshots.dms_files": {"hidden": HIDDEN}}}
    arguments = {"which": which, "target": "thrift", "project_dir": "/project"}
    return Macros(
        graph,
        stubs={
            "var": lambda name, default=None: default,
            "target": type("Target", (), {"name": "thrift"}),
            "invocation_args_dict": arguments,
            **stubs,
        },
    )


@pytest.mark.parametrize(
    ("which", "given", "command"),
    [
        ("run", {}, "dbt run --select +people_snapshot --target thrift --vars '{{run_date: {0}}}'"),
        ("snapshot", {}, "dbt run --select +people_snapshot --target thrift"),
        ("run-operation", {"run_date": "<run_date>", "full_refresh": True},
         "dbt run --select +people_snapshot --full-refresh --target thrift "
         "--vars '{{run_date: <run_date>}}'"),
        ("run", {"more_vars": "allow_gates: [hr.people]"},
         "dbt run --select +people_snapshot --target thrift "
         "--vars '{{run_date: {0}, allow_gates: [hr.people]}}'"),
    ],
)  # fmt: skip
def test_a_run_is_for_the_date_and_the_target_of_the_command(
    which: str, given: dict[str, Any], command: str
) -> None:
    found = macros(which).run_command("people", **given)
    assert found == command.format("2020-11-13")


def test_a_date_that_another_command_has_hidden_can_be_made_again() -> None:
    said = macros().check_hidden_dates().replace("\\'", "'")
    assert "hr.people, hr.teams: another command" in said
    assert "dbt run --target thrift --vars '{run_date: 2020-11-13}'. If" in said
    assert (
        'dbt run-operation backfill --target thrift --args \'{select: "hr.people hr.teams", '
        "from_date: 2020-11-13, to_date: 2020-11-13, dry_run: false}'. [E401]"
    ) in said
