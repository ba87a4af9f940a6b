"""Kinds of fault, and what has to be said of each: the one table by which answers are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from causes.ranges import Range

Where = Literal["one rank", "one host", "all ranks"]
When = Literal["always", "since", "now and then"]
# Where it can be planted: on this machine or on a testbed's hosts, on this machine only, or in a testbed's network.
Place = Literal["anywhere", "here", "network"]

SHARE = Range(0.008, 0.65)  # of the wall-clock that is to be lost, about


@dataclass(frozen=True, slots=True)
class Name:
    """A finding: its rule, and words that its title or sentence has or lacks, where one rule has several faults."""

    rule: str
    word: str = ""
    without: tuple[str, ...] = ()

    def fits(self, rule: str, text: str) -> bool:
        """Whether a finding of that rule and with that text is the one that is meant."""
        return rule == self.rule and self.word in text and not any(word in text for word in self.without)

    @property
    def label(self) -> str:
        return f"{self.rule}: {self.word}" if self.word else self.rule


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Its name is its key in KINDS, and what the skeleton calls it (benchmarks/causes/skeleton/faults.h)."""

    how: str  # it is planted
    right: tuple[Name, ...] = ()  # findings that name it
    near: tuple[Name, ...] = ()  # findings that name what was slow, but not why: at best a part of the answer
    strength: Range = SHARE
    strength_unit: str = "of the wall-clock"
    grain: Range | None = None  # how it is cut; None: it is not
    unit: str = ""  # of the grain
    place: Place = "anywhere"
    where: tuple[Where, ...] = ("one rank", "all ranks")
    when: tuple[When, ...] = ("always", "since", "now and then")
    fatal: bool = False  # the job does not end
    alone: bool = False  # never together with another
    in_engines: bool = True  # it can be planted in a program that knows nothing of it
    is_work: bool = False  # that some rank has to do: balance gives back all but each rank's part of it


BY_CHANCE = Name("congestion-loss", "lost by chance")
CONGESTION = Name("congestion-loss", without=(BY_CHANCE.word,))
ANY_LOSS = Name("congestion-loss")
SERVICE = Name("blocked", "waiting for", without=("a lock", "a child", "another thread"))

# A kind without a name in `right` has no finding today: it counts as missed whenever it costs something.
KINDS: dict[str, Kind] = {
    "late-rank": Kind(
        how="a rank computes longer than the others",
        right=(Name("load-imbalance"),),
        where=("one rank",),
        is_work=True,
    ),
    "wandering": Kind(
        how="another rank computes longer each step",
        right=(Name("load-imbalance"),),
        where=("all ranks",),
        in_engines=False,
        is_work=True,
    ),
    "sleeping-rank": Kind(
        how="a rank sleeps (nanosleep)",
        right=(Name("blocked", "sleeping"),),
        grain=Range(1e-4, 3e-2),
        unit="s per sleep",
    ),
    "usleep-polling": Kind(
        how="a loop of MPI_Test and usleep",
        right=(Name("blocked", "sleeping"),),
        grain=Range(2e-4, 1e-2),
        unit="s between two tests",
        in_engines=False,
    ),
    "lock": Kind(
        how="another process holds a file lock (flock)",
        right=(Name("blocked", "lock"),),
        grain=Range(1e-3, 1e-1),
        unit="s held",
    ),
    "slow-service": Kind(
        how="a server answers slowly (connect, poll)",
        right=(SERVICE,),
        grain=Range(2e-3, 2e-1),
        unit="s to the answer",
        place="here",
    ),
    "child": Kind(
        how="system() starts a program that sleeps",
        right=(Name("blocked", "child"),),
        grain=Range(2e-2, 3e-1),
        unit="s a child takes",
    ),
    "slow-pipe": Kind(
        how="stdout into a pipe that is read slowly",
        right=(Name("output"), Name("blocked", "pipe")),
        grain=Range(2e4, 2e6),
        unit="bytes read a second",
        where=("one rank",),
    ),
    "tiny-writes": Kind(
        how="unbuffered writes of a few bytes",
        right=(Name("small-writes"),),
        near=(Name("file-wait"),),
        grain=Range(2, 128),
        unit="bytes a write",
    ),
    "log-lines": Kind(
        how="lines to stdout, each in a separate write",
        right=(Name("output"),),
        grain=Range(16, 256),
        unit="bytes a line",
    ),
    "fsync": Kind(
        how="an fsync after each 4 kB, on a disk of few operations a second",
        right=(Name("sync-storm"),),
        near=(Name("file-wait"),),
        grain=Range(50, 2000),
        unit="operations a second",
        place="here",
        where=("one rank",),
    ),
    "slow-file": Kind(
        how="a scratch file read from a slow disk, bypassing the page cache",
        right=(Name("file-wait"),),
        grain=Range(2e6, 5e7),
        unit="bytes a second",
        place="here",
        where=("one rank",),
    ),
    "late-start": Kind(
        how="a rank comes late to MPI_Init",
        right=(Name("late-start"),),
        grain=Range(1e-3, 1.0),
        unit="s per sleep",
        where=("one rank",),
        when=("always",),
    ),
    "serial-thread": Kind(
        how="one of two threads computes alone",
        place="here",
        where=("one rank",),
        alone=True,
        in_engines=False,
        right=(Name("serial-section"),),
    ),
    "foreign-load": Kind(
        how="another program computes on the rank's core",
        right=(Name("foreign-load"),),
        grain=Range(2e-3, 2e-1),
        unit="s at a time",
        place="here",
        when=("always", "since"),
        alone=True,
    ),
    "never-comes": Kind(
        how="a rank stops in the middle of the job for ever",
        right=(Name("never-returned"),),
        place="here",
        where=("one rank",),
        when=("since",),
        fatal=True,
        alone=True,
    ),
    "never-starts": Kind(
        how="a rank never reaches MPI_Init",
        right=(Name("late-start"),),
        place="here",
        where=("one rank",),
        when=("always",),
        fatal=True,
        alone=True,
    ),
    "small-buffer": Kind(
        how="switch ports drop what does not fit",
        right=(CONGESTION,),
        near=(ANY_LOSS,),
        strength=Range(2500, 25000),
        strength_unit="bytes of a port",
        place="network",
        where=("all ranks",),
        when=("always",),
        alone=True,
    ),
    "random-loss": Kind(
        how="packets are lost by chance on the way to a host",
        right=(BY_CHANCE,),
        near=(ANY_LOSS,),
        strength=Range(0.001, 0.1),
        strength_unit="of the packets",
        place="network",
        where=("one host",),
        when=("always",),
        alone=True,
    ),
    "slow-link": Kind(
        how="one host's link is slower than the others",
        right=(Name("link-speed"),),
        strength=Range(1.1, 8),
        strength_unit="times as slow",
        place="network",
        where=("one host",),
        when=("always",),
        alone=True,
    ),
    "one-way-rate": Kind(
        how="the switch sends to one host slower than that host sends",
        right=(Name("one-way-rate"),),
        near=(Name("link-speed"),),
        strength=Range(1.3, 8),
        strength_unit="times as slow",
        place="network",
        where=("one host",),
        when=("always",),
        alone=True,
    ),
    "far-host": Kind(
        how="what one host sends arrives later",
        right=(Name("far-host"),),
        near=(Name("small-messages"),),
        strength=Range(0.001, 0.04),
        strength_unit="s",
        place="network",
        where=("one host",),
        when=("always",),
        alone=True,
    ),
    "outage": Kind(
        how="one host's link is down for a while",
        right=(Name("outage"),),
        near=(ANY_LOSS,),
        strength=Range(0.2, 3.5),
        strength_unit="s",
        place="network",
        where=("one host",),
        when=("since",),
        alone=True,
    ),
    "black-hole": Kind(
        how="packets above a size vanish on the way to a host",
        right=(Name("mtu-black-hole"),),
        near=(Name("outage"), ANY_LOSS),
        strength=Range(700, 1480),
        strength_unit="bytes of the largest that arrives",
        place="network",
        where=("one host",),
        when=("since",),
        fatal=True,
        alone=True,
    ),
}

# What is so of a real program, whatever is planted in it, and something else than Clearway says so: Debian's GROMACS
# writes into its log that it was built for older processors than these; pw.x is a tenth faster with the remedy.
SO_ANYWAY: dict[str, frozenset[str]] = {"gromacs": frozenset({"slow-build"}), "pw.x": frozenset({"memory-churn"})}


def label(rule: str, text: str) -> str:
    """What a finding is called where one rule has several faults."""
    worded = (name for kind in KINDS.values() for name in kind.right if name.word)
    return next((name.label for name in worded if name.fits(rule, text)), rule)
