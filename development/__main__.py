"""``python -m development <command>``, from the root of the repository."""

from __future__ import annotations

import click

from development.s3 import s3_command
from development.sample import sample_command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def main() -> None:
    """Run the sample, and what it can be tried on."""


main.add_command(s3_command)
main.add_command(sample_command)

if __name__ == "__main__":
    main(prog_name="python -m development")
