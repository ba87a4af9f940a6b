"""The wheel for arm64, cross-compiled here, and a job recorded with it on an emulated processor (qemu-user), with the
Open MPI of Debian's arm64.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, clearway_tool
from harness.outcome import Outcome
from harness.runs import counted, load_page, own_words, run_command
from packages.debian_root import foreign_root

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

# How Linux is told that qemu runs these programs: in a user namespace, where only what is started in it sees that.
HEADER = r"\x7fELF\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00"
MASK = r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff\xff\xff"
EMULATOR = "/usr/bin/qemu-aarch64-static"
HEADERS = Path("/usr/lib/x86_64-linux-gnu/openmpi/include")  # the same on both machines: both are LP64
LIBRARY = "usr/lib/aarch64-linux-gnu/libmpi.so.40"
# qemu knows no process_vm_readv, and the folder of processors in /sys is not there.
VARIABLES = (
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=false "
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none"
)
SLEEPS = """#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    sleep(1);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def arm64_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for program in ("aarch64-linux-gnu-g++", EMULATOR):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}: tools/install-packages cross")
    command = [REPOSITORY / "tools/wheel-aarch64", tmp_path_factory.mktemp("wheel")]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def root(arm64_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Debian of arm64, with what of the wheel nodes need."""
    if not HEADERS.is_dir():
        pytest.skip("needs libopenmpi-dev")
    made = foreign_root("bookworm", "arm64", "openmpi-bin")
    unpacked = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(arm64_wheel) as archive:
        archive.extractall(unpacked)
    (data,) = unpacked.glob("*.data")
    prefix, home = made / "opt/clearway", made / "home/user"
    for folder in (prefix, home):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(data / "data/lib", prefix / "lib")
    shutil.copytree(data / "scripts", prefix / "bin")
    for program in (prefix / "bin").iterdir():
        program.chmod(0o755)
    home.mkdir()
    return made


def on_arm64(root: Path, script: str) -> Outcome:
    rule = f":clearway-arm64:M::{HEADER}:{MASK}:{EMULATOR}:OCF"
    inner = (
        "mount -t proc proc /proc && mkdir -p /dev/shm && mount -t tmpfs tmpfs /dev/shm && ldconfig && "
        f"export HOME=/home/user PATH=/opt/clearway/bin:/usr/bin:/usr/sbin:/bin {VARIABLES} && cd $HOME && {script}"
    )
    outer = (
        "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && "
        f"printf %s {shlex.quote(rule)} >/proc/sys/fs/binfmt_misc/register && "
        f"exec chroot {shlex.quote(str(root))} /bin/sh -c {shlex.quote(inner)}"
    )
    namespaces = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork"]
    if run_command([*namespaces, "mount", "-t", "binfmt_misc", "none", "/proc/sys/fs/binfmt_misc"]).exit_code != 0:
        pytest.skip("this kernel has no binfmt_misc for user namespaces (Linux 6.7 and newer have)")
    return run_command([*namespaces, "sh", "-c", outer], timeout_s=300)


def recorded_job(
    root: Path, source: Path, arguments: str, options: str = "", variables: str = ""
) -> tuple[Path, float]:
    """The Run of a program on four ranks, and how long all of it took."""
    compiled = [
        "aarch64-linux-gnu-gcc",
        "-D_GNU_SOURCE",
        "-O1",
        "-I",
        HEADERS,
        "-o",
        root / "home/user/program",
        source,
    ]
    subprocess.run([*compiled, root / LIBRARY, "-Wl,--allow-shlib-undefined", "-lm"], check=True)
    run = f"mpirun.openmpi -n 4 clearway-record {options} -o run ./program {arguments}"
    outcome = on_arm64(root, f"rm -rf run && {variables} {run}")
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    return root / "home/user/run", outcome.wall_s


def test_the_wheel_is_of_arm64(arm64_wheel: Path) -> None:
    """tools/wheel has looked at the versions of its symbols."""
    assert arm64_wheel.name.endswith("-py3-none-manylinux_2_28_aarch64.whl")
    with zipfile.ZipFile(arm64_wheel) as archive:
        names = archive.namelist()
        programs = [name for name in names if re.search(r"\.so$|/scripts/clearway-", name)]
        machines = {int.from_bytes(archive.read(name)[18:20], "little") for name in programs}
        (page,) = (name for name in names if name.endswith("man1/clearway-record.1"))
        assert "io\\-cache" in archive.read(page).decode()  # it was asked for its options
    assert (len(programs), machines) == (11, {183})  # EM_AARCH64


def test_a_job_is_recorded(root: Path) -> None:
    run, _ = recorded_job(root, REPOSITORY / "tests/programs/collective_loop.c", "alltoall 3000 50")
    page = load_page(run)
    assert page["job"]["complete"] and page["job"]["ranks"] == 4
    assert counted(page)["MPI_Alltoall"]["count"] == 4 * 50


def test_its_counter_of_time_is_right(root: Path, tmp_path: Path) -> None:
    """cntvct_el0: a second is not shorter, and all of it no longer than it was from outside."""
    (tmp_path / "sleeps.c").write_text(SLEEPS)
    run, elapsed_s = recorded_job(root, tmp_path / "sleeps.c", "")
    assert 1 <= load_page(run)["job"]["wall_s"] <= elapsed_s


def test_collectives_are_steered(root: Path) -> None:
    """Four hosts are pretended: those of one have no network between them."""
    pretended = "CLEARWAY_FLOW_HOSTS=4 CLEARWAY_FLOW_MEMORY=off"
    source = REPOSITORY / "tests/programs/collective_loop.c"
    run, _ = recorded_job(root, source, "alltoall 3000 50", "--flow", pretended)
    assert [row["calls"] for row in load_page(run)["flow"]] == [50]


def test_files_in_memory_are_the_same(root: Path) -> None:
    work = "tar cf FILE --sort=name --mtime=@0 /etc/alternatives /usr/share/openmpi && stat -c %s FILE && md5sum < FILE"
    bare = on_arm64(root, work.replace("FILE", "bare.tar"))
    command = shlex.quote(work.replace("FILE", "recorded.tar"))
    recorded = on_arm64(root, f"clearway-record --always --io-cache auto -o files sh -c {command}")
    assert recorded.exit_code == 0, recorded.says
    assert recorded.stdout == bare.stdout != ""


def test_other_programs_say_the_same(root: Path) -> None:
    here = run_command([str(clearway_tool("clearway-schedule")), "list"])
    there = on_arm64(root, "clearway-schedule list")
    assert there.stdout == here.stdout != ""
