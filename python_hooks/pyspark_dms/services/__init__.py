"""Servers on this machine: Spark Thrift server, metastore, PostgreSQL."""
