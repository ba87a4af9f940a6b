"""What `clearway host apply` can change: a setting a file, each found by being there."""

from __future__ import annotations

import importlib
import pkgutil

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.settings.model import Change, Setting, Step

__all__ = ["Change", "Setting", "Step", "all_settings", "find_setting"]


def all_settings() -> tuple[Setting, ...]:
    """In the order of their ids."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return tuple(sorted((m.SETTING for m in modules if hasattr(m, "SETTING")), key=lambda setting: setting.id))


def find_setting(name: str) -> Setting:
    """The setting called `name`. Raises ClearwayError where there is none."""
    known = {setting.id: setting for setting in all_settings()}
    if name not in known:
        raise ClearwayError(f"there is no setting '{name}'", f"one of: {', '.join(known)}")
    return known[name]
