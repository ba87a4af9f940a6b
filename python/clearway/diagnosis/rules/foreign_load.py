"""Programs that are no ranks of this job, and not its launcher, run on the ranks' cores: others', or its script's."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import taken_by_others
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.helpers import helper_names, helpers_s
from clearway.diagnosis.facts.other_jobs import OtherJob, jobs_that_load
from clearway.diagnosis.facts.other_programs import WORTH_NAMING, foreign_load
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.without_others import lost_to_others_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Other programs run on the ranks' cores"
OWN_TITLE = "Programs that the job's own script started run on the ranks' cores"
REMEDIES = ("whole-nodes", "pin-ranks")
MOST_NAMED = 3  # jobs, programs
IDLE_CLASS = "SCHED_IDLE"
LEAST_TOLD_S = 0.005  # would be 0.00
MOSTLY = 0.5  # of what others used: by the job's own script


def examine(case: Case) -> Suspicion | None:
    """Claims run delay, as far as others' CPU time explains it."""
    claimed_s, own_s, evidence, jobs = 0.0, 0.0, [], list[OtherJob]()
    all_s, of_helpers_s, helpers = 0.0, 0.0, list[str]()
    for members in machines(case).values():
        foreign_s, span_s = foreign_load(case, members)
        if span_s <= 0 or foreign_s <= WORTH_NAMING * span_s:
            continue
        parts = taken_by_others(case, members)
        for share in set(parts.values()):
            processes = [process for process in members if parts[process] == share]
            claimed_s += share * charged_s(case, "core_wait_s", processes)
            own_s += share * float(case.books.ledger["core_wait_s"][processes].sum())
        host = case.tables.ranks[members[0]].host
        used = f"{foreign_s / span_s:.2f} processors over {q.seconds(span_s)}"
        evidence.append(Evidence(f"used by others on {host}", used, "/proc/stat, without the job"))
        all_s += foreign_s
        if (helped_s := min(helpers_s(case, members), foreign_s)) > WORTH_NAMING * span_s:
            of_helpers_s += helped_s
            helpers += [name for name in helper_names(case, members) if name not in helpers]
            used = f"{helped_s / span_s:.2f} processors: {_listed(helper_names(case, members))}"
            evidence.append(Evidence(f"of that by the job's own script on {host}", used, "/proc, processes below it"))
        jobs += [each for each in jobs_that_load(case)[0] if each.host == host]
    if claimed_s <= 0:
        return None
    # Who waited for a rank without a core might have had to wait for it, or for another, in any case: the replay tells.
    if (comes_back_s := lost_to_others_s(case)) is not None:
        claimed_s = min(claimed_s, comes_back_s)
    evidence.append(Evidence("ranks waited for a core", f"{own_s:.2f} rank-seconds", "schedstat: run delay"))
    if (others_s := claimed_s - own_s) > LEAST_TOLD_S:
        evidence.append(Evidence("others waited for them", f"{others_s:.2f} rank-seconds", "ledger: MPI waiting"))
    mostly_own = of_helpers_s > MOSTLY * all_s
    says = (
        f"Ranks were ready to run but had no core, while {_who_used(mostly_own, helpers)} used the cores that the "
        f"ranks may run on.{_named(jobs)}"
    )
    if mostly_own:
        says += " Run it before or after the launcher, or leave it a core: start one rank fewer on that host."
    elif of_helpers_s > 0:
        own = q.percent(of_helpers_s / all_s)
        says += f" {own} of that was the job's own: {_listed(helpers)}, which its script started."
    if not mostly_own and not jobs:
        says += " While they run, `clearway host check` on that host names them."
    evidence += [
        Evidence(f"used by job {job.id} on {job.host}", f"{job.cpu_s:.2f} core-seconds", "Slurm's control groups")
        for job in jobs[:MOST_NAMED]
    ]
    if polite := _giving_way(case):
        who = _who(case, [process for process, _ in polite])
        says += f" {who} at nice {polite[0][1]}, which gives way to them: start the job without nice."
        evidence.append(Evidence("nice value", str(polite[0][1]), "as it was when the record began"))
    if idle := [process for process, name in case.run.fact("process.scheduler").items() if name == IDLE_CLASS]:
        says += (
            f" {_who(case, idle)} in the class {IDLE_CLASS}, which gets only what all others leave: start the job "
            f"without `chrt --idle`."
        )
        evidence.append(Evidence("scheduling class", IDLE_CLASS, "as it was when the record began"))
    claims = {"core_wait_s": claimed_s}
    if mostly_own:
        return Suspicion(claims, says, tuple(evidence), confidence=0.9, title=OWN_TITLE, remedies=())
    return Suspicion(claims, says, tuple(evidence), confidence=0.9)


def _who_used(mostly_own: bool, helpers: list[str]) -> str:
    if not mostly_own:
        return "processes outside this job"
    return f"{_listed(helpers)}, which the job's own script started beside the launcher,"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) or "programs that soon ended"


def _named(jobs: list[OtherJob]) -> str:
    if not jobs:
        return ""
    ids = sorted({job.id for job in jobs})[:MOST_NAMED]
    return f" Slurm ran job{'' if len(ids) == 1 else 's'} {', '.join(ids)} there at the same time."


def _giving_way(case: Case) -> list[tuple[int, int]]:
    """Processes that asked for less than their share, with their nice values, the politest first."""
    told = [(process, int(text)) for process, text in case.run.fact("process.nice").items() if is_whole(text)]
    return sorted((one for one in told if one[1] > 0), key=lambda one: -one[1])


def _who(case: Case, processes: list[int]) -> str:
    if len(processes) == case.ranks:
        return "All ranks run"
    if len(processes) == 1:
        return f"Rank {case.tables.ranks[processes[0]].rank} runs"
    return f"{len(processes):,} of {case.ranks:,} ranks run"
