"""Spark data source ``dms_versions``: reads the version log, commits a version, records a command.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.versions.jobs.parse_job`.
"""

from pyspark_dms.store_reader import source_of_one_task
from pyspark_dms.versions.jobs import answer, parse_job

DefaultSource = source_of_one_task("dms_versions", parse_job, answer)
