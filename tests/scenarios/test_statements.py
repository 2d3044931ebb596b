"""Which statements a run sends: what each costs is the business of the benchmarks."""

from tests.conftest import NewProject


def test_no_run_reads_every_table_of_the_schema_and_the_docs_still_have_columns(
    new_project: NewProject,
) -> None:
    project = new_project("statements")
    people = project.declare("people", {"id": "int", "name": "string"}, ["id"])
    people.write_load((1, "Ann"))
    project.query(f"create schema if not exists {project.schema}")
    project.query(f"create view {project.schema}.a_view as select 1 as one")
    log = project.folder / "logs/dbt.log"
    for date in ("2020-11-13", "2020-11-14"):
        result = project.run(date)
        assert result.ok, result.errors
    assert "show tables in" in log.read_text()
    assert "show table extended" not in log.read_text()
    project.dbt("docs", "generate")
    catalog = (project.folder / "target/catalog.json").read_text()
    for name in ("people_snapshot", "snapshot_date", "stg_hr__people"):
        assert f'"{name}"' in catalog
