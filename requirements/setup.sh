#!/usr/bin/env bash
# Makes an environment: setup.sh <folder of the environment> <Spark, as 4.3> <what for>.
# What for: run (Java and what the project needs), thrift (PostgreSQL too), dev (the tools of a
# developer, without servers) or test (all that the tests start).
# Quick when nothing has changed: the environment keeps a digest of all that it was made from.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$1
spark=$2
purpose=$3
python=${PYTHON:-python3}

fail() {
  echo "setup: $*" >&2
  exit 1
}

locks=(requirements/spark-*.run.lock)
lock=requirements/spark-$spark.run.lock
[[ -f $lock ]] ||
  fail "SPARK=$spark: there is no $lock; allowed: $(sed -E 's/[^ ]*spark-([0-9.]+)\.run\.lock/\1/g' <<<"${locks[*]}")"
[[ $purpose == dev || $purpose == test ]] && lock=requirements/spark-$spark.lock

# ---------- system packages

wants=()
java_major() { java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1; }
has_java() { command -v java >/dev/null && [[ $(java_major) -ge 17 ]]; }
has_mariadb() { PATH=$PATH:/usr/sbin:/usr/local/sbin command -v mariadbd >/dev/null; }
has_postgres() { compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null; }
has_postgres_driver() { [[ -e ${DMS_POSTGRES_JAR:-/usr/share/java/postgresql.jar} ]]; }
has_ldap() { PATH=$PATH:/usr/sbin:/usr/local/sbin command -v slapd >/dev/null; }
has_browser() { command -v chromium >/dev/null || command -v google-chrome >/dev/null; }
has_venv() { "$python" -c "import ensurepip, venv" 2>/dev/null; }

command -v "$python" >/dev/null || fail "$python was not found; install Python 3.11 or later, or set PYTHON."
"$python" -c "import sys; sys.exit(sys.version_info < (3, 11))" ||
  fail "$("$python" --version) is too old; install Python 3.11 or later and set PYTHON to it."
has_java || wants+=(openjdk-17-jre-headless)
has_venv || wants+=(python3-venv)
if [[ $purpose == thrift || $purpose == test ]]; then
  # The metastore of `make thrift`, which starts a server of its own.
  has_postgres || wants+=(postgresql)
  has_postgres_driver || wants+=(libpostgresql-jdbc-java)
fi
if [[ $purpose == test ]]; then
  # The server without its service: the tests start one of their own.
  has_mariadb || wants+=(mariadb-server-core mariadb-client-core)
  # The tests log in with it.
  has_ldap || wants+=(slapd)
  # The tests look at pages in it.
  has_browser || wants+=(chromium)
fi

if [[ ${#wants[@]} -gt 0 ]]; then
  if [[ $EUID -eq 0 && -e /etc/debian_version ]]; then
    echo "setup: installing ${wants[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # Neither of these two is to make a server that runs by itself.
    if [[ " ${wants[*]} " == *" postgresql "* ]]; then
      apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null
      sed -ri 's/^#?(create_main_cluster) .*/\1 = false/' /etc/postgresql-common/createcluster.conf
    fi
    [[ " ${wants[*]} " != *" slapd "* ]] || echo "slapd slapd/no_configuration boolean true" | debconf-set-selections
    apt-get install -y -qq --no-install-recommends "${wants[@]}" >/dev/null
  else
    echo "setup: please install: ${wants[*]} (Debian's names), for instance with" >&2
    echo "  sudo apt-get install ${wants[*]}" >&2
    has_java || fail "Spark needs Java 17 or 21; found: $(command -v java || echo none)."
    has_venv || fail "$python has no venv module."
    echo "setup: going on without them." >&2
  fi
fi
has_java || fail "the java that is found first is still older than 17: $(command -v java)."

# ---------- Python packages

digest() { cat "$1" pyproject.toml profiles/spark/* requirements/{setup.sh,build.cfg} | sha256sum | cut -d " " -f 1; }
stamp=$venv/.made-from
# An environment for more than is asked for will do.
for made_from in "$lock" "requirements/spark-$spark.lock"; do
  [[ -f $stamp && $(<"$stamp") == "$(digest "$made_from")" ]] && exit 0
done

# With another Python it would be a mixture of both.
made_by() { "$1" -c "import sys; print(sys.base_prefix, sys.version)" 2>/dev/null || true; }
again=()
if [[ -e $venv/bin/python && $(made_by "$venv/bin/python") != "$(made_by "$python")" ]]; then
  again=(--clear)
  echo "setup: making $venv again from $lock, as it is of another Python (a minute or two)"
elif [[ -e $venv/bin/python ]]; then
  echo "setup: bringing $venv to $lock (up to a minute or two)"
else
  echo "setup: making $venv from $lock (a minute or two)"
fi
rm -f "$stamp"
"$python" -m venv "${again[@]}" "$venv"
pip() { "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
# The lock is complete, so there is nothing to resolve.
export DIST_EXTRA_CONFIG=$PWD/requirements/build.cfg
pip install --no-deps --require-hashes --use-pep517 --requirement "$lock"
pip install --no-deps --editable .
spark_conf=$("$venv/bin/python" -c "import pyspark; print(pyspark.__path__[0] + '/conf')")
mkdir -p "$spark_conf"
cp profiles/spark/* "$spark_conf"
digest "$lock" >"$stamp"
