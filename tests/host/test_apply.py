"""`clearway host apply` on a machine of its own: what it changes is changed, and undone it is as before."""

from __future__ import annotations

import json
import shutil

import pytest
from host.machine import CARD, HOST, ROUTE, Machine

# What is asked for, and what a tool that is not ours then says.
CHANGES = [
    ("tcp.rto_min=30ms", "ip -4 route show", "rto_min lock 30ms"),
    ("tcp.rto_min", "ip -4 route show", "rto_min lock 50ms"),
    ("tcp.ecn=on", "cat /proc/sys/net/ipv4/tcp_ecn", "1"),
    ("tcp.congestion_control=reno", "cat /proc/sys/net/ipv4/tcp_congestion_control", "reno"),
    ("tcp.slow_start_after_idle", "cat /proc/sys/net/ipv4/tcp_slow_start_after_idle", "0"),
    ("link.offloads=off", f"ethtool -k {CARD}", "generic-segmentation-offload: off"),
    ("link.mtu=1400", f"ip link show dev {CARD}", "mtu 1400"),
    ("memory.shm=16Mi", "df -m --output=size /dev/shm", " 16\n"),
]


@pytest.mark.parametrize(("word", "look", "said"), CHANGES, ids=[change[0] for change in CHANGES])
def test_a_change_and_back(machine: Machine, word: str, look: str, said: str) -> None:
    if word == "tcp.congestion_control=reno":
        machine.says("sysctl", "-w", "net.ipv4.tcp_congestion_control=bbr")
    before = machine.looks()
    assert said not in machine.says(*look.split())
    done = machine.host("apply", word, "--yes")
    assert done.exit_code == 0, done.says
    assert said in machine.says(*look.split())
    (file,) = machine.undo_files()
    assert file.startswith(f"host-undo-{HOST}-")
    assert file in done.stdout
    again = machine.host("apply", word, "--yes")
    assert "already set" in again.stdout, again.says
    assert machine.undo_files() == [file]

    undone = machine.host("apply", "--undo", "--yes")
    assert undone.exit_code == 0, undone.says
    assert machine.looks() == before
    nothing = machine.host("apply", "--undo", "--yes")
    assert nothing.exit_code == 1
    assert "nothing to undo" in nothing.stderr


def test_ceilings_of_the_whole_machine(privileged: None) -> None:
    """The kernel has these once: raised for a moment, they harm nobody."""
    with Machine(own_network=False) as machine:
        keys = [
            f"/proc/sys/net/{name}" for name in ("core/rmem_max", "core/wmem_max", "ipv4/tcp_rmem", "ipv4/tcp_wmem")
        ]
        before = machine.says("cat", *keys)
        most = max(int(number) for number in before.split()) + 4096
        done = machine.host("apply", f"tcp.buffers={most}", "--yes")
        try:
            assert done.exit_code == 0, done.says
            assert machine.says("cat", *keys).split().count(str(most)) == 4
        finally:
            undone = machine.host("apply", "--undo", "--yes")
        assert undone.exit_code == 0, undone.says
        assert machine.says("cat", *keys) == before


def test_a_route_keeps_what_else_it_says(machine: Machine) -> None:
    machine.says(*f"ip route change {ROUTE} rto_min 70ms congctl lock reno initcwnd 4".split())
    machine.says(*["ip", "route", "add", "10.98.0.0/16", "dev", "eth0", "metric", "7", "mtu", "1300"])
    before = machine.looks()
    done = machine.host("apply", "tcp.rto_min=20ms", "--yes")
    assert done.exit_code == 0, done.says
    first, second = sorted(machine.says("ip", "-4", "route", "show").splitlines())
    assert "rto_min lock 20ms" in first
    assert "metric 7" in first
    assert "mtu 1300" in first
    assert "rto_min lock 20ms" in second
    assert "congctl lock reno" in second
    assert "initcwnd 4" in second
    assert machine.host("apply", "tcp.rto_min=kernel", "--yes").exit_code == 0
    assert "rto_min" not in machine.says("ip", "-4", "route", "show")
    assert machine.host("apply", "--undo", "--yes").exit_code == 0
    assert machine.host("apply", "--undo", "--yes").exit_code == 0
    assert machine.looks() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tcp.ecn=on", "link.offloads=off", "link.flow_control=on"), "ethtool -a eth0"),  # a veth has none
        (("tcp.ecn=on", "tcp.congestion_control=nonesuch"), "nonesuch"),
        (("tcp.ecn=on", "tcp.buffers=512Mi"), "Invalid argument"),  # sysctl(8) fails here, and ends with 0
    ],
)
def test_all_or_nothing(machine: Machine, words: tuple[str, ...], said: str) -> None:
    before = machine.looks()
    outcome = machine.host("apply", *words, "--yes")
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert machine.looks() == before
    assert [name for name in machine.undo_files() if name.endswith(".json")] == []


@pytest.mark.skipif(shutil.which("systemctl") is None, reason="there is no systemd")
def test_changes_that_last(machine: Machine) -> None:
    before = machine.looks()
    first = machine.host("apply", "tcp.ecn=on", "tcp.rto_min=30ms", "--persist", "--yes")
    assert first.exit_code == 0, first.says
    assert "net.ipv4.tcp_ecn = 1" in machine.says("cat", "/etc/sysctl.d/90-clearway.conf")
    unit = "/etc/systemd/system/clearway-host.service"
    assert "10.99.0.0/24 dev eth0 scope link proto kernel src 10.99.0.1 rto_min 30ms" in machine.says("cat", unit)
    assert machine.says("systemctl", "is-enabled", "clearway-host.service") == "enabled\n"

    again = machine.host("apply", "tcp.ecn=on", "tcp.rto_min=30ms", "--persist", "--yes")
    assert again.stdout.count("already set") == 2, again.says
    assert len(machine.undo_files()) == 1

    second = machine.host("apply", "tcp.rto_min=60ms", "tcp.slow_start_after_idle", "--persist", "--yes")
    assert second.exit_code == 0, second.says
    runs = [line for line in machine.says("cat", unit).splitlines() if line.startswith("ExecStart=")]
    assert len(runs) == 1
    assert runs[0].endswith("rto_min 60ms")
    for size in ("20Mi", "30Mi", "20Mi"):
        assert machine.host("apply", f"memory.shm={size}", "--persist", "--yes").exit_code == 0
    assert machine.says("grep", "-c", "remount", unit) == "1\n"
    assert f"remount,size={20 << 20} /dev/shm" in machine.says("grep", "-A1", "# setting: memory.shm", unit)
    drop_in = machine.says("cat", "/etc/sysctl.d/90-clearway.conf")
    assert "net.ipv4.tcp_ecn = 1\nnet.ipv4.tcp_slow_start_after_idle = 0\n" in drop_in

    # What stands there is what a start of the machine would run.
    machine.says(*f"ip route change {ROUTE}".split())
    machine.says("sysctl", "-q", "-w", "net.ipv4.tcp_ecn=0")
    machine.says(*runs[0].removeprefix("ExecStart=-").split())
    machine.says("sysctl", "-p", "/etc/sysctl.d/90-clearway.conf")
    assert "rto_min lock 60ms" in machine.says("ip", "-4", "route", "show")
    assert machine.says("cat", "/proc/sys/net/ipv4/tcp_ecn") == "1\n"

    for _ in range(5):
        undone = machine.host("apply", "--undo", "--yes")
        assert undone.exit_code == 0, undone.says
    assert machine.looks() == before


def test_what_is_so_already_can_be_made_to_last(machine: Machine) -> None:
    assert machine.host("apply", "tcp.ecn=on", "--yes").exit_code == 0
    before = machine.looks()
    done = machine.host("apply", "tcp.ecn=on", "--persist", "--yes")
    assert "already set" in done.stdout, done.says
    assert "net.ipv4.tcp_ecn = 1" in machine.says("cat", "/etc/sysctl.d/90-clearway.conf")
    assert machine.host("apply", "--undo", "--yes").exit_code == 0
    assert machine.looks() == before


def test_changes_are_taken_back_in_reverse(machine: Machine) -> None:
    machine.host("apply", "tcp.ecn=on", "--yes")
    machine.host("apply", "tcp.ecn=off", "--yes")
    older = min(machine.undo_files(), key=lambda name: len(name))
    refused = machine.host("apply", "--undo", f"/var/lib/clearway/{older}", "--yes")
    assert refused.exit_code == 1
    assert "not the latest change" in refused.stderr
    assert "hint: first undo the later one: --undo /var/lib/clearway/" in refused.stderr


def test_a_dry_run_changes_nothing(machine: Machine) -> None:
    before = machine.looks()
    shown = machine.host("apply", "tcp.ecn=on", "tcp.rto_min=30ms", "--persist", "--dry-run")
    assert shown.exit_code == 0, shown.says
    assert "  run   sysctl -w net.ipv4.tcp_ecn=1\n  undo  sysctl -w net.ipv4.tcp_ecn=2\n" in shown.stdout
    assert "+ net.ipv4.tcp_ecn = 1" in shown.stdout
    assert machine.looks() == before
    assert machine.undo_files() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to change"),
        (("tcp.nonsense=1", "--yes"), "no setting 'tcp.nonsense'"),
        (("tcp.rto_min=soon", "--yes"), "tcp.rto_min cannot be 'soon'"),
        (("tcp.ecn=maybe", "--yes"), "tcp.ecn cannot be 'maybe'"),
        (("tcp.buffers=1", "--yes"), "tcp.buffers cannot be '1'"),
        (("link.mtu", "--yes"), "link.mtu needs a value"),
        (("link.mtu=-1", "--yes"), "link.mtu cannot be '-1'"),
        (("memory.shm=lots", "--yes"), "memory.shm cannot be 'lots'"),
        (("tcp.congestion_control=a;b", "--yes"), "'a;b' is not a known congestion control"),
        (("tcp.ecn=on", "tcp.ecn=off", "--yes"), "tcp.ecn is given twice"),
        (("tcp.rto_min", "--device", "eth7", "--yes"), "no network card 'eth7'"),
        (("link.flow_control=on", "--yes"), "cannot read ethtool -a eth0"),
        (("--undo", "/nowhere", "--yes"), "cannot read '/nowhere'"),
        (("tcp.ecn=on", "--undo", "--yes"), "exclude each other"),
        (("tcp.ecn=on",), "no terminal to confirm on"),
    ],
)
def test_mistakes_change_nothing(machine: Machine, words: tuple[str, ...], said: str) -> None:
    before = machine.looks()
    outcome = machine.host("apply", *words)
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert machine.looks() == before
    assert machine.undo_files() == []


def test_without_root(machine: Machine) -> None:
    before = machine.looks()
    outcome = machine.host("apply", "tcp.ecn=on", "--yes", as_nobody=True)
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("error: only root may make these changes")
    assert "hint: sudo /" in outcome.stderr
    assert "host apply tcp.ecn=on --yes" in outcome.stderr
    assert machine.looks() == before


DAMAGED = {
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "no object": lambda text: "[1, 2]",
    "another version": lambda text: text.replace("clearway-host-undo-1", "clearway-host-undo-9"),
    "of another host": lambda text: text.replace(f'"{HOST}"', '"elsewhere"'),
    "a command of another kind": lambda text: text.replace('"sysctl"', '"reboot"'),
    "words that are none": lambda text: text.replace('"-w"', "7"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_undo_file_is_not_played(machine: Machine, damage: str, tmp_path: object) -> None:
    assert machine.host("apply", "tcp.ecn=on", "--yes").exit_code == 0
    (name,) = machine.undo_files()
    path = f"/var/lib/clearway/{name}"
    text = machine.says("cat", path)
    assert json.loads(text)["begun"][0]["undo"] == [["sysctl", "-w", "net.ipv4.tcp_ecn=2"]]
    machine.says("sh", "-c", 'printf %s "$1" > "$2"', "sh", DAMAGED[damage](text), path)
    before = machine.looks()
    outcome = machine.host("apply", "--undo", "--yes")
    assert outcome.exit_code == 1
    assert path in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert machine.looks() == before
