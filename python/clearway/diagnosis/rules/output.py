"""The job's own output holds it up: what ranks print, and passing that on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.file_time import claims, file_times, shares
from clearway.diagnosis.facts.other_programs import foreign_load, passing_on_s
from clearway.diagnosis.facts.output import full_s, is_output, is_stream, prints_of
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.facts.unbuffered import unbuffered
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import text

TITLE = "Printing takes time"
FULL_TITLE = "Ranks wait for the reader of their output"
REMEDIES = ("print-less", "keep-lines", "output-file")
MOSTLY = 0.5  # of the time in printing
MANY = 2_000  # prints a second of a machine: to pass fewer on takes less of a core than is worth saying
PRINT_S = 50e-6  # of CPU time to pass one on, at most: 11 us measured by Open MPI, whose launcher does more than that
FEW_BYTES = 512  # of a print


def examine(case: Case) -> Suspicion | None:
    """Claims the time in printing, and run delay as far as the launcher and the kernel had the cores to pass it on."""
    times, output = file_times(case).output_s, is_output(case)
    spent_s, passing = float(times.sum()), dict(_passing_on(case))
    claimed = claims(case, shares(case).output)
    claimed["core_wait_s"] = sum(lost_s for _, lost_s in passing.values())
    if not output.any() or sum(claimed.values()) <= 0:
        return None
    blocked_s = min(full_s(case), spent_s)
    is_full = blocked_s > MOSTLY * case.tables.ledger.io_s * shares(case).output
    title = FULL_TITLE if is_full else ""
    evidence = (
        *_files(case),
        *([Evidence("the reader took no more", q.seconds(blocked_s), "samples of what ranks did")] * is_full),
        *_passed_on(passing),
    )
    return Suspicion(claimed, _says(case, is_full), evidence, confidence=0.94, title=title)


def _passing_on(case: Case) -> Iterator[tuple[str, tuple[float, float]]]:
    """By host: CPU time that it took to pass on what ranks print, and the run delay of ranks with cores of their own
    that this explains: no more than it lasted, and only its part where strangers had the cores as well."""
    sharing = set(crowded(case))
    for members in machines(case).values():
        alone = [process for process in members if process not in sharing]
        waited_s = float(case.books.ledger["core_wait_s"][alone].sum())
        prints = prints_of(case, members)
        used_s = min(passing_on_s(case, members), PRINT_S * prints)
        if prints < MANY * case.wall_s or waited_s <= 0 or used_s <= 0:
            continue
        had = used_s / (used_s + foreign_load(case, members)[0])
        lost_s = min(used_s / waited_s, had) * charged_s(case, "core_wait_s", alone)
        yield case.tables.ranks[members[0]].host, (used_s, lost_s)


def _passed_on(passing: dict[str, tuple[float, float]]) -> Iterator[Evidence]:
    for host, (used_s, _) in passing.items():
        yield Evidence(f"passing it on, on {host}", f"{used_s:.2f} CPU-seconds", "launcher, and kernel")


def _files(case: Case) -> Iterator[Evidence]:
    for path, calls, written, seconds in _printed(case):
        said = f"{calls:,} times, {q.bytes_(written)}, {q.seconds(seconds)}"
        yield Evidence(f"to {path}", f"{said}: {q.seconds(seconds / calls)} each", "all ranks")


def _printed(case: Case) -> list[tuple[str, int, int, float]]:
    """Name, writes, bytes and seconds of what is printed to, most seconds first."""
    data, seconds, output = case.run.files.data, file_times(case).output_s, is_output(case)
    found = []
    for path in np.unique(data["path"][output]):
        mine = output & (data["path"] == path)
        calls, written = int(data["writes"][mine].sum()), int(data["written_bytes"][mine].sum())
        if calls:
            found.append((text(path), calls, written, float(seconds[mine].sum())))
    return sorted(found, key=lambda one: -one[3])[:3]


def _says(case: Case, is_full: bool) -> str:
    printed = _printed(case)
    calls, written = sum(one[1] for one in printed), sum(one[2] for one in printed)
    who = _who(case)
    names = " and ".join(one[0] for one in printed)
    if is_full:
        return (
            f"{who} had to wait while printing to {names}, because the reader took no more: a terminal, a pipe to "
            f"another program, a log collector. {q.bytes_(written)} were printed in all."
        )
    little = calls >= MANY and written < FEW_BYTES * calls
    how = f"{calls:,} times, {q.bytes_(written / max(calls, 1))} on average," if little else q.bytes_(written)
    said = f"{who} printed {how} to {names}."
    if little:
        said += unbuffered(case, printed[0][0])
    if is_stream(case).any():
        said += (
            " The output of a rank goes through the kernel to the launcher, and from there to the screen or a file: "
            "that takes CPU time, too."
        )
    return said


def _who(case: Case) -> str:
    files = case.run.files
    printing = sorted(set(files.process[is_output(case) & (files.data["writes"] > 0)].tolist()))
    if len(printing) == 1:
        return f"Rank {case.tables.ranks[printing[0]].rank}" if case.ranks > 1 else "The program"
    return f"{len(printing):,} ranks"
