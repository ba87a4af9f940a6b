"""One thread of a team has more to compute than the other."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, teams
from diagnosis.plants import Plant

SOUND = Job(**teams("gcc 150 0.02 0.02 0"))

PLANT = Plant(
    rule="thread-imbalance",
    how="1 rank with 2 threads on 2 cores, of which one computes three times as long as the other",
    instead="both compute what these do on average",
    faulty=Job(**teams("gcc 150 0.01 0.03 0")),
    sound=SOUND,
    quick=False,
)

# A thread waits 1 ms of 21 on average: 5 %. The rule names 3 %.
SLIGHT = replace(
    PLANT,
    how="the same, one thread computes 1.1 times as long as the other",
    faulty=Job(**teams("gcc 150 0.019 0.021 0")),
)

HARD = replace(
    PLANT,
    how="the same, one thread computes twice as long as the other, waits are spent spinning, and 6 % are for one alone",
    faulty=Job(**teams("gcc 150 0.01 0.02 0.0013", "active")),
    sound=Job(**teams("gcc 150 0.015 0.015 0.0013", "active")),  # of its shorter steps, 8 %: the rule names 6 %
    besides=frozenset({"serial-section"}),
)
