"""The MPI asks for large buffers, and the kernel's ceilings do not let it have them."""

from __future__ import annotations

from dataclasses import replace

from clearway.launch.change import Change
from diagnosis.faults.send_buffer import SOUND as LONG_LINK
from diagnosis.plants import Plant
from diagnosis.surroundings import low_ceilings

ASKED = Change(parameters=(("btl_tcp_sndbuf", "1000000"), ("btl_tcp_rcvbuf", "1000000")))
SOUND = replace(LONG_LINK, change=ASKED)

PLANT = Plant(
    rule="buffer-ceilings",
    how="the same link; Open MPI asks for buffers of 1 MB, and net.core.rmem_max and wmem_max allow 16 kB",
    instead="they allow what this machine allows",
    faulty=replace(SOUND, around=low_ceilings(16_384)),
    sound=SOUND,
    quick=False,  # changes a setting of the whole machine while it runs
)
