"""What the first run tells: all that knobs may look at, so that what cannot pay is never tried."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from clearway.diagnosis.diagnose import Diagnosed
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import cores_of, pinned
from clearway.diagnosis.facts.settings_in_force import threads_per_rank
from clearway.job.change import Change
from clearway.job.command_line import read_command
from clearway.tune.foretold import Foretold


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the rank-seconds between starting and stopping, by line of the ledger."""

    compute: float = 1.0
    core_wait: float = 0.0
    mpi_wait: float = 0.0
    mpi_transfer: float = 0.0
    mpi_stall: float = 0.0
    io: float = 0.0

    @property
    def mpi(self) -> float:
        return self.mpi_wait + self.mpi_transfer + self.mpi_stall


@dataclass(frozen=True, slots=True)
class Mend:
    """A remedy for what was found, that a change of the command line brings about."""

    name: str
    what: str
    change: Change
    finding: str  # its title
    most: float  # of the wall-clock


@dataclass(frozen=True, slots=True)
class Seen:
    """A job as it was typed, and as its first run went."""

    program: tuple[str, ...]  # with its arguments
    launcher: str = ""  # "Open MPI 4", "srun"; empty: none
    family: str = ""  # of the MPI
    programs: int = 1  # of the command line: several in an MPMD job
    engine: str = ""  # empty: none that is known
    log: str = ""  # the engine's
    ranks: int = 1
    threads: int = 1  # of a rank
    regions: bool = False  # it has parallel regions of OpenMP
    cores: tuple[int, ...] = (1,)  # that the job may use, of each machine
    numa_nodes: int = 1  # of the machine that has most
    pinned: bool = False  # each rank has processors of its own
    folder: str = "."  # the working directory
    tells_work: bool = True  # so that it can be compared whatever is changed
    on_testbed: bool = False
    measured_steps: int | None = None  # of a short run
    shares: Shares = field(default_factory=Shares)
    mends: tuple[Mend, ...] = ()
    foretold: tuple[Foretold, ...] = ()  # by the simulator; what gives most first

    def option(self, *names: str) -> str | None:
        """The word behind the last of the program's options with one of these names; None where it has none."""
        places = [at for at, word in enumerate(self.program) if word in names]
        if not places:
            return None
        return self.program[places[-1] + 1] if places[-1] + 1 < len(self.program) else ""

    def logged(self, pattern: str) -> str | None:
        """The first group of the last match in the engine's log."""
        found = re.findall(pattern, self.log, re.MULTILINE)
        return str(found[-1]) if found else None

    @property
    def program_name(self) -> str:
        return PurePath(self.program[0]).name if self.program else ""

    @property
    def idle(self) -> float:
        """The part of the cores that no thread of the job is meant for."""
        return max(0.0, 1 - self.ranks * self.threads / max(sum(self.cores), 1))


def seen_in(
    case: Case, found: Sequence[Diagnosed], typed: Sequence[str], log: str, threads_pattern: str = "",
    ranks_pattern: str = "",
) -> Seen:  # fmt: skip
    """Patterns: how the engine's log tells the threads of a rank, and ranks that are threads, which it may have chosen
    itself.

    Raises ClearwayError for a command line that cannot be understood.
    """
    line = read_command(typed, os.environ)
    engine = case.tables.engine
    logged = re.findall(threads_pattern, log, re.MULTILINE) if threads_pattern else []
    inside = re.findall(ranks_pattern, log, re.MULTILINE) if ranks_pattern and case.ranks == 1 else []
    return Seen(
        program=tuple(word for word in line.sections[0].program if word != "--"),
        launcher=line.grammar.name if line.grammar else "",
        family=case.family,
        programs=len(line.sections),
        engine=engine.name if engine else "",
        log=log,
        ranks=int(inside[-1]) if inside else case.ranks,
        threads=int(logged[-1]) if logged else threads_per_rank(case),
        regions=len(case.run.teams) > 0,
        cores=tuple(cores_of(case, host) or 1 for host in case.tables.hosts),
        numa_nodes=max((_numa_nodes(host.facts) for host in case.tables.hosts), default=1),
        pinned=pinned(case),
        tells_work=engine is not None and bool(engine.ns_per_day or engine.s_per_step),
        shares=shares_of(case),
        mends=tuple(_mends(found)),
    )


def shares_of(case: Case) -> Shares:
    ledger = case.tables.ledger
    steady_s = ledger.wall_s - ledger.other_s
    if steady_s <= 0:
        return Shares()
    return Shares(
        compute=ledger.compute_s / steady_s,
        core_wait=ledger.core_wait_s / steady_s,
        mpi_wait=ledger.mpi_wait_s / steady_s,
        mpi_transfer=ledger.mpi_transfer_s / steady_s,
        mpi_stall=ledger.mpi_stall_s / steady_s,
        io=ledger.io_s / steady_s,
    )


def _mends(found: Sequence[Diagnosed]) -> list[Mend]:
    """Each change once, for the costliest finding that it mends."""
    mends: list[Mend] = []
    for one in found:
        for name, offer in one.offers.items():
            if offer.change is None or offer.needs_root or any(offer.change == mend.change for mend in mends):
                continue
            gain = 1.0 if offer.gain is None else offer.gain
            mends.append(Mend(name, offer.what, offer.change, one.finding.title, gain * one.finding.share))
    return mends


def _numa_nodes(facts: dict[str, str]) -> int:
    return max(1, sum(1 for name in facts if re.fullmatch(r"numa\.\d+\.distances", name)))
