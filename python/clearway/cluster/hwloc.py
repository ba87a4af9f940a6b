"""A host's cores from hwloc's XML: `lstopo --of xml`, of version 1 or 2."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from clearway.base.errors import ClearwayError
from clearway.cluster.model import Core

PROGRAMS = ("lstopo-no-graphics", "hwloc-ls", "lstopo")
ANSWER_LIMIT_S = 20
SOCKETS = ("Package", "Socket")  # the second in version 1


def this_machine() -> tuple[Core, ...] | None:
    """None where hwloc's programs are not installed or fail."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        return None
    try:
        answer = subprocess.run(
            [program, "--of", "xml"], stdin=subprocess.DEVNULL, capture_output=True, timeout=ANSWER_LIMIT_S, check=True
        )
        return parse_topology(answer.stdout.decode("utf-8", "replace"))
    except (OSError, subprocess.SubprocessError, ElementTree.ParseError):
        return None


def read_topology(file: Path) -> tuple[Core, ...]:
    try:
        cores = parse_topology(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ClearwayError(f"cannot read '{file}': {error.strerror}", f"lstopo --of xml > {file}") from None
    except (ElementTree.ParseError, UnicodeDecodeError) as error:
        raise ClearwayError(f"'{file}' is not XML of hwloc: {error}", f"lstopo --of xml > {file}") from None
    if not cores:
        raise ClearwayError(f"'{file}' lists no cores", f"lstopo --of xml > {file}")
    return cores


def parse_topology(text: str) -> tuple[Core, ...]:
    """NUMA node after NUMA node by the kernel's numbers, within each in hwloc's order."""
    cores = list(_cores(ElementTree.fromstring(text), socket=0))
    return tuple(sorted(cores, key=lambda core: core.numa))


def _cores(element: Element, socket: int) -> list[Core]:
    kind = element.get("type")
    if kind in SOCKETS:
        socket = int(element.get("os_index", socket))
    if kind == "Core" or kind == "PU":  # a PU outside of a core: a virtual machine without more to tell
        cpus = tuple(int(pu.get("os_index", 0)) for pu in element.iter("object") if pu.get("type") == "PU")
        return [Core(cpus, _lowest(element.get("nodeset", "0x1")), socket)]
    return [core for child in element for core in _cores(child, socket)]


def _lowest(bitmap: str) -> int:
    """The lowest number in hwloc's text of a set: words of 32 bits, the highest first."""
    value = 0
    for word in bitmap.split(","):
        value = value << 32 | int(word or "0", 16)
    return (value & -value).bit_length() - 1 if value else 0
