"""Spark data source ``dms_vacuum``: deletes what no kept version needs, and reports it.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.versions.vacuum.parse_job`.
"""

from pyspark_dms.store_reader import source_of_one_task
from pyspark_dms.versions.vacuum import parse_job, vacuum

DefaultSource = source_of_one_task("dms_vacuum", parse_job, vacuum)
