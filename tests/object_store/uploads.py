"""A process that puts files into a bucket, again and again, and runs dbt between.

``python -m tests.object_store.uploads FOLDER BUCKET`` has an embedded session of its own, which
finds the store by the environment, and prints one JSON object: of each table the rows of the newest
state after each run, what its staging model said, the dates of one, and what went wrong.
"""

import contextlib
import json
import sys
from pathlib import Path

import obstore
from obstore.store import S3Store

from tests.support.engines import LocalEngine, set_spark_environment
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

CHANGES, LATER = "20201113-100000000.parquet", "20201115-100000000.parquet"
SECOND = "LOAD00000002.parquet"
TABLES = (
    "mended", "whole", "first_comes_first", "first_comes_last", "undone", "gone",
    "copied", "halfway", "other",
)  # fmt: skip


class Bucket:
    """The landing area: what is written to a table's folder is put under the table's name."""

    def __init__(self, name: str) -> None:
        self._store = S3Store(name)

    def put(self, table: Table, *paths: Path) -> None:
        for path in paths:
            obstore.put(self._store, f"{table.name}/{path.name}", path.read_bytes())

    def take_away(self, table: Table) -> None:
        found = [
            item["path"] for page in obstore.list(self._store, f"{table.name}/") for item in page
        ]
        obstore.delete(self._store, found)


def main() -> int:
    folder, name = Path(sys.argv[1]), sys.argv[2]
    set_spark_environment()
    engine = LocalEngine(str(folder / "lake"))
    project = Project(folder / "uploads", engine)
    bucket = Bucket(name)
    tables = [
        project.declare(table, COLUMNS, ["id"], path=f"s3://{name}/{table}/") for table in TABLES
    ]
    mended, whole, first_comes_first, first_comes_last, undone, gone, copied, halfway, other = (
        tables
    )
    states: dict[str, list[object]] = {table: [] for table in TABLES}
    said: dict[str, list[str]] = {table: [] for table in TABLES}
    problems: list[str] = []

    def run(run_date: str, refused: Table | None = None) -> None:
        result = project.run(run_date)
        is_refused = "not its first one" in result.errors
        if refused is None:
            problems.append(result.errors)
        elif result.failed != [refused.staging_model] or not is_refused:
            problems.append(f"only {refused.name} was to be refused: {result.errors}")
        for table in tables:
            states[table.name].append(table.current())
            said[table.name].append(result.message(table.staging_model))

    for table in tables:
        bucket.put(
            table,
            table.write_load((1, "Ann")),
            table.write_load((2, "Bo"), name=SECOND),
            table.write_changes(CHANGES, ("U", 1, "13")),
        )
    run("2020-11-13")

    bucket.put(mended, mended.write_changes(CHANGES, ("U", 2, "14")))
    for table in (whole, first_comes_first, first_comes_last):
        bucket.take_away(table)
    for table in (undone, gone):
        bucket.put(table, table.write_load((1, "Ann")), table.write_load((2, "Bo"), name=SECOND))
    # As a folder is copied over itself, the changes first.
    bucket.put(copied, *sorted(copied.folder.iterdir()))
    bucket.put(halfway, *sorted(halfway.folder.glob("2020*")))
    firsts = [other.write_load((1, "Ann"), (3, "Cy")), other.write_load((2, "Bo"), name=SECOND)]
    bucket.put(other, other.write_changes(CHANGES, ("U", 1, "13")), *firsts)
    run("2020-11-14")

    bucket.put(mended, mended.write_changes(CHANGES, ("U", 1, "13")))
    bucket.put(halfway, *sorted(halfway.folder.glob("LOAD*")))
    bucket.put(other, other.write_changes(LATER, ("U", 3, "15")))
    firsts = [table.write_load((1, "Ann")) for table in (whole, first_comes_first)]
    bucket.put(whole, firsts[0], whole.write_load((2, "reloaded"), name=SECOND))
    bucket.put(first_comes_first, firsts[1])
    bucket.put(first_comes_last, first_comes_last.write_load((2, "reloaded"), name=SECOND))
    with contextlib.redirect_stdout(sys.stderr):
        project.operate("rollback", select="hr.undone hr.gone", dry_run=False)
    bucket.take_away(gone)
    run("2020-11-15", refused=first_comes_last)

    bucket.put(first_comes_first, first_comes_first.write_load((2, "reloaded"), name=SECOND))
    bucket.put(first_comes_last, first_comes_last.write_load((1, "Ann")))
    bucket.put(gone, gone.write_load((1, "Ann")), gone.write_load((2, "Bob"), name=SECOND))
    # Its full load has another tag, as one that is copied in parts has.
    other.write_load((1, "Anna"), (3, "Cy"))
    bucket.put(other, *sorted(other.folder.iterdir()))
    run("2020-11-16")
    # What only comes again as it was is nothing new, also to a snapshot run without the index.
    bucket.put(halfway, *sorted(halfway.folder.glob("2020*")))
    for selected in ("dms_files", halfway.staging_model, halfway.snapshot_model):
        problems.append(project.run("2020-11-17", "--select", selected).errors)
    tests = project.dbt("test", "--select", "test_type:singular")
    problems.append(tests.errors)
    print(
        json.dumps(
            {
                "states": states,
                "said": said,
                "dates": halfway.dates(),
                "problems": list(filter(None, problems)),
            }
        ),
        flush=True,
    )
    engine.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
