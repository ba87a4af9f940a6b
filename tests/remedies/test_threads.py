"""Threads that take turns: more cores for them where there are some, else fewer of them; and control groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, finding, made_case, offer
from rules.host_jobs import MadeHost, case_of, count, off_the_core, ranks_on, steps_of

from clearway.diagnosis.diagnose import with_remedies
from clearway.diagnosis.facts import Case
from clearway.job.change import Change

STACKED = {"ranks": 2, "hosts": 2, "cpus": "1", "environment": {"OMP_NUM_THREADS": "4"}}


@pytest.mark.parametrize(
    ("library", "command", "change"),
    [
        (OPEN_MPI, (), Change(launcher_options=("--bind-to", "core", "--map-by", "slot:PE=4"))),
        (MPICH, (), Change(launcher_options=("-bind-to", "core:4"))),
        (INTEL, (), Change(environment=(("I_MPI_PIN", "on"), ("I_MPI_PIN_DOMAIN", "4:compact")))),
        (MPICH, ("srun", "-n2", "./a"), Change(launcher_options=("--cpu-bind=cores", "--cpus-per-task=4"))),
    ],
)
def test_stacked_threads_get_cores(tmp_path: Path, library: str, command: tuple[str, ...], change: Change) -> None:
    case = made_case(tmp_path, library=library, command=command, **STACKED)  # type: ignore[arg-type]
    found = offer("cores-for-threads", case, "shared-core")
    assert found is not None
    assert (found.change, found.gain) == (change, 1.0)
    assert offer("fewer-threads", case, "shared-core") is None


def test_a_command_is_offered_once(tmp_path: Path) -> None:
    """To give each thread a core is to give the rank two."""
    case = made_case(tmp_path, ranks=1, hosts=1, cpus="0", environment={"OMP_NUM_THREADS": "2"})
    both = ("cores-for-threads", "one-rank-a-core")
    first, second = (offer(name, case, "shared-core") for name in both)
    assert first is not None and second is not None and first.change == second.change
    assert [each.id for each in with_remedies(case, finding("shared-core"), both).finding.remedies] == [both[0]]


def test_threads_with_cores_of_their_own_get_no_more(tmp_path: Path) -> None:
    case = made_case(tmp_path, ranks=2, hosts=2, environment={"OMP_NUM_THREADS": "4"})
    for name in ("cores-for-threads", "fewer-threads", "host-cpu-quota"):
        assert offer(name, case, "shared-core") is None


def test_where_there_are_no_more_cores_there_are_fewer_threads(tmp_path: Path) -> None:
    """Four ranks of four threads on hosts of four cores."""
    case = made_case(tmp_path / "a", environment={"OMP_NUM_THREADS": "4"})
    found = offer("fewer-threads", case, "shared-core")
    assert found is not None
    assert (found.change, found.gain) == (Change(environment=(("OMP_NUM_THREADS", "2"),)), None)
    assert offer("cores-for-threads", case, "shared-core") is None
    gromacs = made_case(tmp_path / "b", command_line="gmx_mpi mdrun -ntomp 8")
    found = offer("fewer-threads", gromacs, "shared-core")
    assert found is not None and found.change is not None
    assert found.change.program_options == ("-ntomp", "2")


def test_a_program_without_threads_does_not_read_how_many(tmp_path: Path) -> None:
    """Four ranks for one processor, in a script that sets the variable for another program."""
    host = MadeHost(facts={"host.cores": "8"})
    world = ranks_on(host, per_host=4, cpus="0")
    steps_of(world, [2.0] * 4)
    for rank in world:
        rank.fact("environment.OMP_NUM_THREADS", "4")
        count(rank, "process.threads", 1)
    assert offer("fewer-threads", case_of(world, tmp_path, host), "shared-core") is None


def test_who_binds_the_program_itself_is_not_told_to_the_launcher(tmp_path: Path) -> None:
    command = ("mpirun.openmpi", "-np", "2", "taskset", "-c", "1", "./program")
    case = made_case(tmp_path, command=command, **STACKED)  # type: ignore[arg-type]
    assert offer("cores-for-threads", case, "shared-core") is None
    found = offer("fewer-threads", case, "shared-core")
    assert found is not None and found.change == Change(environment=(("OMP_NUM_THREADS", "1"),))


CORES = {"host.cores": "8", "topology.cores": "4", "topology.siblings.0": "0,4 1,5 2,6 3,7"}
PLACES = ("OMP_PLACES", "cores")
SLURM = ("--hint=nomultithread", "--cpus-per-task=2", "--cpu-bind=cores")
CELLS = (("I_MPI_PIN", "on"), ("I_MPI_PIN_DOMAIN", "2:compact"), ("I_MPI_PIN_CELL", "core"), PLACES)


@pytest.mark.parametrize(
    ("library", "command", "cpus", "change"),
    [
        (OPEN_MPI, (), "0,4", Change(launcher_options=("--bind-to", "core", "--map-by", "slot:PE=2"))),
        (MPICH, (), "0,4", Change(launcher_options=("-bind-to", "core:2"))),
        (MPICH, ("srun", "-n1", "./a"), "0,4", Change(launcher_options=SLURM)),
        (INTEL, (), "0,4", Change(environment=CELLS)),
        (OPEN_MPI, (), "0-7", Change()),  # there are cores enough: OpenMP put its threads on the same ones
        ("Another MPI", (), "0-7", Change()),
        ("Another MPI", (), "0,4", None),
        (OPEN_MPI, ("mpirun.openmpi", "-np", "1", "taskset", "-c", "0,4", "./a"), "0,4", None),
    ],
)
def test_threads_on_the_halves_of_a_core_get_whole_ones(
    tmp_path: Path, library: str, command: tuple[str, ...], cpus: str, change: Change | None
) -> None:
    told = {"OMP_NUM_THREADS": "2"}
    case = made_case(
        tmp_path, library=library, command=command, cpus=cpus, ranks=1, hosts=1, host=CORES, environment=told
    )
    found = offer("one-core-a-rank", case, "hyper-threads")
    if change is None:
        assert found is None
        return
    assert found is not None and found.change is not None and found.gain is None
    assert found.change.launcher_options == change.launcher_options
    assert found.change.environment == (change.environment or (PLACES,))


def test_there_are_no_more_cores_than_there_are(tmp_path: Path) -> None:
    told = {"OMP_NUM_THREADS": "8"}
    case = made_case(tmp_path, cpus="0-7", ranks=1, hosts=1, host=CORES, environment=told)
    assert offer("one-core-a-rank", case, "hyper-threads") is None


def held_back(
    directory: Path, group: str, ranks: int = 4, threads: int = 1, grant: str = "2.000", at: str = ""
) -> Case:
    """Ranks of one host that their control group stops for half of the time; there are eight cores."""
    host = MadeHost(facts={"host.cores": "8"})
    world = ranks_on(host, per_host=ranks, cpus="0-7")
    steps_of(world, [2.0] * ranks)
    for rank in world:
        rank.fact("process.cgroup_cpus", grant).fact("process.cgroup", group)
        rank.fact("environment.OMP_NUM_THREADS", str(threads)).fact("process.cgroup_cpus_at", at)
        count(rank, "process.cgroup_throttled_us", 5_000_000)
        count(rank, "process.threads", threads)
        off_the_core(rank, 2.0)
    return case_of(world, directory, host)


@pytest.mark.parametrize(
    ("group", "command"),
    [
        ("0::/jobs/42", "echo 400000 100000 | sudo tee /sys/fs/cgroup/jobs/42/cpu.max"),
        ("0::/system.slice/run-7.scope", "sudo systemctl set-property --runtime run-7.scope CPUQuota=400%"),
        ("4:cpu,cpuacct:/a", "echo 400000 | sudo tee /sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us"),
        (f"0::/docker/{'0123456789ab' * 5}", "sudo docker update --cpus=4 0123456789ab"),
        ("0::/", None),
        ("0::/kubepods/burstable/pod7", None),
        ("0::/a b; rm -r /", None),
        ("12:memory:/a", None),
        ("", None),
    ],
)
def test_a_limit_is_raised_in_the_words_of_who_set_it(tmp_path: Path, group: str, command: str | None) -> None:
    found = offer("host-cpu-quota", held_back(tmp_path, group), "quota")
    assert (found.command if found else None) == command
    if found is not None:
        assert found.needs_root and found.gain == 1.0


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("/sys/fs/cgroup/cpu/jobs/42", "echo 400000 | sudo tee /sys/fs/cgroup/cpu/jobs/42/cpu.cfs_quota_us"),
        ("/sys/fs/cgroup/jobs/42", "echo 400000 100000 | sudo tee /sys/fs/cgroup/jobs/42/cpu.max"),
        ("/sys/fs/cgroup", None),
    ],
)
def test_the_level_that_limits_is_raised(tmp_path: Path, folder: str, command: str | None) -> None:
    case = held_back(tmp_path, "9:name=systemd:/", at=folder)
    found = offer("host-cpu-quota", case, "quota")
    assert (found.command if found else None) == command


def test_within_a_limit_there_are_fewer_threads_or_fewer_ranks(tmp_path: Path) -> None:
    threaded = held_back(tmp_path / "threads", "0::/", ranks=2, threads=4, grant="4.000")
    found = offer("fewer-threads", threaded, "shared-core")
    assert found is not None and found.change == Change(environment=(("OMP_NUM_THREADS", "2"),))
    bare = offer("fewer-threads", held_back(tmp_path / "bare", "0::/"), "shared-core")
    assert bare is None


def test_more_than_the_host_has_is_promised_nothing(tmp_path: Path) -> None:
    found = offer("host-cpu-quota", held_back(tmp_path, "0::/a", ranks=16), "shared-core")
    assert found is not None and found.gain is None


@pytest.mark.parametrize(
    ("by_default", "told", "offers"),
    [("static", "", True), ("dynamic", "", False), ("dynamic", "static,8", True), ("static", "Guided", False)],
)
def test_a_schedule_is_offered_where_the_program_leaves_it_open(
    by_default: str, told: str, offers: bool, tmp_path: Path
) -> None:
    assert offer("dynamic-schedule", made_case(tmp_path / "fixed"), "thread-imbalance") is None
    environment = {"OMP_SCHEDULE": told} if told else {}
    case = made_case(tmp_path / "open", environment=environment, facts={"openmp.default_schedule": by_default})
    found = offer("dynamic-schedule", case, "thread-imbalance")
    assert (found.change if found else None) == (Change(environment=(("OMP_SCHEDULE", "dynamic"),)) if offers else None)
