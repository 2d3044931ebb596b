import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from moto.server import ThreadedMotoServer
from obstore.store import S3Store

from pyspark_dms import stores
from pyspark_dms.cli import main
from pyspark_dms.landing.listing import ListedTable, list_table
from tests.object_store.uploads import CHANGES, LATER
from tests.support.source_rows import canonical_rows, read_expected

REPOSITORY = Path(__file__).resolve().parents[2]
BUCKET = "landing"


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """A server with an empty bucket; gives the environment in which clients find it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }

    bucket = urllib.request.Request(f"http://{host}:{port}/{BUCKET}", method="PUT")
    urllib.request.urlopen(bucket).close()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield environment
    server.stop()


def listed(*tables: ListedTable) -> list[dict[str, object]]:
    return [vars(found) for table in tables for found in list_table(table).objects]


def listed_folders(*tables: ListedTable) -> list[tuple[object, object]]:
    """The folders that were listed to the end, and the path behind which the listing began."""
    folders = [folder for table in tables for folder in list_table(table).folders]
    return [(folder.path, folder.listed_after) for folder in folders if not folder.problem]


def test_more_than_a_thousand_objects_are_listed_in_pages(s3: dict[str, str]) -> None:
    store = S3Store(BUCKET)
    names = [f"20201114-{second:06d}000.parquet" for second in range(100, 1300)]
    for name in names:
        obstore.put(store, f"many/{name}", b"x")
    rows = listed(ListedTable(f"s3://{BUCKET}/many/"))
    assert sorted(str(row["path"]) for row in rows) == [f"s3://{BUCKET}/many/{n}" for n in names]


def test_a_listing_starts_behind_a_path_and_still_sees_full_loads(s3: dict[str, str]) -> None:
    store = S3Store(BUCKET)
    names = ["20201113-100000000.parquet", "20201114-100000000.parquet", "LOAD00000001.parquet"]
    for name in names:
        obstore.put(store, f"later/{name}", b"x")
    folder = f"s3://{BUCKET}/later/"
    rows = listed(ListedTable(folder, after=folder + names[0]))
    assert [row["path"] for row in rows] == [folder + name for name in names[1:]]


def test_a_listing_says_which_folders_it_has_seen_to_the_end_and_from_where(
    s3: dict[str, str],
) -> None:
    folder = f"s3://{BUCKET}/seen/"
    after = folder + "20201113-100000000.parquet"
    both = ListedTable(folder.rstrip("/"), after, transaction_path=f"{folder}txn")
    gone = ListedTable("s3://no-such-bucket/gone/")
    assert listed_folders(both, gone) == [(folder, after), (f"{folder}txn/", None)]


def test_folders_whose_names_do_not_sort_by_time_are_listed_whole(s3: dict[str, str]) -> None:
    store = S3Store(BUCKET)
    # DDMMYYYY: the 30th of November stands behind the 1st of December.
    names = ["01122020/20201201-100000000.parquet", "30112020/20201130-100000000.parquet"]
    for name in names:
        obstore.put(store, f"days/{name}", b"x")
    folder = f"s3://{BUCKET}/days/"
    rows = listed(ListedTable(folder, after=folder + names[1]))
    assert [row["path"] for row in rows] == [folder + name for name in names]


def test_a_full_load_that_sorts_before_the_folder_of_the_changes_is_listed(
    s3: dict[str, str],
) -> None:
    store = S3Store(BUCKET)
    names = ["LOAD00000001.parquet", "cdc/20201113-100000000.parquet"]
    for name in names:
        obstore.put(store, f"beside/{name}", b"x")
    folder = f"s3://{BUCKET}/beside/"
    rows = listed(ListedTable(folder, after=folder + names[1]))
    assert [row["path"] for row in rows] == [folder + name for name in names]


def put_raw(s3: dict[str, str], key: str, content: bytes = b"") -> None:
    """Put an object under a key that obstore would change."""
    request = urllib.request.Request(
        f"{s3['AWS_ENDPOINT_URL']}/{BUCKET}/{key}", data=content, method="PUT"
    )
    urllib.request.urlopen(request).close()


def test_markers_of_folders_are_no_objects(s3: dict[str, str]) -> None:
    for key in ("marked/", "marked/changes/", "only_marked/"):
        put_raw(s3, key)
    put_raw(s3, "marked/changes/part-00000.parquet", b"x")
    put_raw(s3, "marked/empty.parquet")
    folder = f"s3://{BUCKET}/marked"
    found = [one.path for page in stores.list_objects(folder) for one in page]
    # A file without content is one: DMS may not be done with it.
    assert found == [f"{folder}/changes/part-00000.parquet", f"{folder}/empty.parquet"]
    assert not stores.has_objects(f"s3://{BUCKET}/only_marked")
    assert listed(ListedTable(f"s3://{BUCKET}/only_marked")) == []


def test_a_folder_with_a_key_that_obstore_cannot_name_can_be_listed(s3: dict[str, str]) -> None:
    put_raw(s3, "strange//x", b"1")
    stores.check_listing(f"s3://{BUCKET}/strange")


def test_a_bucket_itself_may_be_the_folder(s3: dict[str, str]) -> None:
    obstore.put(S3Store(BUCKET), "LOAD00000001.parquet", b"x")
    for root in (f"s3://{BUCKET}", f"s3://{BUCKET}/"):
        found = [one.path for page in stores.list_objects(root) for one in page]
        assert f"s3://{BUCKET}/LOAD00000001.parquet" in found
        assert stores.folder_address(root) == f"s3://{BUCKET}/"
    obstore.delete(S3Store(BUCKET), "LOAD00000001.parquet")


def test_a_missing_bucket_is_the_problem_of_its_table_alone(s3: dict[str, str]) -> None:
    obstore.put(S3Store(BUCKET), "there/LOAD00000001.parquet", b"x")
    gone = list_table(ListedTable("s3://no-such-bucket/gone/"))
    assert gone.objects == ()
    assert "NoSuchBucket" in str(gone.folders[0].problem)
    there = list_table(ListedTable(f"s3://{BUCKET}/there/"))
    assert [found.kind for found in there.objects] == ["load"]
    assert [folder.problem for folder in there.folders] == [None]


def test_a_large_file_is_written_and_read_in_pieces(s3: dict[str, str]) -> None:
    table = pa.table(
        {"id": range(3_000_000), "text": [os.urandom(8).hex() for _ in range(1000)] * 3000}
    )
    path = f"s3a://{BUCKET}/large/part-00000.parquet"
    with stores.open_for_writing(path) as target:
        pq.write_table(table, target, compression="none", use_dictionary=False)
    size = next(stores.list_objects(f"s3a://{BUCKET}/large/"))[0].size
    assert size > 16 * 1024 * 1024
    assert pq.read_table(stores.open_for_reading(path, size)).equals(table)


def uploads_in_parts(s3: dict[str, str]) -> bytes:
    with urllib.request.urlopen(f"{s3['AWS_ENDPOINT_URL']}/{BUCKET}?uploads") as answer:
        return bytes(answer.read())


def test_a_large_file_whose_writing_fails_leaves_nothing_in_the_bucket(s3: dict[str, str]) -> None:
    folder = f"s3://{BUCKET}/given_up/"

    def write_some_rows() -> None:
        with stores.open_for_writing(f"{folder}rows.csv") as target:
            target.write(b"1" * 20 * 1024 * 1024)
            raise ValueError("no more rows")

    with pytest.raises(ValueError, match="no more rows"):
        write_some_rows()
    assert not stores.has_objects(folder)
    assert b"<UploadId>" not in uploads_in_parts(s3)


def test_a_large_file_that_a_store_refuses_is_told_in_the_words_of_the_store(
    s3: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A client may still hold the content when it says so.
    held = []

    def refuse(store: Any, key: str, content: Any) -> None:
        held.append(memoryview(content))
        obstore.put(store, key, b"", use_multipart=False)

    monkeypatch.setattr(stores, "_put", refuse)

    def write() -> None:
        with stores.open_for_writing("s3://no-such-bucket/rows.csv") as target:
            target.write(b"1" * 20 * 1024 * 1024)

    with pytest.raises(Exception, match="NoSuchBucket"):
        write()
    assert len(held) == 1


@pytest.mark.parametrize("in_bucket", [True, False])
def test_a_large_file_that_is_written_again_while_it_is_read_is_not_read_as_one(
    s3: dict[str, str], tmp_path: Path, in_bucket: bool
) -> None:
    folder = f"s3://{BUCKET}/replaced/" if in_bucket else f"{tmp_path}/"
    with stores.open_for_writing(f"{folder}rows.csv") as target:
        target.write(b"1" * 20 * 1024 * 1024)
    (listed_once,) = next(stores.list_objects(folder))
    opened = stores.open_for_reading(listed_once.path, listed_once.size, listed_once.etag)
    assert opened.read(100) == b"1" * 100
    with stores.open_for_writing(f"{folder}rows.csv") as target:
        target.write(b"2" * 20 * 1024 * 1024)
    with pytest.raises(stores.ChangedObject):
        opened.read(10 * 1024 * 1024)


@pytest.mark.thorough
def test_the_sample_is_published_from_a_bucket(s3: dict[str, str], tmp_path: Path) -> None:
    store = S3Store(BUCKET)
    for path in sorted((REPOSITORY / "sample/dms/employees").rglob("*.parquet")):
        key = path.relative_to(REPOSITORY / "sample/dms")
        obstore.put(store, f"dms/{key}", path.read_bytes())
    environment = os.environ | {
        "DMS_ROOT": f"s3://{BUCKET}/dms/",  # with the slash that makes two of the declaration's
        "DMS_LAKE": str(tmp_path / "lake"),
        "PYSPARK_PYTHON": sys.executable,
        "DBT_TARGET_PATH": str(tmp_path / "target"),
        "DBT_LOG_PATH": str(tmp_path / "logs"),
    }
    dbt = Path(sys.executable).with_name("dbt")
    run = subprocess.run(
        [dbt, "run", "--select", "+employees_snapshot", "--vars", "{run_date: 2020-11-14}"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    [rows] = (tmp_path / "lake/warehouse/lake.db/employees_snapshot").glob("*/rows")
    expected = read_expected(REPOSITORY / "sample/expected/2020-11-14/employees/employees.csv")
    assert canonical_rows(duckdb.read_parquet(f"{rows}/*.parquet").fetchall()) == expected


@pytest.fixture(scope="module")
def uploaded(s3: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `tests.object_store.uploads` has seen."""
    folder = tmp_path_factory.mktemp("uploads")
    finished = subprocess.run(
        [sys.executable, "-m", "tests.object_store.uploads", str(folder), BUCKET],
        cwd=REPOSITORY,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    seen: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    assert seen["problems"] == []
    return {**seen["states"], "said": seen["said"], "dates": seen["dates"]}


@pytest.mark.thorough
def test_content_that_comes_to_its_name_again_is_another_upload(uploaded: dict[str, Any]) -> None:
    applied, other = [[1, "13"], [2, "Bo"]], [[1, "Ann"], [2, "14"]]
    assert uploaded["mended"] == [applied, other, applied, applied]


@pytest.mark.thorough
@pytest.mark.parametrize("table", ["whole", "first_comes_first", "first_comes_last"])
def test_a_reload_has_the_files_that_it_writes_as_they_were_while_all_were_away(
    uploaded: dict[str, Any], table: str
) -> None:
    before, reloaded = [[1, "13"], [2, "Bo"]], [[1, "Ann"], [2, "reloaded"]]
    # The first file as it was says nothing yet, and what comes without it is refused.
    half = reloaded if table == "whole" else before
    assert uploaded[table] == [before, before, half, reloaded]


@pytest.mark.thorough
def test_a_reload_as_it_was_does_not_come_back_after_a_rollback(uploaded: dict[str, Any]) -> None:
    before, reloaded = [[1, "13"], [2, "Bo"]], [[1, "Ann"], [2, "Bo"]]
    assert uploaded["undone"] == [before, reloaded, before, before]
    assert uploaded["gone"][:3] == [before, reloaded, before]


@pytest.mark.thorough
def test_a_reload_that_begins_as_one_that_was_rolled_back_is_another(
    uploaded: dict[str, Any],
) -> None:
    # A run between has dropped what was staged of the one that was rolled back.
    assert uploaded["gone"][3] == [[1, "Ann"], [2, "Bob"]]


@pytest.mark.thorough
def test_a_full_load_that_comes_again_as_it_was_over_changes_is_warned_of(
    uploaded: dict[str, Any],
) -> None:
    before, loaded = [[1, "13"], [2, "Bo"]], [[1, "Ann"], [2, "Bo"]]
    assert uploaded["copied"] == [before, loaded, loaded, loaded]
    assert uploaded["halfway"] == [before, before, loaded, loaded]
    for table, day in (("copied", 1), ("halfway", 2)):
        said = uploaded["said"][table]
        assert [CHANGES in one for one in said] == [run == day for run in range(4)]
        assert "come again as it was, and replaces all changes after it (1)" in said[day]


@pytest.mark.thorough
def test_a_date_of_files_that_only_come_again_as_they_were_is_published(
    uploaded: dict[str, Any],
) -> None:
    assert uploaded["dates"][-2:] == ["2020-11-16", "2020-11-17"]


@pytest.mark.thorough
def test_changes_that_come_again_as_they_were_with_another_full_load_are_warned_of(
    uploaded: dict[str, Any],
) -> None:
    loaded, changed = [[1, "Ann"], [2, "Bo"], [3, "Cy"]], [[1, "Ann"], [2, "Bo"], [3, "15"]]
    copied = [[1, "Anna"], [2, "Bo"], [3, "Cy"]]
    assert uploaded["other"] == [[[1, "13"], [2, "Bo"]], loaded, changed, copied]
    said = uploaded["said"]["other"]
    # What the earlier full load had replaced already is of no account.
    assert [CHANGES in one for one in said] == [False, True, False, False]
    assert [LATER in one for one in said] == [False, False, False, True]
    for day in (1, 3):
        assert "change files have come again, and a new full load replaces them" in said[day]


def put(s3: dict[str, str], key: str, content: bytes) -> None:
    address = f"{s3['AWS_ENDPOINT_URL']}/{BUCKET}/{key}"
    headers = {"Content-Type": "text/csv"}
    urllib.request.urlopen(urllib.request.Request(address, content, headers, method="PUT")).close()


def test_a_key_with_an_empty_folder_is_listed_and_leaves_the_others_as_they_are(
    s3: dict[str, str],
) -> None:
    put(s3, "odd/orders//20201114-120000000.csv", b"I,1\n")
    put(s3, "odd/orders/LOAD00000001.csv", b"1\n")
    put(s3, "odd/orders/x/", b"")
    found = {str(one["path"]): one for one in listed(ListedTable(f"s3://{BUCKET}/odd/orders/"))}
    assert {path: one["kind"] for path, one in found.items()} == {
        f"s3://{BUCKET}/odd/orders//20201114-120000000.csv": "unknown",
        f"s3://{BUCKET}/odd/orders/LOAD00000001.csv": "load",
    }
    # As without the other: a client that lists another way would have other tags.
    store = S3Store(BUCKET, client_options={"allow_http": True})
    head = obstore.head(store, "odd/orders/LOAD00000001.csv")
    load = found[f"s3://{BUCKET}/odd/orders/LOAD00000001.csv"]
    assert (load["etag"], load["modified_at"]) == (head["e_tag"], head["last_modified"])


def test_discover_names_a_key_with_an_empty_folder_and_declares_the_other_tables(
    s3: dict[str, str], tmp_path: Path
) -> None:
    put(s3, "stray/hr/people/LOAD00000001.csv", b"1,Ann\n")
    put(s3, "stray/SAP//FACT/LOAD00000001.csv", b"1,2\n")
    (tmp_path / "dbt_project.yml").write_text("name: a_project\n")
    arguments = ["discover", f"s3://{BUCKET}/stray", "--project-dir", str(tmp_path)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "models/sources"
    assert [str(path.relative_to(folder)) for path in folder.rglob("*.yml")] == ["hr/people.yml"]
    assert "SAP//LOAD00000001.csv" in "".join(result.output.split()), result.output
