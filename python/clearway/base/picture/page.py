"""A picture and its figures as one HTML file: no network, no script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from clearway import __version__
from clearway.base.output_file import whole_file
from clearway.base.visible import visible

LONGEST_TEXT = 300
Filters = dict[str, Callable[..., str]]


def page_of(package: str, template: str, filters: Filters, **values: Any) -> str:
    """A template of the package's, which extends picture_page.html. All texts are escaped; a picture is Markup."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("clearway.base.picture")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            visible(value, LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    made.filters.update(filters)
    return made.get_template(template).render(version=__version__, **values)


def write_page(text: str, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        stream.write(text)
