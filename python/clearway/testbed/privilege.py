"""Whether this machine lets us make a testbed, and if not, why."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from clearway.base.errors import ClearwayError

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux", "mount": "mount"}
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}


def effective_capabilities() -> int:
    """Of this process, a bit each."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0


def why_not() -> tuple[str, str] | None:
    """What stands in the way and what to do about it; None where nothing does."""
    if os.geteuid() != 0:
        # sudo looks for programs in the system's folders only: not in a venv or a module.
        return "a testbed needs root, to make network namespaces", 'sudo env PATH="$PATH" clearway testbed …'
    lacking = [name for name, bit in CAPABILITIES.items() if not effective_capabilities() >> bit & 1]
    if lacking:
        return (
            f"a testbed needs {' and '.join(lacking)} to make network namespaces, which root does not have here",
            "run it outside the container, or in a privileged one (docker run --privileged …)",
        )
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"a testbed needs '{tool}', which is not on the PATH", f"apt-get install {package}"
    return None


def require() -> None:
    trouble = why_not()
    if trouble is not None:
        raise ClearwayError(*trouble)
