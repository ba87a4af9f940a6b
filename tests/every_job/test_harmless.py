"""What runs under the plugin and is no MPI program does what it does without: same output, same exit code, no trace."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from every_job.cluster import Cluster
from harness.programs import ProgramBuilder

HERE = Path(__file__).parent
BOX = (
    "bwrap --ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin "
    "--proc /proc --dev /dev --unshare-user"
)
CASES = {
    "true": "true",
    "an exit code": "exit 7",
    "a signal": "kill -TERM $$",
    "a pager": "seq 200 | less -F | tail -n 1",
    "modules": ". /usr/share/lmod/lmod/init/sh; module purge; module list 2>&1; echo $?",
    "static": "./static",
    "32 bit": "./narrow; echo $?",
    "32 bit in the end": "exec ./narrow",
    "python": "python3 -c 'import subprocess; print(subprocess.run([\"./narrow\"]).returncode)'",
    "python's shell": 'python3 -c \'import os; os.system("./narrow"); os.execvp("./narrow", ["narrow"])\'',
    "setuid": "./setuid id -u; id -u",
    "perl": 'perl -e \'system("./narrow"); print $?, "\\n"\'',
    "a container": f"{BOX} sh -c 'echo in it; true; ls /bin/sh'",
    "a namespace": "unshare --user --map-root-user sh -c 'id -u; ./narrow; echo $?'",
    "an environment of its own": "env -i /bin/sh -c 'echo ${LD_PRELOAD-none}'",
    "a script": "./script.sh one two",
    "xargs": "echo ./narrow ./static | xargs -n1 env; echo $?",
    "a pipe that closes": "seq 100000 | head -n 1",
    "descriptors": "ls /proc/self/fd | wc -l",
}
# Of both words the output must be the same but for what is different in each process.
ALONE = "--clearway=off"


@pytest.fixture(scope="module")
def folder(cluster: Cluster, programs: ProgramBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's home, with programs of all kinds."""
    made = tmp_path_factory.mktemp("made")
    builder = ProgramBuilder(made)
    (made / "static.c").write_text('#include <stdio.h>\nint main(void) { puts("static"); return 0; }\n')
    narrow = "__attribute__((noreturn)) void _start(void) {\n"
    narrow += '    __asm__ volatile("int $0x80" : : "a"(1), "b"(3)); __builtin_unreachable();\n}\n'
    (made / "narrow.c").write_text(narrow)
    cluster.copy(builder.build_plain("static", str(made / "static.c"), flags=["-static"]))
    # Its loader says of each library that it cannot use that it cannot.
    flags = ["-m32", "-nostdlib", "-pie", "-fPIE", "-Wl,--dynamic-linker=/lib/ld-linux.so.2"]
    cluster.copy(_narrow(builder, made, flags))
    setuid = cluster.copy(Path(shutil.which("env") or "/usr/bin/env"), "setuid")
    setuid.chmod(0o4755)
    script = cluster.home / "script.sh"
    script.write_text("#!/bin/bash\necho $0 $# $*\n./narrow || echo $?\n")
    script.chmod(0o755)
    return cluster.home


def _narrow(builder: ProgramBuilder, made: Path, flags: list[str]) -> Path:
    program = made / "narrow"
    if not Path("/lib/ld-linux.so.2").exists():
        pytest.skip("libc6-i386 is not installed")
    done = subprocess.run(["cc", "-O1", *flags, str(made / "narrow.c"), "-o", str(program)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("no compiler for 32-bit programs")
    return program


@pytest.mark.parametrize("name", CASES)
def test_does_what_it_does_without(cluster: Cluster, folder: Path, name: str) -> None:
    if name == "a container" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    if name == "modules" and not Path("/usr/share/lmod/lmod/init/sh").exists():
        pytest.skip("lmod is not installed")
    before = cluster.runs()

    def said(*options: str) -> tuple[int, str, str]:
        done = cluster.srun(*options, "-n1", "-N1", "sh", "-c", CASES[name])
        # The testbed's own library is preloaded by its TaskProlog, and is in no container.
        lines = [line for line in done.stderr.splitlines() if "libclearway-testbed-idle.so" not in line]
        return done.returncode, done.stdout, "\n".join(_plain(line) for line in lines)

    assert said() == said(ALONE)
    assert cluster.runs() == before


def _plain(line: str) -> str:
    """Without the numbers of the job and its processes."""
    return "".join(character for character in line if not character.isdigit())


def test_a_program_that_srun_copies(cluster: Cluster, late: Path) -> None:
    before = set(cluster.runs())
    done = cluster.srun("--bcast=/tmp/late-copied", "-N1", "-n2", late)
    assert (done.returncode, done.stdout) == (0, "2 ranks\n"), done
    (run,) = set(cluster.runs()) - before
    assert len(list((cluster.folder / run).glob("rank.*.cwr"))) == 2


def test_a_program_below_a_shell_and_python(cluster: Cluster, late_openmpi: Path) -> None:
    """It is recorded all the same, once."""
    before = set(cluster.runs())
    inner = f"import subprocess, sys; sys.exit(subprocess.run(['{late_openmpi}']).returncode)"
    (cluster.home / "outer.sh").write_text(f'#!/bin/bash\ntrue\npython3 -c "{inner}"\n')
    done = cluster.srun("--mpi=pmix", "-N1", "-n2", "bash", "outer.sh")
    assert (done.returncode, done.stdout) == (0, "2 ranks\n"), done
    (run,) = set(cluster.runs()) - before
    assert len(list((cluster.folder / run).glob("rank.*.cwr"))) == 2


def test_task_prologs_own_commands(cluster: Cluster, folder: Path) -> None:
    """Its output is read by Slurm: a word too many there becomes a variable of the job, or ends it."""
    prolog = cluster.home / "prolog.sh"
    prolog.write_text("#!/bin/sh\n./narrow\necho export FIRST=$(seq 3 | tail -n 1)\nls / | head -n 1 >/dev/null\n")
    prolog.chmod(0o755)
    outcomes = []
    for options in ([], [ALONE]):
        done = cluster.srun(*options, f"--task-prolog={prolog}", "-n1", "sh", "-c", "echo $FIRST")
        outcomes.append((done.returncode, done.stdout, done.stderr))
    assert outcomes[0] == outcomes[1] == (0, "3\n", "")


def test_no_variable_of_the_job_is_lost(cluster: Cluster) -> None:
    ours = ("CLEARWAY_DIR", "CLEARWAY_JOB", "CLEARWAY_EVERY_JOB", "LD_PRELOAD")
    changing = ("SLURM_", "SLURMD_", "SRUN_", "PMI_FD=", "PMI_JOBID=", "TMPDIR", "_=")

    def variables(*options: str) -> list[str]:
        lines = cluster.srun(*options, "-n1", "env", KEPT="a  b\tc").stdout.splitlines()
        return sorted(line for line in lines if not line.startswith((*ours, *changing)))

    with_plugin = variables()
    assert "KEPT=a  b\tc" in with_plugin
    assert with_plugin == variables(ALONE)
