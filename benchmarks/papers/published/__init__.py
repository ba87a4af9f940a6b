"""The papers: one module each, found by being there, whose `paper()` makes it with all its claims."""

from __future__ import annotations

import importlib
import pkgutil
from typing import cast

from clearway.base.errors import ClearwayError
from papers.claim import Paper


def paper_names() -> list[str]:
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def find_paper(name: str) -> Paper:
    """Raises ClearwayError where there is no such paper."""
    if name not in paper_names():
        raise ClearwayError(f"there is no paper '{name}'", f"one of: {', '.join(paper_names())}")
    return cast(Paper, importlib.import_module(f"{__name__}.{name.replace('-', '_')}").paper())
