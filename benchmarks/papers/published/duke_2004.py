"""R. Duke, "Improving PMEMD Performance on gigabit ethernet", AMBER list, 17 August 2004: socket buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clearway.base import quantities as q
from clearway.predict.models.programs.pmemd import SYSTEMS
from papers import figures, notation
from papers.claim import Assumption, Claim, Null, Paper, exactly
from papers.point import Choice, Outcome, Point, job, ready_model

PUBLISHED_STEPS, STEPS = 250, 25
STEP_PS = 0.0015
CPU_S = SYSTEMS["factor9"].serial_ns * PUBLISHED_STEPS / 4 * 1e-9  # of each of 4 processes
DEFAULT_BYTES, CHOSEN_BYTES = 16384, 524288
WALL_CLOCK_S = {16384: 174, 32768: 155, 65536: 144, 131072: 138, 262144: 137, 524288: 136, 1048576: 135}
FOLLOWS = "follows from the wall-clocks above"


def paper() -> Paper:
    default, chosen = with_buffers(DEFAULT_BYTES), with_buffers(CHOSEN_BYTES)
    return Paper(
        "duke-2004",
        "PMEMD's socket buffers on a gigabit cable",
        "R. Duke, AMBER list, 17 August 2004: factor IX, 91,000 atoms, two dual Xeons and a crossover cable",
        (
            "latency of 960 µs between programs: fitted on the 174 s of the smallest buffers",
            "assumed: the cluster `crossover-pair`; both buffers of a socket hold P4_SOCKBUFSIZE bytes",
        ),
        (
            *(wall_clock(size, seconds) for size, seconds in WALL_CLOCK_S.items()),
            Claim("text", "faster with 512 KiB by", *exactly(175 / 136), notation.times, (chosen, default),
                  figures.ratio_of_times, uncounted=FOLLOWS),
            Claim("text", "net latency, default", *exactly(0.27), q.percent, (default,), waiting_share,
                  uncounted=FOLLOWS),
            Claim("text", "net latency, 512 KiB", *exactly(0.05), q.percent, (chosen,), waiting_share,
                  uncounted=FOLLOWS),
            Claim("text", "ps a day, 512 KiB", *exactly(238), notation.number, (chosen,), ps_a_day, uncounted=FOLLOWS),
        ),
        ("CPU times, and the default's 175 s, whose buffer the post guesses to be 16 KiB",),
        assumptions=assumptions(),
    )  # fmt: skip


def wall_clock(size_bytes: int, published_s: float) -> Claim:
    return Claim(
        "table",
        f"P4_SOCKBUFSIZE {size_bytes:,}: wall-clock",
        *exactly(published_s),
        q.seconds,
        (with_buffers(size_bytes),),
        wall_clock_s,
        fitted="latency" if size_bytes == DEFAULT_BYTES else None,
        nulls=(Null("no network: the published CPU time", (), lambda _: CPU_S),),
    )


def assumptions() -> tuple[Assumption, ...]:
    stack = ready_model("crossover-pair", 2, 2).stack
    return (
        Assumption("CPU time per message", "message-ns", stack.message_ns, (10_000, 40_000), notation.nanoseconds),
        Assumption("CPU time per kilobyte", "kilobyte-ns", stack.kilobyte_ns, (500, 2_000), notation.nanoseconds),
        Assumption("TCP's initial window", "initial-window", stack.initial_window, (2, 10), notation.number),
    )


def with_buffers(size_bytes: int) -> Point:
    model = ready_model("crossover-pair", 2, 2)
    stack = replace(model.stack, send_buffer_bytes=size_bytes, receive_buffer_bytes=size_bytes)
    return job(replace(model, stack=stack), ("pmemd", "factor9"), Choice("direct"), STEPS)


def wall_clock_s(outcomes: Sequence[Outcome]) -> float:
    """Of all the steps that were published, from those that were simulated."""
    return outcomes[0].median_ns * 1e-9 * PUBLISHED_STEPS / STEPS


def waiting_share(outcomes: Sequence[Outcome]) -> float:
    """The post's "net latency": of the wall-clock, what is no CPU time."""
    return 1 - CPU_S / wall_clock_s(outcomes)


def ps_a_day(outcomes: Sequence[Outcome]) -> float:
    return STEP_PS * PUBLISHED_STEPS / wall_clock_s(outcomes) * 86400
