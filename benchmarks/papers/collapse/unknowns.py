"""What the paper does not tell and may matter where packets are lost: each with values that its sources allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clearway.base import quantities as q
from papers.collapse.cells import Setup, setup
from papers.published.kutzner_2007.table_1 import CPUS

STEPS_ON_ONE = (0.6, 0.75, 1.0, 1.25, 1.5)  # times on one CPU, by the one that is used

Change = Callable[[Setup], Setup]


@dataclass(frozen=True, slots=True)
class Variant:
    value: str
    change: Change


@dataclass(frozen=True, slots=True)
class Unknown:
    what: str
    taken: str
    """In all predictions of the paper's rows."""
    known: str
    """What sources say of it, and so which values are possible."""
    variants: tuple[Variant, ...]
    deciding: str = ""
    """What to measure on the cluster to know it."""


def with_stack(**changes: Any) -> Change:
    return lambda made: replace(made, model=replace(made.model, stack=replace(made.model.stack, **changes)))


def with_switch(**changes: Any) -> Change:
    def change(made: Setup) -> Setup:
        network = made.model.network
        assert network.switch is not None
        switch = replace(network.switch, **changes)
        return replace(made, model=replace(made.model, network=replace(network, switch=switch)))

    return change


def with_step(factor: float) -> Change:
    return lambda made: replace(made, system=replace(made.system, serial_ns=made.system.serial_ns * factor))


def with_grid(x: int, y: int, z: int) -> Change:
    return lambda made: replace(made, system=replace(made.system, grid=(x, y, z)))


def with_uneven(part: float) -> Change:
    return lambda made: replace(made, uneven=part)


def with_scattered(part: float) -> Change:
    return lambda made: replace(made, scattered=part)


def values(*pairs: tuple[str, Change]) -> tuple[Variant, ...]:
    return tuple(Variant(value, change) for value, change in pairs)


def unknowns() -> Sequence[Unknown]:
    used = setup(CPUS[-1])
    return (*program(used), *ranks(used), *switch(used), *tcp(used), *lam(used))


def program(used: Setup) -> list[Unknown]:
    serial_s = used.system.serial_ns * 1e-9
    return [
        Unknown(
            "time of a step of DPPC on one CPU",
            q.seconds(serial_s),
            "not in the paper; estimated from AQP1's 571 ms by atoms and cutoff",
            values(*((q.seconds(serial_s * factor), with_step(factor)) for factor in STEPS_ON_ONE if factor != 1)),
            "the seconds of one step, which mdrun prints",
        ),
        Unknown(
            "PME grid of DPPC",
            " × ".join(map(str, used.system.grid)),
            "not in the paper; from the area (0.64 nm²) and the volume of a lipid, with 0.12 nm between points",
            values(
                ("144 × 144 × 64", with_grid(144, 144, 64)),
                ("150 × 150 × 50", with_grid(150, 150, 50)),
                ("160 × 160 × 60", with_grid(160, 160, 60)),
            ),
            "the grid, which grompp prints",
        ),
        Unknown(
            "atoms of a rank that lie in the slabs of all",
            f"{used.scattered:.0%}",
            "it is not told whether grompp -sort was used; that no MPI_Alltoallv is delayed (Fig. 2, AQP1) says so",
            values(*((f"{part:.0%}", with_scattered(part)) for part in (0.1, 1.0))),
            "the command line of grompp",
        ),
    ]


def ranks(used: Setup) -> list[Unknown]:
    stack = used.model.stack
    return [
        Unknown(
            "ranks begin a call late, by up to",
            f"{stack.skew_us} µs",
            "nothing is known",
            values(*((f"{late} µs", with_stack(skew_us=late)) for late in (0, 5, 80, 300, 1000))),
            "when each rank enters MPI_Alltoall: a trace like that of Fig. 2, but with 10 µs",
        ),
        Unknown(
            "ranks' computing differs by up to",
            f"{used.uneven:.0%}",
            "nothing is known; their slabs of the grid are alike",
            values(*((f"± {part:.0%}", with_uneven(part)) for part in (0.01, 0.05, 0.1))),
            "the same trace",
        ),
        Unknown(
            "OS noise: every 10 ms, on average for",
            "0",
            "nothing is known; a tick of 1 ms takes some microseconds",
            values(
                *(
                    (f"{length} µs", with_stack(noise_period_ns=10_000_000, noise_length_ns=length * 1000))
                    for length in (20, 200)
                )
            ),
            "a loop that reads the clock",
        ),
        Unknown(
            "CPU time of each message",
            f"{stack.message_ns / 1000:g} µs",
            "fitted together with the latency on small all-to-alls",
            values(*((f"{each / 1000:g} µs", with_stack(message_ns=each)) for each in (5_500, 22_000))),
            "how far apart the first packets of a rank to two others are (tcpdump)",
        ),
    ]


def switch(used: Setup) -> list[Unknown]:
    told = used.model.network.switch
    assert told is not None
    assert told.buffer_bytes is not None
    half_megabyte = 512 * 1024
    return [
        Unknown(
            "buffer of a port",
            f"{told.buffer_bytes // 1000} kB",
            "fitted on S_barr, which 24 to 32 kB give; 512 kB for 12 ports are told of the 4104gl, of the same family, "
            "128 kB a port by a comment in the chip's driver",
            values(*((f"{each} kB", with_switch(buffer_bytes=each * 1000)) for each in (18, 24, 32, 36, 43, 54, 72))),
            "how long a burst of two hosts to a third may be before the port's counter of drops moves",
        ),
        Unknown(
            "one buffer for all ports, of which a port gets as much as is free",
            "each port has its own",
            "the chip has one memory; how it is divided is not published",
            values(
                *(
                    (f"{size // 1024} kB", with_switch(shared_buffer_bytes=size, pool_share=1.0))
                    for size in (half_megabyte // 4, half_megabyte // 2, half_megabyte)
                )
            ),
            "the same burst, while another port is full or not",
        ),
    ]


def tcp(used: Setup) -> list[Unknown]:
    stack = used.model.stack
    return [
        Unknown(
            "window that a receiver offers",
            f"{stack.receive_buffer_bytes:,} bytes",
            "Linux offers no more without a window scale (until 2.6.17), and chose a scale of 0 with its default "
            "buffer (until 2.6.7), which LAM leaves as it is; a distribution's kernel may differ",
            values(
                ("65,535 bytes", with_stack(receive_buffer_bytes=65_535)),
                ("131,072 bytes", with_stack(receive_buffer_bytes=131_072)),
            ),
            "the window in any packet (tcpdump)",
        ),
        Unknown(
            "TCP's send buffer",
            f"{stack.send_buffer_bytes:,} bytes",
            "LAM asks for 65,560 bytes, which Linux doubles; how much data fits depends on what it needs beside it",
            values(
                ("65,536 bytes", with_stack(send_buffer_bytes=65_536)),
                ("98,304 bytes", with_stack(send_buffer_bytes=98_304)),
            ),
        ),
        Unknown(
            "TCP's initial window",
            f"{stack.initial_window} segments",
            "by the source of Linux 2.6.5",
            values(*((f"{each} segments", with_stack(initial_window=each)) for each in (2, 4))),
        ),
        Unknown(
            "tick of the kernel's timers",
            f"{stack.tick_ns // 1_000_000} ms",
            "HZ=1000 by the source of Linux 2.6.5; a distribution may have changed it",
            values(*((f"{each} ms", with_stack(tick_ns=each * 1_000_000)) for each in (4, 10))),
            "CONFIG_HZ of the kernel",
        ),
        Unknown(
            "the window grows with",
            "acknowledgements",
            "by the source of Linux 2.6.5",
            values(("segments", with_stack(counts_acks=False))),
        ),
        Unknown(
            "FACK",
            "on",
            "by the source of Linux 2.6.5, unless tcp_fack was turned off",
            values(("off", with_stack(forward_acks=False))),
        ),
        Unknown(
            "segments that an idle connection acknowledges at once",
            f"{stack.quick_acks}",
            "by the source of Linux 2.6.5: half of the window",
            values(*((f"{each}", with_stack(quick_acks=each)) for each in (0, 16))),
        ),
        Unknown(
            "segments of a connection before its card",
            "any number",
            "Linux 2.6.5 has no limit but the card's 512 and a queue of 1,000; the values here are for comparison",
            values(*((f"{each}", with_stack(card_queue_bytes=each * 2280)) for each in (2, 4))),
        ),
    ]


def lam(used: Setup) -> list[Unknown]:
    return [
        Unknown(
            "a rank that comes late",
            "asks before it grants",
            "by the source of LAM 7.1",
            values(("grants first", with_stack(asks_first=False))),
        ),
        Unknown(
            "eager limit",
            f"{used.model.stack.eager_bytes // 1024} KiB",
            "LAM's default, which rpi_tcp_short changes; its socket buffers follow",
            values(*((f"{each} KiB", with_stack(eager_bytes=each * 1024)) for each in (16, 128, 512))),
            "laminfo -param rpi tcp",
        ),
    ]
