#!/bin/sh
# Installs what packages.yml names into the Python that is active: the macros, and the Python package of the same release.
set -eu
cd "$(dirname "$0")"
address=$(sed -n 's/^ *- git: *//p' packages.yml)
release=$(sed -n 's/^ *revision: *//p' packages.yml)
folder=$(sed -n 's/^ *- local: *//p' packages.yml)
python -m pip install --quiet "dms-snapshots[local,thrift] @ ${folder:+file://$folder}${address:+git+$address@$release}"
# What Spark reads before it starts: how much it says, and its libraries for a lake on S3.
conf=$(python -c 'import pyspark; print(pyspark.__path__[0])')/conf
mkdir -p "$conf"
cp spark/* "$conf"
dbt deps --quiet
