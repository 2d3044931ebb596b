#!/usr/bin/env bash
# EMR bootstrap action, on every node: bootstrap.sh <s3://… of the code> [NAME=VALUE …]
# Makes /opt/dms with the project, its Python environment and the settings of deploy/run.
set -euo pipefail

code=$1
shift
home=${DMS_HOME:-/opt/dms}
python=${PYTHON:-python3.11}

command -v "$python" >/dev/null || sudo dnf install -y -q python3.11 python3.11-pip
if [[ ! -w $(dirname "$home") ]]; then
  sudo mkdir -p "$home"
  sudo chown "$(id -un)" "$home"
fi
mkdir -p "$home/project"
aws s3 cp --only-show-errors "$code/project.tar.gz" "$home/project.tar.gz"
tar -xzf "$home/project.tar.gz" -C "$home/project"

"$python" -m venv "$home/venv"
pip() { "$home/venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
# All but Spark, which the cluster has. The lock is complete, so there is nothing to resolve.
pip install --no-deps --require-hashes --requirement "$home/project/requirements/emr.lock"
pip install --no-deps --use-pep517 --editable "$home/project"

for setting in "$@"; do
  # Quoted, as the file is read by a shell.
  printf '%s=%q\n' "${setting%%=*}" "${setting#*=}"
done >"$home/environment"
chmod +x "$home/project/deploy/run"
ln -sf "$home/project/deploy/run" "$home/run"
