"""Writes what was found as declarations, beside those that are there already."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pyspark_dms.declared import declared_paths
from pyspark_dms.discovery.column_types import takes
from pyspark_dms.discovery.found import FoundTable, Unread, find_tables
from pyspark_dms.discovery.samples import Unreadable
from pyspark_dms.discovery.shape import Shape, look_at
from pyspark_dms.errors import DmsError
from pyspark_dms.project import read_project
from pyspark_dms.quoting import jinja_text, quoted, yaml_name
from pyspark_dms.reading.csv_forms import csv_yaml
from pyspark_dms.scaffold import DeclaredTable, read_declarations
from pyspark_dms.side_by_side import side_by_side

# A file of this name cannot be; anything else is wrong with the project.
_NAME_PROBLEMS = (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR)


@dataclass
class Discovered:
    """One table under the root, and what becomes of it.

    Attributes:
        found: the folder.
        source_name, table_name: how it is or will be declared.
        sources: where new declarations are written, relative to the project.
        shape: what was seen; None if a file could not be read.
        declared: its declaration, if it has one.
        problem: why nothing can be declared.
        is_fault: whether that is a fault of this program.
        decisions: what a person has to look at, most damaging first.
        drift: how the files differ from the declaration.
        content: the YAML text to write; empty if there is nothing to write.
    """

    found: FoundTable
    source_name: str
    table_name: str
    sources: Path
    shape: Shape | None = None
    declared: DeclaredTable | None = None
    problem: str = ""
    is_fault: bool = False
    decisions: list[str] = field(default_factory=list)
    drift: list[str] = field(default_factory=list)
    content: str = ""

    @property
    def label(self) -> str:
        """The declared name."""
        return f"{self.source_name}.{self.table_name}"

    @property
    def file(self) -> Path:
        """Where its declaration is or will be, relative to the project."""
        if self.declared:
            return self.declared.declared_in
        return self.sources / self.source_name / f"{self.table_name}.yml"


@dataclass
class Discovery:
    """What there is under a root.

    Attributes:
        tables: every table found, in the order of the folders.
        missing: declared tables that lie under the root and have no files.
        unread: objects that are no files of a table, by folder.
        controls: control tables of DMS, which are not declared.
    """

    tables: list[Discovered]
    missing: list[DeclaredTable]
    unread: list[Unread]
    controls: list[FoundTable]

    @property
    def new(self) -> list[Discovered]:
        """Tables to declare."""
        return [table for table in self.tables if table.content]


def discover(root: str, project_dir: Path) -> Discovery:
    """Look at every table under a root; nothing is written.

    Raises:
        DmsError: the root cannot be listed or has no DMS files, a declaration that is there
            cannot be read.
    """
    declared = read_declarations(project_dir)
    everything = find_tables(root)
    found = [one for one in everything.tables if not one.is_control_table]
    controls = [one for one in everything.tables if one.is_control_table]
    if not found:
        raise DmsError("E620", f"{root} has control tables of DMS only. Nothing was written.")
    by_path = {path: table for table in declared for path in declared_paths(table, project_dir)}
    sources = read_project(project_dir).sources
    tables = [_named(one, by_path.get(one.path), sources) for one in found]
    side_by_side(_look, tables, at_once=8)
    top = found[0].path.removesuffix(f"{found[0].folder}/")
    _check_declared_elsewhere(tables, by_path, top)
    _check_shared_names(tables, declared)
    _report_shards(tables, root)
    for table in tables:
        if table.declared and table.shape:
            table.drift = list(_drift(table.declared, table.shape))
        elif (project_dir / table.file).exists():
            table.problem = table.problem or (
                f"{table.file} is there and does not declare {table.found.path}: move that table's "
                "declaration into it, or the file away"
            )
        elif table.shape and not table.problem:
            table.content = _declaration(table, table.shape, root)
    paths = {one.path for one in found}
    # Of a table that has several folders one with files is enough.
    there = {table.label for path, table in by_path.items() if path in paths}
    missing = {
        table.label: table
        for path, table in by_path.items()
        if path.startswith(top) and table.label not in there
    }
    return Discovery(tables, [*missing.values()], everything.unread, controls)


def write_declarations(discovery: Discovery, project_dir: Path) -> None:
    """Write the declarations of the new tables; what is there is never written over.

    A table whose name no file can have gets that as its problem.

    Raises:
        DmsError: a file cannot be written for another reason.
    """
    for table in discovery.new:
        path = project_dir / table.file
        # Moved into place, so that a declaration is there as a whole or not at all.
        draft = path.with_name(f".{path.name}.draft")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(table.content, encoding="utf-8")
            draft.replace(path)
        except OSError as problem:
            with suppress(OSError):
                draft.unlink()
            if problem.errno in _NAME_PROBLEMS:
                table.content = ""
                table.problem = (
                    f"{table.file} cannot be written: {problem.strerror}. Declare it by hand under "
                    "another name"
                )
                continue
            raise DmsError(
                "E603",
                f"{table.file} cannot be written: {problem.strerror}. What was written before it "
                "stays; fix the cause, then run this again",
            ) from problem


def _named(found: FoundTable, declared: DeclaredTable | None, sources: Path) -> Discovered:
    if declared:
        names = declared.source_name, declared.table_name
        return Discovered(found, *names, sources, declared=declared)
    table = Discovered(found, _clean(found.schema), _clean(found.table), sources)
    table.problem = _layout_problem(found)
    if (table.source_name, table.table_name) != (found.schema, found.table):
        table.decisions.append(
            f"folder {found.folder!r} is no name for a model: declared as {table.label}"
        )
    return table


def _layout_problem(found: FoundTable) -> str:
    """Why the files of a table are not such as DMS writes, if they are not."""
    if found.table.endswith("__ct"):
        return (
            "a change table of Qlik Replicate, whose rows have other columns and operations than "
            "those of DMS: this project does not read it"
        )
    if found.lies_deeper:
        return (
            "its files lie deeper than <schema>/<table>/: give discover the folder above its "
            "schema folder, or declare the table by hand"
        )
    return ""


def _clean(name: str) -> str:
    cleaned = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return cleaned if cleaned and not cleaned[0].isdigit() else f"t_{cleaned}".rstrip("_")


def _look(table: Discovered) -> None:
    if table.problem:
        return
    try:
        table.shape = look_at(table.found)
        table.decisions = [*table.decisions, *table.shape.decisions]
    except Unreadable as problem:
        table.problem = str(problem)
    except (DmsError, OSError) as problem:
        table.problem = f"{table.found.path}: {problem}"
    except Exception as fault:  # the other tables are declared; the command fails and says so
        table.is_fault = True
        table.problem = f"discover itself failed at it: {type(fault).__name__}: {fault}"


def _check_declared_elsewhere(
    tables: Sequence[Discovered], by_path: Mapping[str, DeclaredTable], top: str
) -> None:
    """A table that a variable has put under another root is not declared a second time.

    A path without a variable is an address: what lies elsewhere is another table.
    """
    elsewhere: dict[str, str] = {}
    for path, one in by_path.items():
        if "{{" not in str(one.settings.get("path")) or path.startswith(top):
            continue
        folder = "/".join(path.rstrip("/").split("/")[-2:])
        elsewhere[folder] = elsewhere[f"{one.source_name}/{one.table_name}"] = (
            f"{one.label} is declared in {one.declared_in} with path {path}, which is not this "
            "folder: set DMS_ROOT to this root, or, if this is another table, declare it by hand "
            "under another name"
        )
    for table in tables:
        if not table.declared and not table.problem:
            table.problem = elsewhere.get(table.found.folder, "")


def _check_shared_names(tables: Sequence[Discovered], declared: Sequence[DeclaredTable]) -> None:
    """A model belongs to one table; a second one of that name is called after its schema, too."""
    # Metastores do not tell names apart by case.
    taken = {table.table_name.lower(): table.label for table in declared}
    taken |= {f"{table.source_name}.{table.table_name}".lower(): table.label for table in declared}
    for table in tables:
        if table.declared or table.problem:
            continue
        owner = taken.get(table.table_name.lower())
        if owner:
            name = table.table_name
            table.table_name = f"{table.source_name}_{name}"
            table.decisions.insert(
                0, f"table {name!r} is also in {owner}: declared as {table.label}"
            )
        second = taken.get(table.table_name.lower())
        if second:
            table.problem = (
                f"its model would be called {table.table_name}_snapshot, as that of {second}; "
                "declare it by hand under another name"
            )
            continue
        taken[table.table_name.lower()] = table.label


def _report_shards(tables: Sequence[Discovered], root: str) -> None:
    """Folders of which only a number in the name differs may be those of one table."""
    alike: dict[tuple[object, ...], list[Discovered]] = {}
    for table in tables:
        shape = table.shape
        name = re.sub(r"\d+", "#", table.found.folder)
        if shape and shape.columns and not table.declared and not table.problem and "#" in name:
            columns = tuple(shape.columns.items())
            alike.setdefault((name, columns, *shape.roles, shape.form), []).append(table)
    for group in alike.values():
        if len(group) > 1:
            folders = ", ".join(_path(root, table.found) for table in group)
            decision = (
                f"{len(group)} folders have the same columns and names that differ by a number; "
                "if they are shards or partitions of one table, declare it once, with shard_column "
                f"and path: [{folders}] (docs/reference/declaration.md, Several folders)"
            )
            for table in group:
                table.decisions.append(decision)


# ---------------------------------------------------------------------------- drift


def _drift(declared: DeclaredTable, shape: Shape) -> Iterator[str]:
    """How files differ from a declaration. What a person chose on purpose is no drift."""
    settings = declared.settings
    columns = {name.lower(): data_type for name, data_type in declared.column_types.items()}
    added = {
        str(settings.get(key, default)).lower()
        for key, default in (
            ("op_column", "Op"), ("timestamp_column", ""), ("change_seq_column", ""),
        )
    }  # fmt: skip
    earlier = [name for names in declared.earlier_names.values() for name in names]
    if prefix := settings.get("before_image_prefix"):
        added |= {f"{prefix}{name}".lower() for name in (*columns, *earlier)}
    added |= {name.lower() for name in earlier}
    leaves_out = settings.get("on_schema_change") == "ignore"
    if not shape.columns or (shape.is_csv_only and shape.form and not shape.form.header):
        return
    seen = {name.lower(): data_type for name, data_type in shape.columns.items()}
    guessed = {name.lower() for name in shape.guessed}
    roles = {name.lower() for name in shape.roles if name}
    for role, name in (
        ("timestamp_column", shape.timestamp_column),
        ("change_seq_column", shape.change_seq_column),
    ):
        if name and name.lower() not in added and name.lower() not in columns:
            yield f"column {name!r} is in the files and not declared; it looks like {role}"
    for name, data_type in shape.columns.items():
        if name.lower() not in columns and name.lower() not in added and not leaves_out:
            yield f"column {name!r} ({data_type}) is in the files and not declared"
    for name, data_type in declared.column_types.items():
        if name == settings.get("shard_column"):
            continue
        names = {one.lower() for one in (name, *declared.earlier_names.get(name, ()))}
        if names.isdisjoint(seen) and names.isdisjoint(roles):
            yield f"column {name!r} is declared and not in the files"
        elif (
            (theirs := seen.get(name.lower()))
            # Text has no types: what is seen there is a guess, and a person has decided.
            and not shape.is_csv_only
            and name.lower() not in guessed
            and not takes(data_type, theirs)
        ):
            yield f"column {name!r} is declared as {data_type}, and the files have {theirs}"


# ---------------------------------------------------------------------------- YAML


def _declaration(table: Discovered, shape: Shape, root: str) -> str:
    found = table.found
    lines = [
        "# Found by `dms-snapshots discover`. Look it through, correct it, delete these",
        "# comments, and set active: true.",
        f"# Read: {_read(found, shape)}.",
        *(f"# To decide: {_comment(decision)}" for decision in table.decisions),
        "sources:",
        f"  - name: {yaml_name(table.source_name)}",
        "    tables:",
        f"      - name: {yaml_name(table.table_name)}",
        "        config:",
        '          loaded_at_query: "{{ dms_snapshots.dms_loaded_at() }}"',
        "          freshness: {warn_after: {count: 2, period: day}}",
        "          meta:",
        "            dms:",
        f"              path: {_path(root, found)}",
        "              active: false",
        *(f"              # {line}" for line in _key_evidence(shape)),
        f"              primary_keys: [{', '.join(map(yaml_name, shape.key.columns))}]",
    ]
    if shape.op_column and shape.op_column != "Op":
        lines.append(f"              op_column: {yaml_name(shape.op_column)}")
    if shape.timestamp_column:
        lines.append(f"              timestamp_column: {yaml_name(shape.timestamp_column)}")
    if shape.change_seq_column:
        lines.append(f"              change_seq_column: {yaml_name(shape.change_seq_column)}")
    if not shape.captures_deletes:
        lines.append("              captures_deletes: false")
    if shape.is_csv_only:
        lines.append("              format: csv")
    if shape.form:
        lines.append(f"              {csv_yaml(shape.form, 'header')}")
    lines.append("        columns:" if shape.columns else "        columns: []")
    for name, data_type in shape.columns.items():
        guess = f"  # {_comment(shape.guessed[name])}" if name in shape.guessed else ""
        shown = f'"{data_type}"' if "," in data_type else data_type
        lines.append(f"          - {{name: {yaml_name(name)}, data_type: {shown}}}{guess}")
    return "\n".join(lines) + "\n"


def _read(found: FoundTable, shape: Shape) -> str:
    ops = ", ".join(f"{count} {op}" for op, count in sorted(shape.ops.items())) or "none"
    return (
        f"{shape.files} of {found.loads + found.changes} files; {shape.load_rows} rows of full "
        f"loads, changes: {ops}"
    )


def _key_evidence(shape: Shape) -> Iterator[str]:
    key = shape.key
    if not key.columns:
        yield "No proposal: no columns are unique and never NULL in what was read."
        return
    evidence = f"unique and never NULL in {key.rows} rows"
    if key.changes:
        evidence += f"; {key.fitting} of {key.changes} changes agree"
    yield f"Proposed from the data, to be confirmed: {evidence}."
    if key.others:
        others = "; ".join(", ".join(columns) for columns in key.others)
        yield f"Unique, too: {_comment(others)}."


def _path(root: str, found: FoundTable) -> str:
    # The variable lets another environment read a copy; the address found is its default.
    root = root.rstrip("/") or "/"
    folders = "/".join(jinja_text(name) for name in (found.schema, found.table))
    default = quoted(root).replace("'", "\\u0027")[1:-1]
    return quoted(f"{{{{ env_var('DMS_ROOT', '{default}') }}}}/{folders}/")


def _comment(text: str) -> str:
    """A text that stays within its comment: line ends are escaped, quotes and backslashes not."""
    return re.sub(r'\\([\\"])', r"\1", quoted(text)[1:-1])
