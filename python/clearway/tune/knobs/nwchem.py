"""NWChem: whether two-electron integrals are computed again in each iteration, or kept in memory, or in files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.base import quantities as q
from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.knobs.inputs import changed_copy, reading, text_of
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "NWChem"
THREADS = ""  # it has none
RANKS = ""
SIZE = r"^ +(?:AO basis - number of functions:|functions +=) +(\d+)"
SEVERAL = ()
TASK = re.compile(r"^[ \t]*task[ \t]+(dft|scf)\b", re.MULTILINE | re.IGNORECASE)
IN_MEMORY_WORDS = 16_000_000  # 128 MB a rank, as 8-byte words
NAME = "integrals"


def recognises(program: Sequence[str]) -> bool:
    return re.match(r"nwchem([._-]|$)", PurePath(program[0]).name) is not None


def refuses(program: Sequence[str]) -> str:
    return ""


def threads(seen: Seen, number: int) -> Change | None:
    return Change() if number == 1 else None


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    return Short()


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    """A copy of the input, with `lines` before its first task: of what is said twice, the last counts."""
    found = _input(program)
    if found is None:
        return None
    changed_copy(folder / found, lines, file, lambda text, more: TASK.sub(lambda at: f"{more}\n{at[0]}", text, count=1))
    return reading("", found, file)


def knobs(seen: Seen) -> Iterator[Knob]:
    found = _input(seen.program)
    text = text_of(found, Path(seen.folder)) if found else ""
    tasks = {task.lower() for task in TASK.findall(text)}
    if len(tasks) != 1:
        yield Knob(NAME, (), None, "its input needs tasks of one kind, scf or dft, to set where integrals are kept")
        return
    (task,) = tasks
    now = re.findall(r"^[ \t]*(direct|semidirect|noio)\b", text, re.MULTILINE | re.IGNORECASE)
    ways = {
        "direct": "direct",
        "in memory": f"semidirect memsize {IN_MEMORY_WORDS} filesize 0",
        "in files": "semidirect memsize 0",
    }
    settings = [
        Setting(NAME, f"{NAME} {name}", Change(), MayChange.ORDER, (f"{task}\n  {line}\nend",))
        for name, line in ways.items()
        if now != ["direct"] or name != "direct"
    ]
    says = (
        f"files take {q.percent(seen.shares.io)} of the time; the record does not show the time for computing integrals"
    )
    yield Knob(NAME, tuple(settings), None, says)


def _input(program: Sequence[str]) -> str | None:
    return program[1] if len(program) == 2 and not program[1].startswith("-") else None
