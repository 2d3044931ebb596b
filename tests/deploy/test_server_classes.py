"""What the Thrift server of a cluster finds on its class path, and what it adds."""

import zipfile
from pathlib import Path

import pytest

from pyspark_dms.aws.server_classes import class_settings
from pyspark_dms.services.missing_class import MISSING_CLASS

FACTORY = "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
JARS, CLASS_PATH = "spark.sql.hive.metastore.jars", "spark.driver.extraClassPath"


def jar(path: Path, *classes: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as content:
        for name in classes:
            content.writestr(f"{name.replace('.', '/')}.class", b"")
    return path


class Installed:
    """A Spark with a jar, and the folders of EMR beside it."""

    def __init__(self, folder: Path) -> None:
        self.spark, self.conf, self.classes = folder / "spark", folder / "conf", folder / "classes"
        self.aws = folder / "aws"
        self.hive = jar(self.spark / "jars/hive-exec.jar", "org.apache.hadoop.hive.Hive")
        self.conf.mkdir()

    def defaults(self, *lines: str) -> None:
        (self.conf / "spark-defaults.conf").write_text("\n".join(["# Of EMR", "", *lines]))

    def hive_site(self, **properties: str) -> None:
        entries = "".join(
            f"<property><name>{name.replace('_', '.')}</name><value>{value}</value></property>"
            for name, value in properties.items()
        )
        (self.conf / "hive-site.xml").write_text(f"<configuration>{entries}</configuration>")

    def settings(self) -> tuple[dict[str, str], str]:
        settings, said = class_settings(self.spark, self.conf, self.classes)
        return settings, " ".join(said)

    def path(self, *jars: Path) -> dict[str, str]:
        return {JARS: "path", f"{JARS}.path": ",".join(one.as_uri() for one in (self.hive, *jars))}

    def written(self) -> list[str]:
        files = (one for one in self.classes.rglob("*") if one.is_file())
        names = (one.relative_to(self.classes).with_suffix("") for one in files)
        return [str(name).replace("/", ".") for name in names]


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def test_a_plain_spark_gets_the_class_that_it_lacks_and_a_metastore_of_its_own(
    installed: Installed,
) -> None:
    settings, said = installed.settings()
    assert settings == {CLASS_PATH: str(installed.classes), **installed.path()}
    assert installed.written() == [MISSING_CLASS]
    assert f"{MISSING_CLASS} is in no jar" in said


@pytest.mark.parametrize("between", [" ", "\t", "=", " = "])
def test_the_class_path_of_emr_stays_and_its_client_of_glue_is_among_the_metastore_s_classes(
    installed: Installed, between: str
) -> None:
    client = jar(installed.aws / "hmclient/glue.jar", FACTORY)
    sdk = jar(installed.aws / "sdk/b.jar"), jar(installed.aws / "sdk/c.jar")
    own = f"{installed.aws}/sdk/*:{client}:{installed.aws}/conf:{installed.aws}/gone.jar"
    installed.defaults(f"{CLASS_PATH}{between}{own}")
    installed.hive_site(hive_metastore_client_factory_class=FACTORY)
    settings, _ = installed.settings()
    assert settings == {
        CLASS_PATH: f"{own}:{installed.classes}",
        **installed.path(*sdk, client),
    }


def test_a_class_that_emr_has_is_not_added_and_the_jar_is_named(installed: Installed) -> None:
    llap = jar(installed.aws / "llap.jar", MISSING_CLASS)
    installed.defaults(f"{CLASS_PATH} {llap}")
    settings, said = installed.settings()
    assert settings == installed.path(llap)
    assert f"{MISSING_CLASS} is in {llap}." in said
    assert installed.written() == []


@pytest.mark.parametrize("place", ["hive-site.xml", "spark-defaults.conf"])
def test_a_client_of_glue_in_no_jar_that_is_known_leaves_the_metastore_to_spark(
    installed: Installed, place: str
) -> None:
    """Classes of its own could not reach Glue, and every statement would fail."""
    if place == "hive-site.xml":
        installed.hive_site(hive_metastore_client_factory_class=FACTORY)
    else:
        installed.defaults(f"spark.hadoop.hive.metastore.client.factory.class {FACTORY}")
    settings, said = installed.settings()
    assert settings == {CLASS_PATH: str(installed.classes)}
    assert f"{FACTORY} is in no jar that was looked into" in said


def test_a_metastore_that_is_set_already_stays(installed: Installed) -> None:
    installed.defaults(f"{JARS} maven")
    settings, said = installed.settings()
    assert settings == {CLASS_PATH: str(installed.classes)}
    assert f"spark-defaults.conf sets {JARS}, which stays." in said


def test_a_file_that_is_no_jar_hinders_nothing(installed: Installed) -> None:
    broken = installed.spark / "jars/broken.jar"
    broken.write_bytes(b"no zip")
    assert set(installed.settings()[0]) == {CLASS_PATH, JARS, f"{JARS}.path"}
