"""Static pages from the templates beside this file: no script, no font, no address."""

from __future__ import annotations

from typing import Any

import jinja2

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("pyspark_dms.pages"),
    # What is shown comes from files, declarations and databases.
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, **values: Any) -> str:
    """A page.

    Args:
        template: name of a file in ``templates``.
        values: what the template names; shown as text, whatever they hold.

    Raises:
        jinja2.TemplateError: the template names what it was not given.
    """
    return _ENVIRONMENT.get_template(template).render(values)
