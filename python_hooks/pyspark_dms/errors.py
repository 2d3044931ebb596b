"""The one exception of this package for what a person has to fix."""

from __future__ import annotations


class DmsError(Exception):
    """Something in the declaration, the files or the settings that only a person can fix.

    The text names the table or file, the value, what is allowed and the way out.
    """
