"""Ranks are blocked outside MPI, and the job waits: asleep, for a lock, a full pipe, a server."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.held_data import held_data
from clearway.diagnosis.facts.output import FULL
from clearway.diagnosis.facts.shared_processors import held_back_s
from clearway.diagnosis.facts.short_of_memory import page_waits_s, shortage
from clearway.diagnosis.facts.tables.blocked import Blocked
from clearway.diagnosis.facts.waited_for import longest_wait_s, waited_for_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.blocked import Part, parts, stopped_in_mpi_s
from clearway.ledger.timelines import BLOCKED, IO, before_calls_s, overslept_s

TITLE = "Ranks are blocked outside MPI"
REMEDIES = ()
WORTH_NAMING = 0.03  # of the wall-clock
MOSTLY = 0.5  # of the seconds
NEARLY_ALL = 0.8  # of the seconds: others had some of it, too, as each rank that was ever seen in it
MUCH = 0.15  # of the seconds
MOST_ROWS = 4
LEAST_OF_CHILDREN = 0.02  # of the time that was spent reading from pipes: on a busy machine children hardly run

SLEEPING = "sleeping"
# What to look at, by activity.
ADVICE = {
    "sleeping": "Look for what sleeps: a loop that polls for a file or a message, a pause in a script, a wait for a "
    "licence.",
    "receiving": "Look at the other end, which should answer: a name server, a licence server, another program of the "
    "job.",
    "sending": "Look at the other end, which should read: a terminal, a log collector, another program.",
    "accepting": "Look for the program that should connect, and does not.",
    "lock": "Look for who holds it so long. Of a file: let each rank use one of its own, or let only one rank write.",
    "full_pipe": "Write less, or to a file instead of a pipe: its reader is slower than the job. A program that "
    "compresses can do so afterwards.",
    "empty_pipe": "Look at the program that should write to the pipe.",
    "child": "Look at the program that the rank starts: start it less often, or compute while it runs.",
    "memory": "Look at the disk: the pages belong to a file that the program has mapped, or to a library.",
    "system_call": "Look at what this call waits for (its manual page: `man 2 NAME`).",
    "traced": "Detach the tracer (strace, ltrace, a debugger, a profiler that traces): it stops the rank at each "
    "system call or breakpoint.",
    "stopped": "Find what stops it (SIGSTOP): a batch system that suspends jobs for others, a debugger, a shell.",
}
LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun", "srun", "jsrun", "aprun")
NESTED = (
    "Each of these ranks started an MPI job of its own, and those share the machine: start the script once, without "
    "mpirun around it, and let the one job that it starts have all cores; or give each rank's job cores of its own."
)
OWN_CHILDREN = (
    "The rank starts the programs itself that it reads from: they and what they started used {} of processor time. To "
    "start one anew for each task takes longer than many a task: start one and give it all of them (an engine as a "
    "library, or through a socket), or start it less often, or compute while it runs."
)
KEPT_BACK = (
    "For {} of that, what the rank had written last still lay in its own host: TCP keeps back a small piece of data "
    "until the one before is acknowledged (Nagle's algorithm), and the other end, which waits for the rest, "
    "acknowledges only after up to 40 ms. Write each message with one call, set TCP_NODELAY on the socket, or on one "
    "host use a Unix socket (i-PI: `mode='unix'`)."
)
# A tracer is why calls of files take so long, too.
CONFIDENCE, USUAL = {"memory": 0.85, "traced": 0.95}, 0.92
AT_DEVICES = ("ioctl", "membarrier")  # in which a card may compute
LINES = (("other_s", "blocked_s", BLOCKED), ("io_s", "io_s", IO))  # of the ledger, its cause, and what was done


def examine(case: Case) -> Suspicion | None:
    return _outside(case) or _stopped_inside(case)


def _stopped_inside(case: Case) -> Suspicion | None:
    """Claims moving data: while a rank is stopped in an MPI call, nothing moves in those of the others."""
    stopped_s = np.array(stopped_in_mpi_s(case.run))
    lost_s = float(stopped_s.max(initial=0.0)) * case.ranks
    if case.at_once < case.ranks or lost_s < WORTH_NAMING * case.tables.ledger.wall_s or lost_s <= 0:
        return None
    rank = case.tables.ranks[int(stopped_s.argmax())]
    number = int((stopped_s > 0).sum())
    who = f"Rank {rank.rank} on {rank.host} was" if number == 1 else f"{number:,} of {case.ranks:,} ranks were"
    says = f"{who} stopped from outside while in MPI, and nothing moved meanwhile. {ADVICE['stopped']}"
    moving_s = min(lost_s, case.losses.transfer_s)
    claims = {"transfer_s": moving_s, "wait_s": lost_s - moving_s}
    longest = q.seconds(float(stopped_s.max()))
    evidence = (Evidence(f"rank {rank.rank} stood still", longest, "the recorder slept too long"),)
    return Suspicion(claims, says, evidence, 0.92, "Time goes into being stopped from outside (SIGSTOP)")


def _outside(case: Case) -> Suspicion | None:
    """Claims blocked seconds that all ranks have, or that others wait for: where the record shows one."""
    told_here = _told_besides_memory if any(shortage(case)) and page_waits_s(case).any() else _is_told_here
    found = [part for part in parts(case.run, case.books) if told_here(part)]
    if case.at_once < case.ranks or not found:
        return None
    late = {line: _waited_for_s(case, found, line, doing) for line, _, doing in LINES}
    everyone = {line: _held_up_s(case, found, line, doing) for line, _, doing in LINES}
    late_s = sum(float(seconds.sum()) for seconds in late.values())
    everyone_s = float(np.sum([*everyone.values()], axis=0).min()) * case.ranks
    lost_s = max(everyone_s, late_s)
    if lost_s < WORTH_NAMING * case.tables.ledger.wall_s:
        return None
    lines = {line: float(seconds.sum()) for line, seconds in (everyone if everyone_s >= late_s else late).items()}
    claims = {cause: lost_s * lines[line] / sum(lines.values()) for line, cause, _ in LINES}
    all_s = sum(part.seconds for part in found)
    if float(_by_process(case, found).min()) * case.ranks >= MOSTLY * lost_s:
        who = "The rank was" if case.ranks == 1 else f"All {case.ranks:,} ranks were"
    else:
        who = _those_waited_for(case, np.sum([*late.values()], axis=0))
    rows = [row for row in case.tables.blocked if told_here(row)][:MOST_ROWS]
    first = max(rows, key=lambda row: row.seconds)
    others = [row for row in rows if row is not first and row.seconds > MUCH * all_s]
    longest = f"most of that time {first.what}" + "".join(f", then {row.what}" for row in others)
    idle = "" if first.activity == "child" else ": no core is used in that time"
    advice, evidence = ADVICE[first.activity], _evidence(case, rows)
    if first.activity == "child" and first.ranks > 1 and first.object.startswith(LAUNCHERS):
        advice = NESTED
    if first.activity == "empty_pipe" and (used_s := _children_s(case, found)) > LEAST_OF_CHILDREN * first.seconds:
        advice = OWN_CHILDREN.format(q.seconds(used_s))
    title = f"Time goes into {first.what}" if first.seconds > MOSTLY * all_s else ""
    held = held_data(case).get(first.object) if first.activity == "receiving" else None
    if held is not None and held.seconds > MOSTLY * first.seconds:
        advice = KEPT_BACK.format(q.seconds(min(held.seconds, first.seconds)))
        title = title and f"Small messages to {first.object} wait for the acknowledgement of earlier ones"
        seen = f"{held.samples:,} of {held.of_samples:,} samples"
        evidence += (Evidence("data kept back by TCP", seen, "tcp_info: unsent bytes, without TCP_NODELAY"),)
    says = f"{who} blocked outside MPI, {longest}{idle}. {advice}"
    return Suspicion(claims, says, evidence, CONFIDENCE.get(first.activity, USUAL), title)


def _children_s(case: Case, found: list[Part]) -> float:
    """CPU time of programs that ranks which read from a pipe had started, and whose end they waited for."""
    used_ns = process_rises(case, "process.children_cpu_ns")
    return (
        sum(used_ns.get(process, 0) for process in {one.process for one in found if one.activity == "empty_pipe"})
        * 1e-9
    )


def _is_told_here(one: Part | Blocked) -> bool:
    """Not what ranks print: `output` tells of that. Nor calls by number alone, or those in which a card may compute."""
    if one.activity == "system_call" and (one.object in AT_DEVICES or not one.object.isidentifier()):
        return False
    return one.activity in ADVICE and not (one.line == "io_s" and one.activity in FULL)


def _told_besides_memory(one: Part | Blocked) -> bool:
    """Where memory is short, `memory-pressure` tells of the pages that ranks wait for."""
    return one.activity != "memory" and _is_told_here(one)


def _by_process(case: Case, found: list[Part]) -> NDArray[np.float64]:
    return np.bincount([part.process for part in found], [part.seconds for part in found], minlength=case.ranks).astype(
        np.float64
    )


def _held_up_s(case: Case, found: list[Part], line: str, doing: int) -> NDArray[np.float64]:
    """By process: blocked itself, or waiting for others that were. What all ranks have of it, all of them lose.

    Some of it is no fault: children may do the work of a program without MPI, and who sleeps may do so between two
    looks for a message of another rank, or for what works for it elsewhere. So sleep counts where a call followed that
    is no such look, or one that came too late. Other sleep between looks waits for other ranks: it counts as far as one
    of these was blocked.
    """
    mine = [part for part in found if part.line == line]
    asleep_s = _by_process(case, [part for part in mine if part.activity == SLEEPING])
    has_mpi = bool((case.run.processes["world_size"] > 0).all())
    left_out = {SLEEPING} if has_mpi else {SLEEPING, "child"}
    own_s = _by_process(case, [part for part in mine if part.activity not in left_out])
    if doing == BLOCKED:
        straight_s = np.minimum(asleep_s, before_calls_s(case.run, case.books))
        too_late_s = np.minimum(asleep_s - straight_s, overslept_s(case.run, case.books))
        own_s += straight_s + too_late_s
        own_s = own_s + np.minimum(asleep_s - straight_s - too_late_s, _most_of_others(own_s))
    charged = case.delays
    of_others_s = charged.causes_s[:, doing] * _told(case, mine, line)[charged.late]
    waited_s = np.bincount(charged.process, of_others_s, minlength=case.ranks)
    result: NDArray[np.float64] = own_s + waited_s
    return result


def _most_of_others(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """By process: the most that any other has."""
    if len(seconds) < 2:
        return np.zeros(len(seconds))
    second, first = np.sort(seconds)[-2:].tolist()
    result: NDArray[np.float64] = np.where(np.arange(len(seconds)) == int(np.argmax(seconds)), second, first)
    return result


def _told(case: Case, mine: list[Part], line: str) -> NDArray[np.float64]:
    """By process: which part is told here of all that it was blocked, or in files."""
    all_s = case.books.ledger[line] if line == "io_s" else case.run.threads.data["blocked_outside_ns"] * 1e-9
    part: NDArray[np.float64] = np.minimum(_by_process(case, mine) / np.maximum(all_s, 1e-12), 1.0)
    return part


def _waited_for_s(case: Case, found: list[Part], line: str, doing: int) -> NDArray[np.float64]:
    """By process: rank-seconds lost to its being blocked while others waited for it, its own included.

    Others are known to wait for its being blocked, or in files, whatever it was blocked in: what is told here is a
    part of that.
    """
    part = _told(case, [part for part in found if part.line == line], line)
    all_s = case.books.ledger[line] if line == "io_s" else case.run.threads.data["blocked_outside_ns"] * 1e-9
    own_s = np.minimum(longest_wait_s(case, doing), all_s)
    if doing == BLOCKED:  # asleep after what it looked for had come
        own_s = np.maximum(own_s, overslept_s(case.run, case.books))
    lost_s = part * (waited_for_s(case, doing) + own_s)
    for process, stopped_s in held_back_s(case).items():  # by a control group: no activity of its own (rule slow-host)
        lost_s[process] *= max(1 - stopped_s / max(float(own_s[process]), 1e-12), 0.0)
    return lost_s


def _those_waited_for(case: Case, lost_s: NDArray[np.float64]) -> str:
    """ "While the others waited for it, rank 3 was" """
    first = int(np.argmax(lost_s))
    if lost_s[first] > MOSTLY * lost_s.sum():
        return f"While the others waited for it, rank {case.tables.ranks[first].rank} was"
    return f"While the others waited, {int((lost_s > 0).sum()):,} of {case.ranks:,} ranks were in turn"


def _evidence(case: Case, rows: list[Blocked]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            row.what,
            f"{q.seconds(row.seconds)}, most of it rank {row.most_rank}"
            if row.ranks < case.ranks or (row.ranks > 1 and row.most_s > NEARLY_ALL * row.seconds)
            else _each(row),
            f"{q.plural(row.samples, 'sample')} of the main threads" if row.samples else "time in these calls",
        )
        for row in rows
    )


def _each(row: Blocked) -> str:
    return q.seconds(row.seconds) if row.ranks == 1 else f"{q.seconds(row.seconds)} in {row.ranks:,} ranks"
