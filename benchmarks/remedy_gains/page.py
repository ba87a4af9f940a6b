"""docs/remedies-benchmark.md, from what has been measured so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

from diagnosis.building import REPOSITORY
from measured.circumstances import told

from remedy_gains.results import Medians, Round, medians, read
from remedy_gains.trials import Trial, trials

PAGE = REPOSITORY / "docs/remedies-benchmark.md"

METHOD = """\
Each fault is planted for real ([diagnosis-benchmark.md](diagnosis-benchmark.md) says how). The job is recorded and
diagnosed, and runs again with the remedy that the page offers: the same command line with the remedy's change in it.
Changes that need root are made on the testbed. *Faulty*, *remedied* and *sound* are the times of all steps: with the
fault, with fault and remedy, and without either. *Cost* is the cost given by the finding; *promised* is the expected
gain that the page shows beside the remedy, *measured* is faulty minus remedied. Figures are medians over the rounds,
with the smallest and the largest measured gain, if they were kept."""

REMARKS = """\
- The machine had other work. The jobs had priority (`chrt -r 1`; `one-core` and `busy-waiting`, which depend on the
  scheduler, `nice -n -20`), but this does not exclude all disturbance.
- Losses are random: `large-blocks` and `bruck` vary by 10 % from one run to the next.
- `eager-limit`: Open MPI asks the receiver before it sends a block above 64 KiB. Without that the exchange stays in
  step and loses nothing. With pairwise exchange as well (`coll_tuned_alltoall_algorithm 2`) it gets out of step, and is
  slower than before, so `alltoall-algorithm` does not offer that.
- `allgather-algorithm` is faster than *sound*: the ring is better than the algorithm that Open MPI chooses there.
- `fewer-ranks`: the expected gain is for the wall-clock with the start of the job, which takes longer on more hosts;
  measured are only the steps.
- `host-rto-min`: an all-to-all that gets out of step gains nothing from shorter timeouts, so no gain is promised. For
  point-to-point messages they recover nearly all of the loss ([flow-programs.md](flow-programs.md), `halo`).
- `yield-when-idle`: run delay is charged in proportion to all ranks that used the cores: half of it to working ranks,
  though here only the waiting ones cause it.
- `allocator`: the job without the fault has arrays of 5 MiB, which also fit better into caches.

Proved by `clearway fix` in tests/planted/test_file_fixes.py (three rounds beside other work, 2026-11-26, on a disk of
20 MB/s): `checkpoint-interval` 0.11 of the time (0.05 to 0.23), `local-scratch` 0.16 (0.04 to 0.58) and `io-cache` 0.21
(0.05 to 0.84).

Proved by `clearway fix` in tests/planted/test_thread_fixes.py (three rounds, with priority over other work,
2026-11-26): `cores-for-threads` 0.51 of the time (0.49 to 0.52), `more-threads` 0.51 (0.50 to 0.52), `more-ranks` 0.70
(0.68 to 0.72) and `dynamic-schedule` 0.69 (0.59 to 0.79). Of these only `cores-for-threads` promises anything.

Options for the batch script, proved by `clearway fix` in jobs of their own under Slurm (tests/slurm/test_fix.py and
tests/slurm/test_whole_nodes.py, beside other work, 2026-11-26): `whole-nodes` 0.35 of the time (0.22 to 0.55) in
three rounds, where two tasks of another user's job were on the rank's processor; `leave-host-out` 0.35 (0.13 to 0.95)
in three rounds and `alike-hosts` 0.36 (0.14 to 0.97) in eleven, where one of two nodes had a tenth of a processor;
`one-switch` 0.25 (0.22 to 0.29) in three, where the links between the switches carry a quarter.

Not tested, because the hardware is missing or the fault cannot be planted: `host-flow-control`, `host-link`,
`host-ecn`, `host-congestion-control`, `host-cpu-quota`, `faster-fabric`, `pin-ranks`, `fewer-threads`,
`ranks-and-threads`, `pme-ranks`, `mpi-io`, `balance-load`, `k-point-pools`, `one-core-a-rank`, `right-interface`,
`no-single-copy`. Of these only `pin-ranks`, `right-interface` and `host-cpu-quota` promise anything. (`one-core-a-rank`
is tried where /sys, made of plain files, says that two ranks are on one core: there it gains nothing, as it should.)"""


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial and what came of it."""

    trial: Trial
    rounds: Sequence[Round]

    @property
    def middle(self) -> Medians:
        return medians(self.rounds)

    @property
    def off(self) -> float | None:
        """By how much of the measured gain the promise is too large; None where nothing was promised or gained."""
        middle = self.middle
        return None if middle.expected_s is None or middle.gained_s <= 0 else middle.expected_s / middle.gained_s - 1


def write_page() -> None:
    known = [Tried(trial, rounds) for trial in trials() if (rounds := read(trial.name))]
    if known:
        PAGE.write_text("\n".join(page(known)) + "\n")
        print(f"wrote {PAGE}")


def page(known: Sequence[Tried]) -> Iterator[str]:
    yield "# Expected and measured gains of remedies\n"
    yield from verdict(known)
    yield METHOD
    yield f"\n{told(one.circumstances for one in chain.from_iterable(each.rounds for each in known))}, as root, by"
    yield "`PYTHONPATH=python:benchmarks .venv/bin/python -m remedy_gains.measure`; each round is in"
    yield "`benchmarks/remedy_gains/results`.\n"
    yield "| remedy | fault | MPI | rounds | faulty | remedied | sound | cost | promised | measured | off by |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from (row(each) for each in sorted(known, key=too_much))
    if any(not each.middle.gains_s for each in known):
        yield "\nFor rounds marked \\* only the medians were kept."
    yield ""
    yield from dict.fromkeys(f"- `{each.trial.fault}`: {each.trial.plant.how}." for each in known)
    yield ""
    yield REMARKS


def verdict(known: Sequence[Tried]) -> Iterator[str]:
    """The promises that are too large come first, in the text as in the table."""
    off = [each.off for each in known if each.off is not None]
    over, under = ([100 * abs(one) for one in off if sign * one > 0] for sign in (1, -1))
    if over:
        yield f"**{len(over)} of {len(off)} promises are larger than what came back**, by {median(over):.0f} % of it in"
        yield f"the median and {max(over):.0f} % at most."
    if under:
        yield f"{len(under)} are smaller, by {median(under):.0f} % in the median and {max(under):.0f} % at most."
    yield ""


def too_much(each: Tried) -> tuple[bool, float]:
    return each.off is None, -(each.off or 0.0)


def row(each: Tried) -> str:
    trial, one = each.trial, each.middle
    times = [one.faulty_s, one.remedied_s, one.sound_s, one.cost_s]
    promised = "–" if one.expected_s is None else f"{one.expected_s:.2f} s"
    off = "–" if each.off is None else f"{100 * each.off:+.0f} %"
    rounds = str(one.rounds) if one.gains_s else f"{one.rounds}\\*"
    spread = f" ({min(one.gains_s):.2f} – {max(one.gains_s):.2f})" if len(one.gains_s) > 1 else ""
    cells = [f"`{trial.remedy}`", f"`{trial.fault}`", trial.mpi, rounds, *(f"{time:.2f} s" for time in times)]
    return f"| {' | '.join([*cells, promised, f'**{one.gained_s:.2f} s**{spread}', off])} |"
