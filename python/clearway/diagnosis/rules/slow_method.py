"""The engine says in its own log that its input makes it compute something in a slower way than it has."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import its_rank_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "The input asks for a slow way to compute the same"
OF_THE_ENVIRONMENT = "A variable in the environment asks for a slow way to compute the same"
UNSET = "unset"  # what is faster begins so
REMEDIES = ()
MUCH = 0.05  # of the engine's time
IN_THE_INPUT = "with `{}` in the input"
WAYS = {  # by the first word of what is faster: how to say it, and why
    "kspace_style": (
        IN_THE_INPUT,
        """With an Ewald sum, the time for each atom grows with the number of atoms; with the mesh (PPPM) it hardly
        does, and forces are computed to the same accuracy. The estimate is less than what was saved in our tests with
        1,728 and 4,096 ions.""",
    ),
    "mixing_beta": (
        IN_THE_INPUT,
        """With a small `mixing_beta`, each iteration of self-consistency takes only a small part of the new density, so
        more of them are needed. For a molecule, a semiconductor and a metal, the default needed about half as many;
        the estimate counts a third. Some surfaces and magnets need a small value: if the estimated accuracy goes up
        and down instead of falling, take 0.3, or `mixing_mode = 'local-TF'`.""",
    ),
    "K_POINTS": (
        IN_THE_INPUT,
        """The only k-point is the origin, and the input names it as one of a grid or a list. There wave functions can
        be real numbers, half as many as complex ones, but pw.x uses that only if it is told so. Energy and forces are
        the same. Some programs that go on from these wave functions cannot read them so.""",
    ),
    "nbnd": (
        "without `nbnd` in the input",
        """More than half of the bands are empty. They do not change energy or forces, and each takes as long as a
        filled one at least. If you need them (an optical spectrum, a density of states above the gap), compute them
        once, from the finished density (`calculation = 'nscf'`). The estimate keeps a fifth more than are filled.""",
    ),
    "ecutrho": (
        "without `ecutrho` in the input",
        """With norm-conserving pseudopotentials, the density needs four times the cutoff of the wave functions, which
        is the default; more makes its grid finer, and changes next to nothing. A cutoff for ultrasoft or PAW ones is
        easily left in the input. For gradient corrections in a vacuum, six times is the most that some use.""",
    ),
    "nr1": (
        "without `nr1`, `nr2`, `nr3` (and `nr1s` …) in the input",
        """They make the grid of the Fourier transforms finer than the cutoffs need; pw.x chooses one that is fine
        enough. Often they stayed in the input when the cell or the cutoff changed.""",
    ),
    "neighbor": (
        IN_THE_INPUT,
        """To find neighbours, each atom of a rank is compared with each other one, which takes four times as long for
        twice as many atoms. With `bin`, atoms are put into cells first, and compared with those of the cells around.
        The lists, and all forces, are the same.""",
    ),
    "nspin": (
        "without `nspin` in the input",
        """Each k-point is computed for both spins, and they came out the same: nothing here is magnetic. Energy and
        forces do not change without it. If you expect a magnet, this calculation did not find it: start it from a
        larger `starting_magnetization`, or with two kinds of atoms for opposite spins.""",
    ),
    "conv_thr": (
        IN_THE_INPUT,
        """The iterations went on long after the energy was known to more digits than anybody needs; 1e-12 is strict
        enough for phonons, and for forces 1e-8 is.""",
    ),
    "verlet-buffer-tolerance": (
        "with `{}` in the .mdp file, and without `rlist`",
        """Its list of neighbours reaches far beyond the cutoff, and it computes the distance of each pair in it in
        each step, in vain. With a tolerance (0.005 is the default) it chooses how far the list must reach; with -1 it
        takes `rlist` as it is.""",
    ),
    "nstcalcenergy": (
        "with `{}` in the .mdp file (and 10 or more for `nsttcouple` and `nstpcouple`)",
        """It computes energies in each step, with slower code, and writes few of them. The average energies in the log
        are then taken from fewer steps; the motion is the same but for when temperature and pressure are corrected.""",
    ),
    UNSET: (
        "without that variable in the environment (`{}`)",
        """With it GROMACS computes pair by pair, in code that is meant to find faults, not several pairs with one
        instruction.""",
    ),
}


def examine(case: Case) -> Suspicion | None:
    """Claims computing and moving data alike, as far as the faster way spares them. Of several ways, the slowest."""
    engine = case.tables.engine
    slow = [word for word in case.tables.words if word.about is About.SLOW_WAY]
    faster = [word for word in case.tables.words if word.about is About.FASTER]
    pairs = [(-(way.value or 0.0), way, instead) for way, instead in zip(slow, faster, strict=False)]
    if engine is None or not pairs:
        return None
    minus_spared, way, instead = min(pairs, key=lambda pair: pair[0])
    spared = -minus_spared
    if spared < MUCH:
        return None
    share = spared * min(its_rank_s(case) / max(case.wall_s * case.ranks, 1e-9), 1.0)
    kind = instead.says.partition(" ")[0]
    how, why = WAYS.get(kind, (IN_THE_INPUT, ""))
    says = (
        f"{engine.name} could save {q.percent(spared)} of its time {how.format(instead.says)}. {' '.join(why.split())}"
    )
    claims = {"compute_s": share * case.losses.compute_s, "transfer_s": share * case.losses.transfer_s}
    told = Evidence(f"{engine.name} says", way.says, "its own log")
    return Suspicion(claims, says.strip(), (told,), confidence=0.7, title=OF_THE_ENVIRONMENT if kind == UNSET else "")
