#!/usr/bin/env bash
# EMR bootstrap action, on every node: bootstrap.sh <s3://… of the code> [NAME=VALUE …]
# Makes /opt/dms with the project, its packages and the settings of deploy/run, and a folder for temporary files on
# the disk of the node, because /tmp is in memory. It needs a way to S3 only.
set -euo pipefail

code=$1
shift
home=${DMS_HOME:-/opt/dms}
scratch=${DMS_SCRATCH:-/mnt/dms-tmp}

for setting in "$@"; do
  # The AWS command line of a node may know no region of its own.
  if [[ $setting == AWS_REGION=* ]]; then
    export AWS_REGION=${setting#*=} AWS_DEFAULT_REGION=${setting#*=}
  fi
done
if [[ ! -w $(dirname "$home") ]]; then
  sudo mkdir -p "$home"
  sudo chown "$(id -un)" "$home"
fi
if [[ -w $(dirname "$scratch") ]]; then
  install -d -m 1777 "$scratch"
else
  sudo install -d -m 1777 "$scratch"
fi
for part in project packages; do
  mkdir -p "$home/$part"
  aws s3 cp --only-show-errors "$code/$part.tar.gz" "$home/$part.tar.gz"
  tar -xzf "$home/$part.tar.gz" -C "$home/$part"
  rm "$home/$part.tar.gz"
done
# The Thrift server and the executors are other users than this one.
chmod -R a+rX "$home"
# Else the first run would fail, with an error of an import.
if ! compgen -G "$home/packages/*/*-$(uname -m)-*.so" >/dev/null; then
  echo "packages.tar.gz has no libraries for the processors of this node, $(uname -m). The node was not set up." \
    "Pack it for them (docs/how-to/emr.md, step 3) and make the cluster again." >&2
  exit 1
fi

for setting in "$@"; do
  # Quoted, as the file is read by a shell.
  printf '%s=%q\n' "${setting%%=*}" "${setting#*=}"
done >"$home/environment"
chmod +x "$home/project/deploy/run"
ln -sf "$home/project/deploy/run" "$home/run"
