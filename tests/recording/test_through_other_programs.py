"""Who starts the ranks does not matter: a shell, a static program, one of each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command, run_job

from clearway.run import load

STARTS = "#include <unistd.h>\nint main(int count, char** words) { execvp(words[1], words + 1); return 9; }\n"


def test_a_static_program_hands_the_recorder_on(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """As valgrind's tools do, and wrappers that are written in Go."""
    (tmp_path / "starts.c").write_text(STARTS)
    subprocess.run(["cc", "-static", "-o", tmp_path / "starts", tmp_path / "starts.c"], check=True, timeout=60)
    script = tmp_path / "job.sh"
    script.write_text(f'#!/bin/sh\n{tmp_path}/starts "$@"\n')
    script.chmod(0o755)
    ring = programs.build(debian_mpi, "lazy_ring", "lazy_ring.c")
    outcome = run_job(debian_mpi, [script, ring, "1"], run_directory=tmp_path / "run")
    assert outcome.exit_code == 0, outcome.says
    assert load_page(tmp_path / "run")["job"]["ranks"] == 2


@pytest.mark.parametrize("words", [["sh", "-c"], ["bash", "-c"]], ids=["sh", "bash"])
def test_what_a_shell_executes_goes_on_with_the_hosts_record(words: list[str], tmp_path: Path) -> None:
    """Shells do so with the last command, or the only one: the shell that began the record is no more."""
    recorded = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    outcome = run_command([*recorded, *words, "exec sleep 1"])
    assert outcome.exit_code == 0, outcome.says
    [host] = load(tmp_path / "run").hosts
    assert host.counted_s > 0.9
    busy_and_idle = [host.counters[f"cpu.{kind}_ms"] for kind in ("user", "system", "idle")]
    assert sum(last - first for first, last in busy_and_idle) > 500


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_valgrind_has_nothing_to_say(tmp_path: Path) -> None:
    """It complains of system calls that it does not know."""
    recorded = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    outcome = run_command([*recorded, "valgrind", "-q", "sleep", "0.5"])
    assert (outcome.exit_code, outcome.stderr) == (0, ""), outcome.says
    assert any((tmp_path / "run").iterdir())


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("tool", ["helgrind", "drd"])
def test_races_of_ours_are_not_told(tool: str, tmp_path: Path) -> None:
    """Thousands of lines, in which the program's own would not be found."""
    recorded = [clearway_tool("clearway-record"), "--always", "--io-cache=10Mi", "-o", tmp_path / "run", "--"]
    outcome = run_command([*recorded, "valgrind", "-q", f"--tool={tool}", "sleep", "0.3"])
    notice = "clearway: cannot record a program under Helgrind or DRD; the job continues unrecorded\n"
    assert (outcome.exit_code, outcome.stderr) == (0, notice), outcome.says


@pytest.mark.parametrize("options", [(), ("--io-cache=10Mi",)], ids=["recorded", "cached"])
def test_other_namespaces(options: tuple[str, ...], programs: ProgramBuilder, tmp_path: Path) -> None:
    """What starts containers asks for some that only a process of one thread gets."""
    program = programs.build_plain("namespaces", "namespaces.c")
    bare = run_command([program])
    if "itself 0" not in bare.stdout:
        pytest.skip("this user gets no namespaces here")
    recorded = run_command(
        [clearway_tool("clearway-record"), *options, "-o", tmp_path / "run", "--always", "--", program]
    )
    assert (recorded.exit_code, recorded.stdout) == (bare.exit_code, bare.stdout), recorded.says
    # The sampler is there again: it has seen what the program does at its end.
    assert any(each["activity"] == "sleeping" for each in load_page(tmp_path / "run")["blocked"]), "not sampled"


@pytest.mark.skipif(shutil.which("musl-gcc") is None, reason="musl-tools is not installed")
@pytest.mark.parametrize(
    "options", [(), ("--io-cache=10Mi",), ("--flow", "--io-cache=10Mi")], ids=["", "cached", "all"]
)
def test_a_program_of_another_libc(options: tuple[str, ...], tmp_path: Path) -> None:
    """musl's loader ends a program for which it cannot load a library, whichever of ours that is."""
    (tmp_path / "hello.c").write_text('int puts(const char*);\nint main(void) { puts("hello"); return 0; }\n')
    subprocess.run(["musl-gcc", tmp_path / "hello.c", "-o", tmp_path / "hello"], check=True, timeout=60)
    record = [clearway_tool("clearway-record"), "--always", *options, "-o", tmp_path / "run", "--"]
    outcome = run_command([*record, "sh", "-c", f"{tmp_path}/hello; env {tmp_path}/hello; ls /nonexistent"])
    assert (outcome.exit_code, outcome.stdout) == (2, "hello\nhello\n"), outcome.says
    assert "clearway" not in outcome.stderr
