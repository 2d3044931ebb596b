"""Spark data source ``dms_index``: indexes the landing area and plans the run for all tables.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.landing.index.parse_job`. Reading again does it again, with the same result.
"""

from pyspark_dms.landing.index import index, parse_job
from pyspark_dms.store_reader import source_of_one_task

DefaultSource = source_of_one_task("dms_index", parse_job, index)
