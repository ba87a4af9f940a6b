"""Runs a command where there are other network cards: python3 plant_cards.py COMMAND…, inside `unshare --net --mount`.

tap7 says of itself that it runs at 100 Mbit/s in half duplex and could do 1000; eth7 is limited to 12 Mbit/s by the
host; and /sys/class/infiniband lists ports that are up and one that is not.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

SIOCETHTOOL, GLINKSETTINGS, SLINKSETTINGS = 0x8946, 0x4C, 0x4D
SPEED_MBIT, HALF = 100, 0
ABLE = 1 << 5  # 1000baseT/Full
PORTS = {
    "mlx5_0/ports/1": {"state": "4: ACTIVE", "rate": "100 Gb/sec (4X EDR)", "link_layer": "InfiniBand"},
    "mlx5_0/ports/2": {"state": "1: DOWN", "rate": "100 Gb/sec (4X EDR)", "link_layer": "InfiniBand"},
    "old_0/ports/1": {"state": "4: ACTIVE", "rate": "2.5 Gb/sec (1X SDR)", "link_layer": "Ethernet"},
}


def ask(control: socket.socket, device: str, head: bytes, masks: bytes = b"") -> bytes:
    """The kernel's answer to an ethtool command: it writes over the question."""
    question = ctypes.create_string_buffer(head + masks, 256)
    fcntl.ioctl(control, SIOCETHTOOL, struct.pack("16sP16x", device.encode(), ctypes.addressof(question)))
    return question.raw


def settle_link(device: str) -> None:
    """Sets what a tap says of its link: it can play any card of a cluster."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        (refused,) = struct.unpack_from("b", ask(control, device, struct.pack("I", GLINKSETTINGS)), 15)
        words = -refused
        head = struct.pack("IIBBBBBBBb", SLINKSETTINGS, SPEED_MBIT, HALF, 0, 0, 0, 0, 0, 0, words).ljust(48, b"\0")
        ask(control, device, head, struct.pack("I", ABLE).ljust(4 * words, b"\0"))


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def main() -> None:
    run("ip", "tuntap", "add", "tap7", "mode", "tap")
    settle_link("tap7")
    run("ip", "address", "add", "10.9.8.7/20", "dev", "tap7")
    run("ip", "link", "add", "eth7", "type", "veth", "peer", "name", "peer7")
    run("ip", "address", "add", "192.0.2.7/24", "dev", "eth7")
    run("tc", "qdisc", "add", "dev", "eth7", "root", "tbf", "rate", "12mbit", "burst", "3200", "limit", "30000")
    run("mount", "-t", "tmpfs", "none", "/sys/class")
    for port, files in PORTS.items():
        folder = Path("/sys/class/infiniband", port)
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(f"{text}\n")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
