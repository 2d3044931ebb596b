"""The one exception of the stand-in."""


class EmulatorError(Exception):
    """Something the stand-in refuses; the text says what, what is allowed and the way out."""
