"""A file that lists a job's programs, written again with the recorder before each: `srun --multi-prog` (multi_prog.py),
`mpirun --app` and `mpiexec -configfile` (program_file.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError, reason
from clearway.base.output_file import write_error


def recorded_copy(
    path: str, what: str, name: str, recorder: Sequence[str], unfit: str, written_again: Callable[[str, str], str]
) -> str:
    """The path of another list, `name` in the Run directory that `recorder` names.

    `what` names the list in messages. `unfit`: a regular expression of what the launcher would misread in a path.
    `written_again` makes the new text from the old one and the recorder. Raises ClearwayError.
    """
    try:
        text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise ClearwayError(
            f"cannot read '{path}', {what}: {reason(error)}", "is it written before this line?"
        ) from None
    if any(re.search(unfit, word) for word in recorder):
        raise ClearwayError(
            f"{what} cannot hold the path of the Run directory: it has a space, a quote or another sign that would be "
            "misread there",
            "choose another directory: -o DIR",
        )
    new = Path(recorder[recorder.index("-o") + 1]) / name
    try:
        new.write_text(written_again(text, " ".join(recorder)), encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise write_error(new, error) from None
    return str(new)
