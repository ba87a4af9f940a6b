"""What each engine can be told, and that a knob which can hardly pay is tried last, with the reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clearway.job.change import Change, changed
from clearway.tune.knobs import all_engine_knobs, engine_knobs, knobs_for
from clearway.tune.seen import Mend, Seen, Shares
from clearway.tune.setting import MayChange, change_of, name_of
from clearway.tune.space import Tried, settings, shapes

WORTH = 0.03
MDRUN = ("gmx_mpi", "mdrun", "-s", "run.tpr", "-deffnm", "md")
GROMACS_LOG = """
   nstlist                        = 10
   verlet-buffer-tolerance        = 0.005
   coulombtype                    = PME
Changing nstlist from 10 to 40, rlist from 0.9 to 1.006
Domain decomposition grid 2 x 1 x 1, separate PME ranks 0
Using 1 OpenMP thread per MPI process
 Part of the total run time spent waiting due to load imbalance: 0.9%.
     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G
 Domain decomp.         2    1         11       0.007          0.035   0.5
 Neighbor search        2    1         11       0.046          0.241   3.5
 Force                  2    1        401       0.822          4.274  61.8
 Total                                          1.330          6.918 100.0
"""
LAMMPS_LOG = """LAMMPS (29 Sep 2021)
units lj
run 300
  1 by 1 by 4 MPI processor grid
Pair    | 0.1669     | 0.17508    | 0.18326    |   2.0 | 53.67
Neigh   | 0.038172   | 0.041337   | 0.044502   |   1.6 | 12.67
"""
PW_LOG = "     number of k points=    10\n     Threads/MPI process:             1\n"

GROMACS = Seen(MDRUN, "Open MPI 4", "openmpi", engine="GROMACS", log=GROMACS_LOG, ranks=8, cores=(8,),
               shares=Shares(0.7, 0.05, 0.15, 0.1))  # fmt: skip
LAMMPS = replace(GROMACS, program=("lmp", "-in", "in.melt"), engine="LAMMPS", log=LAMMPS_LOG, ranks=4, cores=(4,))
PW = replace(GROMACS, program=("pw.x", "-in", "si.in"), engine="Quantum ESPRESSO", log=PW_LOG, ranks=4, cores=(4,))


def names(tried: Tried) -> list[str]:
    return [setting.name for setting in tried.settings]


def why_not(tried: Tried, knob: str) -> str:
    return next(left.why for left in tried.left_alone() if left.knob == knob)


def test_every_engine_keeps_the_contract() -> None:
    engines = {one.ENGINE for one in all_engine_knobs()}
    assert engines == {"CP2K", "GROMACS", "LAMMPS", "NAMD", "NWChem", "Psi4", "Quantum ESPRESSO"}
    for seen in (GROMACS, LAMMPS, PW):
        engine = engine_knobs(seen.engine)
        assert engine is not None and knobs_for(seen.program) is engine
        for knob in engine.knobs(seen):
            assert knob.because
            assert all(setting.knob == knob.name and setting.may_change in MayChange for setting in knob.settings)


def test_ranks_and_threads_fill_the_cores_and_are_bound_to_them() -> None:
    found = shapes(GROMACS, WORTH)
    assert [setting.shape for setting in found.settings] == [(4, 2), (2, 4), (1, 8), (8, 1)]
    assert found.settings[-1].change == Change(launcher_options=("--bind-to", "core", "--map-by", "slot:PE=1"))
    assert [setting.shape for setting in shapes(replace(GROMACS, pinned=True), WORTH).settings][-1] == (1, 8)
    line = changed(["mpirun", "-np", "8", *MDRUN], found.settings[0].change, {})
    launcher = "mpirun -np 4 -x OMP_NUM_THREADS=2 --bind-to core --map-by slot:PE=2"
    assert line == [*launcher.split(), *MDRUN, "-ntomp", "2"]


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (replace(GROMACS, shares=Shares(0.99, 0.0, 0.005, 0.005)), "1.0 % at most"),
        (replace(GROMACS, tells_work=False), "it is not known how much work"),
        (replace(GROMACS, launcher=""), "no launcher"),
        (replace(GROMACS, programs=2), "several programs"),
        (replace(GROMACS, cores=(8, 4)), "different numbers of cores"),
        (replace(GROMACS, on_testbed=True), "testbed"),
        (replace(PW, log="", ranks=4, pinned=True), "nothing else does"),  # a program without threads
    ],
)
def test_shapes_that_cannot_pay_or_be_are_not_tried(seen: Seen, says: str) -> None:
    found = shapes(seen, WORTH)
    assert not found.settings
    assert says in found.left_alone()[0].why


def test_a_program_that_is_not_known_may_have_threads_where_it_was_seen_to_use_openmp() -> None:
    unknown = replace(GROMACS, engine="", log="", program=("elk",), ranks=2, cores=(2,), pinned=True)
    assert not shapes(unknown, WORTH).settings
    (one,) = shapes(replace(unknown, regions=True), WORTH).settings
    assert one.shape == (1, 2)
    line = changed(["mpirun", "-np", "2", "elk"], one.change, {})
    assert " ".join(line or ()) == "mpirun -np 1 -x OMP_NUM_THREADS=2 --bind-to core --map-by slot:PE=2 elk"


def test_binding_alone_where_the_work_is_not_known() -> None:
    found = settings(replace(GROMACS, tells_work=False, log=""), (), WORTH)
    (bound,) = [one for one in found.settings if one.knob == "binding"]
    assert (bound.name, bound.may_change, bound.shape) == ("bound to cores", MayChange.NOTHING, None)


def test_idle_cores_are_worth_a_try() -> None:
    half = replace(GROMACS, ranks=4, shares=Shares(1.0))
    assert half.idle == 0.5
    assert shapes(half, WORTH).settings[0].shape is not None


def test_what_threads_lose_is_not_known_so_it_is_tried() -> None:
    assert shapes(replace(GROMACS, ranks=1, threads=8, shares=Shares(1.0)), WORTH).settings


def test_gromacs() -> None:
    found = settings(GROMACS, (), WORTH)
    assert names(found) == ["-npme 2", "-npme 3", "-npme 4", "-nstlist 80", "-nstlist 160"]
    assert "0.9 % at most" in why_not(found, "-dlb")
    assert [setting.name for setting in found.doubted][:2] == ["-dlb yes", "-dlb no"]
    assert "-dlb" not in {left.knob for left in found.left_alone({"-dlb"})}
    assert "short run" in why_not(found, "-tunepme")
    assert "GPU" in why_not(found, "-bonded")
    assert "positions are updated on a GPU, and the job uses none" in why_not(found, "-update")
    assert "processes" in why_not(found, "-ntmpi")
    assert "no fault" in why_not(found, "settings of the MPI")
    assert "ranks × threads" in why_not(found, "binding")
    assert {setting.name: setting.may_change for setting in found.settings}["-nstlist 80"] is MayChange.TOLERANCE


def test_gromacs_with_a_gpu() -> None:
    with_gpu = replace(GROMACS, log=GROMACS_LOG + "1 GPU selected for this run.\n")
    found = settings(with_gpu, (), WORTH)
    assert {"-bonded gpu", "-bonded cpu", "-update gpu", "-update cpu"} <= set(names(found))
    now = settings(replace(with_gpu, program=(*MDRUN, "-update", "gpu")), (), WORTH)
    assert "-update gpu" not in names(now)


def test_gromacs_ranks_that_are_threads() -> None:
    """No launcher starts them: mdrun is told itself."""
    log = GROMACS_LOG + "Using 4 MPI threads\n"
    inside = replace(GROMACS, program=("gmx", *MDRUN[1:]), launcher="", log=log, ranks=4, threads=2)
    found = [one for one in settings(inside, (), WORTH).settings if one.knob == "-ntmpi"]
    assert [one.name for one in found] == ["-ntmpi 2 -ntomp 4", "-ntmpi 8 -ntomp 1", "-ntmpi 1 -ntomp 8"]
    assert [one.shape for one in found] == [(2, 4), (8, 1), (1, 8)]
    typed = changed(["gmx", "mdrun", "-ntomp", "2", "-s", "run.tpr"], found[0].change, {})
    assert typed == ["env", "OMP_NUM_THREADS=4", "gmx", "mdrun", "-ntomp", "4", "-s", "run.tpr", "-ntmpi", "2"]
    assert "has -nt" in why_not(settings(replace(inside, program=("gmx", "mdrun", "-nt", "8")), (), WORTH), "-ntmpi")
    assert "processes" in why_not(settings(replace(inside, launcher="Open MPI 4"), (), WORTH), "-ntmpi")


@pytest.mark.parametrize(
    ("log", "knob", "says"),
    [
        (
            GROMACS_LOG.replace("search        2    1         11       0.046          0.241   3.5", ""),
            "-nstlist",
            "at most",
        ),
        (GROMACS_LOG.replace("tolerance        = 0.005", "tolerance        = -1"), "-nstlist", "without a tolerance"),
        (GROMACS_LOG.replace("to 40", "to 160"), "-nstlist", "already serve 160"),
        (GROMACS_LOG.replace("= PME", "= Cut-off"), "-npme", "no PME"),
    ],
)
def test_gromacs_knobs_that_cannot_pay(log: str, knob: str, says: str) -> None:
    assert says in why_not(settings(replace(GROMACS, log=log), (), WORTH), knob)


@pytest.mark.parametrize(("measured", "offered"), [(160, ["80", "160"]), (100, ["80"]), (30, [])])
def test_lists_that_a_short_run_never_rebuilds_are_not_tried(measured: int, offered: list[str]) -> None:
    found = settings(replace(GROMACS, measured_steps=measured), (), WORTH)
    assert [name for name in names(found) if "-nstlist" in name] == [f"-nstlist {steps}" for steps in offered]
    if not offered:
        assert why_not(found, "-nstlist") == "a short run measures 30 steps, and a list of 80 would never be rebuilt"


def test_settings_are_those_of_the_shape_that_won() -> None:
    (four, *_) = shapes(GROMACS, WORTH).settings
    found = settings(GROMACS, (four,), WORTH)
    assert [name for name in names(found) if name.startswith("-npme")] == ["-npme 1", "-npme 2"]
    assert "already" in why_not(found, "binding")


def test_a_short_run_of_gromacs() -> None:
    engine = engine_knobs("GROMACS")
    assert engine is not None
    unknown = engine.shortened(MDRUN, None, 20.0, None)
    assert unknown.said == "-nsteps 960 -resethway -noconfout -notunepme"
    assert "-nsteps 3840" in engine.shortened(MDRUN, None, 20.0, 0.005).said  # half of it: 12 lists of 160 steps
    assert "-nsteps 320" in engine.shortened(MDRUN, None, 20.0, 60.0).said
    assert "-nsteps 700" in engine.shortened(MDRUN, 700, 20.0, 0.005).said
    assert "-nsteps 300" in engine.shortened((*MDRUN, "-nsteps", "300"), None, 20.0, 0.005).said  # no longer
    given = (*MDRUN, "-nsteps", "500", "-tunepme")
    short = engine.shortened(given, None, 20.0, 0.005)
    assert "-nsteps 320" in short.said
    assert short.measured_steps == 160
    line = changed(["mpirun", "-np", "8", *given], short.change, {})
    assert line.count("-nsteps") == 1
    assert "-tunepme" not in line


@pytest.mark.parametrize("words", [["-cpi", "state.cpt"], ["-multidir", "a", "b"], ["-o", "/scratch/traj.trr"]])
def test_gromacs_jobs_that_cannot_be_tuned(words: list[str]) -> None:
    engine = engine_knobs("GROMACS")
    assert engine is not None
    assert engine.refuses(MDRUN) == ""
    assert engine.refuses((*MDRUN, *words)) != ""


def test_lammps() -> None:
    found = settings(LAMMPS, (), WORTH)
    assert names(found)[:3] == ["processors 1 2 2", "processors 2 1 2", "processors 2 2 1"]
    assert names(found)[3:6] == ["neigh_modify delay 5 every 1 check yes", "neigh_modify delay 20 every 1 check yes",
                                 "-sf opt"]  # fmt: skip
    assert found.settings[0].first_lines == ("processors 1 2 2",)


@pytest.mark.parametrize(
    ("seen", "knob", "says"),
    [
        (replace(LAMMPS, log=LAMMPS_LOG + "processors * * 1\n"), "processors", "the input sets it"),
        (replace(LAMMPS, log=LAMMPS_LOG + "neigh_modify delay 0\n"), "neigh_modify", "the input sets it"),
        (replace(LAMMPS, program=("lmp",)), "processors", "standard input"),
        (replace(LAMMPS, program=("lmp", "-sf", "intel", "-in", "x")), "-sf", "-sf intel"),
        (replace(LAMMPS, log=LAMMPS_LOG.replace("12.67", "1.20")), "neigh_modify", "1.2 % at most"),
        (replace(LAMMPS, shares=Shares(1.0)), "processors", "0.0 % at most"),
    ],
)
def test_lammps_knobs_that_cannot_pay(seen: Seen, knob: str, says: str) -> None:
    assert says in why_not(settings(seen, (), WORTH), knob)


def test_lammps_reads_lines_before_its_input(tmp_path: Path) -> None:
    engine = engine_knobs("LAMMPS")
    assert engine is not None
    file = tmp_path / "inputs/a.in"
    change = engine.read_first(("lmp", "-i", "in put"), ["processors 2 1 1"], file, tmp_path)
    assert change == Change(program_options=("-i", str(file)))
    assert file.read_text() == 'processors 2 1 1\ninclude "in put"\n'
    assert engine.read_first(("lmp",), ["processors 2 1 1"], file, tmp_path) is None


def test_lammps_balances_between_its_atoms_and_its_first_run(tmp_path: Path) -> None:
    """In a copy of the input: the command needs atoms, and none may stand behind the run."""
    (tmp_path / "in.gas").write_text("units lj\ncreate_atoms 1 box\n  run 100\nrun 200\n")
    seen = replace(LAMMPS, program=("lmp", "-in", "in.gas"), folder=str(tmp_path))
    (found,) = (one for one in settings(seen, (), WORTH).settings if one.name == "fix balance")
    engine = engine_knobs("LAMMPS")
    assert engine is not None
    file = tmp_path / "t/inputs/a.in"
    change = engine.read_first(seen.program, ["processors 2 1 1", *found.first_lines], file, tmp_path)
    assert change == Change(program_options=("-in", str(file)))
    first, second = file.read_text().splitlines()
    assert first == "processors 2 1 1"
    copy = Path(second.removeprefix("include ").strip('"')).read_text().splitlines()
    assert copy == ["units lj", "create_atoms 1 box", *found.first_lines, "  run 100", "run 200"]
    assert (tmp_path / "in.gas").read_text().count("balance") == 0
    (tmp_path / "in.gas").write_text("fix 7 all balance 10 1.1 shift x 5 1.1\nrun 100\n")
    assert "the input sets it" in why_not(settings(seen, (), WORTH), "balance")
    (tmp_path / "in.gas").write_text("include in.other\n")
    assert "the input itself has none" in why_not(settings(seen, (), WORTH), "balance")


def test_pw_task_groups() -> None:
    assert "-nt 2" in names(settings(PW, (), WORTH))
    pools = replace(PW, program=("pw.x", "-nk", str(PW.ranks), "-in", "x"))
    assert "1 rank of a pool" in why_not(settings(pools, (), WORTH), "-nt")


def test_pw_bands() -> None:
    """Only where exact exchange takes the time."""
    assert "exact exchange" in why_not(settings(PW, (), WORTH), "-nb")
    exact = replace(PW, log=PW_LOG + "     EXX-fraction              =        0.25\n")
    assert [name for name in names(settings(exact, (), WORTH)) if name.startswith("-nb")] == ["-nb 2", "-nb 4"]
    pools = replace(exact, program=("pw.x", "-nk", "2", "-nband", "2", "-in", "x"))
    assert "1 rank" not in why_not(settings(pools, (), WORTH), "-nb")
    assert "other groups" in why_not(settings(pools, (), WORTH), "-nb")


def test_pw() -> None:
    found = settings(PW, (), WORTH)
    assert names(found)[:4] == ["-nk 2", "-nk 4", "-nd 1", "-nd 4"]
    told = settings(replace(PW, program=("pw.x", "-npool", "2", "-in", "x")), (), WORTH)
    assert names(told)[0] == "-npool 4"
    assert "one k-point" in why_not(settings(replace(PW, log=""), (), WORTH), "-nk")


CP2K_INPUT = "&global\n  PROJECT water\n&END GLOBAL\n&FORCE_EVAL\n&END\n"
NWCHEM_INPUT = "start water\ndft\n  xc pbe0\nend\ntask dft optimize\ntask dft freq\n"
PSI4_LOG = "    Threads:    2\n  SCF Algorithm Type is DF.\n"


def job_with(folder: Path, engine: str, program: tuple[str, ...], text: str, **more: Any) -> Seen:
    (folder / "input").write_text(text)
    return replace(GROMACS, program=program, engine=engine, ranks=2, cores=(2,), folder=str(folder), **more)


def read_by(engine_name: str, seen: Seen, setting: str) -> tuple[Change | None, str]:
    """How it is told, and what it then reads."""
    engine = engine_knobs(engine_name)
    assert engine is not None and knobs_for(seen.program) is engine and not engine.refuses(seen.program)
    (found,) = (one for one in settings(seen, (), WORTH).settings if one.name == setting)
    file = Path(seen.folder) / "t/inputs/a.in"
    return engine.read_first(seen.program, found.first_lines, file, Path(seen.folder)), file.read_text()


def test_cp2k(tmp_path: Path) -> None:
    seen = job_with(tmp_path, "CP2K", ("cp2k.psmp", "-i", "input"), CP2K_INPUT, log="")
    found = settings(seen, (), WORTH)
    assert names(found)[:4] == ["BLACS_GRID ROW", "BLACS_GRID COLUMN", "DBCSR MM_DRIVER BLAS", "DBCSR MM_DRIVER MATMUL"]
    change, reads = read_by("CP2K", seen, "DBCSR MM_DRIVER BLAS")
    assert change == Change(program_options=("-i", str(tmp_path / "t/inputs/a.in")))
    assert reads == CP2K_INPUT.replace("&global\n", "&global\n&DBCSR\nMM_DRIVER BLAS\n&END DBCSR\n")
    said = job_with(tmp_path, "CP2K", seen.program, CP2K_INPUT.replace("PROJECT", "BLACS_GRID ROW\nPROJECT"))
    assert "the input sets it" in why_not(settings(said, (), WORTH), "BLACS_GRID")
    assert "no section &GLOBAL" in why_not(settings(replace(seen, folder="/nowhere"), (), WORTH), "DBCSR")


def test_nwchem(tmp_path: Path) -> None:
    seen = job_with(tmp_path, "NWChem", ("nwchem", "input"), NWCHEM_INPUT)
    found = settings(seen, (), WORTH)
    assert names(found)[:3] == ["integrals direct", "integrals in memory", "integrals in files"]
    change, reads = read_by("NWChem", seen, "integrals direct")
    assert change == Change(program_options=(str(tmp_path / "t/inputs/a.in"),), without=("input",))
    assert changed(["mpirun", "nwchem", "input"], change, {}) == ["mpirun", "nwchem", str(tmp_path / "t/inputs/a.in")]
    assert reads == NWCHEM_INPUT.replace("task dft optimize", "dft\n  direct\nend\ntask dft optimize")
    assert "integrals direct" not in names(settings(job_with(
        tmp_path, "NWChem", seen.program, NWCHEM_INPUT.replace("xc pbe0", "direct")), (), WORTH))  # fmt: skip
    other = job_with(tmp_path, "NWChem", seen.program, NWCHEM_INPUT + "task scf\n")
    assert "tasks of one kind" in why_not(settings(other, (), WORTH), "integrals")


def test_psi4(tmp_path: Path) -> None:
    line = ("psi4", "-n", "2", "-i", "input", "-o", "out")
    seen = job_with(tmp_path, "Psi4", line, "energy('scf')\n", log=PSI4_LOG, threads=2, launcher="")
    found = settings(seen, (), WORTH)
    assert names(found)[:3] == ["-n 1", "scf_type MEM_DF", "scf_type DISK_DF"]
    assert found.settings[0].shape == (1, 1), "of the cores that its core-hours are counted by"
    change, reads = read_by("Psi4", seen, "scf_type DISK_DF")
    assert change is not None and change.program_options[0] == "-i"
    assert reads == "set scf_type DISK_DF\nenergy('scf')\n"
    assert "it needs -i and -o" in why_not(settings(replace(seen, program=line[:5]), (), WORTH), "scf_type")
    said = job_with(tmp_path, "Psi4", line, "set SCF_TYPE pk\n", log=PSI4_LOG)
    assert "the input sets it" in why_not(settings(said, (), WORTH), "scf_type")


@pytest.mark.parametrize(
    ("program", "typed"),
    [
        (("namd2", "+p8", "apoa1.namd"), ["namd2", "apoa1.namd", "+p7", "+setcpuaffinity"]),
        (("namd2", "+ppn", "8", "apoa1.namd"), ["namd2", "+ppn", "7", "apoa1.namd", "+setcpuaffinity"]),
    ],
)
def test_namd(program: tuple[str, ...], typed: list[str]) -> None:
    """By its manual: Debian has none."""
    seen = replace(GROMACS, program=program, engine="NAMD", ranks=1, launcher="", log="Info: 92224 ATOMS\n")
    chosen = [
        one for one in settings(seen, (), WORTH).settings if one.name.endswith("7") or one.knob == "+setcpuaffinity"
    ]
    assert changed(program, change_of(tuple(chosen)), {}) == typed
    assert "has neither +p" in why_not(settings(replace(seen, program=("namd2", "a.namd")), (), WORTH), "threads")


def test_remedies_are_tried_as_far_as_their_finding_costs() -> None:
    eager = Mend("eager-limit", "", Change(parameters=(("btl_tcp_eager_limit", "1m"),)), "Rendezvous", 0.2)
    cheap = replace(eager, name="yield-when-idle", change=Change(parameters=(("a", "1"),)), most=0.01)
    ranks = replace(eager, name="fewer-ranks", change=Change(ranks=2))
    pins = replace(eager, name="pin-ranks", change=shapes(GROMACS, WORTH).settings[-1].change)
    found = settings(replace(GROMACS, mends=(eager, cheap, ranks, pins)), (), WORTH)
    assert "eager-limit" in names(found)
    assert not {"fewer-ranks", "pin-ranks"} & set(names(found))
    assert "1.0 % at most" in why_not(found, "yield-when-idle")
    assert next(one for one in found.settings if one.name == "eager-limit").may_change is MayChange.NOTHING


def test_names_of_ways() -> None:
    found = settings(GROMACS, (), WORTH).settings
    assert name_of(()) == "unchanged"
    assert name_of((found[0], found[3])) == "-npme 2, -nstlist 80"
    assert change_of((found[0], found[3])).program_options == ("-npme", "2", "-nstlist", "80")
