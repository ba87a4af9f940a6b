"""A change, in each launcher's own words: plain-text transcripts, and what a change is made of."""

from __future__ import annotations

import shlex
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearway.base.errors import ClearwayError
from clearway.job.change import Change, changed, combined, describe
from clearway.job.command_line import read_command
from clearway.job.launcher_options import Grammar
from clearway.job.launchers.mpich_hydra import HYDRA, INTEL_HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_4, OPEN_MPI_5
from clearway.job.launchers.slurm import SRUN
from clearway.job.settings import variables_of

LAUNCHERS = {
    "mpirun": OPEN_MPI_4,
    "prterun": OPEN_MPI_5,
    "mpiexec": HYDRA,
    "mpiexec.intel": INTEL_HYDRA,
    "srun": SRUN,
}


def by_name(word: str, environment: object) -> Grammar | None:
    return LAUNCHERS.get(PurePath(word).name)


def typed(command: str, change: Change, environment: dict[str, str] | None = None) -> str:
    return shlex.join(changed(shlex.split(command), change, environment or {}, identify_launcher=by_name))


def test_no_change_leaves_the_command() -> None:
    for command in (
        "timeout 60 mpirun -np 2 --mca btl tcp,self ./a.out -x",
        "srun -l -n4 -N2 -- ./a.out",
        "mpiexec -n 1 ./a : -n 3 ./b",
        "./a.out",
    ):
        assert typed(command, Change()) == command


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mpirun -np 2 ./a.out", "mpirun -np 2 --mca btl_tcp_sndbuf 0 ./a.out"),
        ("prterun -n 2 -- ./a.out", "prterun -n 2 --mca btl_tcp_sndbuf 0 -- ./a.out"),
        ("mpirun -mca btl_tcp_sndbuf 1 -np 2 ./a.out", "mpirun --mca btl_tcp_sndbuf 0 -np 2 ./a.out"),
        ("mpirun --mca btl_tcp_sndbuf 1 -gmca btl_tcp_sndbuf 2 a", "mpirun --mca btl_tcp_sndbuf 0 a"),
        ("mpirun --mca btl tcp,self ./a.out", "mpirun --mca btl tcp,self --mca btl_tcp_sndbuf 0 ./a.out"),
        ("mpirun -n 1 a : -n 2 b", "mpirun -n 1 --mca btl_tcp_sndbuf 0 a : -n 2 --mca btl_tcp_sndbuf 0 b"),
        ("srun -n 2 ./a.out", "env OMPI_MCA_btl_tcp_sndbuf=0 srun -n 2 ./a.out"),
        ("./a.out", "env OMPI_MCA_btl_tcp_sndbuf=0 ./a.out"),
    ],
)
def test_parameter(command: str, expected: str) -> None:
    assert typed(command, Change(parameters=(("btl_tcp_sndbuf", "0"),))) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mpirun -np 2 a", "mpirun -np 2 -x V=1 a"),
        ("mpirun -x V -np 2 a", "mpirun -x V=1 -np 2 a"),
        ("mpirun -x V=0 -x W a", "mpirun -x V=1 -x W a"),
        ("mpirun -n 1 a : -x V=2 -n 1 b", "mpirun -n 1 -x V=1 a : -x V=1 -n 1 b"),
        ("mpiexec -n 2 a", "mpiexec -n 2 -genv V 1 a"),
        ("mpiexec -genv V 0 -n 2 a : -env V 3 -n 1 b", "mpiexec -genv V 1 -n 2 a : -n 1 b"),
        ("mpiexec.intel -genv W 0 -n 2 a", "mpiexec.intel -genv W 0 -n 2 -genv V 1 a"),
        ("srun -n 2 a", "env V=1 srun -n 2 a"),
        ("srun --export=W=2,V=0 a", "srun --export=W=2,V=1 a"),
        ("srun --export NONE a", "srun --export=V=1 a"),
        ("a", "env V=1 a"),
        ("env V=0 a", "env V=1 a"),
        ("env W=0 a", "env W=0 V=1 a"),
        ("timeout 5 a -v", "timeout 5 env V=1 a -v"),
    ],
)
def test_variable(command: str, expected: str) -> None:
    assert typed(command, Change(environment=(("V", "1"),))) == expected


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ([], "1,2", ["env", "V=1,2", "srun"]),
        (["--export=W=1"], "1,2", ["srun", "--export=W=1,'V=1,2'"]),
        (["--export=W=1"], 'say "x"', ["srun", "--export=W=1,'V=say \"x\"'"]),
        (["--export=ALL,'W=1,2',V=3"], "4", ["env", "V=4", "srun", "--export=ALL,'W=1,2'"]),
        (["--export=ALL,'V=1,2',W=3"], "4", ["env", "V=4", "srun", "--export=ALL,W=3"]),
        (["--export='W=V=1,2'"], "4", ["srun", "--export='W=V=1,2',V=4"]),
        ([], "it's", ["env", "V=it's", "srun"]),
        (["--export=W=1"], "it's", ["env", "V=it's", "srun", "--export=W=1,V"]),
        (["--export=W=1"], "a b\nc→", ["srun", "--export=W=1,V=a b\nc→"]),
        ([], "a b\nc→", ["env", "V=a b\nc→", "srun"]),
    ],
)
def test_variable_in_slurms_list(before: list[str], value: str, after: list[str]) -> None:
    """As srun 22.05 reads its list: quotes around a whole NAME=VALUE hold commas, others are part of the value. What it
    hands on of its own environment its list does not overrule (tests/slurm/test_compare.py)."""
    words = changed(["srun", *before, "a"], Change(environment=(("V", value),)), {}, identify_launcher=by_name)
    assert words == [*after, "a"]


def test_what_slurms_list_says_is_understood() -> None:
    section = read_command(["srun", "--export=ALL,'V=1,2',W='x'", "a"], {}, by_name).sections[0]
    assert variables_of(SRUN, section) == [("V", "1,2"), ("W", "'x'")]


def test_what_slurm_exports_otherwise_is_kept() -> None:
    assert typed("srun a", Change(environment=(("V", "1"),)), {"SLURM_EXPORT_ENV": "NONE"}) == "srun --export=V=1 a"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mpirun -np 2 a", "mpirun -np 4 a"),
        ("mpirun -c 2 --map-by slot a", "mpirun -np 4 --map-by slot a"),
        ("mpirun a", "mpirun -np 4 a"),
        ("mpiexec -np 2 a", "mpiexec -n 4 a"),
        ("srun -ln2 a", "srun -l -n 4 a"),
        ("srun --ntasks=2 a", "srun -n 4 a"),
        ("srun --ntasks 2 a", "srun -n 4 a"),
    ],
)
def test_ranks(command: str, expected: str) -> None:
    assert typed(command, Change(ranks=4)) == expected


@pytest.mark.parametrize(
    ("command", "options", "expected"),
    [
        ("mpirun -np 2 a", "--bind-to core", "mpirun -np 2 --bind-to core a"),
        ("mpirun -bind-to none -np 2 a", "--bind-to core --map-by socket",
         "mpirun --bind-to core -np 2 --map-by socket a"),
        ("mpirun --oversubscribe a", "--oversubscribe", "mpirun --oversubscribe a"),
        ("mpiexec -f there -n 2 a", "-hostfile here", "mpiexec -hostfile here -n 2 a"),
        ("srun -n2 -m block a", "--distribution=cyclic", "srun -n2 --distribution=cyclic a"),
    ],
)  # fmt: skip
def test_launcher_options(command: str, options: str, expected: str) -> None:
    assert typed(command, Change(launcher_options=tuple(shlex.split(options)))) == expected


def test_program_options_go_to_each_program() -> None:
    change = Change(program_options=("-npme", "-1", "-dlb", "no", "--steps=5"))
    assert typed("mpirun gmx mdrun -npme 2 -s x : gmx mdrun --steps=9", change) == (
        "mpirun gmx mdrun -npme -1 -s x -dlb no --steps=5 : gmx mdrun --steps=5 -npme -1 -dlb no"
    )


@pytest.mark.parametrize(
    ("command", "launcher", "expected"),
    [
        ("mpirun --oversubscribe --mca btl tcp -x V=1 -x W -np 2 a", "mpiexec", "mpiexec -n 2 -genv V 1 -genv W w a"),
        ("mpiexec -genv V 1 -n 2 a", "mpirun", "mpirun -n 2 -x V=1 a"),
        ("mpiexec -n 1 a : -n 2 b", "mpirun", "mpirun -n 1 a : -n 2 b"),
        ("mpirun --mca btl tcp -np 2 a", "prterun", "prterun --mca btl tcp -n 2 a"),
        ("mpirun --bind-to core -np 2 a", "/opt/mpi/mpiexec", "/opt/mpi/mpiexec --bind-to core -n 2 a"),
    ],
)
def test_other_launcher(command: str, launcher: str, expected: str) -> None:
    assert typed(command, Change(launcher=launcher), {"W": "w"}) == expected


@pytest.mark.parametrize(
    ("command", "change", "message"),
    [
        ("mpiexec -n 2 a", Change(parameters=(("btl", "tcp"),)), "'btl' is a parameter of Open MPI"),
        ("a", Change(ranks=2), "without a launcher"),
        ("a", Change(launcher_options=("--bind-to", "core")), "this job has none"),
        ("a", Change(launcher="mpirun"), "'a' is not an MPI launcher"),
        ("mpirun -n 1 a : -n 1 b", Change(ranks=2), "several programs"),
        (
            "mpirun --report-pid - -np 2 a",
            Change(launcher="mpiexec"),
            "no option that does what Open MPI 4's '--report-pid -' does",
        ),
        (
            "mpirun -np 2 a",
            Change(launcher_options=("--no-such",)),
            "does not know the option '--no-such' of Open MPI 4",
        ),
        ("mpirun -np 2", Change(), "no program"),
    ],
)
def test_what_cannot_be_said(command: str, change: Change, message: str) -> None:
    with pytest.raises(ClearwayError, match=message):
        typed(command, change)


OPTIONS = {
    "mpirun": ["-np 2", "--mca btl tcp,self", "-x V=0", "-x W", "--bind-to none", "--oversubscribe", "-H a:1,b:1"],
    "prterun": ["-n 2", "--prtemca a 1", "--mca p 0", "-x V", "--map-by slot", "--bind-to=none", "--host a:1"],
    "mpiexec": ["-n 2", "-genv V 0", "-env W 1", "-bind-to core", "-l", "-hosts a,b", "-genvall"],
    "mpiexec.intel": ["-np 2", "-genv V 0", "-perhost 1", "-print-rank-map", "-s all", "-env V 2"],
    "srun": ["-n2", "--export=ALL,V=0", "-lN2", "--mpi pmix", "-c 4", "--export NONE", "--ntasks-per-node=2"],
}
SETTINGS = Change((), (("V", "1"), ("A", "b c")), (), (), ("-npme", "0"))


@given(st.data())
def test_saying_it_twice_is_saying_it_once(data: st.DataObject) -> None:
    """Whatever stands in the command already: the second change finds everything in its place."""
    launcher = data.draw(st.sampled_from(sorted(OPTIONS)))
    options = data.draw(st.lists(st.sampled_from(OPTIONS[launcher]), max_size=5))
    others = data.draw(st.lists(st.sampled_from(OPTIONS[launcher]), max_size=3))
    tail = data.draw(st.sampled_from(["a", "-- a -npme 4", "a -npme -1 -x"]))
    many = " ".join([launcher, *options, tail, ":", *others, "b"])
    for command, change in ((many, SETTINGS), (many.partition(" :")[0], combined(SETTINGS, Change(ranks=7)))):
        once = typed(command, change)
        assert typed(once, change) == once
        for section in once.split(" : "):
            assert section.count("-npme 0") == 1
            if launcher in ("mpirun", "prterun"):
                assert section.count("V=1") == 1


def test_recorder_goes_before_each_program() -> None:
    words = changed(["mpirun", "a", ":", "b"], Change(recorder_options=("--flow",)), {}, ["R", "-o", "d"], by_name)
    assert shlex.join(words) == "mpirun R -o d --flow a : R -o d --flow b"


def test_empty_parts_are_left_out() -> None:
    """Open MPI ignores them; what is added for each program belongs to none of them."""
    change = Change((("p", "1"),), launcher="mpirun")
    once = typed("mpirun : a : : -n 2 b :", change)
    assert once == typed("mpirun a : -n 2 b", change)
    assert typed(once, change) == once


def test_later_changes_win() -> None:
    first = Change((("p", "1"), ("q", "1")), (("V", "1"),), ("--bind-to", "core"), ("--flow",), ranks=2)
    second = Change((("p", "2"),), (), ("--bind-to", "none"), ("--flow",), ("-npme", "0"), launcher="mpirun")
    both = combined(first, second)
    assert both.parameters == (("p", "2"), ("q", "1"))
    assert both.recorder_options == ("--flow",)
    assert typed("mpirun -np 8 a", both) == (
        "mpirun -np 2 --mca p 2 --mca q 1 -x V=1 --bind-to none "
        f"{typed('mpirun a', Change(recorder_options=('--flow',))).split()[1]} --flow a -npme 0"
    )


def test_description() -> None:
    assert describe(Change()) == "unchanged"
    change = Change((("btl", "tcp"),), (("V", "1"),), ("--bind-to", "core"), ("--flow",), ("-npme", "0"), 1, "mpirun")
    assert describe(change) == "btl tcp, V=1, --bind-to core, -npme 0, --flow, 1 rank, mpirun"
