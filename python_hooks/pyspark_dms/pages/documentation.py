"""The documentation as static pages: that of dbt in one file, and a page for each table."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pyspark_dms.errors import DmsError
from pyspark_dms.pages import plot, table_records
from pyspark_dms.pages.render import render
from pyspark_dms.pages.run_report import RunReport, as_html
from pyspark_dms.pages.table_records import TableRecord

# The documents of this project, where `make docs` puts them.
GUIDE = "guide/index.html"

_HEAD = '<meta charset="utf-8">'
_SCRIPT = re.compile(r"<script[^>]*>(.*)</script>", re.DOTALL)
_OVERVIEW_LINK = "All tables, with their runs, counts over time, versions and open rejects"
_GUIDE_LINK = "The guide: how to declare, run, undo, query and deploy"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()>#+\-.!|~])")


def write_documentation(
    folder: Path,
    dbt_folder: Path,
    manifest: Mapping[str, Any],
    records: Sequence[TableRecord],
    report: RunReport | None,
) -> None:
    """Write all pages; ``index.html`` is the first.

    Args:
        folder: where to; what is there under the same names is replaced.
        dbt_folder: where ``dbt docs generate`` has put its page and the catalog.
        manifest: what dbt wrote of the project; the tables' descriptions get their facts.
        records: the tables.
        report: how the last dbt run went, if that is known.

    Raises:
        DmsError: the page of dbt is not the one that this knows.
    """
    pages = folder / "tables"
    pages.mkdir(parents=True, exist_ok=True)
    for stale in pages.glob("*.html"):
        stale.unlink()
    last_run = {table.table: table for table in report.tables} if report else {}
    has_guide = (folder / GUIDE).is_file()
    for record in records:
        page = render(
            "table.html",
            table=record,
            plot=plot.plot_of(record.shown) if record.shown else None,
            size=plot,
            graph=_graph_link(record),
            last_run=last_run.get(record.label),
            report=report,
            guide=f"../{GUIDE}" if has_guide else None,
            most_versions=table_records.VERSIONS,
        )
        (pages / page_name(record)).write_text(page, encoding="utf-8")
    links = {record.label: quote(page_name(record)) for record in records}
    index = render(
        "tables.html",
        tables=records,
        links=links,
        last_run=last_run,
        report=report,
        guide=f"../{GUIDE}" if has_guide else None,
    )
    (pages / "index.html").write_text(index, encoding="utf-8")
    if report:
        (folder / "run_report.html").write_text(as_html(report), encoding="utf-8")
    else:
        (folder / "run_report.html").unlink(missing_ok=True)
    page = _dbt_page(dbt_folder, manifest, records, has_guide)
    (folder / "index.html").write_text(page, encoding="utf-8")


def page_name(record: TableRecord) -> str:
    """The file name of a table's page."""
    return f"{quote(record.label, safe='')}.html"


def _dbt_page(
    dbt_folder: Path, manifest: Mapping[str, Any], records: Sequence[TableRecord], has_guide: bool
) -> str:
    """The page of dbt with its data inside, and with each table's facts in its description.

    `dbt docs generate --static` does the first of it, but a description with ``</script>`` ends
    its data there.
    """
    for record in records:
        _add_facts(manifest, record)
    for block in manifest["docs"].values():
        if block["name"] == "__overview__":
            block["block_contents"] += f"\n\n[{_OVERVIEW_LINK}](tables/index.html)\n"
            if has_guide:
                block["block_contents"] += f"\n[{_GUIDE_LINK}]({GUIDE})\n"
    data = {
        '"MANIFEST.JSON INLINE DATA"': json.dumps(manifest),
        '"CATALOG.JSON INLINE DATA"': (dbt_folder / "catalog.json").read_text(encoding="utf-8"),
    }
    page = (dbt_folder / "index.html").read_text(encoding="utf-8")
    if missing := [place for place in (_HEAD, "</script>", *data) if place not in page]:
        raise DmsError(
            "E641",
            f"The page of dbt docs generate has no {missing[0]}. Allowed is the dbt-core "
            "that requirements/*.lock names: make setup",
        )
    for place, text in data.items():
        page = page.replace(place, text.replace("<", "\\u003c"))
    return page.replace(_HEAD, _HEAD + _policy(page), 1)


def _policy(page: str) -> str:
    """What lets the browser run the page's own script and nothing else, and load nothing."""
    # dbt shows the descriptions of columns as HTML, with all that it would run.
    [script] = _SCRIPT.findall(page)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; font-src data:\">"
    )


def _add_facts(manifest: Mapping[str, Any], record: TableRecord) -> None:
    lines = [f"* **{heading}**: {_as_markdown(text)}" for heading, text in record.facts]
    link = f"[Runs, counts, versions and rejects](tables/{quote(page_name(record))})"
    told = "\n\n" + "\n".join(lines) + f"\n\n{link}\n"
    snapshots = [part.unique_id for part in record.lineage if part.kind == "snapshot"]
    manifest["sources"][record.unique_id]["description"] += told
    for unique_id in snapshots:
        manifest["nodes"][unique_id]["description"] += told


def _as_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _graph_link(record: TableRecord) -> str:
    """The lineage graph of a table in dbt's page."""
    selection = quote(f"source:{record.label}+")
    return f"../index.html#!/source/{quote(record.unique_id)}?g_v=1&g_i={selection}"
