"""A testbed leaves nothing behind, however it ends; and refuses clearly where it cannot begin."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command
from testbed.conftest import clearway

from clearway.base.errors import ClearwayError
from clearway.commands import testbed as commands
from clearway.testbed import Shape, Testbed, build, privilege, registry
from clearway.testbed.kernel import NAMESPACES, processes_in
from clearway.testbed.layout import namespace_prefix

pytestmark = pytest.mark.usefixtures("privileged")

DEADLINE_S = 30


def remains(name: str) -> list[str]:
    """All that a testbed of that name could leave on this machine."""
    prefix = namespace_prefix(name)
    namespaces = [path.name for path in NAMESPACES.glob(f"{prefix}*")]
    groups = [str(path) for path in Path("/sys/fs/cgroup").glob(f"**/{prefix}*")]
    states = [str(path) for path in registry.ROOT.glob(f"{name}*")]
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if f"{registry.ROOT}/{name}" in line]
    return namespaces + groups + states + mounts


def begin_run(*words: str) -> tuple[subprocess.Popen[str], str]:
    """A run that would last for long, once its ranks are there; and the name of its testbed."""
    command = [clearway_tool("clearway"), "testbed", "run", "--hosts", "2", *words, "--", "sleep", "1000"]
    job = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        for entry in registry.entries():
            if entry.owner_pid == job.pid and len(processes_in([entry.layout.namespace("node2")])) >= 2:
                return job, entry.name
        time.sleep(0.02)
    job.kill()
    raise AssertionError("the run did not begin")


@pytest.mark.parametrize("said", ["", "{", '"x', None])
def test_an_entry_whose_maker_was_killed_is_in_nobodys_way(
    said: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    half, others = tmp_path / "zz01", tmp_path / "zz02"
    for directory in (half, others):
        directory.mkdir()
    if said is not None:
        (half / "state.json").write_text(said)
    (others / "state.json").write_text('{"format": 7}')  # of another version, and it may be up
    assert registry.entries() == []
    made = registry.register(Shape(hosts=2), owned=True)
    assert [entry.name for entry in registry.entries()] == [made.name]
    assert not half.exists()
    assert others.exists()


def test_nothing_remains_of_a_run() -> None:
    with Testbed(Shape(hosts=3, switches=2, second_card_bps=10**6)) as testbed:
        name = testbed.name
        assert len(remains(name)) >= 6
    assert remains(name) == []


def test_nothing_remains_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), Testbed(Shape(hosts=2)) as testbed:
        name = testbed.name
        raise ZeroDivisionError
    assert remains(name) == []


def test_nothing_remains_of_a_half_made_one(monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    others = {entry.name for entry in registry.entries()}  # tests before may have one that is up for all of them

    def fail(*_arguments: object) -> list[str]:
        mine = (entry.name for entry in registry.entries() if entry.owner_pid == os.getpid())
        names.extend(name for name in mine if name not in others)
        return ["qdisc add dev nowhere root tbf rate 1mbit burst 3200 limit 3200"]

    monkeypatch.setattr(build.plan, "card_lines", fail)
    with pytest.raises(ClearwayError, match="nowhere"):
        Testbed(Shape(hosts=2)).up()
    assert len(names) == 1
    assert remains(names[0]) == []


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_remains_after_a_signal(end: signal.Signals, open_mpi_4: object) -> None:
    job, name = begin_run()
    inside = processes_in([path.name for path in NAMESPACES.glob(f"{namespace_prefix(name)}*")])
    job.send_signal(end)
    assert job.wait(DEADLINE_S) == 128 + end
    assert remains(name) == []
    assert not [pid for pid in inside if is_alive(pid)]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_a_killed_owner_left_is_removed_by_the_next(open_mpi_4: object) -> None:
    job, name = begin_run("--fault", "node2:cpu=50%")
    job.kill()
    job.wait(DEADLINE_S)
    assert remains(name) != []
    status = clearway("status")
    assert f"{name}: 2 hosts" in status.stdout
    assert "left behind" in status.stdout
    with Testbed(Shape(hosts=1)):
        assert remains(name) == []


def test_what_a_killed_owner_left_is_removed_by_down(open_mpi_4: object) -> None:
    job, name = begin_run()
    job.kill()
    job.wait(DEADLINE_S)
    down = clearway("down", "--name", name)
    assert (down.exit_code, down.stderr) == (0, ""), down.says
    assert remains(name) == []
    assert clearway("down", "--name", name).exit_code == 1


def test_down_without_a_name_is_content_with_what_was_left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    monkeypatch.setattr(privilege, "require", lambda: None)
    unnamed = argparse.Namespace(name=None, all=False)
    entry = registry.register(Shape(hosts=2), owned=True)
    monkeypatch.setattr(registry, "start_ticks", lambda _pid: None)  # its owner has ended
    assert commands.take_down(unnamed) == 0
    assert not entry.directory.exists()
    with pytest.raises(ClearwayError, match="no testbed is up"):
        commands.take_down(unnamed)


def test_one_that_stays() -> None:
    up = clearway("up", "--hosts", "2", "--rate", "50mbit")
    name = up.stdout.strip()
    try:
        assert up.exit_code == 0, up.says
        assert f"{name}: 2 hosts, 50 Mbit/s, port buffers 64 kB, up" in clearway("status").stdout
        inside = clearway("exec", "--name", name, "node2", "--", "sh", "-c", "hostname; exit 3")
        assert (inside.stdout, inside.exit_code) == ("node2\n", 3), inside.says
        nowhere = clearway("exec", "--name", name, "node9", "--", "hostname")
        assert nowhere.exit_code == 1
        assert "no host 'node9'" in nowhere.stderr
        on_it = clearway("run", "--on", name, "--", "hostname")
        assert on_it.lines == ["node1", "node2"], on_it.says
    finally:
        down = clearway("down", "--name", name)
    assert down.exit_code == 0, down.says
    assert remains(name) == []
    assert clearway("down", "--name", name).exit_code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--hosts", "0", "--", "true"), "cannot have 0 hosts"),
        (("run", "--rate", "fast", "--", "true"), "'fast' is not a rate"),
        (("run", "--hosts", "2"), "no command to run"),
        (("run", "--env", "X", "--", "true"), "--env X is not NAME=VALUE"),
        (("run", "--on", "nowhere", "--", "true"), "there is no testbed 'nowhere'"),
        (("run", "--fault", "node1:tired", "--", "true"), "is not a fault"),
    ],
)
def test_mistakes(words: tuple[str, ...], said: str) -> None:
    outcome = clearway(*words)
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "hint:" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_without_privilege() -> None:
    """As root of a container has it: user 0, but without the capabilities."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv (util-linux) is not there")
    outcome = run_command(
        [setpriv, "--bounding-set=-sys_admin", clearway_tool("clearway"), "testbed", "run", "--", "true"]
    )
    assert outcome.exit_code == 1
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("error: a testbed needs CAP_SYS_ADMIN")
    assert "\nhint: " in outcome.stderr
