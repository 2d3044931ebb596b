#!/bin/sh
# Installs what packages.yml names into the Python that is active: the macros, and the Python package of the same release.
set -eu
cd "$(dirname "$0")"
address=$(sed -n 's/^ *- git: *//p' packages.yml)
release=$(sed -n 's/^ *revision: *//p' packages.yml)
folder=$(sed -n 's/^ *- local: *//p' packages.yml)
package="dms-snapshots[local,thrift] @ ${folder:+file://$folder}${address:+git+$address@$release}"
python -m pip install --quiet "$package"
# pip keeps what is there if another commit has the same version.
python -m pip install --quiet --force-reinstall --no-deps "$package"
# What Spark reads before it starts: how much it says, and its libraries for a lake on S3.
conf=$(python -c 'import pyspark; print(pyspark.__path__[0])')/conf
mkdir -p "$conf"
cp spark/* "$conf"
dbt deps --quiet
