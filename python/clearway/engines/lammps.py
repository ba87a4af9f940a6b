"""LAMMPS: log.lammps, or its standard output. Of several runs, the one with most steps is shown.

Loop time of 0.033003 on 2 procs for 100 steps with 864 atoms
Performance: 261.794 ns/day, 0.092 hours/ns, 3030.024 timesteps/s
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clearway.base.whole import is_whole
from clearway.engines.speed import Speed, number, per_step, positive
from clearway.engines.words import ENDS, About, Word, said

NAME = "LAMMPS"
REPRODUCES = 1e-7  # double precision, summed in another order; its log has eight digits
ENERGIES = ("PotEng", "E_pair", "TotEng")  # columns of the table of a run, the most telling first
VERSION = r"^LAMMPS \(([^)\n]+)\)"
RUN = re.compile(
    r"^Loop time of ([\d.eE+-]+) on \d+ procs for (\d+) steps.*\n+(?:Performance: ([\d.eE+-]+) (\S+),)?", re.M
)

OFTEN = 10  # times in a run
TABLE = re.compile(r"^ *(Step .*)\n((?: *[-\d].*\n)+)", re.M)


def recognises(beginning: str) -> bool:
    return re.search(r"^LAMMPS \(\d", beginning, re.MULTILINE) is not None


def speed(text: str) -> Speed:
    runs = list(RUN.finditer(text))
    if not runs:
        return Speed()
    longest = max(runs, key=lambda match: int(match.group(2)))
    steps = int(longest.group(2))
    # Units that are not of our world give tau/day or none.
    ns_per_day = positive(longest.group(3)) if longest.group(4) == "ns/day" else None
    loop_s = positive(longest.group(1))
    return Speed(ns_per_day, per_step(loop_s, steps), steps, loop_s)


def energies(text: str) -> dict[int, float]:
    """By step, of the first run that has it."""
    found: dict[int, float] = {}
    for titles, rows in TABLE.findall(text):
        columns = titles.split()
        energy = next((columns.index(name) for name in ENERGIES if name in columns), None)
        for row in rows.splitlines():
            figures = row.split()
            if energy is not None and len(figures) == len(columns) and is_whole(figures[0]):
                found.setdefault(int(figures[0]), number(figures[energy]))
    return found


def broken_promises(text: str) -> int:
    """How often an atom had come too far when its neighbour list was made anew; LAMMPS counts them where it checks."""
    return sum(map(int, re.findall(r"^Dangerous builds = (\d+)", text, re.MULTILINE)))


# Of a run's table: "Pair    | 0.17943    | 0.19775    | 0.21606    |   4.1 | 54.79", the least, mean and longest time.
SECTION = re.compile(
    r"^(Pair|Bond|Kspace|Neigh|Output|Modify) +\| +([\d.eE+-]+) +\| +([\d.eE+-]+) +\| +([\d.eE+-]+) +\|", re.M
)
ATOMS = re.compile(r"^Nlocal: +([\d.]+) ave +(\d+) max +(\d+) min", re.M)


FIX = re.compile(r"^fix[ \t]+\S+[ \t]+\S+[ \t]+(\S+).*$", re.M)
MOVING = re.compile(r"(?:nve|nvt|npt|nph|langevin|momentum|balance|print|halt)(?:/|$)")  # and what hardly takes time
MOST_FIXES = 4


PICTURES = re.compile(r"^dump[ \t]+\S+[ \t]+\S+[ \t]+(?:image|movie)[ \t].*$", re.M)
MANY_TO_SORT = 20_000  # positions of fewer fit into a cache
SYNCHRONISED = re.compile(r"^timer[ \t](.*)$", re.M)

UNITS = re.compile(r"^units[ \t]+(\w+)", re.M)
SKIN = re.compile(r"^neighbor[ \t]+([\d.eE+-]+)[ \t]+(?:bin|nsq|multi)", re.M)
USUAL_SKIN = {"lj": 0.3, "real": 2.0, "metal": 2.0}  # LAMMPS' own, by units
WIDE = 2.0  # times the usual one: hot systems, and lists on other processors, are better off with a wider one

KSPACE = re.compile(r"^kspace_style[ \t].*", re.M)
EWALD = re.compile(r"kspace_style[ \t]+(ewald(?:/omp|/opt)?)[ \t]+([\d.eE+-]+)")
MANY_ATOMS = 1000  # fewer, and the mesh is not much faster
# Of an Ewald sum's own time. Seen with ions, to 1e-4 and 1e-5, the mesh took a half for 512, 17 and 22 % for 1,728, 6
# and 9 % for 4,096.
SPARED_BY_MESH = 0.7

EACH_WITH_EACH = re.compile(r"^ +pair build: \S*\bnsq\b", re.M)  # of a list of neighbours, without cells
MANY_TO_COMPARE = 4000  # atoms of a rank: fewer are compared nearly as fast as they are put into cells
# Of the time in lists. Seen with 4,000, 8,788 and 23,328 atoms of a liquid, cells took 10, 4 and 2 % of it.
SPARED_BY_CELLS = 0.7

TOTAL = re.compile(r"^Total wall time: (\d+):(\d\d):(\d\d)$", re.M)  # of all of it: whole seconds
ENOUGH_S = 10


def words(text: str) -> Iterator[Word]:
    """Of the longest run, but for what went by between them."""
    runs = list(RUN.finditer(text))
    if not runs:
        return
    yield from _between(text, runs)
    longest = max(runs, key=lambda match: int(match.group(2)))
    following = [match.start() for match in runs if match.start() > longest.start()]
    table = text[longest.start() : min(following, default=len(text))]
    loop_s = positive(longest.group(1))
    rows = {name: [positive(figure) or 0.0 for figure in figures] for name, *figures in SECTION.findall(table)}
    output, neighbours = rows.pop("Output", None), rows.get("Neigh")
    if rows and loop_s:
        name = max(rows, key=lambda name: rows[name][2] - rows[name][1])
        least_s, mean_s, most_s = rows[name]
        says = f"{name}: {least_s:.3g} s on one rank, {most_s:.3g} s on another, {mean_s:.3g} s on average"
        yield Word(About.IMBALANCE, says, min(max(most_s - mean_s, 0.0) / loop_s, 1.0))
    yield from _skin(text[: longest.start()], rows)
    yield from _ewald(text[: longest.start()], longest[0], rows, loop_s)
    yield from _each_with_each(text[: longest.start()], table, rows, loop_s)
    yield from _noted(text[: longest.start()])
    atoms = ATOMS.search(table)
    if atoms and int(atoms[3]) == 0 and int(atoms[2]) > 0:
        yield Word(About.EMPTY, f"a rank has no atoms, another {int(atoms[2]):,}")
    if output and loop_s:
        share = min(output[1] / loop_s, 1.0)
        yield Word(About.OUTPUT, f"Output: {100 * share:.3g} % of the time", share)
        for line in [*dict.fromkeys(said(line[0]) for line in PICTURES.finditer(text[: longest.start()]))][:MOST_FIXES]:
            yield Word(About.PICTURES, line)
    if (fixes := rows.get("Modify")) and loop_s:
        share = min(fixes[1] / loop_s, 1.0)
        yield Word(About.FIXES, f"Modify: {100 * share:.3g} % of the time", share)
        told = {said(line[0]): None for line in FIX.finditer(text[: longest.start()]) if not MOVING.match(line[1])}
        yield from (Word(About.FIX, line) for line in [*told][:MOST_FIXES])
    built, steps = re.search(r"^Neighbor list builds = (\d+)", table, re.M), int(longest.group(2))
    if neighbours and loop_s and built and int(built[1]) >= OFTEN:
        share, kept = min(neighbours[1] / loop_s, 1.0), max(steps / int(built[1]), 1.0)
        yield Word(About.NEIGHBOURS, f"Neigh: {100 * share:.3g} % of the time", share)
        says = f"{int(built[1]):,} neighbour lists were built in {steps:,} steps"
        yield Word(About.LIST_KEPT, says, kept)


def _noted(text: str) -> Iterator[Word]:
    """A barrier between the parts of each step, so that its table of time tells them apart; the last word counts."""
    asked = [word for line in SYNCHRONISED.finditer(text) for word in line[1].split() if word in ("sync", "nosync")]
    if asked and asked[-1] == "sync":
        yield Word(About.MEASURING, "timer sync")
    sorts = re.findall(r"^atom_modify[ \t].*?\bsort[ \t]+(\d+)", text, re.M)
    atoms = re.search(r"^ +(\d+) atoms$", text, re.M)
    if sorts and int(sorts[-1]) == 0 and atoms and int(atoms[1]) >= MANY_TO_SORT:
        yield Word(About.UNSORTED, "atom_modify sort 0")


def _ewald(text: str, run: str, rows: dict[str, list[float]], loop_s: float | None) -> Iterator[Word]:
    """The sum is over as many waves for each atom as there are more atoms; a mesh needs hardly more for each."""
    styles, atoms = KSPACE.findall(text), re.search(r"with (\d+) atoms", run)
    style = EWALD.match(styles[-1]) if styles else None
    if style is None or not atoms or int(atoms[1]) < MANY_ATOMS:
        return
    if "Kspace" in rows and loop_s:
        share = min(rows["Kspace"][1] / loop_s, 1.0)
        says = f"{said(style[0])}: Kspace: {100 * share:.3g} % of the time, with {int(atoms[1]):,} atoms"
        yield Word(About.SLOW_WAY, says, SPARED_BY_MESH * share)
        yield Word(About.FASTER, f"kspace_style {style[1].replace('ewald', 'pppm')} {style[2]}")


def _each_with_each(text: str, table: str, rows: dict[str, list[float]], loop_s: float | None) -> Iterator[Word]:
    """Each atom of a rank is compared with each other one, where cells would leave those nearby."""
    atoms, lists = ATOMS.search(table), re.findall(r"^ +pair build: .*", text, re.M)
    skins = SKIN.findall(text)
    if not loop_s or "Neigh" not in rows or not atoms or float(atoms[1]) < MANY_TO_COMPARE:
        return
    if lists and EACH_WITH_EACH.match(lists[-1]):
        share = min(rows["Neigh"][1] / loop_s, 1.0)
        says = f"{said(lists[-1])}: Neigh: {100 * share:.3g} % of the time, with {float(atoms[1]):,.0f} atoms a rank"
        yield Word(About.SLOW_WAY, says, SPARED_BY_CELLS * share)
        yield Word(About.FASTER, f"neighbor {skins[-1] if skins else '…'} bin")


def _skin(text: str, rows: dict[str, list[float]]) -> Iterator[Word]:
    """Of pairs in the list, those farther away than the usual skin: the list has as many as its sphere is wide."""
    skins, units = SKIN.findall(text), UNITS.search(text)
    listed = [float(one) for one in re.findall(r"^ *master list distance cutoff = ([\d.]+)$", text, re.M)]
    usual = USUAL_SKIN.get(units[1] if units else "lj")
    all_s = sum(mean_s for _, mean_s, _ in rows.values())
    if not skins or not listed or usual is None or all_s <= 0:
        return
    skin, cutoff = number(skins[-1]), listed[-1] - number(skins[-1])
    if cutoff <= 0 or skin < WIDE * usual:
        return
    beyond = 1 - ((cutoff + usual) / (cutoff + skin)) ** 3
    share = beyond * sum(rows[name][1] for name in ("Pair", "Neigh") if name in rows) / all_s
    says = f"neighbor {skin:g}: with a cutoff of {cutoff:.3g}, the list reaches to {cutoff + skin:.3g}"
    yield Word(About.SKIN, says, share)


def _between(text: str, runs: list[re.Match[str]]) -> Iterator[Word]:
    """Of a log that was cut, nobody knows how many runs are missing."""
    total = TOTAL.search(text)
    if total is None or len(runs) < OFTEN or len(text) > 2 * ENDS:
        return
    hours, minutes, seconds = map(int, total.groups())
    all_s, loops_s = 3600 * hours + 60 * minutes + seconds, sum(positive(run[1]) or 0.0 for run in runs)
    if all_s >= ENOUGH_S:
        says = (
            f"{len(runs):,} runs, {sum(int(run[2]) for run in runs):,} steps: {loops_s:.3g} s in them, of {all_s:,} s"
        )
        yield Word(About.BETWEEN_RUNS, says, max(1 - loops_s / all_s, 0.0))
