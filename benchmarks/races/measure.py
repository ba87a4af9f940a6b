"""Measures the grid of each job, a round at a time, and races for real; the page is docs/tune-benchmark.md.

    make bench-tune                          all, as root
    make bench-tune ONLY=gromacs ROUNDS=1    a part of it: one more round of these grids
    make bench-tune ONLY=gromacs RACES=1     one more real race
    make bench-tune ONLY=gromacs PEERS=5     what `gmx tune_pme` says, in five rounds beside the unchanged job
    make bench-tune TRY=1 ONLY=salt,cp       each job once, and how long a round of its grid would take

What has been measured is kept in benchmarks/races/results.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from random import Random

from measured.circumstances import here_and_now

from clearway.experiment.session import lines_of
from clearway.tune import Task, tune
from clearway.tune.session import Seeded, seed
from clearway.tune.setting import Way, name_of
from clearway.tune.track import Quiet
from clearway.tune.tuning import Standing, Tuning
from races.grid import every_way
from races.jobs import FOLDER, JOBS, Job
from races.page import known_of, write_page
from races.peers import has_peer, tune_pme
from races.results import First, Raced, Result, read, read_all, write
from races.score import Scores, drawn, read_scores, score, write_scores

ROUNDS = 5
LIMIT_S = 60.0  # of one run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="LIST", help="jobs, by name")
    parser.add_argument("--rounds", type=int, default=None, help=f"more of each grid (default: until it has {ROUNDS})")
    parser.add_argument("--races", type=int, default=0, help="more real races of each")
    parser.add_argument("--peers", type=int, default=0, help="rounds of what other programs say, anew")
    parser.add_argument("--try", dest="tried", action="store_true", help="run each job once, and tell of its grid")
    parser.add_argument("--score", action="store_true", help="search all grids anew, which takes some minutes")
    parser.add_argument("--page-only", action="store_true", help="tell anew from what has been measured")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else [job.name for job in JOBS]
    jobs = [job for job in JOBS if job.name in wanted]
    if arguments.tried:
        for job in jobs:
            tell(job)
        return 0
    for job in jobs:
        if not arguments.page_only:
            measure(job, arguments.rounds, arguments.races)
        if arguments.peers and has_peer(job):
            write(with_peer(job, arguments.peers))
    results = read_all()
    if arguments.score:
        write_scores(Scores(tuple(map(score, results)), drawn(results)))
    scores = read_scores()
    write_page(known_of(results, scores.scores), scores.drawn)
    return 0


def measure(job: Job, rounds: int | None, races: int) -> None:
    result = read(job.name) or Result(job.name)
    missing = max(0, ROUNDS - len(result.rounds)) if rounds is None else rounds
    for _ in range(missing):
        begin = time.monotonic()
        result = with_round(job, result)
        write(result)
        print(f"{job.name}: round {len(result.rounds)} of {len(result.ways)} ways, {time.monotonic() - begin:.0f} s")
    for number in range(races):
        result = with_race(job, result, seed=len(result.races))
        write(result)
        print(f"{job.name}: race {number + 1}: {result.races[-1]}", flush=True)


def tell(job: Job) -> None:
    """Its first run, and the unchanged job as it would be raced."""
    directory = new_folder(job, "try")
    task = task_of(job, directory)
    with chdir(directory / "job"), lines_of(task.plan()) as line_of:
        seeded = seed(task, directory / "out", line_of, Quiet())
        ways = every_way(seeded.seen, job.more)
        if seeded.track.run((), 1) is None:
            raise SystemExit(f"error: {job.name}: unchanged, it {seeded.track.fault_of(name_of(()))}")
    spent_s = seeded.track.samples[-1].spent_s
    print(f"{job.name}: {len(ways)} ways, {spent_s:.0f} s each: {len(ways) * spent_s / 60:.0f} minutes a round; by "
          f"{seeded.track.basis.value if seeded.track.basis else 'nothing'}", flush=True)  # fmt: skip
    shutil.rmtree(directory)


def with_peer(job: Job, rounds: int) -> Result:
    directory = new_folder(job, "peer")
    task = task_of(job, directory)
    with chdir(directory / "job"), lines_of(task.plan()) as line_of:
        seeded = seed(task, directory / "out", line_of, Quiet())
        peer = tune_pme(seeded, directory / "job", rounds)
    shutil.rmtree(directory)
    print(f"{job.name}: {peer}", flush=True)
    result = read(job.name) or Result(job.name)
    return replace(result, peers=(peer,), circumstances=(*result.circumstances, here_and_now()))


def with_round(job: Job, result: Result) -> Result:
    """Each way once, in an order of its own; before them a first run, of which it is kept what it says."""
    number = len(result.rounds) + 1
    directory = new_folder(job, f"grid-{number}")
    task = task_of(job, directory)
    with chdir(directory / "job"), lines_of(task.plan()) as line_of:
        seeded = seed(task, directory / "out", line_of, Quiet())
        ways = result.ways or tuple(every_way(seeded.seen, job.more))
        order = list(range(len(ways)))
        Random(number).shuffle(order)
        begin = time.monotonic()
        seconds: dict[int, float | None] = {}
        for at in order:
            seconds[at] = seconds_of(seeded, ways[at], number)
        spent_s = time.monotonic() - begin
        ended = [one for one in seeded.track.samples if one.round == number and one.figures]
        others = {one.variant: one.figures.others_cores for one in ended if one.figures}
    shutil.rmtree(directory)
    return replace(
        result,
        ways=ways,
        firsts=(*result.firsts, first_of(seeded)),
        rounds=(*result.rounds, tuple(seconds[at] for at in range(len(ways)))),
        others=(*result.others, tuple(others.get(name_of(way)) for way in ways)),
        spent_s=(*result.spent_s, spent_s),
        circumstances=(*result.circumstances, here_and_now()),
    )


def seconds_of(seeded: Seeded, way: Way, number: int) -> float | None:
    seconds = seeded.track.run(way, number)
    if seconds is None:
        print(f"  {name_of(way)} {seeded.track.fault_of(name_of(way))}", flush=True)
    return seconds


def first_of(seeded: Seeded) -> First:
    ways: list[Way] = [(), *((one,) for one in seeded.shapes.settings)]
    tried = {"" if not way else name_of(way): seeded.settings_for(way) for way in ways}
    return First(
        shapes=tuple(one.name for one in seeded.shapes.settings),
        settings={shape: tuple(one.name for one in each.settings) for shape, each in tried.items()},
        spent_s=seeded.track.samples[0].spent_s,
        doubted={shape: tuple(one.name for one in each.doubted) for shape, each in tried.items()},
    )


def with_race(job: Job, result: Result, seed: int) -> Result:
    directory = new_folder(job, f"race-{seed}")
    task = replace(task_of(job, directory), seed=seed)
    with chdir(directory / "job"), lines_of(task.plan()) as line_of:
        tuning = tune(task, directory / "out", line_of)
    shutil.rmtree(directory)
    return replace(result, races=(*result.races, raced(tuning)), circumstances=(*result.circumstances, here_and_now()))


def raced(tuning: Tuning) -> Raced:
    row = next(one for one in tuning.rows if one.name == tuning.best)
    return Raced(
        tuning.answer.value,
        () if row.standing is Standing.UNCHANGED else tuple(tuning.best.split(", ")),
        tuning.runs,
        tuning.spent_s,
        row.speed,
        row.speed_low,
        row.speed_high,
        tuple(f"{one.name} {one.fault}" for one in tuning.rows if one.fault),
    )


def task_of(job: Job, directory: Path) -> Task:
    usual = Task((), "")
    return Task(
        job.command,
        str(directory / "job"),
        run_s=job.run_s or usual.run_s,
        steps=job.steps,
        timeout_s=LIMIT_S,
        testbed=job.testbed,
        learned=False,  # each race begins with nothing
    )


def new_folder(job: Job, name: str) -> Path:
    directory = FOLDER / "runs" / f"{job.name}-{name}"
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "job").mkdir(parents=True)
    (directory / "out").mkdir()
    job.prepare(directory / "job")
    return directory


if __name__ == "__main__":
    sys.exit(main())
