"""Spark data source ``dms_control``: what DMS says that it could not do.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.discovery.control_tables.parse_job`.
"""

from pyspark_dms.discovery.control_tables import parse_job, read_control_tables
from pyspark_dms.store_reader import source_of_one_task

DefaultSource = source_of_one_task("dms_control", parse_job, read_control_tables)
