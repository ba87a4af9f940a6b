"""What Python 3.11 brought, for 3.10: Ubuntu 22.04 has no other."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from datetime import UTC
    from enum import StrEnum

    import tomllib
else:
    from datetime import timezone
    from enum import Enum

    import tomli as tomllib

    UTC = timezone.utc

    class StrEnum(str, Enum):
        def __str__(self) -> str:
            return str(self.value)

        def __format__(self, form: str) -> str:
            return format(str(self), form)


__all__ = ["UTC", "StrEnum", "tomllib"]
