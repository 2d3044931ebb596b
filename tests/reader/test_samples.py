"""The first rows of a file, as `discover` looks at them."""

from pathlib import Path

import pytest

from pyspark_dms import stores
from pyspark_dms.discovery.found import SampleFile
from pyspark_dms.discovery.samples import read_samples


def test_of_a_large_csv_file_whole_parts_are_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "LOAD00000001.csv"
    path.write_text("id,name\n" + "".join(f"{number},Ann\n" for number in range(40_000)))
    size = path.stat().st_size
    parts: list[tuple[int, int] | None] = []
    fetch = stores._fetch

    def fetch_and_note(path: str, etag: str, part: tuple[int, int] | None = None) -> memoryview:
        parts.append(part)
        return fetch(path, etag, part)

    monkeypatch.setattr(stores, "_fetch", fetch_and_note)
    # As if it were large.
    monkeypatch.setattr(stores, "_FETCH_WHOLE_BYTES", 0)
    (sample,) = read_samples([SampleFile(str(path), size, True, 1)])
    assert sample.rows.num_rows == 40_000
    # Once more from the beginning, after its first line has told the delimiter.
    assert len(parts) <= 2
