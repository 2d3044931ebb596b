"""What the pipeline is measured against: the same work by other, well-known ways in Spark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import lit, monotonically_increasing_id

from bench.generate import COLUMNS


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


def full_outer_join(spark: SparkSession, before: str, changes: str, target: Path) -> None:
    """Join everything with the newest change of each key, and choose a side per column."""
    chosen = ", ".join(f"if(c._dms_op is null, b.{name}, c.{name}) as {name}" for name in COLUMNS)
    _overwrite(
        spark,
        target,
        f"""
        with latest as (
            select * from (
                select *, row_number() over (
                    partition by order_id order by _dms_file_seq desc, _dms_row desc
                ) as newest
                from {changes}
            ) where newest = 1
        )
        select {chosen}
        from {before} as b
        full outer join latest as c on b.order_id = c.order_id
        where c._dms_op is null or c._dms_op <> 'D'
        """,
    )


def index_file_by_file(spark: SparkSession, files: Sequence[Path], target: Path) -> None:
    """Read each change file in a job of its own, stamp its order and write it again."""

    def one(numbered: tuple[int, Path]) -> None:
        number, path = numbered
        (
            spark.read.parquet(str(path))
            .coalesce(1)
            .withColumn("_dms_file_seq", lit(number))
            .withColumn("_dms_row", monotonically_increasing_id())
            .withColumnRenamed("Op", "_dms_op")
            .write.mode("overwrite")
            .parquet(str(target / f"file={number}"))
        )

    with ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(one, enumerate(files)))
