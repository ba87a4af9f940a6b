"""What a job really did and when, as its ranks wrote it down themselves (benchmarks/causes/skeleton/truth.h)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WORD = struct.calcsize("d")
HEAD = 4  # numbers before the steps' ends


@dataclass(frozen=True, slots=True)
class RankTruth:
    """Seconds on the clock that all processes of a machine share."""

    begin_s: float
    end_s: float  # 0: MPI_Finalize never returned
    step_end_s: tuple[float, ...]  # of the steps that were done


@dataclass(frozen=True, slots=True)
class Truth:
    """Of one run."""

    wall_s: float
    step_end_s: tuple[float, ...]  # since the begin: when the last rank had done each step that all have done
    ended: bool


def read_rank(path: Path) -> RankTruth:
    content = path.read_bytes()
    numbers = struct.unpack(f"{len(content) // WORD}d", content)
    begin_s, _ready_s, end_s, done = numbers[:HEAD]
    return RankTruth(begin_s, end_s, numbers[HEAD : HEAD + int(done)])


def steps_done(prefix: Path) -> int:
    """By the rank that has done most; 0 before any has begun."""
    every = [path for path in prefix.parent.glob(f"{prefix.name}.*") if path.stat().st_size >= HEAD * WORD]
    return max((int(struct.unpack_from("d", path.read_bytes(), 3 * WORD)[0]) for path in every), default=0)


def truth_of(ranks: Sequence[RankTruth], killed_s: float | None) -> Truth:
    """`killed_s`: when the job was ended from outside."""
    begin_s = min(rank.begin_s for rank in ranks)
    ended = killed_s is None and all(rank.end_s > 0 for rank in ranks)
    end_s = max(rank.end_s for rank in ranks) if killed_s is None else killed_s
    steps = zip(*(rank.step_end_s for rank in ranks), strict=False)
    return Truth(end_s - begin_s, tuple(max(step) - begin_s for step in steps), ended)


def lost_s(faulty: Truth, sound: Truth) -> float:
    """The wall-clock that the fault cost: more than the sound run needed for the same steps."""
    if faulty.ended:
        return faulty.wall_s - sound.wall_s
    same = len(faulty.step_end_s)
    return faulty.wall_s - (sound.step_end_s[same - 1] if same else 0.0)
