"""What clearway-record is told where scratch files are to be kept in memory."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_bytes

HINT = "memory on each host, as 256Mi or 2Gi (1M or more), or for each rank, as 64Mi/rank, or auto"
LEAST_BYTES = 1_000_000


def io_cache_options(size: str | None, files: str | None, environment: Mapping[str, str]) -> list[str]:
    """Options for clearway-record; none where nobody asks for the cache. Raises ClearwayError for what is no size.

    The environment's word is put into options, since launchers do not hand every variable on to other hosts.
    """
    size = size or environment.get("CLEARWAY_IO_CACHE")
    if not size or size == "off":
        if files is not None:
            raise ClearwayError("--io-cache-files needs --io-cache", f"--io-cache SIZE: {HINT}")
        return []
    if not is_size(size):
        raise ClearwayError(f"'{size}' is not a size for the I/O cache", HINT)
    files = files or environment.get("CLEARWAY_IO_CACHE_FILES")
    return [f"--io-cache={size}", *([f"--io-cache-files={files}"] if files else [])]


def is_size(text: str) -> bool:
    """As the library reads it (native/io_cache/files/budget.hpp)."""
    try:
        return text == "auto" or parse_bytes(text.removesuffix("/rank")) >= LEAST_BYTES
    except ClearwayError:
        return False
