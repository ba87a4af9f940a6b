"""Asking the kernel for namespaces, links and settings. Whatever fails says what was attempted."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole

NAMESPACES = Path("/run/netns")
TIMEOUT_S = 60
_CLONE_NEWNET = 0x40000000
_SIOCETHTOOL = 0x8946
_ETHTOOL_SET = {"tx-checksumming": 0x17, "tso": 0x1F, "gso": 0x24, "gro": 0x2C}

Answer = TypeVar("Answer")


def run_tool(command: Sequence[str], lines: Iterable[str] | None = None) -> str:
    """What `command` prints; `lines` are its standard input. Raises ClearwayError with the tool's own words."""
    text = None if lines is None else "".join(f"{line}\n" for line in lines)
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if result.returncode != 0:
        said = " ".join(result.stderr.split()) or f"exit code {result.returncode}"
        raise ClearwayError(
            f"cannot build the testbed: {' '.join(command)}: {said}",
            "`clearway testbed status` lists testbeds that are left; `clearway testbed down --all` removes them",
        )
    return result.stdout


def run_batch(tool: str, namespace: str | None, lines: Sequence[str]) -> None:
    """Gives `lines` to one `ip` or `tc`. A line that fails is named."""
    if not lines:
        return
    where = [] if namespace is None else ["-n", namespace]
    try:
        run_tool([tool, *where, "-batch", "-"], lines)
    except ClearwayError as error:
        number = error.message.rpartition("-:")[2]
        line = lines[int(number) - 1] if is_whole(number) and 0 < int(number) <= len(lines) else lines[0]
        raise ClearwayError(f"{error.message} ({tool} {line})", error.hint) from None


def in_namespace(namespace: str, action: Callable[[], Answer]) -> Answer:
    """Calls `action` in a thread of its own that is in the network namespace, and in nothing else of it."""
    answers: list[Answer] = []
    faults: list[OSError] = []

    def work() -> None:
        try:
            enter_namespace(namespace)
            answers.append(action())
        except OSError as error:
            faults.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if faults:
        raise ClearwayError(f"cannot enter the network namespace {namespace}: {faults[0]}")
    return answers[0]


def enter_namespace(namespace: str) -> None:
    """Moves the calling thread for good."""
    descriptor = os.open(NAMESPACES / namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNET) != 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), f"setns {namespace}")
    finally:
        os.close(descriptor)


def write_settings(settings: Mapping[str, str]) -> None:
    """Of the calling thread's network namespace."""
    for name, value in settings.items():
        (Path("/proc/sys") / name).write_text(f"{value}\n")


def turn_off_offloads(devices: Iterable[str]) -> None:
    """A card segments and merges nothing: it would move 64 kB bursts that no real link carries as one.

    Nor does it add checksums: a packet that leaves the kernel on its way (see native/testbed/delay.cpp) needs its own.
    """
    _set_features((device, command, 0) for device in devices for command in _ETHTOOL_SET.values())


def poll_in_order(devices: Iterable[str]) -> None:
    """Each device takes its packets from one ring, on one core at a time (NAPI: drivers/net/veth.c).

    Else each core hands on what it has sent itself, and packets of a connection overtake one another.
    """
    _set_features((device, _ETHTOOL_SET["gro"], 1) for device in devices)


def _set_features(changes: Iterable[tuple[str, int, int]]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        for device, command, is_on in changes:
            value = ctypes.create_string_buffer(struct.pack("II", command, is_on))
            request = struct.pack("16sP", device.encode(), ctypes.addressof(value))
            fcntl.ioctl(handle, _SIOCETHTOOL, request)


def processes_in(namespaces: Iterable[str]) -> list[int]:
    """The processes that run in any of these network namespaces."""
    wanted: set[tuple[int, int]] = set()
    for namespace in namespaces:
        with contextlib.suppress(OSError):
            state = (NAMESPACES / namespace).stat()
            wanted.add((state.st_dev, state.st_ino))
    found = []
    for process in Path("/proc").glob("[0-9]*"):  # "*/ns/net" would fail where one ends meanwhile
        with contextlib.suppress(OSError):
            state = (process / "ns/net").stat()
            if (state.st_dev, state.st_ino) in wanted:
                found.append(int(process.name))
    return found


def kill_processes_in(namespaces: Sequence[str], spared: Collection[str] = ()) -> None:
    """Ends all that runs there but programs named `spared`; again, because a launcher may start one more as it dies."""
    for _ in range(5):
        pids = [pid for pid in processes_in(namespaces) if name_of(pid) not in spared]
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def name_of(pid: int) -> str:
    """The program's, as the kernel has it; empty where the process is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def delete_namespaces(namespaces: Sequence[str]) -> None:
    """With all that runs in them. What is not there is no error: this clears up after half-made testbeds too."""
    kill_processes_in(namespaces)
    present = [f"netns delete {name}" for name in namespaces if (NAMESPACES / name).exists()]
    if present:
        subprocess.run(
            ["ip", "-force", "-batch", "-"],
            input="\n".join(present) + "\n",
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
