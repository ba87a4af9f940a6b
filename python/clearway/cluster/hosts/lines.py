"""A State as lines among a job's output, and back: launchers cut and mix what hosts print.

A line is short, goes out alone and carries a checksum, so a launcher passes it on whole or it is noticed.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import time
import zlib
from collections.abc import Iterable

from clearway.base.errors import ClearwayError
from clearway.base.read_back import from_text
from clearway.cluster.hosts.state import State
from clearway.page.render.json import plain

MARK = "clearway-host"
LINE_BYTES = 3000  # with its head less than the 4096 that launchers read at once
PAUSE_S = 0.05
MOST_BYTES = 10_000_000  # of a host's facts, which take some 20 kB
LINE = re.compile(rf"{MARK} (\d+)/(\d+) (\d+) ([0-9a-f]{{8}}) ([A-Za-z0-9+/=]+)")


def encode(state: State) -> list[str]:
    """Lines of the form: clearway-host PART/PARTS SENDER CHECKSUM TEXT."""
    tree = {"host": state.host, "facts": plain(dict(state.facts))}
    packed = zlib.compress(json.dumps(tree).encode(), 9)
    sender, text = zlib.crc32(packed), base64.b64encode(packed).decode()
    parts = [text[at : at + LINE_BYTES] for at in range(0, len(text), LINE_BYTES)]
    return [
        f"{MARK} {number}/{len(parts)} {sender} {zlib.crc32(part.encode()):08x} {part}"
        for number, part in enumerate(parts, 1)
    ]


def send(state: State) -> None:
    for line in encode(state):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        time.sleep(PAUSE_S)


def decode(output: str) -> list[State]:
    """One State a host, from all that a job printed. Raises ClearwayError where lines were damaged."""
    parts: dict[int, dict[int, str]] = {}
    wanted: dict[int, int] = {}
    for number, count, sender, checksum, text in LINE.findall(output):
        if zlib.crc32(text.encode()) == int(checksum, 16):
            parts.setdefault(int(sender), {})[int(number)] = text
            wanted[int(sender)] = int(count)
    torn = output.count(f"{MARK} ") - sum(len(each) for each in parts.values())
    whole = [parts[sender] for sender in parts if len(parts[sender]) == wanted[sender]]
    if len(whole) < len(parts) or (torn > 0 and not whole):
        raise ClearwayError("the launcher mixed up what the hosts printed", "check again, with one process a host")
    states = [state_from("".join(text for _, text in sorted(each.items()))) for each in whole]
    return list(one_a_host(states))


def state_from(text: str) -> State:
    """Raises ClearwayError for what no host said. It is not unpacked beyond what a host can say."""
    try:
        unpacking = zlib.decompressobj()
        packed = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if unpacking.unconsumed_tail:
            raise ValueError(f"it is longer than {MOST_BYTES} bytes")
        return from_text(State, packed)
    except (ValueError, zlib.error) as error:
        raise ClearwayError(
            f"a line of a host cannot be understood: {error}", "is the same Clearway installed on all hosts?"
        ) from None


def one_a_host(states: Iterable[State]) -> Iterable[State]:
    """Of several that a launcher started on a host, the first."""
    return {state.host: state for state in reversed(list(states))}.values()
