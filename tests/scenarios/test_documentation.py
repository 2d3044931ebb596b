"""The documentation as static pages, looked at in a real browser."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyspark_dms.cli import main
from pyspark_dms.pages import table_records
from pyspark_dms.pages.documentation import GUIDE
from pyspark_dms.pages.plot import CHANGES_HEIGHT, ROWS_HEIGHT, WIDTH, plot_of
from pyspark_dms.pages.table_records import Version
from tests.conftest import NewProject
from tests.support import browser
from tests.support.project import Project

COLUMNS = {"id": "int", "name": "string"}
# Ends a script in which it is put as it is, and is one where it is put as HTML.
HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='o'\">"
)
EXPOSURE = """
exposures:
  - name: headcount
    label: Headcount
    type: dashboard
    owner: {name: HR}
    depends_on: [ref('people_snapshot')]
"""


def write_pages(project: Project, target: str = "target") -> Path:
    """``dms-snapshots docs``; returns where the pages are."""
    with project.environment(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_PROFILES_DIR", str(project.folder / "profiles"))
        patch.setenv("DBT_LOG_PATH", str(project.folder / "logs"))
        patch.setenv("DBT_TARGET_PATH", target)
        result = CliRunner().invoke(main, ["docs", "--project-dir", str(project.folder)])
    assert result.exit_code == 0, result.output
    folder = project.folder / target / "docs"
    # What `make docs` has put there is named.
    assert ("The guide: " in result.output) is (folder / GUIDE).is_file()
    return folder


def cells(page: str, table: str) -> list[list[str]]:
    """The rows of a table of a page, by its class: the text of each cell."""
    found = re.search(rf'<table class="{table}">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    rows = re.findall(r"<tr.*?>(.*?)</tr>", found[1] if found else "", re.DOTALL)
    return [
        [text_of(cell) for cell in re.findall(r"<td.*?>(.*?)</td>", row, re.DOTALL)] for row in rows
    ]


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html)).strip()


@pytest.fixture(scope="module")
def project(new_project: NewProject) -> Project:
    """people has a reject, stock no history, broken fails and odd is refused."""
    project = new_project("documented")
    people = project.declare(
        "people", COLUMNS, ["id"],
        description=f"Who works here. {HOSTILE}", descriptions={"name": HOSTILE},
        on_bad_row="quarantine",
    )  # fmt: skip
    stock = project.declare("stock", COLUMNS, ["id"], history=False, captures_deletes=False)
    broken = project.declare("broken", COLUMNS, ["id"])
    project.declare("odd", COLUMNS, ["id"], order_by="chance")
    (project.folder / "models/exposures.yml").write_text(EXPOSURE)
    people.write_load((1, "Ann"), (2, "Bob"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bob"), ("I", 3, "Cy"))
    stock.write_load((1, "nail"))
    stock.write_load((2, "nut"), name="20201114-100000000.parquet")
    broken.write_load((1, "Ann"))
    texts = dict.fromkeys(COLUMNS, "string")
    for table in (people, broken):
        table.write_changes("20201114-110000000", ("U", HOSTILE, "x"), columns=texts)
    return project


@pytest.fixture(scope="module")
def empty(project: Project) -> str:
    """The page of people before the first run."""
    return (write_pages(project) / "tables/hr.people.html").read_text()


@pytest.fixture(scope="module")
def pages(project: Project, empty: str) -> Path:
    """The pages after two runs, in the second of which broken failed."""
    assert project.run("2020-11-13").failed == ["stg_hr__odd"]
    assert project.run("2020-11-14").failed == ["stg_hr__broken", "stg_hr__odd"]
    guide = project.folder / "target/docs" / GUIDE
    guide.parent.mkdir()
    guide.write_text("the guide")
    return write_pages(project)


def test_before_the_first_run_a_page_says_that_nothing_is_published(empty: str) -> None:
    assert "Nothing is published yet." in empty
    assert "hr.people" in empty
    assert "guide" not in empty


def test_the_page_of_dbt_has_a_table_with_its_facts_and_columns(
    pages: Path, tmp_path: Path
) -> None:
    page = browser.dump(f"{(pages / 'index.html').as_uri()}#!/overview", tmp_path)
    assert 'href="tables/index.html"' in page
    assert f'href="{GUIDE}"' in page
    for name in ("index", "hr.people"):
        assert f'href="../{GUIDE}"' in (pages / f"tables/{name}.html").read_text()
    for address in (
        "source/source.dms_snapshots.hr.people",
        "model/model.dms_snapshots.people_snapshot",
    ):
        page = browser.dump(f"{(pages / 'index.html').as_uri()}#!/{address}", tmp_path)
        assert browser.title(page) == "dbt Docs"
        assert "<li><strong>Key</strong>: id</li>" in page
        assert (
            "<li><strong>Order</strong>: as DMS wrote the changes: by file, then by row</li>"
            in page
        )
        assert "one snapshot per date, people_snapshot; people_current</li>" in page
        assert 'href="tables/hr.people.html"' in page


def test_the_lineage_goes_from_the_source_to_the_exposure(pages: Path, tmp_path: Path) -> None:
    table = (pages / "tables/hr.people.html").read_text()
    assert cells(table, "lineage") == [
        ["stg_hr__people", "staging", "hr.people"],
        ["people_snapshot, people_current", "snapshot", "hr.people, stg_hr__people"],
        ["Headcount", "dashboard", "people_snapshot"],
    ]
    link = re.search(r'href="\.\./index\.html(#[^"]+)"', table)
    assert link
    drawn = browser.ask(
        pages / "index.html",
        unescape(link[1]),
        "angular.element(document.body).injector().get('graph').graph.elements"
        ".map(e => e.data.source ? `${e.data.source}>${e.data.target}` : e.data.id)"
        ".map(name => name.replaceAll('.dms_snapshots', '')).sort().join(' ')",
        tmp_path,
    )
    assert drawn.split() == [
        "exposure.headcount",
        "model.people_snapshot",
        "model.people_snapshot>exposure.headcount",
        "model.stg_hr__people",
        "model.stg_hr__people>model.people_snapshot",
        "source.hr.people",
        "source.hr.people>model.people_snapshot",
        "source.hr.people>model.stg_hr__people",
    ]


def test_the_page_of_a_table_tells_its_runs_counts_versions_and_rejects(
    pages: Path, tmp_path: Path
) -> None:
    page = browser.dump((pages / "tables/hr.people.html").as_uri(), tmp_path)
    assert browser.title(page) == "hr.people"
    assert cells(page, "runs") == [
        ["2020-11-14", "2", "3", "1", "version 2"],
        ["2020-11-13", "1", "2", "0", "version 1"],
    ]
    # number, date, how, of, base, before, inserted, updated, deleted, after, files, …, readers
    versions = cells(page, "versions")
    assert versions[0][:11] == ["2", "2020-11-14", "merge", "", "1", "2", "1", "1", "1", "2", "2"]
    assert versions[1][:11] == ["1", "2020-11-13", "build", "", "", "0", "2", "0", "0", "2", "1"]
    assert [row[-1] for row in versions] == ["current", "see it"]
    (reject,) = cells(page, "rejects")
    assert reject[0] == "2020-11-14"
    assert reject[1].endswith("20201114-110000000.parquet")
    assert reject[2] == "1"
    assert re.findall(r"<title>(.*?)</title>", page)[1:] == [
        "2020-11-13: 2 rows", "2020-11-14: 2 rows",
        "2020-11-14: 1 inserted", "2020-11-14: 1 updated", "2020-11-14: 1 deleted",
    ]  # fmt: skip


def test_values_from_outside_are_text_on_every_page(pages: Path, tmp_path: Path) -> None:
    for page in (pages / "tables").glob("*.html"):
        assert "<script" not in page.read_text()
        assert "<img" not in browser.dump(page.as_uri(), tmp_path)
    people = (pages / "tables/hr.people.html").read_text()
    assert f"Who works here. {HOSTILE}" in unescape(people)
    assert HOSTILE in unescape(cells(people, "columns")[1][2])
    assert "row 1, column id: value '</script><script>" in unescape(
        (pages / "tables/hr.broken.html").read_text()
    )


def test_a_run_that_failed_is_told_with_its_reason(project: Project, pages: Path) -> None:
    page = (pages / "tables/hr.broken.html").read_text()
    assert [row[0] for row in cells(page, "runs")] == ["2020-11-13"]
    assert 'of 2020-11-14: <span class="failed">failed</span>' in page
    assert "1 of 1 files cannot be read" in page
    # What the last run left is still there, for report and dbt retry.
    results = json.loads((project.folder / "target/run_results.json").read_text())
    assert results["args"]["which"] == "run"


def test_a_table_without_history_shows_the_counts_of_its_run_dates(pages: Path) -> None:
    page = (pages / "tables/hr.stock.html").read_text()
    assert "2020-11-13: 1 row<" in page
    assert "2020-11-14: 2 rows" in page
    assert "not captured: the task writes inserts only" in page


def test_a_refused_declaration_is_documented_with_what_is_wrong(pages: Path) -> None:
    page = unescape((pages / "tables/hr.odd.html").read_text())
    assert 'key order_by is "chance"; allowed is' in page
    listed = cells((pages / "tables/index.html").read_text(), "tables")
    assert [row[0] for row in listed] == ["hr.broken", "hr.odd", "hr.people", "hr.stock"]
    assert [row[-1] for row in listed] == ["failed", "failed", "published", "published"]


# ------------------------------------------------------------------ more than a page shows


@pytest.fixture(scope="module")
def aged(project: Project, pages: Path) -> Path:
    """Pages with room for two versions, when people went back far and stock was cleaned up."""
    with pytest.MonkeyPatch.context() as patch:
        # Beside what the last run left.
        patch.setenv("DBT_TARGET_PATH", "aged")
        project.operate("rollback_to", select="hr.people", to="2020-11-13", dry_run=False)
        stock = project.tables["stock"]
        stock.write_load((3, "bolt"), name="20201115-100000000.parquet")
        assert project.run_tables("2020-11-15", [stock]).ok
        cleaning = {"select": "hr.stock", "retention": 0, "grace_hours": 0, "dry_run": False}
        project.operate("vacuum", **cleaning)
        patch.setattr(table_records, "VERSIONS", 2)
        return write_pages(project, "aged")


@pytest.mark.thorough
def test_what_readers_see_is_shown_however_old_its_version_is(aged: Path) -> None:
    page = (aged / "tables/hr.people.html").read_text()
    assert "The newest 2 of 3." in page
    assert [(row[0], row[2], row[-1]) for row in cells(page, "versions")] == [
        ("3", "rollback_to", "current"),
        ("2", "merge", ""),
    ]
    assert "2020-11-13: 2 rows" in page
    assert "2020-11-14: 2 rows" not in page


@pytest.mark.thorough
def test_a_vacuum_hides_no_change_of_a_table_without_history(aged: Path) -> None:
    page = (aged / "tables/hr.stock.html").read_text()
    versions = [(row[0], row[2], row[-1]) for row in cells(page, "versions")]
    assert versions == [("4", "vacuum", "current"), ("3", "merge", "")]
    assert "2020-11-15: 1 inserted" in page
    assert "From 2020-11-15 on; there are earlier dates." in page


# ------------------------------------------------------------------ the plot


def version(
    action: str, rows: int, inserted: int = 0, updated: int = 0, deleted: int = 0
) -> Version:
    return Version(
        1, "", action, None, None, 0, inserted, updated, deleted, rows, 0, "", "", ""
    )  # fmt: skip


def test_the_plot_is_to_scale() -> None:
    plot = plot_of(
        [
            ("2020-11-10", version("build", 50, 50)),
            ("2020-11-11", version("merge", 100, 60, 20, 10)),
            ("2020-11-20", version("carry", 100)),
        ]
    )
    assert plot.most_rows == 100
    assert [mark.rows_y for mark in plot.marks] == [ROWS_HEIGHT / 2, 0, 0]
    first, second, last = (mark.x for mark in plot.marks)
    assert (second - first) * 10 == pytest.approx(last - first)
    assert last == pytest.approx(WIDTH - plot.bar_width / 2)
    # 90 rows from top to bottom: one of height for each.
    assert CHANGES_HEIGHT == 90
    assert plot.marks[1].bars == (("inserted", 20, 60), ("updated", 0, 20), ("deleted", 80, 10))
    # The beginning is no change, and a day without changes has none.
    assert plot.marks[0].bars == plot.marks[2].bars == ()


def test_a_table_that_is_empty_on_its_only_date_can_be_drawn() -> None:
    (mark,) = plot_of([("2020-11-10", version("build", 0))]).marks
    assert mark.rows_y == ROWS_HEIGHT
