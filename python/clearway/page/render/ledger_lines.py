"""The seven lines of the ledger as they look everywhere: one name, one colour, one texture each."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.quantities import apportioned
from clearway.page.model import Ledger


@dataclass(frozen=True, slots=True)
class LedgerLine:
    field: str  # of Ledger
    key: str  # names the colour in HTML: var(--compute)
    label: str
    short: str  # heading of a narrow column
    colour: str  # Okabe and Ito's palette: told apart by all common kinds of colour vision
    texture: str  # one column of the bar in a terminal without colour
    meaning: str

    def of(self, ledger: Ledger) -> float:
        return float(getattr(ledger, self.field))


LINES = (
    LedgerLine("compute_s", "compute", "computing", "compute", "#009E73", "█", "On a core, in the program's own code"),
    LedgerLine(
        "core_wait_s", "core-wait", "waiting for a core", "core", "#F0E442", "▚", "Runnable, but another process had it"
    ),
    LedgerLine(
        "mpi_wait_s", "mpi-wait", "MPI waiting", "wait", "#E69F00", "░", "In MPI, while a slower rank had not arrived"
    ),
    LedgerLine(
        "mpi_transfer_s", "mpi-transfer", "MPI moving data", "move", "#0072B2", "▒", "In MPI, with every partner there"
    ),
    LedgerLine(
        "mpi_stall_s",
        "mpi-stall",
        "MPI stalled by loss",
        "stall",
        "#D55E00",
        "×",
        "In MPI, until TCP's retransmission timer ran out",
    ),
    LedgerLine("io_s", "io", "file I/O", "I/O", "#CC79A7", "▓", "In functions that read and write files"),
    LedgerLine("other_s", "other", "other", "other", "#999999", "·", "Blocked elsewhere, starting and stopping MPI"),
)


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """Seconds and per cent of one line, rounded together with the others so that the columns add up."""

    line: LedgerLine
    seconds: float
    percent: float


@dataclass(frozen=True, slots=True)
class PrintedLedger:
    lines: tuple[PrintedLine, ...]
    residue_seconds: float
    residue_percent: float


def ledger_decimals(ledger: Ledger) -> int:
    """Hundredths of a second, until the wall-clock of all ranks makes them noise."""
    return 2 if ledger.wall_s < 100_000 else 0


def printed_ledger(ledger: Ledger, decimals: int) -> PrintedLedger:
    """The ledger as figures of `decimals` places that add up to the printed wall-clock and to 100.0 %."""
    values = [line.of(ledger) for line in LINES] + [ledger.residue_s]
    shares = [100 * value / ledger.wall_s if ledger.wall_s else 0.0 for value in values]
    seconds = apportioned(values, ledger.wall_s, decimals)
    percents = apportioned(shares, 100.0 if ledger.wall_s else 0.0, 1)
    lines = tuple(PrintedLine(*row) for row in zip(LINES, seconds, percents, strict=False))
    return PrintedLedger(lines, seconds[-1], percents[-1])


def bar_columns(ledger: Ledger, columns: int) -> list[tuple[LedgerLine, int]]:
    """How many of `columns` each line takes; what exists is seen: a line above half a per cent takes one at least."""
    shares = [max(0.0, line.of(ledger)) for line in LINES]
    total = sum(shares)
    if total <= 0:
        return []
    widths = [round(width) for width in apportioned([share * columns / total for share in shares], columns, 0)]
    for index, share in enumerate(shares):
        if widths[index] == 0 and share > 0.005 * total:
            widths[index] = 1
            widths[widths.index(max(widths))] -= 1
    return [(line, width) for line, width in zip(LINES, widths, strict=True) if width > 0]
