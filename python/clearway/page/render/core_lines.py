"""The lines of the ledger of core-seconds, as the renderers show them."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.quantities import apportioned
from clearway.page.model import CoreSeconds, Job, RankThreads

SHADES = " ▁▂▃▄▅▆▇█"  # of a thread, by how busy it was
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
    last = len(SHADES) - 1
    return "".join(SHADES[max(0, min(last, round(thread.busy * last)))] for thread in rank.threads)
