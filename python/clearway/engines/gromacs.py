"""GROMACS: md.log, or the standard error of mdrun.

               (ns/day)    (hour/ns)
Performance:       13.945        1.721
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clearway.engines.speed import Speed, last_number, number, whole
from clearway.engines.words import About, Word, said

NAME = "GROMACS"
VERSION = r":-\) +GROMACS - .*?, (\S+)"
PS_PER_NS = 1000
S_PER_DAY = 86_400
REPRODUCES = 2e-5  # of the potential energy of the same positions: mixed precision, summed in another order
FIELD = 15  # columns of a name, and of its figure

# Bits that an instruction works on at once, by what mdrun calls the set; of others nothing is said. AVX_512 counts as
# 256: processors run slower with it, and mdrun's manual says to try both.
WIDTHS = {
    "None": 32,
    "SSE2": 128,
    "SSE4.1": 128,
    "AVX_128_FMA": 128,
    "AVX_256": 256,
    "AVX2_128": 128,
    "AVX2_256": 256,
    "AVX_512": 256,
}
OFTEN = 10  # times in a run
NO_SIMD = ("GMX_DISABLE_SIMD_KERNELS", "GMX_NOOPTIMIZEDKERNELS")  # variables that are made to find faults
SPARED_BY_SIMD = 0.6  # of the time of forces. Seen with water, with SSE4.1: 0.8
# What SIMD instructions compute, in mdrun's table of time.
KERNELS = ("Force", "PME mesh", "PME spread", "PME gather", "Neighbor search", "Constraints", "Update", "LINCS")

# A list for 10 to 40 steps reaches 0 to 0.15 nm beyond the cutoff, by mdrun's own choice. What is farther away is
# computed and thrown away. Seen with water: 0.81 of the time was spared with 0.8 nm, where 0.58 is said, 0.72 with 0.4,
# where 0.35 is said.
USUAL_BUFFER_NM, WIDE_BUFFER_NM = 0.15, 0.3
IN_VAIN = 0.8
LISTS = re.compile(
    r"^Using a (?:dual )?\S+ pair-list setup[^\n]*\n(?: +outer list:[^\n]*\n)?"
    r" +(?:inner list: +)?updated every +\d+ steps?, buffer +([\d.]+) nm, rlist +([\d.]+) nm",
    re.M,
)
SPARED_WITHOUT_ENERGIES = 0.12  # of the time of forces. Seen with water: 0.15
FEW_ENERGIES = 10  # steps between those that are written, or more

# What comes with each new list of neighbours.
FOR_LISTS = ("Neighbor search", "Domain decomp.", "DD comm. load", "DD comm. bounds")


def recognises(beginning: str) -> bool:
    return re.search(r":-\) +GROMACS - .*mdrun", beginning) is not None


def speed(text: str) -> Speed:
    ns_per_day = last_number(r"^Performance: +([\d.]+)", text)
    dt_ps = last_number(r"^ +dt += +([\d.eE+-]+)", text)
    # Step 0 is counted, too: "Statistics over 20001 steps".
    frames = last_number(r"Statistics over (\d+) steps", text)
    steps = frames - 1 if frames is not None else last_number(r"^ +nsteps += +(\d+)", text)
    s_per_step = dt_ps / PS_PER_NS * S_PER_DAY / ns_per_day if dt_ps and ns_per_day else None
    wall_s = last_number(r"^ +Time: +[\d.]+ +([\d.]+)", text)
    return Speed(ns_per_day, s_per_step, whole(steps), wall_s)


def energies(text: str) -> dict[int, float]:
    """The potential energy by step; averages at the end are none of a step."""
    text = text.partition("A V E R A G E S")[0]
    found = {}
    for step, table in re.findall(
        r"^ +Step +Time\n +(\d+) +\S+\n\n +Energies \(kJ/mol\)\n(.*?)\n\n", text, re.M | re.S
    ):
        figures = dict(_fields(table.splitlines()))
        if "Potential" in figures:
            found[int(step)] = number(figures["Potential"])
    return found


def shares(text: str) -> dict[str, float]:
    """Of the time, by what it was spent on: "Neighbor search": 0.035. Of the last run in the log."""
    table = text.rpartition("T I M E   A C C O U N T I N G")[2].partition("Total  ")[0]
    rows = re.findall(r"^ ([A-Z][^\n]*?) {2,}[^\n]* ([\d.]+)$", table, re.MULTILINE)
    return {name: float(percent) / 100 for name, percent in rows if re.fullmatch(r"\d+(\.\d+)?", percent)}


def times(text: str, name: str) -> int:
    """How often it did what the table of time has a row for."""
    table = text.rpartition("T I M E   A C C O U N T I N G")[2].partition("Total  ")[0]
    row = re.search(rf"^ {re.escape(name)} +\d+ +\d+ +(\d+) ", table, re.MULTILINE)
    return int(row[1]) if row else 0


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for names, figures in zip(lines[::2], lines[1::2], strict=False):
        for at in range(0, len(figures.rstrip()), FIELD):
            yield names[at : at + FIELD].strip(), figures[at : at + FIELD].strip()


def words(text: str) -> Iterator[Word]:
    """The last of each: a log may hold several runs."""
    yield from _instructions(text)
    flags = re.findall(r"^C\+\+ compiler flags: +(.*)$", text, re.MULTILINE)
    if flags and not re.search(r"(^| )-O[123sf]", flags[-1]) and flags[-1].strip():
        yield Word(About.UNOPTIMISED, said("C++ compiler flags:", flags[-1]))
    waited = last_number(r"spent waiting due to load imbalance: ([\d.]+) ?%", text)
    if waited is not None:
        yield Word(About.IMBALANCE, f"{waited:.3g} % of the run time spent waiting due to load imbalance", waited / 100)
    balanced = re.findall(r"^ *(DLB was off during the run[^\n]*|DLB got disabled[^\n]*)", text, re.MULTILINE)
    if balanced or re.search(r"^Dynamic load balancing: off$", text, re.MULTILINE):
        yield Word(About.NOT_BALANCED, said(balanced[-1]) if balanced else "Dynamic load balancing: off")
    notes = re.findall(
        r"^NOTE: ([\d.]+) % performance was lost because the PME ranks\n +had (more|less) work to do than the PP ranks",
        text,
        re.MULTILINE,
    )
    if notes:
        percent, which = notes[-1]
        says = f"{percent} % performance was lost because the PME ranks had {which} work to do than the PP ranks"
        yield Word(About.PME_MORE if which == "more" else About.PME_LESS, says, number(percent) / 100)
    for note in re.findall(r"^NOTE: (\d+ % of the run time was spent .*(?:\n {6}.*)*)", text, re.MULTILINE)[-3:]:
        yield Word(About.WARNING, said(note))
    if re.search(r"^MPI_Barrier was called before each cycle start/stop", text, re.MULTILINE):
        yield Word(About.MEASURING, "MPI_Barrier was called before each cycle (GMX_CYCLE_BARRIER)")
    precision = re.findall(r"^Precision: +(\w+)", text, re.MULTILINE)
    if precision and precision[-1] == "double":
        yield Word(About.DOUBLE, "Precision: double")
    yield from _plain_kernels(text)
    yield from _wide_list(text)
    yield from _energies_each_step(text)
    yield from _spent(text)


def _wide_list(text: str) -> Iterator[Word]:
    """Of pairs of atoms in the list that is computed in each step, most are too far apart to act on each other."""
    lists, spent = LISTS.findall(text), shares(text)
    if not lists or "Force" not in spent:
        return
    buffer, reach = map(number, lists[-1])
    if buffer < WIDE_BUFFER_NM or reach <= buffer:
        return
    beyond = 1 - ((reach - buffer + USUAL_BUFFER_NM) / reach) ** 3
    for_pairs = min(spent["Force"] + spent.get("Neighbor search", 0.0), 1.0)
    says = f"buffer {buffer:g} nm, rlist {reach:g} nm; Force and Neighbor search: {100 * for_pairs:.3g} % of the time"
    yield Word(About.SLOW_WAY, says, IN_VAIN * beyond * for_pairs)
    yield Word(About.FASTER, "verlet-buffer-tolerance = 0.005")


def _energies_each_step(text: str) -> Iterator[Word]:
    """Energies are computed with the forces of each step, and most are never written."""
    every = {
        name: last_number(rf"^ +{name} += +(-?\d+)", text) for name in ("nstcalcenergy", "nstpcouple", "nsttcouple")
    }
    written, force = last_number(r"^ +nstenergy += +(\d+)", text), shares(text).get("Force")
    if every["nstcalcenergy"] != 1 or not written or written < FEW_ENERGIES or not force:
        return
    if re.search(r"^ +(?:free-energy += +(?!no$)\S|integrator += +(?!md$|md-vv$|sd$)\S)", text, re.M):
        return
    each = [name for name, steps in every.items() if steps == 1]
    says = f"{', '.join(f'{name} = 1' for name in each)}; Force: {100 * force:.3g} % of the time"
    yield Word(About.SLOW_WAY, says, SPARED_WITHOUT_ENERGIES * force)
    yield Word(About.FASTER, "nstcalcenergy = 100")


def _plain_kernels(text: str) -> Iterator[Word]:
    """Pair by pair, though the build has instructions for several; the last run in the log counts."""
    kernels = re.findall(r"^Using (plain C|SIMD) \S+ nonbonded short-range kernels", text, re.MULTILINE)
    built = re.findall(r"^SIMD instructions selected at compile time: +(\S+)", text, re.MULTILINE)
    disabled = re.findall(rf"^Found environment variable ({'|'.join(NO_SIMD)})\.", text, re.MULTILINE)
    force = shares(text).get("Force")
    if not kernels or kernels[-1] != "plain C" or not disabled or not force or not built or built[-1] == "None":
        return
    says = f"Found environment variable {disabled[-1]}; plain C kernels; Force: {100 * force:.3g} % of the time"
    yield Word(About.SLOW_WAY, says, SPARED_BY_SIMD * force)
    yield Word(About.FASTER, f"unset {disabled[-1]}")


def _spent(text: str) -> Iterator[Word]:
    """On what could be done less often. Every run writes its last step: that alone is nothing to do less often."""
    spent, steps = shares(text), speed(text).steps
    if times(text, "Write traj.") >= OFTEN and "Write traj." in spent:
        yield Word(About.OUTPUT, f"Write traj.: {100 * spent['Write traj.']:.3g} % of the time", spent["Write traj."])
    lists = times(text, "Neighbor search")
    if lists >= OFTEN and steps:
        kept, share = max(steps / lists, 1.0), sum(spent.get(name, 0.0) for name in FOR_LISTS)
        says = f"Neighbor search and Domain decomp.: {100 * share:.3g} % of the time"
        yield Word(About.NEIGHBOURS, says, share)
        yield Word(About.LIST_KEPT, f"a list of neighbours is kept for {kept:.3g} step{'' if kept == 1 else 's'}", kept)


def _instructions(text: str) -> Iterator[Word]:
    """As mdrun compares what it was built with and what the processors have."""
    highest = re.findall(r"^Highest SIMD level supported by all nodes in run: (\S+)", text, re.MULTILINE)
    built = re.findall(r"^SIMD instructions selected at compile time: +(\S+)", text, re.MULTILINE)
    if not highest or not built or highest[-1] not in WIDTHS or built[-1] not in WIDTHS:
        return
    ratio = WIDTHS[built[-1]] / WIDTHS[highest[-1]]
    if ratio < 1:
        yield Word(About.INSTRUCTIONS, f"compiled for {built[-1]}, the processors have {highest[-1]}", ratio)
        spent = shares(text)
        yield Word(About.KERNELS, "kernels", min(sum(spent.get(name, 0.0) for name in KERNELS), 1.0))
