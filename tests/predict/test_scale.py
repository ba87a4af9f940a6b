"""`clearway scale`: Runs made by known laws, and what is said of more ranks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.runs import run_command, run_job
from python.made_runs import world, write_all

from clearway.base.schema import schema_of
from clearway.cluster.ready import named_cluster
from clearway.engines.speed import Engine
from clearway.predict.scaling.answer import SCHEMA, Answer
from clearway.predict.scaling.html import html_of
from clearway.predict.scaling.measured import measure
from clearway.predict.scaling.scale import scale
from clearway.predict.scaling.simulated import NamedCluster

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-scale-1.json"
CALLS = 40
ALLTOALL_S = 0.005  # of each, on two ranks

Compute = Callable[[int], float]  # seconds of one rank, by ranks


def strong(ranks: int) -> float:
    return 32.0 / ranks


def weak(ranks: int) -> float:
    return 8.0


def made_run(folder: Path, ranks: int, compute_s: Compute = strong, program: str = "md", more: str = "") -> Path:
    """All-to-alls of 1,000 bytes a rank that take as long as there are others, and a rank that computes 5 % longer."""
    job = world(ranks)
    call_s, step_s = ALLTOALL_S * (ranks - 1), compute_s(ranks) / CALLS
    for rank in job:
        now_s = 0.0
        for _ in range(CALLS):
            longest_s = 1.05 * step_s
            entry_s = now_s + (longest_s if rank.rank == 0 else step_s)
            now_s += longest_s + call_s
            rank.collective("MPI_Alltoall", entry_s, now_s, nbytes=1000 * ranks)
        rank.end_s = now_s
        rank.thread = {"cpu_ns": round(now_s * 10**9), "run_delay_ns": 0}
        rank.fact("process.program", f"/opt/{program}").fact("process.command_line", f"{program} -s in{more}")
    directory = folder / f"{program}{ranks}"
    directory.mkdir(parents=True, exist_ok=True)
    write_all(job, directory)
    return directory


def scaled(folder: Path, ranks: tuple[int, ...], *words: str, compute_s: Compute = strong) -> dict[str, Any]:
    runs = [made_run(folder, number, compute_s) for number in ranks]
    outcome = run_clearway("scale", *runs, *words, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    made: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(made, schema_of(Answer, SCHEMA))
    return made


def figure(made: dict[str, Any], line: str, target: int = 0) -> dict[str, float]:
    found: dict[str, float] = next(one["at"][target] for one in made["lines"] if one["line"] == line)
    return found


def test_a_job_that_is_divided_is_foretold_on_more_ranks(tmp_path: Path) -> None:
    made = scaled(tmp_path, (2, 4, 8), "--to", "16,32")
    assert made["scaling"] == "strong"
    twin = measure(made_run(tmp_path, 32))
    last = made["targets"][-1]
    wall_s = twin.wall_s / 32
    assert last["wall"]["low"] <= wall_s <= last["wall"]["high"]
    assert last["wall"]["expected"] == pytest.approx(wall_s, rel=0.1)
    for line in ("compute_s", "mpi_transfer_s"):
        one = figure(made, line, 1)
        assert one["expected"] == pytest.approx(twin.lines[line] / 32, rel=0.15), line
        assert one["low"] <= twin.lines[line] / 32 <= one["high"], line
    assert last["losses"][0]["line"] == "mpi_transfer_s"
    # It is far from what a guess would say.
    assert last["perfect_s"] < 0.6 * wall_s
    assert last["constant_s"] == pytest.approx(sum(line["recorded"][-1] for line in made["lines"]), rel=0.01)
    assert made["sentence"].startswith("At 32 ranks the job is expected to take ")
    assert made["sentence"].endswith(
        f"the largest loss is moving data, {100 * last['losses'][0]['share']:.1f} % of it."
    )


def test_calls_and_bytes_are_told_to_the_unit(tmp_path: Path) -> None:
    made = scaled(tmp_path, (2, 4, 8), "--to", "64")
    (site,) = made["sites"]
    assert (site["function"], site["on"]) == ("MPI_Alltoall", "all ranks")
    assert site["calls"]["exact"]
    assert site["calls"]["law"] == f"{CALLS}·p"
    assert site["calls"]["at"][0]["expected"] == pytest.approx(CALLS * 64)
    assert site["bytes"]["at"][0]["expected"] == pytest.approx(CALLS * 64 * 1000 * 64)
    assert not any("gives calls and bytes exactly" in note for note in made["notes"])


def test_counts_without_a_law_are_said_to_have_none(tmp_path: Path) -> None:
    runs = [made_run(tmp_path, ranks) for ranks in (2, 4, 8)]
    job = world(4)
    for rank in job:
        rank.end_s = 9.0
        rank.fact("process.program", "/opt/md")
        rank.collective("MPI_Alltoall", 8.0, 9.0, nbytes=12345)
    (runs[1] / "odd").mkdir()
    write_all(job, runs[1] / "odd")
    made = scale([measure(run) for run in (runs[0], runs[1] / "odd", runs[2])], [16])
    site = made.sites[0]
    assert not site.bytes.exact
    assert site.bytes.law == ""
    assert any("gives calls and bytes exactly" in note for note in made.notes)


def test_each_rank_with_the_same_work_is_weak_scaling(tmp_path: Path) -> None:
    made = scaled(tmp_path, (2, 4, 8), "--to", "32", compute_s=weak)
    assert made["scaling"] == "weak"
    assert made["why"] == "from 2 to 8 ranks computing, summed over ranks, became 3.93 times as much"
    assert figure(made, "compute_s")["expected"] == pytest.approx(8.0, rel=0.05)
    wall_s = measure(made_run(tmp_path, 32, weak)).wall_s / 32
    assert made["targets"][0]["wall"]["low"] <= wall_s <= made["targets"][0]["wall"]["high"]


def test_what_is_neither_must_be_said(tmp_path: Path) -> None:
    """Computing that grows with the root of the ranks: with the same arguments it is taken for overhead."""

    def neither(ranks: int) -> float:
        return 8.0 / ranks**0.5

    runs = [made_run(tmp_path / "same", ranks, neither) for ranks in (2, 4, 8)]
    outcome = run_clearway("scale", *runs, "--to", 16)
    assert outcome.exit_code == 0
    assert "strong scaling" in outcome.stdout
    assert "with the same arguments" in " ".join(outcome.stdout.split())
    runs = [made_run(tmp_path, ranks, neither, more=f" -n {ranks}") for ranks in (2, 4, 8)]
    outcome = run_clearway("scale", *runs, "--to", 16)
    assert outcome.exit_code == 1
    assert "cannot tell whether each rank has the same work" in outcome.stderr
    assert "hint: pass --scaling strong" in outcome.stderr
    assert run_clearway("scale", *runs, "--to", 16, "--scaling", "strong").exit_code == 0


def test_computing_that_is_little_or_grows_faster_than_the_ranks_tells_nothing(tmp_path: Path) -> None:
    """As of ranks that mostly sleep or wait: what each computes to start would else be called its work."""
    for name, compute_s, told in (
        ("little", lambda ranks: 0.004, r"only [\d.]+ % of the Runs' time is computing; from 2 to 8 ranks"),
        ("fast", lambda ranks: 0.5 * ranks, "same work: from 2 to 8 ranks computing"),
    ):
        runs = [made_run(tmp_path / name, ranks, compute_s) for ranks in (2, 4, 8)]
        outcome = run_clearway("scale", *runs, "--to", 16)
        assert outcome.exit_code == 1, outcome.says
        assert re.search(told, outcome.stderr), outcome.says
        assert "hint: pass --scaling strong" in outcome.stderr


def test_what_the_runs_do_not_tell_is_not_called_expected(tmp_path: Path) -> None:
    """Three Runs on up to eight ranks leave room for anything on a hundred thousand."""
    made = scaled(tmp_path, (2, 4, 8), "--to", "1,100000", compute_s=weak)
    wall = made["targets"][-1]["wall"]
    assert wall["high"] > 10 * wall["low"]
    assert made["sentence"].startswith("These Runs do not tell what the job takes at 100,000 ranks: "), made["sentence"]
    assert any(note.startswith("100,000 ranks are 12,500 times as many") for note in made["notes"])


def test_an_efficiency_above_all_is_explained(tmp_path: Path) -> None:
    for to, explained in (("1", True), ("16", False)):
        made = scaled(tmp_path, (2, 4, 8), "--to", to, "--scaling", "weak", compute_s=lambda ranks: 8.0 + ranks)
        assert (made["targets"][0]["efficiency"] > 1.005) is explained
        assert any("relative to 2 ranks" in note for note in made["notes"]) is explained


def test_two_runs_give_bounds_only(tmp_path: Path) -> None:
    made = scaled(tmp_path, (2, 4), "--to", "16")
    (target,) = made["targets"]
    wall_s = measure(made_run(tmp_path, 16)).wall_s / 16
    assert target["wall"]["expected"] is None
    assert target["wall"]["low"] <= wall_s <= target["wall"]["high"]
    assert not target["losses"]
    assert all(line["at"][0]["expected"] is None for line in made["lines"] if any(line["recorded"]))
    assert made["sentence"].startswith("At 16 ranks the job takes between ")
    assert any("only bounds" in note for note in made["notes"])
    said = run_clearway("scale", *(made_run(tmp_path, ranks) for ranks in (2, 4)), "--to", "16").stdout
    assert "90 %" not in said, "nobody has said how often bounds hold that no law gives"


def test_nanoseconds_and_steps_are_not_one_measure_of_work(tmp_path: Path) -> None:
    """LAMMPS in LJ units tells steps, in real units ns: the job was expected to take 45,098,437,526 s."""
    in_steps = Engine("LAMMPS", "log", None, 0.1, 150)
    in_ns = Engine("LAMMPS", "log", 0.5, 0.2, 150)
    runs = [measure(made_run(tmp_path / str(ranks), ranks)) for ranks in (1, 2, 4)]
    runs = [replace(run, engine=engine) for run, engine in zip(runs, (in_steps, in_steps, in_ns), strict=True)]
    assert [run.work for run in scale(runs, [8]).runs] == [1.0, 1.0, 1.0]
    with_ns = [replace(run, engine=replace(in_ns, steps=steps)) for run, steps in zip(runs, (50, 50, 100), strict=True)]
    assert [run.work for run in scale(with_ns, [8], "strong").runs] == [1.0, 1.0, pytest.approx(2.0)]


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    run, other = made_run(tmp_path, 2), made_run(tmp_path, 4, program="qm")
    for words, told in (
        ((run, "--to", "8"), "all Runs are on 2 ranks"),
        ((run, other, "--to", "8"), "the Runs are of different programs: md, qm"),
        ((run, run, "--to", "many"), "'many' is not a number of ranks"),
        ((run, run, "--to", "0"), "'0' is not a number of ranks"),
        ((tmp_path / "none", run, "--to", "8"), "none"),
    ):
        outcome = run_clearway("scale", *words)
        assert outcome.exit_code == 1
        assert told in outcome.stderr
        assert "hint:" in outcome.stderr


def test_the_terminal_and_the_page_say_the_same(tmp_path: Path) -> None:
    runs = [made_run(tmp_path, ranks) for ranks in (2, 4, 8)]
    outcome = run_clearway("scale", *runs, "--to", "16", "64", environment={"COLUMNS": "160"})
    assert outcome.exit_code == 0, outcome.says
    made = scale([measure(run) for run in runs], [16, 64])
    page = html_of(made)
    for part in (made.sentence, "strong scaling", "if Amdahl", "MPI_Alltoall, all ranks", f"{CALLS}·p"):
        assert part in " ".join(outcome.stdout.split()) or part in outcome.stdout
        assert part in page
    assert "64 ranks, expected" in page
    assert "<script" not in page
    file = tmp_path / "page.html"
    assert run_clearway("scale", *runs, "--to", "16,64", "--html", file).exit_code == 0
    assert file.read_text() == page


def test_equal_runs_give_equal_figures(tmp_path: Path) -> None:
    runs = [measure(made_run(tmp_path, ranks)) for ranks in (2, 4, 8)]
    assert scale(runs, [16]) == scale(runs[::-1], [16])


def test_the_schema_is_the_documented_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Answer, SCHEMA)


CLUSTER = """\
[networks.ethernet]
rate = "1gbit"
latency = "20us"

[networks.ethernet.switch]
ports = {hosts}
buffer = "100M"

[[hosts]]
name = "node[1-{hosts}]"
slots = 1
cards = [{{ network = "ethernet", port = "1-{hosts}" }}]
"""


def simulated_run(folder: Path, ranks: int) -> Path:
    """The Run of a simulated job that divides its work, with a host for each rank."""
    script = folder / f"{ranks}.script"
    lines = ["clearway-script 1", "title made", f"ranks {ranks}", "steps 20", f"rank 0-{ranks - 1}"]
    lines += [f"compute {48_000_000 // ranks}", f"alltoall {2_000_000 // ranks}", "allreduce 800"]
    script.write_text("\n".join(lines) + "\n")
    told = {"script": script, "run": folder / f"run{ranks}", "hosts": ranks, "alltoall": "ordered"}
    told |= {"buffer-bytes": 100_000_000, "skew-ns": 20_000}
    options = [word for name, value in told.items() for word in (f"--{name}", str(value))]
    outcome = run_command([clearway_tool("clearway-simulate"), *options], {})
    assert outcome.exit_code == 0, outcome.says
    return folder / f"run{ranks}"


def test_the_networks_part_is_simulated_where_a_cluster_is_named(tmp_path: Path) -> None:
    """Runs on a network, and the job on more hosts of it: simulated both, but call by call and as a whole."""
    runs = [simulated_run(tmp_path, ranks) for ranks in (2, 4, 8)]
    cluster = tmp_path / "cluster.toml"
    cluster.write_text(CLUSTER.format(hosts=16))
    outcome = run_clearway("scale", *runs, "--to", "16", "--cluster", cluster, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    made = json.loads(outcome.stdout)
    jsonschema.validate(made, schema_of(Answer, SCHEMA))
    part = made["targets"][0]["network"]
    twin = measure(simulated_run(tmp_path, 16))
    moving_s = (twin.lines["mpi_transfer_s"] + twin.lines["mpi_stall_s"]) / 16
    assert part["hosts"] == 16
    assert part["check"] == pytest.approx(1.0, abs=0.15)
    assert part["seconds"] == pytest.approx(moving_s, rel=0.15)
    assert figure(made, "mpi_transfer_s")["expected"] == part["seconds"]
    assert made["targets"][0]["wall"]["expected"] == pytest.approx(twin.wall_s / 16, rel=0.1)
    assert any("the simulated network takes" in note for note in made["notes"])


def test_the_networks_part_has_the_algorithms_of_the_recorded_mpi(tmp_path: Path) -> None:
    """Beyond the eager limit the root of a bcast sends to each of four itself in Open MPI, and to two in a tree."""
    script = (tmp_path / "script").write_text
    runs = []
    for ranks in (2, 3):
        script(f"clearway-script 1\nranks {ranks}\nsteps 5\nrank 0-{ranks - 1}\ncompute 1000000\nbcast 0 100000\n")
        command = [clearway_tool("clearway-simulate"), "--script", tmp_path / "script", "--run", tmp_path / f"{ranks}"]
        assert run_command(command, {}).exit_code == 0
        runs.append(measure(tmp_path / f"{ranks}"))
    (tmp_path / "cluster.toml").write_text(CLUSTER.format(hosts=4))
    named = NamedCluster("mine", named_cluster(str(tmp_path / "cluster.toml")))
    seconds, said = {}, {}
    for library in (None, "openmpi", "mpich"):
        made = scale([replace(run, collectives=library) for run in runs], [4], "strong", named)
        part = made.targets[0].network
        assert part is not None
        assert part.collectives == library or library is None
        seconds[library], said[library] = part.seconds, " ".join(made.notes)
    assert seconds["openmpi"] > 1.1 * seconds["mpich"]
    assert seconds[None] == seconds["mpich"], "as a cluster has it that says nothing"
    assert "algorithms of Open MPI, as in the Runs" in said["openmpi"]
    assert "algorithms of MPICH, as the cluster's file says: the Runs' MPI is not known" in said[None]
    mixed = [replace(run, collectives=library) for run, library in zip(runs, ("openmpi", "mpich"), strict=True)]
    part = scale(mixed, [4], "strong", named).targets[0].network
    assert part is not None and part.collectives == "mpich"


def test_a_run_tells_whose_algorithms_its_mpi_has(debian_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    (tmp_path / "script").write_text("clearway-script 1\nranks 2\nrank 0-1\nbcast 0 10\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(debian_mpi, program, 2, run_directory=run_directory)
    assert outcome.exit_code == 0, outcome.says
    assert measure(run_directory).collectives == debian_mpi.name.partition("-")[0]


def test_a_slower_network_takes_longer(tmp_path: Path) -> None:
    runs = [simulated_run(tmp_path, ranks) for ranks in (2, 4)]
    took = []
    for rate in ("1gbit", "100mbit"):
        (tmp_path / "cluster.toml").write_text(CLUSTER.format(hosts=8).replace("1gbit", rate))
        cluster = named_cluster(str(tmp_path / "cluster.toml"))
        made = scale(list(map(measure, runs)), [8], "strong", NamedCluster("mine", cluster))
        assert made.targets[0].network is not None
        took.append(made.targets[0].network.seconds)
        assert made.targets[0].wall.expected is None, "the other lines have bounds only"
        assert made.targets[0].wall.low >= took[-1] * min(1.0, 1 / (made.targets[0].network.check or 1.0))
    assert 8 < took[1] / took[0] < 12


def test_a_cluster_without_room_is_refused(tmp_path: Path) -> None:
    runs = [made_run(tmp_path, ranks) for ranks in (2, 4, 8)]
    (tmp_path / "cluster.toml").write_text(CLUSTER.format(hosts=8))
    outcome = run_clearway("scale", *runs, "--to", "16", "--cluster", tmp_path / "cluster.toml")
    assert outcome.exit_code == 1
    assert "16 ranks do not fit on the cluster's 8 hosts with 1 each" in outcome.stderr
