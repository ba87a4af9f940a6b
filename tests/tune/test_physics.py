"""Variants that do not compute the same are found, and those that sum in another order are not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from clearway.engines.results import Results, results_of
from clearway.tune.physics import why_other_physics

UNCHANGED = Results({0: -99379.2, 200: -99401.0, 400: -99463.5}, 2e-5)
AGAIN = Results({0: -99379.2, 200: -99398.0, 400: -99441.5}, 2e-5)


def other(**steps: float) -> Results:
    """Energies by step: s0, s200 …"""
    return Results({int(name[1:]): energy for name, energy in steps.items()}, 2e-5)


@pytest.mark.parametrize(
    "same",
    [
        UNCHANGED,
        other(s0=-99379.6, s200=-99405.0, s400=-99430.0),  # another order of summation, then another trajectory
        other(s0=-99379.2),  # a shorter run
        other(s0=-99379.2, s200=-99401.0, s350=-99000.0),  # its last step is none of theirs
    ],
)
def test_the_same_is_the_same(same: Results) -> None:
    assert why_other_physics(same, [UNCHANGED, AGAIN]) == ""


@pytest.mark.parametrize(
    ("different", "says"),
    [
        (
            other(s0=-99300.0, s200=-99401.0),
            "changes the energy: -99300 at step 0; the unchanged job has -99379.2",
        ),
        (other(s0=-99379.2, s200=-90000.0, s400=-80000.0), "on average over steps 200 to 400"),
        (other(s0=math.nan), "not a number"),
        (other(s7=-99379.2), "at any step"),
        (Results({}, 2e-5), "has no energy"),
        (None, "has no energy"),
        (Results(UNCHANGED.energies, 2e-5, broken_promises=3), "3 neighbour lists too late"),
    ],
)
def test_the_different_is_told(different: Results | None, says: str) -> None:
    assert says in why_other_physics(different, [UNCHANGED, AGAIN])


def test_a_job_that_differs_from_run_to_run_is_given_its_own_room() -> None:
    wide = [other(s0=-100.0), other(s0=-110.0)]
    assert why_other_physics(other(s0=-120.0), wide) == ""
    assert why_other_physics(other(s0=-150.0), wide) != ""


def test_the_energy_of_few_atoms_fluctuates() -> None:
    """510 molecules of water, as measured: the mean of two steps differs by chance by more than half a per cent."""
    known = [other(s0=-23250.1, s500=-23190.3, s600=-23297.5)]
    assert why_other_physics(other(s0=-23250.2, s500=-23480.1, s600=-23337.6), known) == ""
    assert "on average over steps" in why_other_physics(other(s0=-23250.2, s500=-22000.0, s600=-22000.0), known)


def test_where_the_job_tells_nothing_nothing_is_compared() -> None:
    assert why_other_physics(None, []) == ""
    assert why_other_physics(other(s0=1.0), [Results()]) == ""


def test_a_job_that_breaks_its_promise_itself_is_held_against_how_often() -> None:
    """A run that is cut after a time makes more steps where it is faster, and so more lists that came too late."""
    known = [replace(UNCHANGED, broken_promises=4)]
    twice_as_long = Results({**UNCHANGED.energies, 800: -99440.0}, 2e-5)
    assert why_other_physics(replace(twice_as_long, broken_promises=9), known) == ""
    assert "20 neighbour lists too late" in why_other_physics(replace(twice_as_long, broken_promises=20), known)
    assert "12 neighbour lists too late" in why_other_physics(replace(UNCHANGED, broken_promises=12), known)
    assert why_other_physics(replace(UNCHANGED, broken_promises=4), [replace(UNCHANGED, broken_promises=1)]) == ""


LAMMPS = """LAMMPS (29 Sep 2021 - Update 2)
Per MPI rank memory allocation (min/avg/max) = 2.805 | 2.805 | 2.805 Mbytes
Step Temp E_pair E_mol TotEng Press 
       0            3   -6.7733681            0   -2.2744931   -3.7033504 
     100    1.6458363   -4.7492704            0   -2.2811332    5.8691042 
Loop time of 0.326229 on 2 procs for 100 steps with 4000 atoms
Dangerous builds = 2
"""  # noqa: W291
GROMACS = """              :-) GROMACS - gmx mdrun, 2022.5 (-:

           Step           Time
              0        0.00000

   Energies (kJ/mol)
        LJ (SR)   Coulomb (SR)   Coul. recip.      Potential    Kinetic En.
    2.02399e+04   -1.20361e+05    7.42013e+02   -9.93792e+04    1.60412e+04
   Total Energy  Conserved En.    Temperature Pressure (bar)
   -8.33379e+04   -8.33379e+04    2.97115e+02    7.21268e+02

           Step           Time
            400        0.80000

Writing checkpoint, step 400 at Mon Nov 23 17:16:59 2026

	<====  A V E R A G E S  ====>

   Energies (kJ/mol)
        LJ (SR)   Coulomb (SR)   Coul. recip.      Potential    Kinetic En.
    2.02758e+04   -1.20498e+05    7.58213e+02   -9.94635e+04    1.60302e+04
"""
CP2K = """ CP2K| version string:                                          CP2K version 2023.1
 ENERGY| Total FORCE_EVAL ( QS ) energy [a.u.]:              -550.105912345
"""
NWCHEM = """ Northwest Computational Chemistry Package (NWChem) 7.0.2
         Total DFT energy =      -75.890745744088
"""
PSI4 = """          Psi4: An Open-Source Ab Initio Electronic Structure Package
  @DF-RHF Final Energy:   -76.02663273508978
"""
ABINIT = """
.Version 9.6.2 of ABINIT
 ETOT  2  -8.8770215251499    -2.716E-11 1.119E-05 7.615E-10
           etotal1    -8.8770215251E+00
           etotal2    -8.8869140001E+00
"""
NAMD = """Info: NAMD 2.14 for Linux-x86_64-multicore
ETITLE:      TS           BOND        KINETIC      TOTAL       TEMP      POTENTIAL
ENERGY:       0      3.5000        4.0000      -200.5      297.0      -204.5000
"""
PW = """
     Program PWSCF v.6.7MaX starts on 23Nov2026 at 17:00: 0
!    total energy              =     -34.27654321 Ry
!    total energy              =     -34.27654999 Ry
"""
CP = """
     Program CP v.6.7MaX starts on 29Nov2026 at  5:48: 0
  nfi     ekinc              temph  tempp     etot                 enthal               econs                econt
      1    5.505274452690720    0.0    0.00      -3.496863416372      -3.496863416372      -3.496863416372       2.008
      2    9.576901825339945    0.0    0.00     -15.116888035282     -15.116888035282     -15.116888035282      -5.540

 * Physical Quantities at step:     3
"""


@pytest.mark.parametrize(
    ("log", "energies", "broken"),
    [
        (LAMMPS, {0: -6.7733681, 100: -4.7492704}, 2),
        (LAMMPS.replace("-4.7492704", "       nan"), {0: -6.7733681, 100: math.nan}, 2),
        (GROMACS, {0: -99379.2}, 0),
        (PW, {1: -34.27654321, 2: -34.27654999}, 0),
        (CP, {1: -3.496863416372, 2: -15.116888035282}, 0),
        (CP2K, {1: -550.105912345}, 0),
        (NWCHEM, {1: -75.890745744088}, 0),
        (PSI4, {1: -76.02663273508978}, 0),
        (ABINIT, {1: -8.8770215251, 2: -8.8869140001}, 0),
        (NAMD, {0: -204.5}, 0),
    ],
)
def test_logs_tell_energies(log: str, energies: dict[int, float], broken: int) -> None:
    found = results_of(log)
    assert found is not None
    assert found.energies == pytest.approx(energies, nan_ok=True)
    assert (found.broken_promises, 0 < found.reproduces < 1e-4) == (broken, True)


def test_what_is_no_log_tells_nothing() -> None:
    assert results_of("hello") is None
