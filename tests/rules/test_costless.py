"""Each rule beside two jobs: one in which its fault costs time, and one that has the same sign of it, at no cost.

Only the first may have the finding. A rule without such a pair fails here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from python import test_ending, test_newcomers, test_one_sided, test_waits_for
from python.made_runs import SECOND, Rank, write_all
from python.test_starting import begun
from python.test_starting import case as started
from rules import (
    test_asking_threads,
    test_blocked,
    test_builds,
    test_cores,
    test_engine_words,
    test_files,
    test_flow_control,
    test_foreign_load,
    test_growing_steps,
    test_hosts,
    test_kernel_time,
    test_limits,
    test_many_calls,
    test_memory_bandwidth,
    test_memory_churn,
    test_messages,
    test_mpi_calls,
    test_mpi_threads,
    test_namespaces,
    test_other_traffic,
    test_output,
    test_overhead,
    test_processors,
    test_rendezvous,
    test_scaling,
    test_slow_method,
    test_small_accesses,
    test_stood_still,
    test_threads,
    test_unlike_cores,
    test_wrong_interface,
)
from rules.host_jobs import MadeHost, case_of, ranks_on
from rules.network_jobs import GIGABIT, GIGABIT_PAYLOAD, Job
from rules.test_broken_ways import NONE_PASS, SMALL_PASS, silent
from rules.test_broken_ways import job as connected
from rules.test_buffers import LONG, SMALL
from rules.test_cards import SLOW, fabric
from rules.test_congestion_loss import stalled
from rules.test_far_and_slow_ways import far, queued
from rules.test_switches import on_two_switches

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import rules
from clearway.run import load
from clearway.run.layout import Activity

COMPUTING_S = 9.2  # from here on, ranks of a network's Job compute: what happens to a connection holds nobody up


def sleeps(directory: Path, costs: bool) -> Case:
    """A rank sleeps for half of the job; without cost the others compute as long, and wait for nobody."""
    world = test_blocked.world_of(2.0, *[1.0 if costs else 2.0] * 3)
    test_blocked.found_doing(world[0], Activity.SLEEPING, 5.0)
    return case_of(world, directory, MadeHost())


def limited(directory: Path, costs: bool, send_buffer: int = 4_000_000, receives: bool = False) -> Case:
    """A buffer is full for most of the time, or for a moment."""
    field = "rwnd_limited_us" if receives else "sndbuf_limited_us"
    figures = {**LONG, "send_buffer_bytes": send_buffer, field: 6_000_000 if costs else 60_000}
    back = {"receive_buffer_bytes": SMALL} if receives else None
    return Job().connect(0, 1, back=back, **figures).case(directory)


def broken_way(directory: Path, costs: bool, seen: dict[str, int]) -> Case:
    """A connection is silent while both ends wait for it, or while all compute."""
    begin_s = 2.0 if costs else COMPUTING_S
    return silent(connected(), 0, begin_s, begin_s + 0.7, 1, **seen).case(directory)


def never_returned(directory: Path, costs: bool) -> Case:
    """Four ranks receive from each other at the end of the record: for most of it, or since a moment."""
    since_s = 4.0 if costs else 19.9
    waiting = [test_waits_for.receives(rank, rank ^ 1, since_s) for rank in range(test_waits_for.SIZE)]
    return open_case(load(write_all(waiting, directory)))


def loses(directory: Path, costs: bool) -> Case:
    begin_s = 2.0 if costs else COMPUTING_S
    return stalled(Job(hosts=4).all_connected(), begin_s, begin_s + 0.7).case(directory)


def loses_without_pause_frames(directory: Path, costs: bool) -> Case:
    begin_s = 2.0 if costs else COMPUTING_S
    job = Job(function="MPI_Allreduce", cards={"eth0": test_flow_control.OFF})
    return stalled(job.connect(0, 1, total_rto=2), begin_s, begin_s + 0.7, timeouts=2).case(directory)


def sent(costs: bool) -> dict[str, int]:
    """Six seconds of a link of 100 Mbit/s, or next to nothing."""
    return {"bytes_sent": 70_000_000 if costs else 70_000}


def slow_link(directory: Path, costs: bool) -> Case:
    job = Job().connect(0, 1, back=sent(costs), **sent(costs))
    job.facts[2] = {"net.eth0.speed_mbit": "100", "net.eth0.supported_mbit": "1000"}
    return job.case(directory)


def slow_card(directory: Path, costs: bool) -> Case:
    return Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=sent(costs), **sent(costs)).case(directory)


def idle_fabric(directory: Path, costs: bool) -> Case:
    job = Job(cards={"eth0": SLOW}, nbytes=1_000).connect(0, 1, back=sent(costs), **sent(costs))
    return fabric(job, (1, 2)).case(directory)


def late_to_init(directory: Path, costs: bool) -> Case:
    """Rank 1 comes four seconds after the others; without cost its MPI lets them go on."""
    out_s = 5.2 if costs else 1.2
    late = begun(1, 5.0, 5.1, thread={"blocked_outside_ns": 4 * SECOND})
    return started(directory, begun(0, 1.0, out_s), late, begun(2, 1.0, out_s))


def imbalanced(directory: Path, costs: bool) -> Case:
    """Rank 3 computes twice as long as the others; without cost they do not meet."""
    world = ranks_on(MadeHost(), per_host=4)
    if costs:
        test_hosts.steps_of(world, [1.0, 1.0, 1.0, 2.0])
    for rank in world:
        rank.end_s = 10.0 if costs or rank.rank == 3 else 5.0
    return case_of(world, directory, MadeHost())


def fewer_on_a_host(directory: Path, costs: bool) -> Case:
    """Without cost the ranks hardly compute, so there is nothing that more of them could take over."""
    hosts = [MadeHost(f"node{number}") for number in range(4)]
    machines = [host.machine for host, ranks in zip(hosts, (2, 2, 1, 2), strict=True) for _ in range(ranks)]
    world = [Rank(number, 7, machine=machine) for number, machine in enumerate(machines)]
    for rank in world:
        rank.cell("MPI_Init", 0.05)
        if not costs:
            rank.collective("MPI_Alltoall", 0.1, rank.end_s)
    return case_of(world, directory, *hosts)


def allgather(directory: Path, costs: bool) -> Case:
    """Three to fifteen times as long as the bytes need, of 8 s or of 80 ms."""
    scale = 1 if costs else 100
    nbytes = test_messages.BLOCK // scale
    job = Job(hosts=4, function="MPI_Allgather", nbytes=nbytes, moving_s=8.0 / scale)
    return job.all_connected().case(directory)


def asks_first(directory: Path, costs: bool) -> Case:
    """Blocks that wait for their receiver, exchanged once, in 1.6 times the time that they need: 2 s, or a tenth."""
    nbytes = test_rendezvous.BLOCK * (10 if costs else 1)
    job = Job(hosts=4, nbytes=nbytes, moving_s=1.6 * nbytes * 3 / 4 / GIGABIT_PAYLOAD).all_connected()
    for rank in job.ranks:
        rank.fact("mpi.library", "Open MPI v4.1.4")
    return job.case(directory)


def written(directory: Path, costs: bool, **fields: int) -> Case:
    """A file that is used in this way; the time in its calls is given in seconds, and without cost 0."""
    kept = {name: value for name, value in fields.items() if costs or not name.endswith("_ticks")}
    return test_files.one_rank(directory, ("/work/file", kept))


PAIRS: dict[str, Callable[[Path, bool], Case]] = {
    "asking-threads": test_asking_threads.asking,
    "blocked": sleeps,
    "blocked-cma": test_namespaces.contained,
    "buffer-ceilings": lambda at, costs: limited(at, costs, send_buffer=2 * 212_992),
    "congestion-loss": loses,
    "outage": lambda at, costs: broken_way(at, costs, NONE_PASS),
    "mpi-threads": test_mpi_threads.with_progress,
    "mtu-black-hole": lambda at, costs: broken_way(at, costs, SMALL_PASS),
    "neighbour-lists": test_engine_words.searching,
    "never-returned": never_returned,
    "far-memory": lambda at, costs: test_hosts.on_two_nodes(at, 256, ("10 20", "20 10"), 10.0 if costs else 1.0),
    "far-host": far,
    "engine-fixes": test_engine_words.fixing,
    "engine-output": test_engine_words.writing,
    "file-wait": lambda at, costs: written(at, costs, reads=9, read_bytes=10**9, read_ticks=4),
    "flow-control": loses_without_pause_frames,
    "foreign-load": lambda at, costs: test_foreign_load.disturbed(at, others_s=3.0, wait_s=2.0 if costs else 0.0),
    "growing-steps": test_growing_steps.growing,
    "hyper-threads": test_processors.threads_of_cores,
    "idle-allocation": test_threads.idle,
    "kernel-time": lambda at, costs: test_kernel_time.busy_kernel(at, 4.0 if costs else 1.2),
    "late-end": test_ending.late_to_finalize,
    "late-newcomers": test_newcomers.spawning,
    "late-start": late_to_init,
    "late-target": test_one_sided.taking_turns,
    "link-speed": slow_link,
    "load-imbalance": imbalanced,
    "made-again": test_mpi_calls.making,
    "memory-bandwidth": test_memory_bandwidth.together,
    "memory-churn": lambda at, costs: test_memory_churn.case(at, faults=501_000, fault_ns="2000" if costs else "20"),
    "memory-pressure": test_limits.short_of_memory,
    "metadata-storm": lambda at, costs: written(at, costs, opens=500, closes=500, metadata=500, open_ticks=2),
    "missing-ranks": fewer_on_a_host,
    "naive-collective": allgather,
    "not-pinned": lambda at, costs: test_foreign_load.disturbed(at, others_s=0.0, wait_s=2.0 if costs else 0.0),
    "ompio": test_files.by_mpi_io,
    "one-way-rate": queued,
    "other-traffic": test_other_traffic.copied,
    "out-of-memory": test_limits.killed,
    "output": lambda at, costs: test_output.passed_on(at, 50_000, 3.0, 0.0, waited_s=2.0 if costs else 0.0),
    "overhead": test_overhead.clocks,
    "polling": lambda at, costs: test_cores.asking(at, "0" if costs else "0-1"),
    "quota": test_limits.stopped,
    "receive-window": lambda at, costs: limited(at, costs, receives=True),
    "rendezvous": asks_first,
    "reopened-files": test_files.opening,
    "scaling-breakdown": lambda at, costs: test_scaling.beside(at, [(8, 10.0), (4, 10.0 if costs else 19.0)]),
    "send-buffer": lambda at, costs: limited(at, costs, send_buffer=SMALL),
    "serial-section": test_threads.alone,
    "several-switches": on_two_switches,
    "short-runs": test_engine_words.short_runs,
    "shared-core": lambda at, costs: test_cores.delayed(at, "0", MadeHost(), wait_s=2.0 if costs else 0.0),
    "slow-build": test_builds.built,
    "slow-calls": test_mpi_calls.reducing,
    "slow-card": slow_card,
    "slow-clock": test_processors.clocked,
    "slow-host": lambda at, costs: test_hosts.two_hosts(at, [1.0, 2.0 if costs else 1.0], counters=test_hosts.STEAL),
    "slow-method": test_slow_method.by_a_slow_way,
    "slow-start": lambda at, costs: test_kernel_time.started(at, 3.0 if costs else 0.5),
    "slower-fabric": idle_fabric,
    "small-accesses": test_small_accesses.accessing,
    "small-messages": lambda at, costs: test_messages.many_small(1000 if costs else 20, 0.004, 3000).case(at),
    "small-reads": test_files.seeking,
    "small-shm": lambda at, costs: test_hosts.by_tcp(at, 1 << 20, moving_s=6.0 if costs else 0.05),
    "small-writes": lambda at, costs: written(at, costs, **test_output.TINY),
    "stood-still": test_stood_still.held,
    "sync-storm": lambda at, costs: written(at, costs, syncs=900, sync_ticks=3),
    "text-files": test_files.formatting,
    "thread-imbalance": test_threads.uneven,
    "tcp-inside-host": lambda at, costs: (
        Job(hosts=1, per_host=2, moving_s=8.0 if costs else 0.05).connect(0, 1, back={"bytes_sent": 1}).case(at)
    ),
    "tiny-calls": test_many_calls.storming,
    "vain-polls": test_many_calls.asking,
    "wide-lists": test_engine_words.listing,
    "wrong-interface": test_wrong_interface.astray,
    "under-valgrind": test_builds.checked,
    "unlike-cores": test_unlike_cores.halves,
    "uneven-cpu": lambda at, costs: test_cores.badly_spread(at, second=1, wait_s=3.0 if costs else 0.0),
}


def test_each_rule_has_a_pair() -> None:
    assert set(PAIRS) == set(rules())


@pytest.mark.parametrize("rule", PAIRS)
def test_only_what_costs_is_told(rule: str, tmp_path: Path) -> None:
    for costs in (True, False):
        directory = tmp_path / str(costs)
        directory.mkdir()
        told = {one.finding.rule for one in diagnose(PAIRS[rule](directory, costs))}
        assert (rule in told) == costs, told
