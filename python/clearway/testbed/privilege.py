"""Whether this machine lets us make a testbed, and if not, why."""

from __future__ import annotations

import os
import shutil

from clearway.errors import ClearwayError

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux", "mount": "mount"}


def why_not() -> tuple[str, str] | None:
    """What stands in the way and what to do about it; None where nothing does."""
    if os.geteuid() != 0:
        return "a testbed needs root: it makes network namespaces", "sudo clearway testbed …"
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"a testbed needs '{tool}', which is not on the PATH", f"apt-get install {package}"
    return None


def require() -> None:
    trouble = why_not()
    if trouble is not None:
        raise ClearwayError(*trouble)
