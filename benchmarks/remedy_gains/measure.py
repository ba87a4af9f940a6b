"""Plants faults, applies to each the remedies that are offered for it, and compares what they give with the promise.

    PYTHONPATH=python:benchmarks .venv/bin/python -m remedy_gains.measure
    PYTHONPATH=python:benchmarks .venv/bin/python -m remedy_gains.measure --only mpi-buffers --rounds 1

As root. In each round the faulty job, the same with the remedy, and the same without the fault run one after the other.
What has been measured is kept in benchmarks/remedy_gains/results; the page is docs/remedies-benchmark.md.
"""

from __future__ import annotations

import argparse
import signal
import sys

from diagnosis.building import REPOSITORY
from diagnosis.jobs import Job, JobFailedError, Ran, run
from measured.circumstances import here_and_now

from clearway.base.errors import ClearwayError
from clearway.diagnosis.diagnose import Diagnosed, diagnose
from clearway.diagnosis.facts import open_case
from clearway.run import load
from remedy_gains.page import write_page
from remedy_gains.results import Round, add, read
from remedy_gains.trials import Trial, remedied, trials


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is planted is taken away again
    for trial in () if arguments.page_only else trials():
        if arguments.only and not trial.name.startswith(tuple(arguments.only.split(","))):
            continue
        for _ in range(sum(one.rounds == 1 for one in read(trial.name)), arguments.rounds):
            try:
                one = measured(trial)
            except (JobFailedError, ClearwayError, OSError) as error:
                print(f"{trial.name}: FAILED: {error}", file=sys.stderr, flush=True)
                break
            add(trial.name, one)
            print(f"{trial.name}: {one}", flush=True)
    write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="LIST", help="trials whose names (REMEDY.FAULT.MPI) begin so")
    parser.add_argument("--rounds", type=int, default=3, help="of each, those that are kept included (default 3)")
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    return parser.parse_args()


def measured(trial: Trial) -> Round:
    """One round. Raises JobFailedError where a job fails, and where the remedy is not offered."""
    faulty, faulty_s = ran(trial, trial.plant.faulty, "faulty")
    others = [ran(trial, job, f"other{number}")[0] for number, job in enumerate(trial.plant.others)]
    found = offered(trial, faulty, others)
    _, remedied_s = ran(trial, remedied(trial, found[0]), "remedied")
    _, sound_s = ran(trial, trial.plant.sound, "sound")
    gains_s = [each.expected_gain_s for one in found for each in one.finding.remedies if each.id == trial.remedy]
    promised_s = [gain_s for gain_s in gains_s if gain_s is not None]
    cost_s = sum(one.finding.cost_s for one in found)
    promised = sum(promised_s) if promised_s else None
    return Round(faulty_s, remedied_s, sound_s, cost_s, promised, here_and_now())


def ran(trial: Trial, job: Job, which: str) -> tuple[Ran, float]:
    """The Run, and how long the steps took."""
    done = run(job, trial.mpi, REPOSITORY / "build/remedies/runs" / f"{trial.name}.{which}")
    if done.stepping_s is None:
        raise JobFailedError(f"{which} job does not say how long its steps took")
    return done, done.stepping_s


def offered(trial: Trial, faulty: Ran, others: list[Ran]) -> list[Diagnosed]:
    """The findings that the remedy is offered for, the costliest first."""
    case = open_case(load(faulty.run), [load(other.run) for other in others])
    found = diagnose(case)
    mended = [one for one in found if trial.remedy in one.offers]
    if not mended:
        rules = ", ".join(one.finding.rule for one in found) or "nothing"
        raise JobFailedError(f"{trial.remedy} is not offered; found: {rules}")
    return mended


if __name__ == "__main__":
    sys.exit(main())
