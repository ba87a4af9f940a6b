"""The lines of the ledger of core-seconds, as the renderers show them."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.quantities import apportioned
from clearway.base.ranges import numbers_of
from clearway.page.model import CoreSeconds, CoreUse, Job, RankThreads

SHADES = " ▁▂▃▄▅▆▇█"  # of a thread or a core, by how busy it was
QUEUE = 1.5  # threads on one core at once
MOST_CORES = 64  # of a rank, in its picture: of more, only those with threads
LABELS = (
    ("compute_s", "computing", "All threads on a core, in the program's own code"),
    ("core_wait_s", "waiting for a core", "Threads that were ready to run, but had no core"),
    (
        "team_wait_s",
        "threads waiting",
        "Threads waiting for each other in parallel regions: barriers, uneven shares, locks",
    ),
    ("serial_s", "one thread computes", "Cores idle while the main thread computed alone"),
    ("elsewhere_s", "MPI, files, blocked", "The main threads, as in the ledger above"),
    ("beside_s", "idle meanwhile", "The other cores, while the main thread was in MPI, in files or blocked"),
    ("mpi_threads_s", "the MPI's threads", "Threads that the MPI runs beside the program's"),
    ("unused_s", "without a thread", "More cores than threads"),
)


@dataclass(frozen=True, slots=True)
class PrintedCoreLine:
    label: str
    meaning: str
    seconds: float
    percent: float


def printed_cores(cores: CoreSeconds, decimals: int) -> list[PrintedCoreLine]:
    """Figures of so many places that add up to the core-seconds and to 100.0 %; lines without any are left out."""
    values = [float(getattr(cores, name)) for name, *_ in LABELS] + [cores.residue_s]
    seconds = apportioned(values, cores.given_s, decimals)
    percents = apportioned([100 * value / cores.given_s for value in values], 100.0, 1)
    named = [*((label, meaning) for _, label, meaning in LABELS), ("residue", "What the lines do not account for")]
    rows = zip(named, seconds, percents, strict=True)
    return [PrintedCoreLine(label, meaning, s, share) for (label, meaning), s, share in rows if s or share]


def shape(job: Job, cores: CoreSeconds | None) -> str:
    """ "2 ranks × 8 threads on 16 cores of 1 host"; without threads "2 ranks on 1 host"."""
    ranks = f"{job.ranks:,} ranks" if job.ranks != 1 else "1 rank"
    hosts = f"{job.hosts:,} hosts" if job.hosts != 1 else "1 host"
    if cores is None or cores.most_threads < 2:
        return f"{ranks} on {hosts}"
    few, many = cores.fewest_threads, cores.most_threads
    threads = f"{many}" if few == many else f"{few} to {many}"
    number = f"{cores.cores:,.3g}" if cores.cores < 1000 else f"{cores.cores:,.0f}"
    return f"{ranks} × {threads} threads on {number} core{'' if number == '1' else 's'} of {hosts}"


def busy_picture(rank: RankThreads) -> str:
    """A column a thread, as high as it was busy."""
    return "".join(_shade(thread.busy) for thread in rank.threads)


def core_picture(rank: RankThreads) -> str:
    """A column a core, as high as it was busy with the rank's threads; where they queue, how many they are."""
    return "".join(_queue(one.busy) if one.busy >= QUEUE else _shade(one.busy) for one in places(rank)[:MOST_CORES])


def places(rank: RankThreads) -> list[CoreUse]:
    """The cores that the rank's threads may use, in order."""
    if not rank.by_core:
        return []
    busy = {one.cpu: one.busy for one in rank.by_core}
    may_use = {cpu for mask in {thread.cpus for thread in rank.threads} for cpu in numbers_of(mask)} | set(busy)
    return [CoreUse(cpu, busy.get(cpu, 0.0)) for cpu in sorted(may_use if len(may_use) <= MOST_CORES else busy)]


def on_cores(rank: RankThreads) -> str:
    """Which cores its threads may use."""
    masks = list(dict.fromkeys(thread.cpus for thread in rank.threads))
    return ", ".join(masks) if len(masks) <= 2 else f"{masks[0]}, … ({len(masks)} places)"


def _shade(busy: float) -> str:
    last = len(SHADES) - 1
    return SHADES[max(0, min(last, round(busy * last)))]


def _queue(busy: float) -> str:
    return str(min(round(busy), 9))
