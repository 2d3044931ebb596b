"""The program of an EMR Serverless job: deploy/run beside the Spark of the job.

EMR Serverless unpacks ``project`` and ``packages`` in the folder of the job. Spark's gateway is in
the environment, so the session that dbt asks for is the one of the job.
"""

import os
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    home = Path.cwd()
    done = subprocess.run(
        [home / "project/deploy/run", *sys.argv[1:]],
        env={
            **os.environ,
            "DMS_HOME": str(home),
            "DMS_PYTHON": sys.executable,
            "DMS_TARGET": "serverless",
        },
        check=False,
    )
    sys.exit(done.returncode)
