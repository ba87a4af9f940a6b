"""A program that was built without optimisation: GCC writes its options into the debugging information."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from clearway.diagnosis.facts import Case

ELF64 = b"\x7fELF\x02\x01"  # of little-endian machines
HEADER, SECTION = struct.Struct("<40xQ10xHHH"), struct.Struct("<IIQQQQIIQQ")
COMPRESSED = 0x800  # such a section is left alone
LARGEST = 1 << 27  # of a section: 128 MiB take a tenth of a second
# "GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2": one for each source file, if their options differ.
PRODUCER = re.compile(rb"GNU (?:C|C\+\+|Fortran)\S* \d+\.\d[^\0]*")
OPTIMISED = re.compile(rb" -O(?:[123sz]|fast)?(?: |$)")


def unoptimised(case: Case) -> list[str]:
    """A note, if all source files that tell were compiled so. Only where the program is still that of the job."""
    path = Path(case.fact("process.program") or "")
    ended_s = case.run.realtime_zero_ns * 1e-9 + float(case.run.processes["end_s"].max())
    try:
        if not path.is_absolute() or not path.is_file() or path.stat().st_mtime > ended_s:
            return []
        producers = set(PRODUCER.findall(_strings(path)))
    except (OSError, struct.error, ValueError, IndexError, OverflowError):
        return []
    if not producers or any(OPTIMISED.search(each) for each in producers):
        return []
    says = (
        f"{path.name} was built without optimisation: its debugging information has no -O among the compiler's options."
        f" No finding has what that costs; with -O2 programs that compute are often several times as fast."
    )
    return [says]


def _strings(path: Path) -> bytes:
    """What the debugging information keeps of text."""
    with path.open("rb") as file:
        start = file.read(64)
        if not start.startswith(ELF64):
            return b""
        table_at, size, number, names = HEADER.unpack(start)
        file.seek(table_at)
        sections = [SECTION.unpack(file.read(size)[: SECTION.size]) for _ in range(number)]
        file.seek(sections[names][4])
        text = file.read(min(sections[names][5], LARGEST))
        found = b""
        for name, _, flags, _, at, length, *_ in sections:
            if text[name:].startswith((b".debug_str\0", b".debug_line_str\0")) and not flags & COMPRESSED:
                file.seek(at)
                found += file.read(length) if length <= LARGEST else b""
    return found
