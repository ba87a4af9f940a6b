"""docs/tune-benchmark.md, from what has been measured and scored so far."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import median

from measured.circumstances import told
from measured.spread import middle_and_spread

from clearway.tune.setting import Way
from races.jobs import JOBS, REPOSITORY, Job
from races.results import Peer, Raced, Result
from races.score import AIM, BUDGETS, CLAIMS, GRIDS, NEAR, TIMES, Claims, Drawn, Score
from races.searches import YARDSTICK
from races.world import World, check, on_top, world_of

HERE = Path(__file__).resolve().parent
PAGE = REPOSITORY / "docs/tune-benchmark.md"
OURS = "`clearway tune`"
FEW = 4  # rounds, as the smaller grids have

Known = tuple[Job, Result, Score]

METHOD = (HERE / "method.md").read_text()
REMARKS = (HERE / "remarks.md").read_text()
SEARCHED = "Searches within 3 % of the best, of {times}; in brackets the median and the worst time ÷ the best."


def write_page(known: Sequence[Known], drawn: Drawn) -> None:
    PAGE.write_text("\n".join(page(known, drawn)) + "\n")
    print(f"wrote {PAGE}")


def page(known: Sequence[Known], drawn: Drawn) -> Iterator[str]:
    scores = [score for _, _, score in known]
    yield "# `clearway tune` compared with the best settings, measured\n"
    yield from verdict(scores, drawn)
    yield ""
    yield METHOD.format(times=TIMES, grids=GRIDS)
    when = told(chain.from_iterable(result.circumstances for _, result, _ in known))
    yield f"{when}, as root, by `make bench-tune`;"
    yield "every run of each grid is in `benchmarks/races/results`.\n"
    yield "## The grids\n"
    yield "| job | ways | failing | rounds | spread of a run | unchanged ÷ best | within 3 % | best ways, ÷ unchanged |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from (grid_row(job, score) for job, _, score in known)
    yield "\n*Failing*: combinations that failed, or computed something else, in any round. In brackets the spread"
    yield "of runs that nothing disturbed.\n"
    yield from checked(known)
    yield from searches(scores)
    yield from ends(known)
    yield from grids_drawn(drawn)
    yield from real_races(known)
    yield from others(known)
    yield "\n## Remarks\n"
    yield REMARKS.format(aim=AIM).rstrip()


def verdict(scores: Sequence[Score], drawn: Drawn) -> Iterator[str]:
    searches = scores[0].behind[str(AIM)]
    counted = {name: near([one for score in scores for one in score.behind[str(AIM)][name]]) for name in searches}
    whole = TIMES * len(scores)
    unbeaten = [claims for score in scores for claims in (score.best_already, score.flat)]
    unbeaten += [drawn.best_already, drawn.flat]
    false, races = sum(one.false for one in unbeaten), sum(one.races for one in unbeaten)
    best = [*(score.best_already for score in scores), drawn.best_already]
    said, asked = sum(one.nothing for one in best), sum(one.races for one in best)
    told_of = ", ".join(f"{name} {number}" for name, number in counted.items() if name not in (OURS, YARDSTICK))
    yield f"**After {AIM} runs, the best variant of `clearway tune` is within 3 % of the best of the grid in"
    yield f"{counted[OURS]} of {whole} searches on {len(scores)} grids** ({by_grid(scores, OURS)})."
    yield f"With as many runs: {told_of}."
    yield f"On {GRIDS} grids drawn at random, others than it was made with: {near(drawn.behind[OURS])};"
    yield f"{others_of(drawn)}."
    reached = f"{counted[YARDSTICK]} and {near(drawn.behind[YARDSTICK])}"
    yield f"As a yardstick, {YARDSTICK}, which nobody can know: {reached}."
    yield f"In {races} races of jobs that cannot be made faster, it claimed a gain {false} time{'s' * (false != 1)};"
    yield f"of jobs typed with their best settings it said *nothing to gain* in {said} of {asked} races."


def others_of(drawn: Drawn) -> str:
    return ", ".join(f"{name} {near(behind)}" for name, behind in drawn.behind.items() if name not in (OURS, YARDSTICK))


def by_grid(scores: Sequence[Score], search: str) -> str:
    return ", ".join(f"`{score.name}` {near(score.behind[str(AIM)][search])} of {TIMES}" for score in scores)


def grid_row(job: Job, score: Score) -> str:
    fastest = "; ".join(f"`{way.name}` {way.by_unchanged:.2f}" for way in score.best)
    cells = [
        f"`{job.name}`: {job.words}",
        str(score.ways),
        str(score.failing),
        str(score.rounds),
        f"{100 * score.spread:.1f} % ({100 * score.usual_spread:.1f} %)",
        f"{score.unchanged_behind:.2f}",
        f"{100 * score.near_ways:.0f} %",
        fastest,
    ]
    return f"| {' | '.join(cells)} |"


def checked(known: Sequence[Known]) -> Iterator[str]:
    """Of the grids with many rounds."""
    for job, result, _ in known:
        if len(result.rounds) < 3 * FEW:
            continue
        one = check(result, FEW)
        (median_says, median_was), (estimate_says, estimate_was) = (
            tuple(map(math.exp, best)) for best in (one.best_by_median, one.best_by_estimate)
        )
        yield f"How good are estimates? `{job.name}` has {len(result.rounds)} rounds. Compared with the medians of"
        yield f"the last {one.others}, medians of the first {one.rounds} are off by {100 * one.medians_off:.1f} %"
        yield f"(a standard deviation), estimates of the first {one.rounds} by {100 * one.estimates_off:.1f} %."
        yield f"The combination with the lowest median of the first {one.rounds} seemed to take {median_says:.2f} of"
        yield f"the unchanged job's time, and took {median_was:.2f} in the others; that with the lowest estimate"
        yield f"{estimate_says:.2f}, and {estimate_was:.2f}.\n"


def searches(scores: Sequence[Score]) -> Iterator[str]:
    yield "## Searches after a given number of runs\n"
    yield f"{SEARCHED.format(times=TIMES)}\n"
    yield f"| runs | search | {' | '.join(f'`{score.name}`' for score in scores)} | all |"
    yield f"| --- | --- | {' | '.join('---' for _ in scores)} | --- |"
    for budget in map(str, BUDGETS):
        for name in scores[0].behind[budget]:
            each = [score.behind[budget][name] for score in scores]
            every = list(chain.from_iterable(each))
            cells = [budget, name, *map(found, each), f"**{near(every)} of {len(every)}**"]
            yield f"| {' | '.join(cells)} |"
    yield ""


def found(behind: Sequence[float]) -> str:
    return f"{near(behind)} ({median(behind):.2f}, {max(behind):.2f})"


def near(behind: Sequence[float]) -> int:
    return sum(one <= NEAR for one in behind)


ENDS = ("gain proved", "runs", "runs ÷ the grid's", "time ÷ best", "within 3 %", "*nothing to gain* said: wrongly",
        "best already: said", "false gains", "nothing matters: said", "false gains")  # fmt: skip


def ends(known: Sequence[Known]) -> Iterator[str]:
    yield f"## Complete races: {TIMES} of the job as typed, {CLAIMS} of each job that cannot be made faster\n"
    yield f"| job | {' | '.join(ENDS)} |"
    yield f"| --- |{' --- |' * len(ENDS)}"
    for job, _, score in known:
        yield ends_row(f"`{job.name}`", score.proved, score.best_already, score.flat)
    yield ""


def ends_row(name: str, typed: Claims, best_already: Claims, flat: Claims) -> str:
    cells = [
        name,
        f"{typed.faster} of {typed.races}",
        middle_and_spread(typed.runs, digits=0),
        f"{median(typed.shares):.2f}",
        middle_and_spread(typed.behind),
        f"{near(typed.behind)} of {typed.races}",
        f"{typed.nothing}: {typed.missed}",
        f"{best_already.nothing} of {best_already.races}",
        f"{best_already.false}",
        f"{flat.nothing} of {flat.races}",
        f"{flat.false}",
    ]
    return f"| {' | '.join(cells)} |"


def grids_drawn(drawn: Drawn) -> Iterator[str]:
    yield f"## {GRIDS} grids drawn at random, a search of each\n"
    share = f"{100 * drawn.near_ways:.0f} %"
    yield f"After {AIM} runs. {share} of the combinations are within 3 % of the best of their grid.\n"
    yield "| search | within 3 % | median and worst time ÷ the best |"
    yield "| --- | --- | --- |"
    for name, behind in drawn.behind.items():
        yield f"| {name} | {near(behind)} of {len(behind)} | {median(behind):.2f}, {max(behind):.2f} |"
    yield "\nComplete races:\n"
    yield f"| | {' | '.join(ENDS)} |"
    yield f"| --- |{' --- |' * len(ENDS)}"
    yield ends_row("all", drawn.typed, drawn.best_already, drawn.flat)
    yield ""


def real_races(known: Sequence[Known]) -> Iterator[str]:
    if not any(result.races for _, result, _ in known):
        return
    yield "## Real races, compared with the grid\n"
    behind = [behind_of(result, raced) for _, result, _ in known for raced in result.races]
    close = sum(one is not None and one <= NEAR for one in behind)
    yield f"{close} of {len(behind)} recommend what is within 3 % of the best of the grid.\n"
    yield "| job | answer | recommended | times as fast, by the race | by the grid | time ÷ best | runs |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for job, result, _ in known:
        for raced in result.races:
            yield race_row(job, result, raced)
    yield ""


def way_of(world: World, raced: Raced) -> Way | None:
    """What it recommends, if the grid has it."""
    names = frozenset(raced.best)
    return next((one for one in world.ways if frozenset(setting.name for setting in one) == names), None)


def behind_of(result: Result, raced: Raced) -> float | None:
    """The time of what it recommends by that of the best of the grid."""
    world = world_of(result)
    way = way_of(world, raced)
    return None if way is None else world.behind(way)


def race_row(job: Job, result: Result, raced: Raced) -> str:
    world = world_of(result)
    way = way_of(world, raced)
    says = "" if raced.speed_low is None else f"{raced.speed:.2f} ({raced.speed_low:.2f} – {raced.speed_high:.2f})"
    grid = "" if way is None else f"{world.behind(()) / world.behind(on_top((), way)):.2f}"
    behind = "" if way is None else f"{world.behind(way):.2f}"
    cells = [f"`{job.name}`", raced.answer, ", ".join(raced.best) or "unchanged", says, grid, behind, str(raced.runs)]
    return f"| {' | '.join(cells)} |"


def others(known: Sequence[Known]) -> Iterator[str]:
    rows = [peer_row(job, peer) for job, result, _ in known for peer in result.peers]
    if rows:
        yield "## Other programs, for real\n"
        yield "| job | program | it says | time ÷ unchanged | it took |"
        yield "| --- | --- | --- | --- | --- |"
        yield from rows


def peer_row(job: Job, peer: Peer) -> str:
    ratios = middle_and_spread(peer.ratios) if peer.ratios else "not run"
    return f"| `{job.name}` | {peer.program} | {peer.says} | {ratios} | {peer.spent_s:.0f} s |"


def known_of(results: Sequence[Result], scores: Sequence[Score]) -> list[Known]:
    """In the order of JOBS."""
    by_name = {result.name: result for result in results}
    scored = {score.name: score for score in scores}
    return [(job, by_name[job.name], scored[job.name]) for job in JOBS if job.name in by_name and job.name in scored]
