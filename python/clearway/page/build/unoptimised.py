"""A program that was built without optimisation: GCC writes its options into the debugging information."""

from __future__ import annotations

import re
from pathlib import Path

from clearway.diagnosis.facts import Case

LARGEST = 1 << 27  # bytes of the program: 128 MiB take a tenth of a second
# In no section but those of debugging information; compressed ones tell nothing.
# "GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2": one for each source file, if their options differ.
PRODUCER = re.compile(rb"GNU (?:C|C\+\+|Fortran)\S* \d+\.\d[^\0]*")
OPTIMISED = re.compile(rb" -O(?:[123sz]|fast)?(?: |$)")


def unoptimised(case: Case) -> list[str]:
    """A note, if all source files that tell were compiled so. Only where the program is still that of the job."""
    path = Path(case.fact("process.program") or "")
    ended_s = case.run.realtime_zero_ns * 1e-9 + float(case.run.processes["end_s"].max())
    try:
        if not path.is_absolute() or not path.is_file():
            return []
        file = path.stat()
        if file.st_mtime > ended_s or file.st_size > LARGEST:
            return []
        producers = set(PRODUCER.findall(path.read_bytes()))
    except (OSError, ValueError):
        return []
    if not producers or any(OPTIMISED.search(each) for each in producers):
        return []
    says = (
        f"{path.name} was built without optimisation: its debugging information has no -O among the compiler's options."
        f" No finding counts what that costs; with -O2 programs that compute are often several times as fast."
    )
    return [says]
