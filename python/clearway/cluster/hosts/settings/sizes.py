"""Settings of the kernel that are sizes."""

from __future__ import annotations

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_bytes, warn_once_binary


def setting_bytes(setting: str, value: str, least: int, most: int, hint: str) -> int:
    """Raises ClearwayError for what is no size of this setting."""
    try:
        size_bytes = parse_bytes(value)
    except ClearwayError:
        size_bytes = -1
    if not least <= size_bytes <= most:
        raise ClearwayError(f"{setting} cannot be '{value}'", hint)
    warn_once_binary(setting, value)
    return size_bytes
