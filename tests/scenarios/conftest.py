"""Plays the scenarios of each module side by side; see `tests.support.side_by_side`."""

import pytest

from tests.conftest import NewProject
from tests.support.side_by_side import SideBySide, scenarios_of


@pytest.fixture(scope="module")
def side_by_side(request: pytest.FixtureRequest, new_project: NewProject) -> SideBySide:
    name = request.module.__name__.rsplit(".", 1)[-1].removeprefix("test_")
    played = SideBySide(new_project(name))
    played.play(scenarios_of(request))
    return played
