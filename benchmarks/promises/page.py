"""docs/remedies-benchmark.md, from what has been measured so far."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator

from diagnosis.building import REPOSITORY

from promises.results import Medians, medians, read
from promises.trials import Trial, trials

PAGE = REPOSITORY / "docs/remedies-benchmark.md"

METHOD = """\
Each fault is planted for real ([diagnosis-benchmark.md](diagnosis-benchmark.md) says how), the job is recorded and
diagnosed, and it runs again with the remedy that is offered for it: the same command line with the remedy's change in
it. What needs root is done to the testbed. *Faulty*, *remedied* and *sound* are the times of all steps: with the fault,
with the remedy as well, and without either. *Cost* is what the finding says the fault costs; *promised* is the gain
that the page shows beside the remedy, *measured* is faulty less remedied. Medians over the rounds."""


def write_page() -> None:
    known = [(trial, medians(rounds)) for trial in trials() if (rounds := read(trial.name))]
    if known:
        PAGE.write_text("\n".join(page(known)) + "\n")
        print(f"wrote {PAGE}")


def page(known: list[tuple[Trial, Medians]]) -> Iterator[str]:
    yield "# Promised and measured: what remedies give\n"
    yield METHOD
    yield f"\nMeasured on {os.cpu_count()} cores, Linux {platform.release().partition('-')[0]}, as root, by"
    yield "`PYTHONPATH=python:benchmarks .venv/bin/python -m promises.measure`.\n"
    yield "| remedy | fault | MPI | rounds | faulty | remedied | sound | cost | promised | measured | off by |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from (row(trial, one) for trial, one in known)


def row(trial: Trial, one: Medians) -> str:
    times = [one.faulty_s, one.remedied_s, one.sound_s, one.cost_s]
    promised = "–" if one.expected_s is None else f"{one.expected_s:.2f} s"
    off = "–" if one.expected_s is None or one.gained_s <= 0 else f"{100 * (one.expected_s / one.gained_s - 1):+.0f} %"
    cells = [f"`{trial.remedy}`", f"`{trial.fault}`", trial.mpi, str(one.rounds), *(f"{time:.2f} s" for time in times)]
    return f"| {' | '.join([*cells, promised, f'**{one.gained_s:.2f} s**', off])} |"
