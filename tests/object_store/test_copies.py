"""Files that no change touches are copied by the store, on a real S3 API and on a disk."""

import errno
import re
import resource
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.store_copy import copy_object
from tests.merge.test_merging import job_of, reports_of, total
from tests.support.s3_server import LAKE, requests_of, s3_server


def put(path: str, **columns: list[object]) -> int:
    table = pa.table(columns)
    with stores.open_for_writing(path) as sink:
        pq.write_table(table, sink)
        return sink.tell()


def test_a_file_that_no_change_touches_is_not_read_but_for_its_footer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = f"s3://{LAKE}/orders"
    with s3_server(tmp_path, LAKE) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        for number in range(4):
            size = put(f"{root}/before/{number}.parquet", id=[10 * number, 10 * number + 1])
        put(f"{root}/changes/a.parquet", id=[21], _dms_op=["D"])
        asked = len(requests_of(tmp_path))
        job = job_of(root, [("id", "bigint")], ["id"], file_bytes=size)
        assert total(reports_of(job))["rows_written"] == 7
        requests = requests_of(tmp_path)[asked:]
        rows = [
            pq.read_table(stores.open_for_reading(f"{root}/after/part-0000{n}-000.parquet", size))
            for n in range(4)
        ]
        with pytest.raises(DmsError, match=r"orders/none.parquet could not be read"):
            copy_object(f"{root}/none.parquet", f"{root}/after/none.parquet")
    assert [table["id"].to_pylist() for table in rows] == [[0, 1], [10, 11], [20], [30, 31]]
    read = re.findall(r"(?:GetObject |GET /)\S*before/(\d)\.parquet", "\n".join(requests))
    # Once by the plan, for the footer; what is rewritten is read by its task, too.
    assert sorted(read) == ["0", "1", "2", "2", "3"]


def test_a_disk_without_second_names_gets_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    (tmp_path / "a.parquet").write_bytes(b"rows")
    copy_object(f"{tmp_path}/a.parquet", f"{tmp_path}/new/b.parquet")
    assert (tmp_path / "a.parquet").samefile(tmp_path / "new/b.parquet")
    # Who wrote into one would change the other.
    assert (tmp_path / "new/b.parquet").stat().st_mode & 0o222 == 0
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    for _ in range(2):
        copy_object(f"{tmp_path}/a.parquet", f"{tmp_path}/new/b.parquet")
        assert not (tmp_path / "a.parquet").samefile(tmp_path / "new/b.parquet")
        assert [(one.name, one.read_bytes()) for one in (tmp_path / "new").iterdir()] == [
            ("b.parquet", b"rows")
        ]


def test_a_second_name_of_a_file_is_never_gone_nor_one_of_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.parquet").write_bytes(b"rows")
    (tmp_path / "link.parquet").symlink_to("a.parquet")
    target = tmp_path / "new/b.parquet"
    for source in ("a", "link", "a"):
        assert copy_object(f"{tmp_path}/{source}.parquet", f"{target}") == len(b"rows")
        assert [path.name for path in target.parent.iterdir()] == ["b.parquet"]
        assert not target.is_symlink()
    unlink = Path.unlink

    def checked(self: Path, missing_ok: bool = False) -> None:
        unlink(self, missing_ok)
        assert target.exists()

    monkeypatch.setattr(Path, "unlink", checked)
    copy_object(f"{tmp_path}/a.parquet", f"{target}")


def test_a_copy_that_fails_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    (tmp_path / "a.parquet").write_bytes(b"r" * 5000)
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    # Python ignores the signal of a file that is too large.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(DmsError, match=r"b.parquet could not be copied: .*too large"):
            copy_object(f"{tmp_path}/a.parquet", f"{tmp_path}/new/b.parquet")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not [*(tmp_path / "new").iterdir()]
