"""pw.x: how its k-points are divided among pools of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import word
from clearway.diagnosis.facts.settings_in_force import program_option
from clearway.engines.words import About

POOLS = ("-nk", "-npool", "-npools", "-nkpool")  # all the same to it


@dataclass(frozen=True, slots=True)
class Pools:
    points: int
    pools: int  # 1 where it was not told
    option: str  # with which it was told; "" where it was not

    @property
    def uneven(self) -> bool:
        """Some have a point more than the others."""
        return self.points % self.pools != 0


def pools_of(case: Case) -> Pools | None:
    points = word(case, About.K_POINTS)
    if points is None or points.value is None or PurePath(case.tables.job.program).name != "pw.x":
        return None
    for option in POOLS:
        told = program_option(case, option)
        if told and is_whole(told) and int(told) > 0:
            return Pools(int(points.value), int(told), option)
    return Pools(int(points.value), 1, "")
