"""Remedies in Slurm's words: what only the batch script can ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from python.made_runs import Machine, world, write_all
from remedies.made_cases import finding, made_case, offer
from rules.host_jobs import MadeHost, case_of, count, ranks_on, steps_of

from clearway.diagnosis.choose import asked_of_slurm, choices, together
from clearway.diagnosis.command import command_with
from clearway.diagnosis.diagnose import Diagnosed
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.finding import Remedy
from clearway.run import load

SLURM = {"SLURM_JOB_ID": "7"}
LIMIT = {"process.cgroup_memory_bytes": str(60 << 20)}
TWO_LEAVES = {"batch.SLURM_JOB_ID": "7", "batch.SLURM_TOPOLOGY_ADDR": "leaf#.node#"}


def asked(name: str, case: Case, rule: str) -> str:
    found = offer(name, case, rule)
    return "" if found is None else found.command or command_with(case, found.change)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ({"batch.SLURM_MEM_PER_NODE": "60"}, "sbatch --mem=120M …"),
        ({"batch.SLURM_MEM_PER_CPU": "30"}, "sbatch --mem-per-cpu=60M …"),
    ],
)
def test_memory_as_it_was_asked_for(tmp_path: Path, said: dict[str, str], command: str) -> None:
    case = made_case(tmp_path, environment=SLURM, facts=LIMIT, host={"batch.SLURM_JOB_ID": "7", **said})
    assert asked("more-memory", case, "out-of-memory") == command


def test_a_limit_of_srun_rises_too(tmp_path: Path) -> None:
    srun = ("srun", "--mem=60M", "./program")
    case = made_case(tmp_path, environment=SLURM, facts=LIMIT, host=TWO_LEAVES, command=srun)
    assert asked("more-memory", case, "out-of-memory") == "sbatch --mem=120M … srun --mem=120M ./program"


@pytest.mark.parametrize(
    ("host", "command"),
    [({}, "sbatch --exclusive …"), ({"other_jobs.in": "/sys/fs/cgroup/freezer/slurm"}, "")],
    ids=["nobody knows who it is", "no job of Slurm's"],
)
def test_whole_nodes(tmp_path: Path, host: dict[str, str], command: str) -> None:
    case = made_case(tmp_path, environment=SLURM, host=host)
    assert asked("whole-nodes", case, "foreign-load") == command


@pytest.mark.parametrize(("cpu_ms", "gain"), [(40, None), (1_000, 0.25), (5_000, 1.0)])
def test_whole_nodes_give_back_what_other_jobs_of_slurms_use(tmp_path: Path, cpu_ms: int, gain: float | None) -> None:
    """Of 4 s; the rest is used by programs that no batch system started."""
    host = MadeHost(
        facts={"host.cores": "4", "batch.SLURM_JOB_ID": "7", "other_jobs.in": "/sys/fs/cgroup/freezer/slurm"},
        counters={"cpu.user_ms": 12_000, "cpu.idle_ms": 20_000, "other_jobs.9.cpu_ms": cpu_ms},
    )
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.fact("environment.SLURM_JOB_ID", "7")
        count(rank, "process.cpu_all_threads_ns", 4_000_000_000)
    found = offer("whole-nodes", case_of(world, tmp_path, host), "foreign-load")
    assert (found.gain if found else None) == pytest.approx(gain)


@pytest.mark.parametrize(("of_job_ms", "gain"), [(2000, 0.4), (5000, 1.0), (9000, 1.0)])
def test_whole_nodes_keep_only_jobs_away(tmp_path: Path, of_job_ms: int, gain: float) -> None:
    """Of five seconds that others used on one host; on the other they used next to nothing."""
    ranks = world(2, end_s=10.0)
    for rank, others_ms in zip(ranks, (5000, 300), strict=True):
        rank.machine = Machine(f"node{rank.rank}", f"boot-{rank.rank}")
        counters = {"cpu.user_ms": (0, others_ms), "cpu.system_ms": (0, 0)}
        if rank.rank == 0:
            counters["other_jobs.7.cpu_ms"] = (0, of_job_ms)
        facts = {"batch.SLURM_JOB_ID": "9", "other_jobs.in": "/sys/fs/cgroup/freezer/slurm"}
        tmp_path.joinpath(f"host.{rank.machine.name}.cwr").write_bytes(rank.host_record(facts, counters))
        rank.fact("environment.SLURM_JOB_ID", "9")
    write_all(ranks, tmp_path)
    found = offer("whole-nodes", open_case(load(tmp_path)), "foreign-load")
    assert found is not None
    assert found.gain == pytest.approx(gain, rel=0.01)


def test_another_host_and_hosts_of_one_kind(tmp_path: Path) -> None:
    alike = made_case(tmp_path / "alike", environment=SLURM, host={"host.model": "Fast 9"})
    assert asked("leave-host-out", alike, "slow-host") == "sbatch --exclude=node0 …"
    assert asked("alike-hosts", alike, "slow-host") == ""
    unlike = made_case(tmp_path / "unlike", environment=SLURM, host={"host.model": "Fast #"})
    assert asked("alike-hosts", unlike, "slow-host") == "sbatch --constraint=FEATURE …"


@pytest.mark.parametrize(
    ("features", "command"),
    [
        ({"node0": {"old", "ib"}, "node1": {"ib", "new"}}, "sbatch --constraint=new …"),
        ({"node0": {"old"}, "node1": set()}, ""),
        ({"node1": {"zen4", "avx"}}, "sbatch --constraint=avx …"),
        ({}, ""),
    ],
)
def test_a_feature_that_only_the_slow_host_lacks(tmp_path: Path, features: dict[str, set[str]], command: str) -> None:
    case = made_case(tmp_path, environment=SLURM, host={"host.model": "Fast 9"})
    case = replace(case, features={name: frozenset(each) for name, each in features.items()})
    assert len(case.run.host_names) == 2
    assert asked("alike-hosts", case, "slow-host") == command


@pytest.mark.parametrize("address", ["leaf1.node#", "node#"])
def test_one_switch_only_where_slurm_knows_of_several(tmp_path: Path, address: str) -> None:
    case = made_case(tmp_path / "one", environment=SLURM, host={"batch.SLURM_TOPOLOGY_ADDR": address})
    assert asked("one-switch", case, "far-host") == ""
    case = made_case(tmp_path / "two", environment=SLURM, host=TWO_LEAVES)
    assert asked("one-switch", case, "far-host") == "sbatch --switches=1 …"


def test_without_slurm_nobody_has_these_words(tmp_path: Path) -> None:
    case = made_case(tmp_path, host=TWO_LEAVES)
    for name, rule in (("one-switch", "far-host"), ("leave-host-out", "slow-host"), ("whole-nodes", "foreign-load")):
        assert offer(name, case, rule) is None


def test_they_are_asked_for_and_not_tried(tmp_path: Path) -> None:
    case = made_case(tmp_path, environment=SLURM, facts=LIMIT, host=TWO_LEAVES)

    def found(rule: str, *names: str) -> Diagnosed:
        offers = {name: made for name in names if (made := offer(name, case, rule)) is not None}
        shown = tuple(Remedy(name, made.what, "", False, True, made.gain, made.why) for name, made in offers.items())
        return Diagnosed(replace(finding(rule), remedies=shown), offers)

    findings = [found("slow-host", "leave-host-out"), found("far-host", "one-switch", "leave-host-out")]
    assert choices(findings) == ()
    chosen = asked_of_slurm(findings)
    assert [each.name for each in chosen] == ["leave-host-out", "one-switch"]
    assert together(chosen).batch_options == ("--switches=1", "--exclude=node0")
    assert [each.id for each in asked_of_slurm(findings, ["one-switch"])] == ["one-switch"]
