"""Spark data source ``dms_repair``: finds files of versions that were changed by hand, or restores.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.merging.repairing.repair`.
"""

import json

from pyspark_dms.merging.repairing import repair
from pyspark_dms.store_reader import source_of_one_task

DefaultSource = source_of_one_task("dms_repair", json.loads, repair)
