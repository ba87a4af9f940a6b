"""Files by which a job could be gone on with: how often each engine wrote them, and what that took."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.run.layout import FILE_WRITTEN, text

# By the beginning of a program's name: what its checkpoints are called.
NAMES: Mapping[str, str] = {
    "gmx": r"\.cpt$",
    "lmp": r"restart|\.rst\b",
    "namd": r"\.restart\.(coor|vel|xsc)\b",
    "pmemd": r"restrt|\.n?crst|\.rst7?\b",
    "sander": r"restrt|\.n?crst|\.rst7?\b",
    "pw.x": r"\.wfc\d*$|\.mix\d*$",
}
FORCES_ALL = ("gmx",)  # to the disk, with each checkpoint: its log and its energies as well
NUMBER = re.compile(r"[-._]?\d+$")  # of the step, at the end of a name


@dataclass(frozen=True, slots=True)
class Checkpoints:
    engine: str  # a key of NAMES
    names: tuple[str, ...]  # without folders and numbers of steps
    written: int  # how many times all of them
    share: float  # of the time in files
    over_again: bool  # the same file was written more than once

    def steps_between(self, steps: int | None) -> int | None:
        return max(1, round(steps / self.written)) if steps and self.written else None


def checkpoints(case: Case) -> Checkpoints | None:
    """None where the engine is not known, or wrote none."""
    engine = next((name for name in NAMES if case.tables.job.program.startswith(name)), None)
    rows, process = case.run.files.data, case.run.files.process
    if engine is None or not len(rows):
        return None
    paths = [text(path) for path in rows["path"]]
    named = np.array([re.search(NAMES[engine], PurePath(path).name) is not None for path in paths], bool)
    ours = named & ((rows["flags"] & FILE_WRITTEN) != 0)
    if not ours.any():
        return None
    stems = tuple(dict.fromkeys(NUMBER.sub("", PurePath(paths[at]).name) for at in np.flatnonzero(ours)))
    writers = np.bincount(process[ours], rows["opens"][ours], minlength=len(case.run.processes))
    spent = {file.path: file.time_s for file in case.tables.files}
    with_them = {file.path for file in case.tables.files if file.syncs} if engine in FORCES_ALL else set()
    mine_s = sum(spent.get(path, 0.0) for path in {paths[at] for at in np.flatnonzero(ours)} | with_them)
    all_s = sum(spent.values())
    again = rows["written_bytes"][ours] > 1.5 * rows["extent_bytes"][ours]
    return Checkpoints(
        engine=engine,
        names=stems,
        written=max(1, int(writers.max()) // (len(stems) if engine == "namd" else 1)),
        share=mine_s / all_s if all_s > 0 else 0.0,
        over_again=bool(again.any()),
    )
