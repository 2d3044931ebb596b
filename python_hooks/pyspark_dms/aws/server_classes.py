"""The class path of the Thrift server of a cluster: what it lacks, and what EMR already has.

Without two things a session may wait for ever (docs/decisions/0012): an interface that Spark does
not ship, and classes of its own for Hive's connection to the metastore. ``deploy/thrift-server``
asks this module, which looks at what is installed, and says on stderr what it found.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from pyspark_dms.services.missing_class import MISSING_CLASS, write_missing_class

_CLASS_PATH = "spark.driver.extraClassPath"
_JARS = "spark.sql.hive.metastore.jars"
_FACTORY = "hive.metastore.client.factory.class"
_ENTRY = re.compile(r"([^\s=:]+)(?:\s*[=:]\s*|\s+)(.*)")


def class_settings(spark_home: Path, conf: Path, classes: Path) -> tuple[dict[str, str], list[str]]:
    """The settings of Spark that give a server its classes.

    Args:
        spark_home: folder of Spark.
        conf: folder of its ``spark-defaults.conf`` and ``hive-site.xml``, if there are any.
        classes: a folder for the interface; it is written only if no jar has it.

    Returns:
        The settings, and what was found, in sentences.
    """
    defaults = _defaults(conf / "spark-defaults.conf")
    own = [entry for entry in defaults.get(_CLASS_PATH, "").split(os.pathsep) if entry]
    jars = [*sorted((spark_home / "jars").glob("*.jar")), *_jars(own)]
    settings, said = {}, []

    if found := _place(MISSING_CLASS, jars):
        said.append(f"{MISSING_CLASS} is in {found}.")
    else:
        write_missing_class(classes)
        # Replaces the setting of spark-defaults.conf, so what that has comes first.
        settings[_CLASS_PATH] = os.pathsep.join([*own, str(classes)])
        said.append(f"{MISSING_CLASS} is in no jar, so an empty one was put into {classes}.")

    factory = defaults.get(f"spark.hadoop.{_FACTORY}") or _hive_site(conf).get(_FACTORY)
    if _JARS in defaults:
        said.append(f"spark-defaults.conf sets {_JARS}, which stays.")
    elif factory and not _place(factory, jars):
        said.append(
            f"{factory} is in no jar that was looked into, so {_JARS} stays as it is. Sessions "
            "share a connection that others close; if statements fail with a NullPointerException, "
            "restart the server."
        )
    else:
        settings[_JARS] = "path"
        settings[f"{_JARS}.path"] = ",".join(jar.absolute().as_uri() for jar in jars)
        said.append(
            f"The metastore has its own classes, from {len(jars)} jars. If it misses one, add "
            f"--conf {_JARS}=builtin to the last arguments in deploy/thrift-server."
        )
    return settings, said


def _defaults(path: Path) -> dict[str, str]:
    """The settings of a file as Spark reads it: a name, then blanks or ``=``, then a value."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = (line.strip() for line in text.splitlines())
    entries = (_ENTRY.fullmatch(line) for line in lines if line[:1] not in ("#", "!"))
    return {entry[1]: entry[2] for entry in entries if entry}


def _hive_site(conf: Path) -> dict[str, str]:
    path = conf / "hive-site.xml"
    properties = ElementTree.parse(path).iter("property") if path.is_file() else ()
    return {
        one.findtext("name", "").strip(): one.findtext("value", "").strip() for one in properties
    }


def _jars(entries: Sequence[str]) -> Iterator[Path]:
    """The jars of a class path, as Java takes ``folder/*``."""
    for entry in map(Path, entries):
        if entry.name == "*":
            yield from sorted(entry.parent.glob("*.jar"))
        elif entry.suffix == ".jar" and entry.is_file():
            yield entry


def _place(name: str, jars: Sequence[Path]) -> Path | None:
    """The jar that has a class."""
    file = f"{name.replace('.', '/')}.class"
    return next((jar for jar in jars if file in _names(jar)), None)


@cache
def _names(jar: Path) -> frozenset[str]:
    try:
        with zipfile.ZipFile(jar) as content:
            return frozenset(content.namelist())
    except (OSError, zipfile.BadZipFile):
        return frozenset()


def main(environment: Mapping[str, str], classes: str) -> None:
    """Print the arguments for spark-submit, one a line."""
    home = Path(environment["SPARK_HOME"])
    conf = Path(environment.get("SPARK_CONF_DIR") or home / "conf")
    settings, said = class_settings(home, conf, Path(classes))
    for sentence in said:
        print(sentence, file=sys.stderr)
    for name, value in settings.items():
        print(f"--conf\n{name}={value}")


if __name__ == "__main__":
    main(os.environ, sys.argv[1])
