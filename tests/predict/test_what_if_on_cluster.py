"""`clearway what-if --cluster`: a recorded job on another network, compared with the job that ran there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi, clearway_tool
from harness.runs import run_job
from predict.simulated_jobs import KINDS, RANKS, seconds, simulated, what_if

from clearway.ledger import account
from clearway.run import load

CLUSTER = """\
[networks.ethernet]
rate = "{rate}"
latency = "20us"

[networks.ethernet.switch]
ports = 8
buffer = "100M"

[mpi]
message = "2us"

[[hosts]]
name = "node[1-{hosts}]"
slots = {slots}
cards = [{{ network = "ethernet", port = "1-{hosts}" }}]
"""
ON_THAT_CLUSTER = {"latency_ns": 10_000, "message_ns": 2000, "skew_ns": 0}


def cluster_file(folder: Path, rate: str = "1gbit", hosts: int = RANKS, slots: int = 1) -> Path:
    path = folder / f"{rate}-{hosts}-{slots}.toml"
    path.write_text(CLUSTER.format(rate=rate, hosts=hosts, slots=slots))
    return path


@pytest.mark.parametrize(("rate", "rate_bps"), [("1gbit", 10**9), ("100mbit", 10**8), ("10gbit", 10**10)])
def test_on_another_cluster_it_takes_what_it_took_there(tmp_path: Path, rate: str, rate_bps: int) -> None:
    """Line by line, faster or slower, or the same as where it was recorded."""
    computing_ns = [1_000_000 + 100_000 * rank for rank in range(RANKS)]
    kinds = tuple(kind for kind in KINDS if not kind.startswith("alltoall"))
    run = simulated(tmp_path / "here", computing_ns, kinds, rate_bps=10**9, **ON_THAT_CLUSTER)
    twin = simulated(tmp_path / "there", computing_ns, kinds, rate_bps=rate_bps, **ON_THAT_CLUSTER)
    made = what_if(run, "--cluster", cluster_file(tmp_path, rate))
    ledger = account(load(twin)).ledger
    wall_s = float(ledger["wall_s"].mean())
    assert made["what_if_s"] == pytest.approx(wall_s, rel=0.02)
    assert made["wall_s"] - made["least_gain_s"] == pytest.approx(made["what_if_s"], rel=0.01), "one answer"
    for line, what_if_s in seconds(made, "what_if_s").items():
        there_s = float(ledger[line].mean())
        assert what_if_s == pytest.approx(there_s, rel=0.1, abs=0.01 * wall_s), line
    assert made["check"] is None
    assert made["replayed_calls"] > 40 * RANKS * len(kinds)


def test_on_another_cluster_all_to_alls_have_two_answers(tmp_path: Path) -> None:
    """Which algorithm the MPI would take there, the record does not tell."""
    job, on = ([1_000_000] * RANKS, ("alltoall 60000",)), {**ON_THAT_CLUSTER, "buffer_bytes": 64_000}
    cluster = cluster_file(tmp_path)
    cluster.write_text(cluster.read_text().replace("100M", "64k"))
    runs = {name: simulated(tmp_path / name, *job, **{**on, "alltoall": name}) for name in ("direct", "ordered")}
    took_s = {name: float(account(load(run)).ledger["wall_s"].mean()) for name, run in runs.items()}
    best, worst = sorted(took_s, key=lambda name: took_s[name])
    made = what_if(runs[best], "--cluster", cluster)
    assert made["what_if_s"] == pytest.approx(took_s[best], rel=0.001)
    assert made["wall_s"] - made["least_gain_s"] == pytest.approx(took_s[worst], rel=0.001)
    assert took_s[worst] > 1.02 * took_s[best]
    told = f"at best by the algorithm '{best}', for certain by '{worst}'"
    assert any(told in note for note in made["notes"]), made["notes"]
    said = run_clearway("what-if", runs[best], "--cluster", cluster)
    assert said.exit_code == 0, said.says
    words = " ".join(said.stdout.split())
    assert re.search(r"at best: as long as recorded. It may take [\d.,]+ ms: [\d.]+ % more", words), words


def test_on_a_slower_cluster_it_takes_longer(tmp_path: Path) -> None:
    run = simulated(tmp_path / "here", [1_000_000] * RANKS, ("sendrecv +1 90000 -1 90000",), **ON_THAT_CLUSTER)
    said = run_clearway("what-if", run, "--cluster", cluster_file(tmp_path, "100mbit"))
    assert said.exit_code == 0, said.says
    assert re.search(r"s of wall-clock would be [\d.,]+ m?s at best: [\d.,]+ % more\.", " ".join(said.stdout.split()))
    assert "+" in said.stdout, "each line by how much"


def test_a_real_job_on_another_cluster(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """What is outside MPI stays; with hosts for half of the ranks each, messages between those are slow."""
    (tmp_path / "script").write_text(
        "clearway-script 1\ntitle real\nranks 4\nsteps 20\nrank 0-3\ncompute 3000000\nsendrecv +1 50000 -1 50000\n"
    )
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 4, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    made = what_if(run_directory, "--cluster", cluster_file(tmp_path, "10mbit", hosts=2, slots=2))
    recorded, at_best, sure = (seconds(made, column) for column in ("recorded_s", "what_if_s", "sure_s"))
    on_the_link_s = 20 * 50_000 * 8 / 10e6  # of two ranks in each direction, one after the other: each host has a link
    for answer_s in (at_best, sure):
        assert sum(answer_s.values()) - answer_s["other_s"] > 0.9 * on_the_link_s
        assert answer_s["compute_s"] == pytest.approx(recorded["compute_s"], rel=0.05)
        assert answer_s["io_s"] == pytest.approx(recorded["io_s"], abs=1e-9)
    assert at_best["core_wait_s"] <= sure["core_wait_s"]
    assert at_best["core_wait_s"] <= recorded["core_wait_s"]
    assert made["wall_s"] == pytest.approx(sum(recorded.values()), rel=0.01)
