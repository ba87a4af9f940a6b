"""`srun --multi-prog FILE`: which task runs which program is listed in a file.

    0      ./ocean -n 4
    1-3    ./atmosphere %t      # comments; a backslash continues a line

Source: srun(1) of Slurm 22.05, "MULTIPLE PROGRAM CONFIGURATION".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clearway.job.program_list import recorded_copy

NAME = "multi-prog.conf"  # in the Run directory


def is_multi_prog(options: Sequence[str]) -> bool:
    """Of srun's options before the program; srun takes them abbreviated."""
    return any(len(word) > 4 and "--multi-prog".startswith(word) for word in options)


def recorded_list(path: str, recorder: Sequence[str]) -> str:
    """Another list, with the recorder before each program. Its path. Raises ClearwayError."""
    what = "the list of srun --multi-prog"
    return recorded_copy(path, what, NAME, recorder, r"[\s%'\"\\]", _all_recorded)


def _all_recorded(text: str, before: str) -> str:
    return "".join(_recorded(line, before) for line in re.split(r"(?<=(?<!\\)\n)", text))


def _recorded(line: str, before: str) -> str:
    """`line`: of the list, with those that continue it."""
    return re.sub(r"^(\s*[\d*][^\s]*(?:\s|\\\n)+)(?=\S)", lambda found: f"{found[1]}{before} ", line, count=1)
