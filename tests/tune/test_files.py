"""Tuning files from made sweeps and Runs: what is chosen, how each MPI reads it, what is refused."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness.command_line import run_clearway
from rules.network_jobs import Job
from rules.test_congestion_loss import stalled
from tune.made_sweeps import AT_ONCE, DYNAMIC, KIB, algorithm, sweep_file

from clearway.base.errors import ClearwayError
from clearway.experiment.variants_file import read_variants
from clearway.tune.files import summary, write_files
from clearway.tune.files.model import FILE_IN_DIRECTORY, Settled, Written

LOSSY = {4: 1.0, 64: 100.0}  # ms of a call: all goes well until blocks of 64 KiB
IN_STEP = {4: 1.0, 64: 20.0}


def numbers(text: str) -> list[int]:
    """As Open MPI's reader takes them: whatever stands behind "#" is no number."""
    return [int(word) for line in text.splitlines() for word in line.partition("#")[0].split()]


def open_mpi_chooses(text: str, collective: int, ranks: int, message_bytes: int) -> int:
    """As Open MPI looks a rule up: of communicators and of messages the largest that is not above."""
    left = iter(numbers(text))
    rules = {
        next(left): [
            (next(left), [(next(left), [next(left), next(left), next(left)][0]) for _ in range(next(left))])
            for _ in range(next(left))
        ]
        for _ in range(next(left))
    }
    assert next(left, None) is None
    of_ranks = rules[collective]
    assert [size for size, _ in of_ranks] == sorted({size for size, _ in of_ranks})
    messages = [each for size, each in of_ranks if size <= ranks][-1]
    assert messages[0][0] == 0, "its reader refuses the whole file"
    assert all(one[0] < other[0] for one, other in pairwise(messages))
    return [number for size, number in messages if size <= message_bytes][-1]


def made(directory: Path, *paths: str, library: str | None = None) -> tuple[Settled, Written, Path]:
    output = directory / "out"
    settled, written = write_files(list(paths), str(output), library)
    return settled, written, output


def test_the_fastest_of_the_mpis_own_is_chosen_at_each_size(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", LOSSY, flow_ms={4: 1.0, 64: 19.0})
    pairs = sweep_file(tmp_path / "pairs.json", {4: 2.0, 64: 20.0}, algorithm("2"))
    sync = sweep_file(tmp_path / "sync.json", {4: 3.0, 64: 30.0}, algorithm("linear_sync"))
    settled, _, output = made(tmp_path, own, pairs, sync)
    rules = (output / "openmpi-rules.conf").read_text()
    for ranks, kib, number in [(8, 4, 0), (8, 63, 0), (8, 64, 2), (8, 255, 2), (8, 1024, 0), (2, 64, 0), (9, 64, 0)]:
        assert open_mpi_chooses(rules, 3, ranks, ranks * kib * KIB) == number, (ranks, kib)
    assert settled.everywhere == ()
    told = (output / "README.md").read_text()
    row = next(line for line in told.splitlines() if line.startswith("| MPI_Alltoall "))
    assert "8 on 8 hosts" in row and "from 64.0 KiB pairwise" in row and "nothing: it only moves data" in row
    assert "unchanged 4.59 MB/s, --flow 24.1 MB/s" in row
    assert "sum in another order" in told


def test_what_holds_for_every_message_is_chosen_by_what_it_gives_at_all_sizes(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", LOSSY)
    at_once = sweep_file(tmp_path / "at-once.json", {4: 1.0, 64: 19.0}, AT_ONCE)
    pairs = sweep_file(tmp_path / "pairs.json", {4: 1.0, 64: 25.0}, algorithm("2"))
    settled, _, output = made(tmp_path, own, at_once, pairs)
    assert dict(settled.everywhere) == AT_ONCE
    assert not (output / "openmpi-rules.conf").exists()  # with that, its own choice is the fastest
    assert "dynamic_rules" not in (output / "tuning.sh").read_text()
    harmful = sweep_file(tmp_path / "harmful.json", {4: 60.0, 64: 19.0}, {"OMPI_MCA_btl_tcp_eager_limit": "1"})
    assert write_files([own, harmful], str(tmp_path / "b"))[0].everywhere == ()


def test_what_is_not_clearly_faster_is_left_alone(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", IN_STEP, flow_ms=IN_STEP)
    pairs = sweep_file(tmp_path / "pairs.json", {4: 0.98, 64: 19.6}, algorithm("2"))
    settled, written, output = made(tmp_path, own, pairs)
    assert settled.empty and not written.environment
    assert {path.name for path in output.iterdir()} == {"README.md", "measure.sh"}
    assert "Nothing is set" in (output / "README.md").read_text()
    assert "is 3 % faster" in "\n".join(summary(settled, written))


@pytest.mark.parametrize(
    ("flow_ms", "hosts", "why"),
    [
        (IN_STEP, 1, "only the MPI's own choice was measured"),  # faster, but within a host there is no switch to flood
        (LOSSY, 8, "--flow is not faster than the MPI's own choice"),
        (None, 8, "only the MPI's own choice was measured"),
    ],
)
def test_why_nothing_is_chosen_is_true(flow_ms: dict[int, float] | None, hosts: int, why: str, tmp_path: Path) -> None:
    settled, _, output = made(tmp_path, sweep_file(tmp_path / "own.json", LOSSY, flow_ms=flow_ms, hosts=hosts))
    (left,) = settled.left
    assert left.why.startswith(why)
    assert "by these measurements" in (output / "README.md").read_text()


def test_what_all_sweeps_were_told_is_no_choice(tmp_path: Path) -> None:
    usual = {"OMPI_MCA_btl_tcp_if_include": "eth0", **DYNAMIC}
    own = sweep_file(tmp_path / "own.json", LOSSY, usual)
    pairs = sweep_file(tmp_path / "pairs.json", IN_STEP, {**usual, **algorithm("2")})
    settled, written, _ = made(tmp_path, own, pairs)
    assert settled.everywhere == () and settled.choices[0].steps[-1].algorithm == "pairwise"
    assert "btl_tcp_if_include" not in str(written.environment)


def test_sizes_are_those_that_each_collective_of_open_mpi_asks_for(tmp_path: Path) -> None:
    """All blocks together for MPI_Allgather, a mean block for MPI_Allgatherv, none for MPI_Alltoallv."""
    paths = []
    for operation, number in (("allgather", "4"), ("allgatherv", "3"), ("alltoallv", "2")):
        paths.append(sweep_file(tmp_path / f"{operation}.json", LOSSY, operation=operation))
        told = algorithm(number, operation)
        paths.append(sweep_file(tmp_path / f"{operation}-2.json", IN_STEP, told, operation=operation))
    _, written, output = made(tmp_path, *paths)
    rules = (output / "openmpi-rules.conf").read_text()
    assert [open_mpi_chooses(rules, 0, 8, 8 * kib * KIB) for kib in (4, 64)] == [0, 4]
    assert [open_mpi_chooses(rules, 1, 8, kib * KIB) for kib in (4, 64)] == [0, 3]
    assert open_mpi_chooses(rules, 4, 8, 0) == 2
    assert "han" not in str(written.environment)


def test_in_open_mpi_5_han_hands_over(tmp_path: Path) -> None:
    """It comes before the component that reads the rules, for MPI_Allgather, but not for MPI_Alltoall."""
    new = "Open MPI v5.0.11, package: Open MPI"
    own = sweep_file(tmp_path / "own.json", LOSSY, operation="allgather", mpi=new)
    han = "OMPI_MCA_coll_han_allgather_dynamic_global_communicator_module"
    ring = sweep_file(
        tmp_path / "r.json", IN_STEP, {**algorithm("4", "allgather"), han: "3"}, operation="allgather", mpi=new
    )
    _, written, _ = made(tmp_path, own, ring)
    assert dict(written.environment)[han] == "3"
    own = sweep_file(tmp_path / "own.json", LOSSY, mpi=new)
    pairs = sweep_file(tmp_path / "p.json", IN_STEP, algorithm("2"), mpi=new)
    assert "han" not in str(write_files([own, pairs], str(tmp_path / "b"))[1].environment)


# ------------------------------------------------------------------------------------------------------------- MPICH

MPICH = "MPICH Version: 4.0.2"
OTHERS: dict[str, Any] = {"comm_type=intra": {"algorithm=MPIR_Bcast_intra_binomial": {}}}
BEFORE: dict[str, Any] = {"avg_msg_size<=32768": {"algorithm=MPIR_Alltoall_intra_scattered": {}},
          "avg_msg_size=any": {"algorithm=MPIR_Alltoall_intra_pairwise": {}}}  # fmt: skip
OWN_TREE = {
    "collective=bcast": OTHERS,
    "collective=alltoall": {
        "comm_type=intra": {"is_sendbuf_inplace=yes": {"algorithm=A": {}}, "is_sendbuf_inplace=no": BEFORE},
        "comm_type=inter": {"algorithm=B": {}},
    },
    "collective=neighbor_alltoallw": {},
}


def library_file(directory: Path, tree: dict[str, Any] | None, *names: str) -> str:
    """With the trees of two devices, which are not to be taken, before and behind."""
    device = b'\0{"collective=bcast":{"algorithm=C":{}}}\0'
    middle = b"" if tree is None else json.dumps(tree, separators=(",", ":")).encode()
    words = "\0".join(f"algorithm=MPIR_Alltoall_intra_{name}" for name in names).encode()
    path = directory / "libmpi.so.12"
    path.write_bytes(b"\x7fELF\x94" + device + middle + device + words + b"\0ch4:ucx\0")
    return str(path)


def mpich_sweeps(directory: Path, library: str) -> list[str]:
    told = {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "scattered", "UCX_RNDV_THRESH": "131072"}
    own = sweep_file(directory / "own.json", LOSSY, mpi=MPICH, library=library)
    scattered = sweep_file(directory / "scattered.json", IN_STEP, told, mpi=MPICH, library=library)
    del told["MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"]
    return [own, scattered, sweep_file(directory / "rndv.json", LOSSY, told, mpi=MPICH, library=library)]


def test_calls_that_follow_each_other_keep_in_step(tmp_path: Path) -> None:
    """In a sweep all ranks begin each call together. On four hosts that lose packets, MPICH's pairwise exchange with a
    larger limit was the fastest there, by 3 %; called again and again it took twice as long as "scattered"."""
    library = library_file(tmp_path, OWN_TREE, "scattered", "pairwise")
    told = {"UCX_RNDV_THRESH": "131072"}
    ways = {"own": (LOSSY, {}), "rndv": ({4: 1.0, 64: 19.0}, told)}
    for name, ms in (("scattered", 19.7), ("pairwise", 19.0)):
        ways[name] = ({4: 1.0, 64: ms}, {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": name, **told})
    paths = [
        sweep_file(tmp_path / f"{name}.json", times, settings, mpi=MPICH, library=library)
        for name, (times, settings) in ways.items()
    ]
    settled, _, _ = made(tmp_path, *paths)
    assert [step.algorithm for step in settled.choices[0].steps] == ["", "scattered"]

    ways["pairwise"] = ({4: 1.0, 64: 15.0}, ways["pairwise"][1])  # much faster is faster
    sweep_file(tmp_path / "pairwise.json", *ways["pairwise"], mpi=MPICH, library=library)
    settled, _ = write_files(paths, str(tmp_path / "other"))
    assert [step.algorithm for step in settled.choices[0].steps] == ["", "pairwise"]


def mpich_chooses(tree: dict[str, Any], ranks: int, block_bytes: int) -> str:
    """As MPICH goes down the tree, of an alltoall that is not in place."""
    node = tree
    while True:
        for key, below in node.items():
            if key.startswith("algorithm="):
                return key.removeprefix("algorithm=MPIR_Alltoall_intra_")
            word, sign, value = (re.fullmatch(r"(\w+)(<=|<|=)(\w+)", key) or pytest.fail(key)).groups()
            known = {"comm_size": ranks, "avg_msg_size": block_bytes}.get(word)
            facts = ("collective=alltoall", "comm_type=intra", "is_sendbuf_inplace=no")
            if value == "any" or key in facts or (known is not None and value.isdecimal() and (
                    known <= int(value) if sign == "<=" else known < int(value))):  # fmt: skip
                node = below
                break
        else:
            pytest.fail(f"nothing holds of {list(node)}")


def test_mpichs_own_tree_gets_a_branch(tmp_path: Path) -> None:
    library = library_file(tmp_path, OWN_TREE, "scattered")
    _, written, output = made(tmp_path, *mpich_sweeps(tmp_path, library))
    text = (output / "mpich-tree.json").read_text()
    tree = json.loads(text)
    for ranks, kib, name in [(8, 4, "scattered"), (8, 33, "pairwise"), (8, 64, "scattered"), (8, 255, "scattered"),
                             (8, 2048, "pairwise"), (7, 64, "pairwise"), (9, 64, "pairwise")]:  # fmt: skip
        assert mpich_chooses(tree, ranks, kib * KIB) == name, (ranks, kib)
    for key, below in OWN_TREE.items():
        assert key == "collective=alltoall" or tree[key] == below
    assert dict(written.environment)["UCX_RNDV_THRESH"] == "131072"
    assert f"{output}/mpich-tree.json" in (output / "tuning.sh").read_text()


def test_the_tree_never_fills_its_last_page(tmp_path: Path) -> None:
    """MPICH 4.0 reads the mapped file up to a zero byte."""
    sweeps = mpich_sweeps(tmp_path, library_file(tmp_path, OWN_TREE, "scattered"))
    size = len((made(tmp_path, *sweeps)[2] / "mpich-tree.json").read_bytes())
    name = "x" * (4096 - size % 4096 - len('\n "": {},'))
    library = library_file(tmp_path, {**OWN_TREE, name: {}}, "scattered")
    write_files(sweeps, str(tmp_path / "b"), library)
    text = (tmp_path / "b/mpich-tree.json").read_text()
    assert len(text.encode()) % 4096 == 1 and text.endswith("}\n\n")


@pytest.mark.parametrize(("tree", "name", "says"), [
    (None, "scattered", "has none"),
    ({**OWN_TREE, "collective=alltoall": {"algorithm=A": {}}}, "scattered", "has another form"),
    (OWN_TREE, "other", "it has no MPIR_Alltoall_intra_scattered"),
])  # fmt: skip
def test_a_library_without_such_a_tree(tmp_path: Path, tree: dict[str, Any] | None, name: str, says: str) -> None:
    own = json.dumps(tree or {}).replace("scattered", "brucks")
    library = library_file(tmp_path, json.loads(own) if tree else None, name)
    with pytest.raises(ClearwayError, match=says):
        made(tmp_path, *mpich_sweeps(tmp_path, library))
    assert not (tmp_path / "out").exists()


def test_intel_mpi_is_told_by_its_variables(tmp_path: Path) -> None:
    intel = "Intel(R) MPI Library 2021.17 for Linux* OS"
    paths = []
    for operation, number in (("alltoall", "3"), ("allgatherv", "3"), ("alltoallv", "2")):
        told = {f"I_MPI_ADJUST_{operation.upper()}": number}
        paths.append(sweep_file(tmp_path / f"{operation}.json", LOSSY, operation=operation, mpi=intel))
        paths.append(sweep_file(tmp_path / f"{operation}-2.json", IN_STEP, told, operation=operation, mpi=intel))
    environment = dict(made(tmp_path, *paths)[1].environment)
    assert environment == {
        "I_MPI_ADJUST_ALLTOALL": "0:0-65535;3:65536-1048575;0:1048576-2147483647",
        "I_MPI_ADJUST_ALLGATHERV": "0:0-524287;3:524288-8388607;0:8388608-2147483647",
        "I_MPI_ADJUST_ALLTOALLV": "2",
    }


# --------------------------------------------------------------------------------------------- what was not measured


def test_one_sweep_with_flow_is_enough_for_a_first_choice(tmp_path: Path) -> None:
    """The choice was not measured then, and the file says so; the script measures it."""
    own = sweep_file(tmp_path / "own.json", {4: 1.0, 64: 100.0, 256: 300.0}, flow_ms={4: 1.0, 64: 19.0, 256: 80.0})
    settled, _, output = made(tmp_path, own)
    assert dict(settled.everywhere)["OMPI_MCA_btl_tcp_eager_limit"] == str(2 * 512 * KIB)
    assert "was not measured" in (output / "README.md").read_text()
    script = (output / "measure.sh").read_text()
    runs = [line for line in script.splitlines() if " clearway bench " in line and not line.startswith("#")]
    assert len(runs) == 2 * (1 + 4)
    assert sum("--algorithms flow,own" in line for line in runs) == 1
    assert all("--sizes 4096,65536,262144" in line for line in runs)
    assert subprocess.run(["sh", "-n", output / "measure.sh"], check=False).returncode == 0
    assert subprocess.run(["sh", output / "measure.sh"], check=False, capture_output=True).returncode == 2


def test_the_script_measures_every_way_and_goes_on_where_it_was(tmp_path: Path) -> None:
    _, _, output = made(tmp_path, sweep_file(tmp_path / "own.json", LOSSY))
    calls = tmp_path / "calls"
    words = 'while [ "$1" != --json ]; do shift; done; : > "$2"'
    program = tmp_path / "clearway"
    program.write_text(f'#!/bin/sh\necho "$OMPI_MCA_coll_tuned_alltoall_algorithm $*" >> {calls}\n{words}\n')
    program.chmod(0o755)
    command, path = ["sh", str(output / "measure.sh"), "--", "mpirun", "-np", "8"], f"{tmp_path}:/usr/bin:/bin"
    for _ in range(2):
        assert subprocess.run(command, env={"PATH": path}, check=False).returncode == 0
    told = calls.read_text().splitlines()
    assert (
        len(told) == len(set(told)) == 3 * 2 * (1 + 4)
    )  # rounds; as it is, at once; its own choice, and its algorithms
    assert all(line.endswith(" -- mpirun -np 8") for line in told)
    assert sum(line.startswith("2 bench alltoall") for line in told) == 3 * 2
    assert len(list((output / "measured").iterdir())) == len(told)


def test_an_operation_that_the_mpi_makes_in_one_way_only(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", LOSSY, flow_ms=IN_STEP, operation="alltoallw")
    at_once = sweep_file(tmp_path / "b.json", {4: 1.0, 64: 90.0}, AT_ONCE, operation="alltoallw")
    settled, written, _ = made(tmp_path, own, at_once)
    assert any("--flow is faster" in sentence and "4.50 times" in sentence for sentence in settled.lacking)
    assert not any(FILE_IN_DIRECTORY in value for _, value in written.environment)


def run_of(directory: Path, function: str = "MPI_Alltoall", stalled_s: float = 3.0, block: int = 200_000) -> str:
    """Four hosts exchange blocks of 200 kB for 8 s. Two of the ranks stand still meanwhile, after lost packets."""
    job = Job(hosts=4, function=function, nbytes=block, moving_s=8.0).all_connected()
    if stalled_s:
        stalled(job, 2.0, 2.0 + stalled_s)
    for rank in job.ranks:
        rank.fact("mpi.library", "Open MPI v4.1.4, package: Debian OpenMPI")
    directory.mkdir()
    job.case(directory)
    return str(directory)


def test_a_run_that_suffers_from_its_collectives(tmp_path: Path) -> None:
    settled, _, output = made(tmp_path, run_of(tmp_path / "run"))
    (choice,) = settled.choices
    assert (choice.operation, choice.ranks, choice.hosts) == ("alltoall", 4, 4)
    assert "loses packets" in choice.because and "not measured" in choice.because
    assert dict(settled.everywhere)["OMPI_MCA_btl_tcp_eager_limit"] == str(2 * 256 * KIB)
    assert "--sizes 131072" in (output / "measure.sh").read_text()


def test_a_run_whose_blocks_are_too_large_to_be_sent_at_once(tmp_path: Path) -> None:
    """Then what is on its way at a time must be few."""
    settled, _, output = made(tmp_path, run_of(tmp_path / "run", block=20_000_000))
    assert settled.everywhere == ()
    rules = (output / "openmpi-rules.conf").read_text()
    assert open_mpi_chooses(rules, 3, 4, 4 * 20_000_000) == 2
    assert [open_mpi_chooses(rules, 3, ranks, ranks * 20_000_000) for ranks in (2, 5)] == [0, 0]


def test_a_run_that_makes_the_same_calls_and_loses_nothing(tmp_path: Path) -> None:
    """The sign without its cost: large blocks in an all-to-all that keeps the links busy."""
    settled, written, output = made(tmp_path, run_of(tmp_path / "run", stalled_s=0, block=1_200_000_000))
    assert settled.empty and not written.environment
    assert [left.why for left in settled.left] == [f"'{tmp_path}/run' shows no fault in it"]
    assert not (output / "tuning.sh").exists()


def test_what_was_measured_goes_before_what_a_run_makes_likely(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", IN_STEP, flow_ms=IN_STEP, ranks=4, hosts=4)
    pairs = sweep_file(tmp_path / "pairs.json", LOSSY, algorithm("2"), ranks=4, hosts=4)
    settled, _, _ = made(tmp_path, own, pairs, run_of(tmp_path / "run"))
    assert settled.empty


# ------------------------------------------------------------------------------------------------- places, and refusals


def test_the_lines_set_what_they_say_wherever_the_directory_is(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", LOSSY)
    pairs = sweep_file(tmp_path / "pairs.json", IN_STEP, algorithm("2"))
    strange = tmp_path / "a 'b' $HOME [c]; \"d\""
    write_files([own, pairs], str(strange))
    name, path = "OMPI_MCA_coll_tuned_dynamic_rules_filename", str(strange / "openmpi-rules.conf")
    words = f'. {shlex.quote(str(strange / "tuning.sh"))}; printf %s "${name}"'
    assert subprocess.run(["sh", "-c", words], check=True, capture_output=True, text=True).stdout == path
    variants = read_variants(strange / "variants.toml")
    assert [each.name for each in variants] == ["unchanged", "tuning files", "--flow"]
    assert ("coll_tuned_dynamic_rules_filename", path) in variants[1].change.parameters
    assert tomllib.loads((strange / "variants.toml").read_text())["variant"][0]["parameters"][
        "coll_tuned_use_dynamic_rules"
    ]
    assert "\\$HOME \\[c\\]" in (strange / "module.tcl").read_text()


@pytest.mark.parametrize(("text", "says"), [
    ("", "is not a sweep"),
    ("{", "is not a sweep"),
    ('{"schema": "clearway-report-1"}', "has schema clearway-report-1"),
])  # fmt: skip
def test_a_file_that_is_no_sweep(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ClearwayError, match=says):
        made(tmp_path, str(path))
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", LOSSY)
    other = sweep_file(tmp_path / "other.json", LOSSY, mpi="Open MPI v5.0.11")
    with pytest.raises(ClearwayError, match="with several MPIs"):
        made(tmp_path, own, other)
    crowded = sweep_file(tmp_path / "crowded.json", LOSSY, hosts=4)
    with pytest.raises(ClearwayError, match="by their number of ranks"):
        made(tmp_path, own, crowded)
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps({**json.loads(Path(own).read_text()), "curves": []}))
    with pytest.raises(ClearwayError, match="no measured call"):
        made(tmp_path, str(empty))
    unknown = sweep_file(tmp_path / "unknown.json", LOSSY, mpi="MVAPICH 3.0")
    with pytest.raises(ClearwayError, match="cannot write tuning files for 'MVAPICH"):
        made(tmp_path, unknown)
    with pytest.raises(ClearwayError, match="cannot read"):
        made(tmp_path, str(tmp_path / "none.json"))


def test_an_old_sweep_without_settings_is_read(tmp_path: Path) -> None:
    path = Path(sweep_file(tmp_path / "own.json", LOSSY))
    tree = json.loads(path.read_text())
    del tree["settings"]
    path.write_text(json.dumps(tree))
    assert made(tmp_path, str(path))[0].empty


def test_users_mistakes_end_with_a_sentence(tmp_path: Path) -> None:
    own = sweep_file(tmp_path / "own.json", LOSSY)
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, says in [
        (("--files", own), "no directory for the files"),
        (("--files", own, "-o", str(tmp_path)), "exists already"),
        (("--files", str(empty), "-o", str(tmp_path / "b")), "no record"),
        (
            ("--files", own, "-o", str(tmp_path / "b"), "--", "mpirun", "-np", "2", "true"),
            "exclude each other: --files runs no job",
        ),
        (("--files", own, "-o", str(tmp_path / "b"), "--budget", "1m"), "--files and '--budget' exclude each other"),
    ]:
        outcome = run_clearway("tune", *words)
        assert outcome.exit_code == 1 and says in outcome.stderr, outcome.says
        assert "Traceback" not in outcome.stderr and "hint:" in outcome.stderr
    assert not (tmp_path / "b").exists()
