"""``python -m development.emulator``, from the root of the repository."""

from development.emulator.cli import emulate

emulate(prog_name="python -m development.emulator")
