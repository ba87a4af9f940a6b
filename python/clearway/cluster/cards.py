"""The network cards of this machine, from `ip` and /sys."""

from __future__ import annotations

import ipaddress
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clearway.cluster.model import Card, Network

ANSWER_LIMIT_S = 20
INSIDE_ONLY = ("bridge", "dummy")  # kinds that lead to containers and virtual machines, not to other hosts


def this_machine() -> list[tuple[Card, Network]]:
    """Each card that is up and has an address, and the network that it is on. Empty where `ip` is not installed."""
    host_name = socket.gethostname()
    return [
        (_card(device, own, str(network), host_name), Network(str(network), _rate_bps(device), subnet=str(network)))
        for device, own, network in _addresses(_ip_address())
    ]


def _addresses(links: list[dict[str, Any]]) -> Iterator[tuple[str, str, ipaddress.IPv4Network]]:
    """Device, address and subnet of the first address of each card."""
    for link in links:
        flags, kind = link.get("flags", []), link.get("linkinfo", {}).get("info_kind")
        if "LOOPBACK" in flags or "UP" not in flags or kind in INSIDE_ONLY:
            continue
        for each in link.get("addr_info", []):
            if each.get("family") == "inet":
                interface = ipaddress.IPv4Interface(f"{each['local']}/{each['prefixlen']}")
                yield link["ifname"], each["local"], interface.network
                break


def _ip_address() -> list[dict[str, Any]]:
    text = _output(["ip", "-json", "-details", "address"])
    try:
        links = json.loads(text or "[]")
    except json.JSONDecodeError:
        return []
    return [link for link in links if link]


def _card(device: str, address: str, network: str, host_name: str) -> Card:
    name = _name_of(address)
    return Card(network, device, None if name == host_name else name, address, rdma=_rdma(device))


def _rdma(device: str) -> str | None:
    return next((path.name for path in sorted(Path(f"/sys/class/net/{device}/device/infiniband").glob("*"))), None)


def _name_of(address: str) -> str | None:
    """What /etc/hosts or the like calls it; by a program of its own, for a name server may not answer."""
    words = _output(["getent", "hosts", address]).split()
    return words[1].partition(".")[0] if len(words) > 1 else None


def _rate_bps(device: str) -> int | None:
    try:
        speed_mbit = int(Path(f"/sys/class/net/{device}/speed").read_text())
    except (OSError, ValueError):
        return None  # a card that is down, or has no speed
    return speed_mbit * 10**6 if speed_mbit > 0 else None


def _output(command: list[str]) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        answer = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ANSWER_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout
