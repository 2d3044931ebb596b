"""The release of this package, which must be that of the macros that it works with."""

from __future__ import annotations

from pyspark_dms.errors import DmsError

RELEASE = "0.1.0"
PACKAGE = "dms_snapshots"


def check_release(macros: str | None) -> None:
    """Check that the macros are of this release: what others hand over may mean something else.

    Args:
        macros: the release of the macros, as they say it; None if they do not.

    Raises:
        DmsError: it is another one.
    """
    if macros != RELEASE:
        other_way = f", or install dms-snapshots=={macros} where Spark runs" if macros else ""
        raise DmsError(
            "E107",
            f"The dbt package {PACKAGE} is {macros or 'of an unknown release'}, the Python package "
            f"dms-snapshots is {RELEASE}. Nothing was run. Set revision: v{RELEASE} in "
            f"packages.yml and run dbt deps{other_way}.",
        )
