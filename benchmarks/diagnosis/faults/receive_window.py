"""Receive buffers smaller than what the link holds."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.faults.send_buffer import SOUND
from diagnosis.plants import Plant

PLANT = Plant(
    rule="receive-window",
    how="2 hosts, 50 Mbit/s, 10 ms round trip: 62 kB are in flight; Open MPI is told to use receive buffers of 16 kB",
    instead="the kernel chooses",
    faulty=replace(SOUND, change=Change(parameters=(("btl_tcp_rcvbuf", "16384"),))),
    sound=SOUND,
)
