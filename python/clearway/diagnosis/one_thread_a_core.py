"""One thread for each core: no remedy, but a question. Where all cores have two threads each (hyper-threading), one Run
does not show whether that is faster than one each: it may be either.
"""

from __future__ import annotations

from dataclasses import replace

from clearway.base import quantities as q
from clearway.diagnosis.choose import Chosen
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.rank_places import pinned
from clearway.diagnosis.facts.settings_in_force import launcher, number_of_threads, program_option, threads_per_rank
from clearway.diagnosis.facts.siblings import cores_with_siblings, number_of_cores, sharing_cores, thread_masks
from clearway.diagnosis.remedies import Offer
from clearway.diagnosis.remedies.one_core_a_rank import PLACES, core_for_each_rank
from clearway.job.change import Change

ONE_EACH = "one-thread-a-core"
RULE = "hyper-threads"
MOSTLY = 0.5  # of the rank-seconds: what computes less has little to lose there


def one_thread_a_core(case: Case) -> Chosen | None:
    """Half of the threads, or of the ranks, where each core has two of them and none is free. Nothing is promised.

    Of a job on several machines a launcher would leave some of them empty, and the others as full as before.
    """
    lines = case.tables.ledger
    if len(machines(case)) != 1 or lines.compute_s < MOSTLY * lines.wall_s:
        return None
    [members] = machines(case).values()
    cores = cores_with_siblings(case, members)
    masks = {process: thread_masks(case, process) for process in members}
    threads = [mask for own in masks.values() for mask in own]
    number = number_of_cores(cores, frozenset[int]().union(*threads))
    if set(members) != sharing_cores(cores, masks) or len(threads) != 2 * number:
        return None
    halved = _half_the_threads(case) if threads_per_rank(case) > 1 else _half_the_ranks(case)
    if halved is None:
        return None
    what, change = halved
    why = f"{q.count(len(threads))} threads share {number} cores, two on each, which may be faster than one, or slower"
    offer = Offer(what=what, why=why, gain=None, change=change)
    return Chosen(ONE_EACH, RULE, offer, change, expected_gain_s=None, name=ONE_EACH)


def _half_the_threads(case: Case) -> tuple[str, Change] | None:
    threads = threads_per_rank(case)
    if threads % 2:
        return None
    half = threads // 2
    options = ("-ntomp", str(half)) if program_option(case, "-ntomp") is not None else ()
    places = PLACES if pinned(case) else ()  # ranks that may use the same cores would all take the first of them
    change = Change(environment=(*number_of_threads(case, half), *places), program_options=options)
    return f"use {half} thread{'' if half == 1 else 's'} per rank", change


def _half_the_ranks(case: Case) -> tuple[str, Change] | None:
    change = core_for_each_rank(case)
    if case.ranks % 2 or not launcher(case) or change is None:
        return None
    half = case.ranks // 2
    return f"use {half} rank{'' if half == 1 else 's'}, each with a core of its own", replace(change, ranks=half)
