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

REMARKS = """\
- Others used the machine meanwhile. The jobs ran before theirs (`chrt -r 1`; `one-core` and `busy-waiting`, where the
  scheduler is what is measured, with `nice -n -20`), which does not keep others away altogether.
- Loss is a matter of chance: `large-blocks` and `bruck` take 4.6 to 5.5 s. Faults are costed with care, so that most
  promises are exceeded.
- `eager-limit`: Open MPI asks the receiver before it sends a block above 64 KiB. Without that the exchange stays in
  step and loses nothing. With pairwise exchange as well (`coll_tuned_alltoall_algorithm 2`) it gets out of step, and is
  slower than before (6.5 s): so `alltoall-algorithm` does not offer that.
- `allgather-algorithm` ends below *sound*: the ring is better than what Open MPI chooses there.
- `fewer-ranks`: the promise is of the wall-clock, with the start of the job, which takes longer on more hosts; what was
  measured is the steps.
- `host-rto-min`: an all-to-all that gets out of step gains nothing by shorter timeouts, so nothing is promised. Where
  messages go point to point they give nearly all of the loss back ([flow-programs.md](flow-programs.md), `halo`).
- `yield-when-idle`: run delay is charged to all who used the cores, in proportion: half of it to ranks at work, though
  here only those that wait are in the way.
- `allocator`: what is without the fault has arrays of 5 MiB, which also fit better into caches.

Not tried, for want of the hardware or of a fault that can be planted: `host-flow-control`, `host-link`, `host-ecn`,
`host-congestion-control`, `faster-fabric`, `pin-ranks`, `ranks-and-threads`, `pme-ranks`, `local-scratch`. Of these
only `pin-ranks` and `local-scratch` promise anything."""


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
    yield ""
    yield from dict.fromkeys(f"- `{trial.fault}`: {trial.plant.how}." for trial, _ in known)
    yield ""
    yield REMARKS


def row(trial: Trial, one: Medians) -> str:
    times = [one.faulty_s, one.remedied_s, one.sound_s, one.cost_s]
    promised = "–" if one.expected_s is None else f"{one.expected_s:.2f} s"
    off = "–" if one.expected_s is None or one.gained_s <= 0 else f"{100 * (one.expected_s / one.gained_s - 1):+.0f} %"
    cells = [f"`{trial.remedy}`", f"`{trial.fault}`", trial.mpi, str(one.rounds), *(f"{time:.2f} s" for time in times)]
    return f"| {' | '.join([*cells, promised, f'**{one.gained_s:.2f} s**', off])} |"
