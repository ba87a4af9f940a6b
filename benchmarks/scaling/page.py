"""docs/scale-benchmark.md, from what has been measured so far."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from statistics import median

from measured.circumstances import told
from measured.spread import middle_and_spread

from clearway.predict.what_if.counterfactual import WORDS
from scaling.results import Result, Said, Verdict, read
from scaling.trials import REPOSITORY, TRIALS, Trial

PAGE = REPOSITORY / "docs/scale-benchmark.md"
WORTH_A_ROW = 0.05  # of the wall-clock

METHOD = """\
Each job runs on a few numbers of ranks, and on the number to be predicted ([scale.md](scale.md) explains the method).
*Expected* and its bounds are computed from the Runs of all rounds except those on the target; *measured* is the
target's wall-clock (mean over ranks), median and range over the rounds. Ratios are expected ÷ measured, for
`clearway scale` and for three simple guesses (*constant*: the time on the most ranks recorded; *1/p*: perfect scaling
from there; *Amdahl*: Amdahl's law through all Runs). *By round* are the ratios if each round is predicted from its own
Runs only; *within* says whether the measured value is within the bounds, and in how many rounds."""

REMARKS = """\
- All hosts of a testbed share the machine's two cores, so ranks wait for a core there as well. More than two ranks
  on this machine wait for a core, too: the predictions include this, since it is in the Runs on four ranks,
  but not in those on one and two.
- **Seen** means that the model was changed after the job had been measured. With the first model `pme-like`, `lammps`
  and `gromacs` were expected to take 1.6, 2.3 and 2.3 times as long as they did; then the modelling of crowded cores
  and of the noise of short lines was changed. With the second model, only 2 of the 7 seen jobs were within
  the bounds; then Runs on the same number of ranks began to count as one, and the noise of a law was set to 8 %.
- With the third model (until 2026-11-29) the eleven jobs that are seen now were off by 1.23 in the median and 2.12 at
  worst; the four of them that were unseen then by 1.31 and 2.12, no better than the best guess. Two things were
  missing. What blocks of space send is no power of the number of ranks (LAMMPS on 3 and 6 ranks divides its box
  differently than on 2, 4 and 8). And `pw-hosts` makes 76 all-to-alls, with 260 MB in total on any number of ranks,
  of which a rank keeps its own block: no law of the set was like this. Since then moving data and waiting for other
  ranks follow the messages and the bytes that are sent.
- **Unseen** jobs were chosen after that, and measured with the final model.
- The best guess is chosen after the measurement; beforehand it is unknown which guess will be best."""


def write_page() -> None:
    known = [(trial, result) for trial in TRIALS if (result := read(trial.name))]
    if known:
        PAGE.write_text("\n".join(page(known)) + "\n")
        print(f"wrote {PAGE}")


def page(known: Sequence[tuple[Trial, Result]]) -> Iterator[str]:
    yield "# Predicted and measured: jobs on more ranks\n"
    yield from verdict(known)
    yield METHOD
    yield f"\n{told(chain.from_iterable(result.circumstances for _, result in known))}, as root, by"
    yield "`PYTHONPATH=python:benchmarks .venv/bin/python -m scaling.measure`; each round is in"
    yield "`benchmarks/scaling/results`.\n"
    yield "| job | | from | to | measured | expected | ratio | constant | 1/p | Amdahl | by round | within |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from (row(trial, result) for trial, result in sorted(known, key=lambda pair: not pair[0].unseen))
    yield "\nLines of the ledger that are, or are expected to be, at least 5 % of the measured wall-clock:\n"
    yield "| job | line | measured | expected | ratio | within |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from chain.from_iterable(line_rows(trial, result) for trial, result in known)
    yield ""
    yield REMARKS


def verdict(known: Sequence[tuple[Trial, Result]]) -> Iterator[str]:
    """Those that the model had not seen come first."""
    for words, of in (("chosen after the model was final (unseen)", True), ("used to develop the model (seen)", False)):
        pooled = [result.pooled for trial, result in known if result.pooled and trial.unseen is of]
        if pooled:
            yield from standing(words, pooled)


def standing(words: str, pooled: Sequence[Verdict]) -> Iterator[str]:
    off = [factor(one.wall) for one in pooled]
    nulls = {
        "constant": [apart(one.constant_s, one.wall.measured_s) for one in pooled],
        "1/p": [apart(one.perfect_s, one.wall.measured_s) for one in pooled],
        "Amdahl's law": [apart(one.amdahl_s, one.wall.measured_s) for one in pooled],
    }
    name, best = min(nulls.items(), key=lambda pair: median(pair[1]))
    held = sum(inside(one.wall) for one in pooled)
    nearer = sum(a < b for a, b in zip(off, best, strict=True))
    yield f"**For {len(off)} jobs {words}, the wall-clock is off by a factor of {median(off):.2f} in the median,"
    yield f"{max(off):.2f} at worst; the best guess without a model ({name}) by {median(best):.2f}, {max(best):.2f} at"
    yield f"worst.** In {held} of {len(off)} the measured value is within the bounds, which should hold nine of ten; in"
    yield f"{nearer} `clearway scale` is closer than that guess.\n"


def row(trial: Trial, result: Result) -> str:
    one = result.pooled
    assert one is not None
    measured = [runs[-1].wall_s / runs[-1].ranks for runs in result.rounds]
    rounds = [each.wall.expected_s / each.wall.measured_s for each in result.verdicts]
    nulls = (ratio(guess, one.wall.measured_s) for guess in (one.constant_s, one.perfect_s, one.amdahl_s))
    cells = [
        f"`{trial.name}`: {trial.words}",
        "unseen" if trial.unseen else "seen",
        ", ".join(map(str, trial.recorded)),
        str(trial.target),
        middle_and_spread(measured, unit=" s"),
        expected(one.wall),
        f"**{ratio(one.wall.expected_s, one.wall.measured_s)}**",
        *nulls,
        middle_and_spread(rounds),
        f"{'yes' if inside(one.wall) else 'no'}; {sum(inside(each.wall) for each in result.verdicts)} of {len(rounds)}",
    ]
    return f"| {' | '.join(cells)} |"


def line_rows(trial: Trial, result: Result) -> Iterator[str]:
    assert result.pooled is not None
    least_s = WORTH_A_ROW * result.pooled.wall.measured_s
    for line, one in result.pooled.lines.items():
        if max(one.measured_s, one.expected_s) >= least_s:
            told_of = f"{one.measured_s:.2f} s | {expected(one)} | {ratio(one.expected_s, one.measured_s)}"
            yield f"| `{trial.name}` | {WORDS[line]} | {told_of} | {'yes' if inside(one) else 'no'} |"


def expected(one: Said) -> str:
    return f"{one.expected_s:.2f} s ({one.low_s:.2f} – {one.high_s:.2f})"


def ratio(a: float, b: float) -> str:
    return f"{a / b:.2f}" if b > 0 else "–"


def inside(one: Said) -> bool:
    return one.low_s <= one.measured_s <= one.high_s


def factor(one: Said) -> float:
    return apart(one.expected_s, one.measured_s)


def apart(a: float, b: float) -> float:
    """How many times the larger is the smaller."""
    return math.exp(abs(math.log(max(a, 1e-9) / max(b, 1e-9))))
