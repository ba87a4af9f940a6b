"""Lines that hosts print for `clearway host check`, as a launcher cuts and mixes them, up to what is shown of them.

The first byte chooses: the output itself, or the facts of a host, packed as it packs them.
"""

from __future__ import annotations

import base64
import contextlib
import zlib

from fuzzing import fuzz, watched

with watched:
    from clearway.base.errors import ClearwayError
    from clearway.base.sheet import Sheet
    from clearway.cluster.hosts.ask import states_in
    from clearway.cluster.hosts.check import check_of
    from clearway.cluster.hosts.terminal import lines_of

SHEET = Sheet(100, True, False)


def as_line(packed: bytes) -> str:
    text = base64.b64encode(packed).decode()
    return f"clearway-host 1/1 {zlib.crc32(packed)} {zlib.crc32(text.encode()):08x} {text}"


def run_once(data: bytes) -> None:
    if not data:
        return
    way, rest = data[0] % 3, data[1:]
    if way == 0:
        output = rest.decode(errors="replace")
    elif way == 1:
        output = as_line(rest)
    else:
        output = "\n".join(as_line(zlib.compress(part)) for part in rest.split(b"\n"))
    with contextlib.suppress(ClearwayError):
        list(lines_of(check_of(states_in(output)), SHEET))


if __name__ == "__main__":
    fuzz(run_once)
