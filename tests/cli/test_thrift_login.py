"""A Thrift server on every address: who logs in is asked of a real LDAP server, over TLS."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyspark_dms.services.background import free_port, port_is_taken
from pyspark_dms.services.thrift import ThriftServer
from tests.cli.test_thrift import dbt_show, outcome, write_hive_site
from tests.support.engines import ThriftEngine
from tests.support.project import Project

pytestmark = pytest.mark.thorough

BASE = "dc=example,dc=test"
PASSWORD = "open sesame"
KEYSTORE_PASSWORD = "only for tests"
USERS = f"""
dn: {BASE}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: uid=ann,{BASE}
objectClass: inetOrgPerson
uid: ann
cn: Ann
sn: Ann
userPassword: {PASSWORD}
"""


def ldap_program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    assert found, f"no {name}: install slapd (requirements/setup.sh does on Debian)"
    return found


@pytest.fixture(scope="module")
def ldap_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An LDAP server that knows Ann."""
    folder = tmp_path_factory.mktemp("ldap")
    (folder / "data").mkdir()
    schemas = "".join(
        f"include /etc/ldap/schema/{name}.schema\n" for name in ("core", "cosine", "inetorgperson")
    )
    settings = folder / "slapd.conf"
    settings.write_text(
        f"{schemas}modulepath /usr/lib/ldap\nmoduleload back_ldif\ndatabase ldif\n"
        f'suffix "{BASE}"\ndirectory {folder}/data\n'
    )
    users = folder / "users.ldif"
    users.write_text(USERS)
    subprocess.run([ldap_program("slapadd"), "-f", settings, "-l", users], check=True)
    url = f"ldap://127.0.0.1:{(port := free_port())}"
    # -d keeps it in the foreground, so that it can be ended.
    process = subprocess.Popen([ldap_program("slapd"), "-h", url, "-f", settings, "-d", "0"])
    while not port_is_taken("127.0.0.1", port):
        assert process.poll() is None, "slapd has ended"
    yield url
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def server(ldap_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    folder = tmp_path_factory.mktemp("login")
    keystore = folder / "keystore.p12"
    keytool = ["keytool", "-genkeypair", "-alias", "server", "-keyalg", "RSA", "-storetype"]
    options = ["-storepass", KEYSTORE_PASSWORD, "-dname", "CN=localhost", "-keystore"]
    subprocess.run([*keytool, "PKCS12", *options, keystore], check=True, capture_output=True)
    hive_conf = write_hive_site(
        folder / "conf",
        {
            "hive.server2.authentication": "LDAP",
            "hive.server2.authentication.ldap.url": ldap_url,
            "hive.server2.authentication.ldap.baseDN": BASE,
            "hive.server2.use.SSL": "true",
            "hive.server2.keystore.path": str(keystore),
            "hive.server2.keystore.password": KEYSTORE_PASSWORD,
        },
    )
    server = ThriftServer(
        folder / "lake",
        free_port(),
        host="0.0.0.0",
        settings={"spark.driver.memory": "1g"},
        metastore="derby",
        hive_conf=hive_conf,
    )
    server.start()
    yield server
    server.stop()


@pytest.fixture
def project(server: ThriftServer, tmp_path: Path) -> Project:
    engine = ThriftEngine(server)
    engine.environment = {
        **engine.environment,
        "DMS_THRIFT_HOST": "127.0.0.1",
        "DMS_THRIFT_AUTH": "LDAP",
        "DMS_THRIFT_SSL": "true",
        "DMS_THRIFT_USER": "ann",
        "DMS_THRIFT_PASSWORD": PASSWORD,
    }
    return Project(tmp_path / "login", engine)


def log_in(project: Project, **environment: str) -> tuple[int, str]:
    project.engine.environment = {**project.engine.environment, **environment}
    return outcome(dbt_show(project, "select 40000000 + 2 as answer"))


def test_dbt_logs_in_with_a_password_over_tls_and_prints_it_nowhere(project: Project) -> None:
    code, printed = log_in(project)
    assert code == 0, printed
    assert "40000002" in printed
    log = (project.folder / "logs" / "dbt.log").read_text(encoding="utf-8")
    assert "answer" in log
    assert PASSWORD not in printed + log


@pytest.mark.parametrize(
    "environment",
    [
        {"DMS_THRIFT_PASSWORD": "close sesame"},
        {"DMS_THRIFT_PASSWORD": " "},
        {"DMS_THRIFT_USER": "bob"},
        {"DMS_THRIFT_AUTH": "NONE", "DMS_THRIFT_PASSWORD": ""},
    ],
    ids=["wrong password", "blank password", "unknown user", "no login"],
)
def test_nobody_else_is_let_in_and_dbt_says_that_it_is_the_login(
    project: Project, environment: dict[str, str]
) -> None:
    code, printed = log_in(project, **environment)
    assert code
    assert "Error validating the login" in printed
    assert "40000002" not in printed


def test_without_tls_dbt_is_not_answered(project: Project) -> None:
    code, printed = log_in(project, DMS_THRIFT_SSL="false")
    assert code
    assert "TSocket read 0 bytes" in printed
