"""The one exception of the DMS emulator."""


class EmulatorError(Exception):
    """Something the DMS emulator refuses; the text says what, what is allowed and the way out."""
