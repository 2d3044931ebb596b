"""The release of this package, which must be that of the macros that it works with."""

from __future__ import annotations

from pyspark_dms.errors import DmsError

RELEASE = "0.1.0"
PACKAGE = "dms_snapshots"


def check_release(macros: str | None) -> None:
    """Refuse macros of another release: what they hand over may mean something else.

    Args:
        macros: the release of the macros, as they say it; None from those before they did.

    Raises:
        DmsError: it is another one.
    """
    if macros != RELEASE:
        known = macros or "older than 0.1.0"
        raise DmsError(
            f"The dbt package {PACKAGE} is {known}, the Python package dms-snapshots is {RELEASE}. "
            f"Nothing was run. Set revision: v{RELEASE} in packages.yml and run dbt deps, or "
            f"install dms-snapshots=={macros or RELEASE} where Spark runs."
        )
