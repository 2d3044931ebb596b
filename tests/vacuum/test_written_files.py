"""Files that are not those of the manifest were changed by hand, whatever their rows."""

import pytest

from pyspark_dms.versions.written_files import Differences, differences


@pytest.mark.parametrize(
    ("recorded", "found", "expected"),
    [
        (["a"], ["a"], Differences()),
        (["b", "a"], ["a", "b"], Differences()),
        # An empty partition.
        ([], [], Differences()),
        # insert into, insert overwrite, and a file that was deleted.
        (["a"], ["a", "hand"], Differences(more=("hand",))),
        (["a", "b"], ["hand"], Differences(more=("hand",), missing=("a", "b"))),
        (["a", "b"], ["b"], Differences(missing=("a",))),
        (["a"], [], Differences(missing=("a",))),
        ([], ["hand"], Differences(more=("hand",))),
        # A name says where it is below the folder, and is not another in another case.
        (["a"], ["sub/a", "A", "a"], Differences(more=("A", "sub/a"))),
    ],
)
def test_names_are_compared(recorded: list[str], found: list[str], expected: Differences) -> None:
    assert differences(recorded, found) == expected
    assert bool(expected) == (expected != Differences())


def test_a_message_names_the_first_of_each_kind() -> None:
    many = differences(["a", "b", "c"], ["x", "y"])
    assert f"{many}" == "2 more (x, …), 3 missing (a, …)"
    assert f"{differences(['a'], ['a', 'x'])}" == "1 more (x)"
