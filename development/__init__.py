"""What only a clone of this repository needs; nobody who installs `dms-snapshots` gets it.

``python -m development`` runs the sample and an S3 API on this machine, for `make run` and
`make s3`. ``python -m development.emulator`` is the DMS emulator. The Thrift server is not here:
projects that `dms-snapshots init` makes start it too.
"""
