"""docs/io-cache-benchmark.md, from what has been measured so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from diagnosis.building import REPOSITORY
from measured.circumstances import told as told_circumstances

from clearway.base import quantities as q
from io_cache.disks import DISKS, LATENCY_NS
from io_cache.programs import PROGRAMS, Program
from io_cache.results import Kept, middle, of
from io_cache.ways import HALF, MEMORY, PLAIN, RECOMMENDED, TMPFS, WAYS, WHOLE

PAGE = REPOSITORY / "docs/io-cache-benchmark.md"
ROWS = ("uncached", "throttled", "healthy")
COLUMNS = (PLAIN, HALF, WHOLE)
MEASURED = {(way.disk, way.name) for way in WAYS}

METHOD = f"""\
Quantum chemistry programs with small inputs, each with its scratch files on three file systems:

- *uncached*: {DISKS["uncached"].what},
  plus {LATENCY_NS // 1000} µs per request, like a file server whose clients do not cache. FUSE with direct I/O.
- *throttled*: {DISKS["throttled"].what}: enough for the program itself and {100 * MEMORY:.0f} % of its scratch, used
  by the page cache or by the I/O cache. ext4 on a loop device, with the blkio and memory controllers.
- *healthy*: {DISKS["healthy"].what}.

*Plain* is without the I/O cache, with only the kernel's page cache, if the file system uses it. *Half* and *all* use
the I/O cache with a budget of 50 % and 150 % of the largest total size of the scratch files. It caches its default
choice of files, here the program's whole working directory, which is in TMPDIR; the throttled disk's control group has
no room for *all*. *tmpfs* has all files in memory, without the I/O cache. OpenMolcas consists of several programs that
pass files on: each writes its files to the disk when it ends, and the next reads them from there.

Figures are elapsed seconds, minus the time in which other programs had the core, followed by elapsed ÷ (CPU + waiting
for a core): 1.00 means that the program waited for nothing else. Medians of {{rounds}}, with the smallest and the
largest below. All energies are the same to the last printed digit. (`tests/io_cache/test_programs.py` tests this, and
that all remaining files are identical byte by byte.)"""


def write_page(runs: Sequence[Kept]) -> None:
    PAGE.write_text("\n".join(page(runs)) + "\n")
    print(f"wrote {PAGE}")


def page(runs: Sequence[Kept]) -> Iterator[str]:
    known = [program for program in PROGRAMS.values() if any(one.program == program.name for one in runs)]
    numbers = [len(of(runs, program.name, disk, PLAIN)) for program in known for disk in ROWS]
    fewest, most = min(numbers), max(numbers)
    rounds = "1 round" if most == 1 else f"{most} rounds" if fewest == most else f"{fewest} to {most} rounds"
    yield "# Scratch files in memory, measured\n"
    yield METHOD.format(rounds=rounds)
    yield f"\n{told_circumstances(one.circumstances for one in runs if one.circumstances)}, as root, by"
    yield "`make bench-io-cache`; each run is in `benchmarks/io_cache/results.jsonl`.\n"
    yield "| program | scratch | file system | plain | half | all | tmpfs |"
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: |"
    for program in known:
        yield from rows(runs, program)
    yield "\n## Goals\n"
    yield from aims(runs, known)
    yield "\n## Promised and measured\n"
    yield "The options recommended by the finding of the plain run on the uncached file system, tested there.\n"
    yield "| program | recommended | plain | with it | promised gain | measured gain | off by |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    yield from (promise(runs, program) for program in known)
    yield from noise(runs, known)


def noise(runs: Sequence[Kept], known: Sequence[Program]) -> Iterator[str]:
    """How far CPU times of equal runs are apart where nothing is waited for: smaller differences say nothing."""
    cells = [of(runs, program.name, "healthy", way) for program in known for way in COLUMNS]
    spreads = sorted(
        (max(one.cpu_s for one in cell) - min(one.cpu_s for one in cell)) / median(one.cpu_s for one in cell)
        for cell in cells
        if len(cell) > 1
    )
    if spreads:
        apart, most = (f"{100 * spread:.0f} %" for spread in (median(spreads), spreads[-1]))
        yield "\nOn the healthy disk the programs wait for nothing, but CPU times of identical runs here differ"
        yield f"by {apart}, in the worst case {most}: smaller differences may be chance."


def rows(runs: Sequence[Kept], program: Program) -> Iterator[str]:
    for number, disk in enumerate(ROWS):
        mine = [one for one in runs if one.program == program.name]
        size = q.bytes_(middle(mine, lambda one: one.scratch_bytes))
        cells = [cell(of(runs, program.name, disk, way)) if (disk, way) in MEASURED else "" for way in COLUMNS]
        cells.append(cell(of(runs, program.name, "memory", TMPFS)) if number == 0 else "")
        title = f"{program.what} | {size}" if number == 0 else " | "
        yield f"| {title} | {disk} | {' | '.join(cells)} |"


def cell(runs: Sequence[Kept]) -> str:
    own_s, stretch = middle(runs, lambda one: one.own_s), middle(runs, lambda one: one.stretch)
    if own_s is None or stretch is None:
        return "–"
    least, most = min(one.own_s for one in runs), max(one.own_s for one in runs)
    return f"{own_s:.2f} ({stretch:.2f})" + (f"<br>{least:.2f} – {most:.2f}" if len(runs) > 1 else "")


def aims(runs: Sequence[Kept], known: Sequence[Program]) -> Iterator[str]:
    def stretch(program: str, disk: str, way: str) -> float | None:
        return middle(of(runs, program, disk, way), lambda one: one.stretch)

    def over_plain(program: str, disk: str, way: str) -> float | None:
        mine, plain = (middle(of(runs, program, disk, one), lambda one: one.own_s) for one in (way, PLAIN))
        return mine / plain if mine and plain else None

    def row(aim: str, figure: Callable[[str, str, str], float | None], disk: str, way: str, most: float) -> str:
        values = {program.name: figure(program.name, disk, way) for program in known}
        figures = {name: value for name, value in values.items() if value is not None}
        met = sum(value <= most for value in figures.values())
        return f"| {aim} | {met} of {len(figures)} | {told(figures)} |"

    def told(figures: dict[str, float]) -> str:
        return ", ".join(f"{name} {value:.2f}" for name, value in figures.items()) or "not measured"

    yield "| goal | met by | measured |"
    yield "| --- | --- | --- |"
    tmpfs = {program.name: stretch(program.name, "memory", TMPFS) or 0.0 for program in known}
    fits = f"uncached, *all*: elapsed ÷ (CPU + waiting for a core) at most 1.05 (tmpfs: {told(tmpfs)})"
    yield row(fits, stretch, "uncached", WHOLE, 1.05)
    yield row("uncached, *half*: at most 0.67 of plain", over_plain, "uncached", HALF, 0.67)
    for disk, way, name in (("healthy", WHOLE, "all"), ("healthy", HALF, "half"), ("throttled", HALF, "half")):
        yield row(f"{disk}, *{name}*: at most 1.03 of plain", over_plain, disk, way, 1.03)


def promise(runs: Sequence[Kept], program: Program) -> str:
    plain, tried = of(runs, program.name, "uncached", PLAIN), of(runs, program.name, "uncached", RECOMMENDED)
    plain_s, tried_s = middle(plain, lambda one: one.own_s), middle(tried, lambda one: one.own_s)
    promised_s = middle(plain, lambda one: one.promised_s)
    if plain_s is None or tried_s is None or promised_s is None:
        return f"| {program.name} | – | – | – | – | – | – |"
    gained_s = plain_s - tried_s
    off = f"{100 * (promised_s / gained_s - 1):+.0f} %" if gained_s > 0 else "–"
    size = next(one.recommended[0] for one in reversed(plain) if one.recommended).partition("=")[2]
    return f"| {program.name} | {size} | {plain_s:.2f} | {tried_s:.2f} | {promised_s:.2f} | {gained_s:.2f} | {off} |"
