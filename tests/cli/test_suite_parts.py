"""The thorough tests are taken in parts, which together are all of them."""

from pathlib import Path

import pytest

from tests.conftest import PARTS, files_of_part, part_number

FILES = [f"tests/test_{number}.py" for number in range(20) for _ in range(number + 1)]


def test_the_parts_are_all_files_each_in_one_of_them() -> None:
    parts = [files_of_part(FILES, number) for number in range(1, PARTS + 1)]
    assert sum(len(part) for part in parts) == len(set(FILES))
    assert set().union(*parts) == set(FILES)
    assert all(len(part) in (2, 3) for part in parts)


def test_a_part_can_be_chosen_and_is_otherwise_one_of_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DMS_PART", raising=False)
    assert part_number(Path(__file__).parent) in range(1, PARTS + 1)
    assert part_number(tmp_path) in range(1, PARTS + 1)
    monkeypatch.setenv("DMS_PART", "3")
    assert part_number(tmp_path) == 3
