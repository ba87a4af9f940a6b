"""`srun --multi-prog FILE`: which task runs which program is listed in a file.

    0      ./ocean -n 4
    1-3    ./atmosphere %t      # comments; a backslash continues a line

Source: srun(1) of Slurm 22.05, "MULTIPLE PROGRAM CONFIGURATION".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError, reason
from clearway.base.output_file import write_error

NAME = "multi-prog.conf"  # in the Run directory


def is_multi_prog(options: Sequence[str]) -> bool:
    """Of srun's options before the program; srun takes them abbreviated."""
    return any(len(word) > 4 and "--multi-prog".startswith(word) for word in options)


def recorded_list(path: str, recorder: Sequence[str]) -> str:
    """Another list, in the Run directory that `recorder` names, with the recorder before each program. Its path.

    Raises ClearwayError.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise ClearwayError(
            f"cannot read '{path}', the list of srun --multi-prog: {reason(error)}", "is it written before this line?"
        ) from None
    if any(re.search(r"[\s%'\"\\\\]", word) for word in recorder):  # which srun would read in another way
        raise ClearwayError(
            "srun --multi-prog takes no path with spaces, quotes or % in its list", "choose another directory: -o DIR"
        )
    before = " ".join(recorder)
    new = Path(recorder[recorder.index("-o") + 1]) / NAME
    try:
        new.write_text(
            "".join(_recorded(line, before) for line in re.split(r"(?<=(?<!\\)\n)", lines)),
            encoding="utf-8",
            errors="surrogateescape",
        )
    except OSError as error:
        raise write_error(new, error) from None
    return str(new)


def _recorded(line: str, before: str) -> str:
    """`line`: of the list, with those that continue it."""
    return re.sub(r"^(\s*[\d*][^\s]*(?:\s|\\\n)+)(?=\S)", lambda found: f"{found[1]}{before} ", line, count=1)
