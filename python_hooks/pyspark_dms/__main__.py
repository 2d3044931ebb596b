"""``python -m pyspark_dms``."""

from pyspark_dms.cli import main

if __name__ == "__main__":
    main(prog_name="dms-snapshots")
