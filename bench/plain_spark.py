"""What the pipeline is measured against: the same work by other, well-known ways in Spark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from pyspark.sql import SparkSession


def _overwrite(spark: SparkSession, folder: Path, query: str) -> None:
    spark.sql(f"insert overwrite directory '{folder}' using parquet {query}").collect()


def rewrite(spark: SparkSession, table: str, columns: Collection[str], target: Path) -> None:
    """Read a table and write it again: what any full rewrite costs at least."""
    _overwrite(spark, target, f"select {', '.join(columns)} from {table}")


def rewrite_load(
    spark: SparkSession, files: Sequence[Path], columns: Collection[str], target: Path
) -> None:
    """Read the files of a full load and write them as a table."""
    spark.read.parquet(*map(str, files)).createOrReplaceTempView("bench_load")
    _overwrite(spark, target, f"select {', '.join(columns)} from bench_load")


def union_and_row_number(
    spark: SparkSession, before: str, changes: str, columns: Collection[str], target: Path
) -> None:
    """Number all rows and all changes per key, and keep the newest: the usual way in SQL.

    ``before`` and ``changes`` are relations; the changes have their order beside the columns.
    """
    names = ", ".join(columns)
    _overwrite(
        spark,
        target,
        f"""
        select {names} from (
            select *, row_number() over (
                partition by order_id order by _dms_file_seq desc, _dms_row desc
            ) as newest
            from (
                select {names}, 'I' as _dms_op, 0 as _dms_file_seq, 0 as _dms_row
                from {before}
                union all
                select {names}, _dms_op, _dms_file_seq, _dms_row from {changes}
            )
        ) where newest = 1 and _dms_op <> 'D'
        """,
    )
