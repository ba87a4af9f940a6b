"""In which functions the program's processor time went, one row a function: sampled, outside the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts.overheads import kind_of
from clearway.diagnosis.facts.without_names import near
from clearway.ledger.profile import Function, Profile
from clearway.run import Run

MOST = 200  # rows
LEAST = 0.005  # of all sampled time
MOSTLY = 0.5  # of a row's time
FEWEST = 3  # samples: one or two tell nothing


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """A function, or all of a file that have no name there."""

    function: str  # empty: the file does not tell its functions' names
    file: str  # path, as the job saw it; "[vdso]": the kernel's clock; "[run time]": made by the program itself
    kind: str  # of work that only serves the computation: "clock", "locks", "text"; empty: of none that is known
    time_s: float  # processor time of all ranks' threads, outside the kernel
    share: float  # of all that was sampled
    main_s: float  # of it, that of the ranks' main threads
    slowest_rank: int  # whose main thread had most of it
    slowest_s: float  # and how much
    near: str = ""  # without a name, what most of it is, in words: "between MD4 and MD5_Update"; empty: not known


def function_rows(run: Run, made: Profile) -> tuple[FunctionRow, ...]:
    """Most time first."""
    rank_of = run.processes["rank"].tolist()
    names = sorted({_name(one) for one in made.functions})
    number = {name: index for index, name in enumerate(names)}
    row = np.array([number[_name(one)] for one in made.functions], np.int64)[made.function]
    main_s = np.zeros((len(names), len(rank_of)))
    np.add.at(main_s, (row, made.process), made.main_s)
    others_s = np.bincount(row, made.others_s, len(names))
    time_s = main_s.sum(axis=1) + others_s
    least_s = max(LEAST * made.sampled_s, (FEWEST - 0.5) * made.period_s)
    near = _most_near(made, row, time_s)
    shown = [index for index in np.argsort(-time_s, kind="stable") if time_s[index] >= least_s]
    return tuple(
        FunctionRow(
            function=names[index][1],
            file=names[index][0],
            kind=names[index][2],
            time_s=float(time_s[index]),
            share=float(time_s[index] / made.sampled_s),
            main_s=float(main_s[index].sum()),
            slowest_rank=rank_of[int(main_s[index].argmax())],
            slowest_s=float(main_s[index].max()),
            near=near[index],
        )
        for index in shown[:MOST]
    )


def _most_near(made: Profile, row: NDArray[np.int64], time_s: NDArray[np.float64]) -> list[str]:
    """By row: where more than half of its time is."""
    words = sorted({near(one) for one in made.functions})
    number = np.array([words.index(near(one)) for one in made.functions], np.int64)[made.function]
    of_words = np.zeros((len(time_s), len(words)))
    np.add.at(of_words, (row, number), made.main_s + made.others_s)
    most = of_words.argmax(axis=1)
    return [
        words[int(which)] if of_words[index, which] > MOSTLY * time_s[index] else "" for index, which in enumerate(most)
    ]


def _name(function: Function) -> tuple[str, str, str]:
    return function.path, function.name, kind_of(function)
