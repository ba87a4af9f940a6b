"""A Slurm on the testbed's hosts: ordinary users submit to it, both MPIs start under it, and nothing of it remains."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, clearway_tool
from harness.programs import ProgramBuilder
from harness.slurm import to_its_end
from testbed.conftest import build, clearway, find_or_skip
from testbed.test_lifetime import remains

from clearway.base.errors import ClearwayError
from clearway.testbed import Shape, Testbed
from clearway.testbed.fault import parse_fault
from clearway.testbed.kernel import processes_in
from clearway.testbed.layout import HEAD, Layout
from clearway.testbed.processors import group_prefix
from clearway.testbed.slurm import USERS
from clearway.testbed.slurm.configuration import Machine, slurm_conf, topology_conf

pytestmark = [
    pytest.mark.usefixtures("privileged"),
    pytest.mark.skipif(
        shutil.which("slurmctld") is None or shutil.which("munged") is None, reason="slurm-wlm is not installed"
    ),
]
TIMEOUT_S = 60
MANUAL = REPOSITORY / "docs" / "slurm.md"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Testbed]:
    """Four hosts on two switches, each with eight processors if one asks Slurm."""
    with Testbed(Shape(hosts=4, switches=2, slurm=True, host_cpus=8)) as testbed:
        yield testbed


def as_user(cluster: Testbed, *command: str | Path, user: str = USERS[0].name) -> subprocess.CompletedProcess[str]:
    return to_its_end(cluster.on_host(HEAD, command, user), TIMEOUT_S)


def home_of(cluster: Testbed) -> Path:
    return Path(as_user(cluster, "pwd").stdout.strip())


def test_a_job_of_an_ordinary_user(cluster: Testbed) -> None:
    script = home_of(cluster) / "job.sh"
    script.write_text("#!/bin/sh\n#SBATCH --nodes=4 --job-name=md\nid -un\nsrun hostname\nexit 3\n")
    told = as_user(cluster, "sbatch", "--wait", "--output=said", "job.sh")
    assert told.returncode == 3, told
    said = (home_of(cluster) / "said").read_text().split()
    assert (said[0], sorted(said[1:])) == ("user1", ["node1", "node2", "node3", "node4"])


@pytest.mark.parametrize(("name", "management"), [("openmpi", "pmix"), ("mpich", "pmi2")])
def test_both_mpis_start_under_it(cluster: Testbed, programs: ProgramBuilder, name: str, management: str) -> None:
    # Copied, for the folders of tests are their owner's alone.
    program = Path(shutil.copy(build(programs, find_or_skip(name), "where"), home_of(cluster) / f"where-{name}"))
    program.chmod(0o755)
    done = as_user(cluster, "srun", f"--mpi={management}", "-N4", "-n8", program)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    seats = sorted((line.split() for line in done.stdout.splitlines()), key=lambda words: int(words[0]))
    assert [words[0] for words in seats] == [str(rank) for rank in range(8)], done.stdout
    assert {words[2] for words in seats} == {"node1", "node2", "node3", "node4"}, done.stdout


def test_fences_of_pmix_are_all_of_one_kind(cluster: Testbed) -> None:
    """Of two kinds they overtake each other on a busy machine, and Open MPI crashes in one of ten starts."""
    shown = as_user(cluster, "scontrol", "show", "config").stdout
    assert re.search(r"^PMIxCollFence += tree$", shown, re.MULTILINE), shown


def test_the_manuals_first_job(cluster: Testbed, programs: ProgramBuilder, tmp_path: Path) -> None:
    """docs/slurm.md, block after block."""
    script, *typed = re.findall(r"^```sh\n(.*?)^```$", MANUAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "job.sh").write_text(script)
    shutil.copy(build(programs, find_or_skip("openmpi"), "where"), tmp_path / "program")
    folder = str(Path(clearway_tool("clearway")).parent)
    said = []
    for block in typed:
        shell = ["env", f"--chdir={tmp_path}", f"PATH={folder}:{os.environ['PATH']}", "sh", "-e", "-c", block]
        done = to_its_end(cluster.on_host(HEAD, shell), TIMEOUT_S)
        logs = "\n".join(log.read_text() for log in tmp_path.glob("slurm-*.out"))
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}\n{logs}"
        said.append(done.stdout)
    (run,) = tmp_path.glob("run-*")
    number = run.name.removeprefix("run-")
    listed, page = said[1:3]
    assert re.search(rf"run-{number} .* {number} +program +8 on 4 ", listed), listed
    assert f"job {number} (md-prod) · 4 nodes × 2 tasks" in page


def test_more_processors_than_the_machine_has_can_be_asked_for(cluster: Testbed) -> None:
    asked = as_user(cluster, "srun", "-N2", "--ntasks-per-node=2", "-c4", "printenv", "SLURM_CPUS_ON_NODE")
    assert asked.stdout.split() == ["8"] * 4, asked
    refused = as_user(cluster, "srun", "-N1", "-n1", "-c9", "true")
    assert refused.returncode != 0, refused


def test_a_task_beyond_its_memory_is_killed(cluster: Testbed) -> None:
    eats = "python3 -c 'print(len(bytearray(200 << 20)))'"
    fits = as_user(cluster, "srun", "--mem=400M", "sh", "-c", eats)
    assert (fits.returncode, fits.stdout.strip()) == (0, str(200 << 20)), fits
    if not Path("/sys/fs/cgroup/memory/tasks").exists():
        pytest.skip("no control groups of version 1: Slurm on the testbed does not limit memory")
    killed = as_user(cluster, "srun", "--mem=60M", "sh", "-c", eats)
    assert killed.returncode != 0, killed
    assert "oom" in killed.stderr.lower(), killed


def test_users_cannot_read_each_others_files(cluster: Testbed) -> None:
    secret = home_of(cluster) / "secret"
    assert as_user(cluster, "sh", "-c", "umask 077; echo word > secret").returncode == 0
    assert as_user(cluster, "cat", secret, user="user2").returncode != 0
    with pytest.raises(ClearwayError, match="no user 'root'"):
        cluster.on_host(HEAD, ["id"], "root")


def test_what_is_killed_after_a_time_limit_is_not_slurm(cluster: Testbed) -> None:
    cluster.kill_all()
    assert as_user(cluster, "srun", "-N4", "hostname").returncode == 0


def test_it_stays_and_goes_without_a_trace() -> None:
    up = clearway("up", "--slurm", "--hosts", "2")
    name = up.stdout.strip()
    try:
        assert up.exit_code == 0, up.says
        assert "Slurm" in clearway("status").stdout
        ran = clearway("exec", "--name", name, "--user", "user2", "head", "--", "srun", "-N2", "id", "-un")
        assert ran.lines == ["user2", "user2"], ran.says
        entry = Testbed.existing(name).layout
        inside = [entry.namespace(host.name) for host in entry.everyone]
        assert processes_in(inside)
    finally:
        down = clearway("down", "--name", name)
    assert down.exit_code == 0, down.says
    assert remains(name) == []


def test_a_slow_host_has_slurm_too() -> None:
    with Testbed(Shape(hosts=2, slurm=True, faults=(parse_fault("node2:cpu=50%"),))) as testbed:
        assert sorted(as_user(testbed, "srun", "-N2", "hostname").stdout.split()) == ["node1", "node2"]
        groups = [Path(f"{group_prefix(testbed.layout)}{host}") for host in ("node1", "node2")]
        if not (groups[1] / "cpu.max").exists():  # version 1
            assert [(group / "cpu.cfs_quota_us").read_text() for group in groups] == ["-1\n", "5000\n"]
        name = testbed.name
    assert remains(name) == []


def test_one_command_for_a_batch_job(tmp_path: Path) -> None:
    """Its exit code is sbatch's; what was only submitted runs to its end before the testbed goes."""
    (tmp_path / "job.sh").write_text("#!/bin/sh\n#SBATCH --nodes=2\nsrun hostname\nsleep 1\nexit 3\n")
    submit = ("sbatch", f"--chdir={tmp_path}", f"--output={tmp_path}/said", tmp_path / "job.sh")
    ran = clearway("run", "--slurm", "--hosts", "2", "--", *submit)
    assert ran.exit_code == 0, ran.says
    assert sorted((tmp_path / "said").read_text().split()) == ["node1", "node2"]
    late = clearway("run", "--slurm", "--hosts", "2", "--user", "user1", "--timeout", "1", "--", "srun", "sleep", "60")
    assert (late.exit_code, late.says.count("ended after 1 s")) == (124, 1), late.says


def test_options_that_need_slurm_or_have_no_use_for_it() -> None:
    for options in (("--user", "user1"), ("--slurm", "--counters")):
        refused = clearway("run", *options, "--", "true")
        assert refused.exit_code == 1
        assert "does not go with" in refused.stderr
        assert "hint: " in refused.stderr


def test_users_need_slurm() -> None:
    with Testbed(Shape(hosts=1)) as testbed, pytest.raises(ClearwayError, match="without Slurm"):
        testbed.on_host(HEAD, ["id"], "user1")


def test_switches_are_told_to_slurm() -> None:
    layout = Layout("abcd", Shape(hosts=4, switches=2, slurm=True))
    assert topology_conf(layout).splitlines() == [
        "SwitchName=switch1 Nodes=node1,node2",
        "SwitchName=switch2 Nodes=node3,node4",
        "SwitchName=bridge Switches=switch1,switch2",
    ]
    said = slurm_conf(layout, Path("/d"), Machine(cpus=2, memory_mib=1000, has_groups=False))
    assert "TopologyPlugin=topology/tree" in said
    assert "proctrack/linuxproc" in said
