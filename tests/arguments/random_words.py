"""Command lines of `clearway` that nobody would think of: all options that argparse knows, with values of all kinds.

Half of the values are such as a person would give, so that a command gets far enough to use the others.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence

from clearway.commands import parser_of

# Commands that only read, each with the words that it needs; a word in capitals is one of PLACES.
BEGINNINGS = (
    ("report", "RUN"), ("report", "RUN", "RUN"), ("show", "RUN"), ("top", "RUN"), ("list", "RUN"),
    ("diff", "RUN", "RUN"), ("diff", "RUN", "RUN", "--", "RUN"), ("explain", "WORD"), ("docs", "WORD"),
    ("what-if", "RUN", "--network", "perfect"), ("what-if", "RUN", "--latency", "TIME"),
    ("what-if", "RUN", "--cluster", "FILE"), ("scale", "RUN", "RUN", "--to", "LIST"),
    ("predict", "alltoall", "--hosts", "2", "--sizes", "1Ki", "--algorithms", "lam", "-q"),
    ("predict", "--from", "RUN"), ("predict", "--resume", "RUN"), ("cluster", "show", "WORD"), ("cluster", "list"),
    ("workload", "show", "gromacs33"), ("bench", "alltoall", "--read", "FILE"), ("place", "--cluster", "FILE"),
    ("place", "--hostfile", "FILE", "--", "mpirun", "program"), ("place", "--hostfile", "FILE", "--for", "openmpi5"),
    ("tune", "--resume", "RUN"), ("tune", "--files", "RUN", "FILE", "-o", "OUTPUT"), ("tune", "--learned"),
    ("tune", "--forget", "LIST"), ("compare", "--resume", "RUN"),
    ("fix", "--from", "RUN", "--dry-run", "--", "program"),
    ("fix", "--resume", "RUN"), ("schedule", "list"), ("schedule", "show", "ordered", "--ranks", "LIST"),
    ("schedule", "check", "ring", "--hosts", "LIST"), ("task", "RUN", "LIST"),
)  # fmt: skip

SOUND = {
    "NUMBER": ("1", "2", "4"),
    "LIST": ("2", "1,2", "1-3", "1Ki", "1Ki..4Ki"),
    "TIME": ("1us", "5s", "10m"),
    "SIZE": ("1k", "64Ki"),
    "RATE": ("1gbit", "20mbit"),
    "SHARE": ("2%", "0.02"),
}
ODD = (
    *(
        "",
        " ",
        "-",
        "--",
        "-x",
        "=",
        "a=b",
        "a\nb",
        "'",
        '"',
        ";true",
        "<script>",
        "%s%n",
        "%(prog)s",
        "{0}",
        "[bold]",
        "~",
    ),
    *(
        "x" * 300,
        "x" * 5000,
        "Ünï",
        "\u202eRTL",
        "\x1b[31m",
        "\udcff",
        "..",
        "a..b",
        ".",
        "/",
        "/dev/null",
        "/dev/full",
    ),
    *(
        "0",
        "-1",
        "1e308",
        "nan",
        "inf",
        "1e-9",
        "9" * 20,
        "9" * 400,
        "9" * 5000,
        "1,5",
        "١٢",
        "²",
        "0x10",
        "1_000",
        "-0",
    ),
    *(
        "1..",
        "..",
        "5..1",
        "1,,2",
        ",",
        "0-99999999",
        "1-2-3",
        "2147483648",
        "1kk",
        "8Ti",
        "1k",
        "0k",
        "1 k",
        "99999999d",
    ),
    *("0%", "200%", "deep", "1x1x1", "²x2", "0x0x0", "9" * 5000 + "x1x1", "seed=1-3", "seed=²", "rate=1gbit,x", "x=1"),
    *("--hosts '2", "--hosts 2", "lam", "ordered+credits:", "mpi.shared_cores=nan", "hosts=" + "9" * 400),
)
KINDS = {"N": "NUMBER", "F": "NUMBER", "S": "NUMBER", "MS": "NUMBER", "US": "NUMBER", "K": "NUMBER", "RANK": "NUMBER",
         "X": "NUMBER", "LIST": "LIST", "N,N": "LIST", "N,N,…": "LIST", "RANKS": "LIST", "TIME": "TIME", "SIZE": "SIZE",
         "RATE": "RATE", "SHARE": "SHARE"}  # fmt: skip
WRITES = {
    "--json",
    "--html",
    "--csv",
    "--trace",
    "--plot",
    "--svg",
    "--script",
    "--save-table",
    "--write",
    "--output",
    "--run",
}
# What starts jobs, asks a cluster, or simulates for minutes, is not left to chance.
LEFT_OUT = {"--testbed", "--submit", "--site", "--discover", "--watch", "--ask-slurm", "--persist", "--mpi-library"}
LONG = {"--hosts", "--calls", "--ranks", "--steps", "--sizes", "--vary", "--per-host"}  # likewise, of `predict`


class Words:
    """`places`: by kind (RUN, FILE, OUTPUT, WORD), what a word of that kind may be."""

    def __init__(self, seed: int, places: dict[str, Sequence[str]]) -> None:
        self.random = random.Random(seed)
        self.places = places

    def command(self) -> list[str]:
        beginning = self.random.choice(BEGINNINGS)
        command, rest = self._divided(beginning)
        return [*command, *self._some_options(beginning), *map(self._word, rest)]

    def _divided(self, beginning: Sequence[str]) -> tuple[list[str], list[str]]:
        """The names of the command and of its action, and the rest."""
        at = 1
        if beginning[0] in ("cluster", "workload", "bench", "schedule"):
            at = 3 if beginning[0] == "workload" else 2
        return list(beginning[:at]), list(beginning[at:])

    def _some_options(self, beginning: Sequence[str]) -> Iterator[str]:
        left_out = LEFT_OUT | LONG if beginning[0] == "predict" else LEFT_OUT
        options = [each for each in _options(beginning) if each.option_strings[-1] not in left_out]
        for option in self.random.sample(options, min(len(options), self.random.randrange(4))):
            name = self.random.choice(option.option_strings)
            for _ in range(2 if self.random.random() < 0.05 else 1):
                if option.nargs == 0:
                    yield name
                elif name.startswith("--") and self.random.random() < 0.5:
                    yield f"{name}={self._value(option)}"
                else:
                    yield from (name, self._value(option))

    def _value(self, option: argparse.Action) -> str:
        name, kind = option.option_strings[-1], str(option.metavar or "")
        if name in WRITES:
            return self._word("OUTPUT")
        if option.choices and self.random.random() < 0.7:
            return str(self.random.choice(list(option.choices)))
        if kind in ("DIR", "RUN", "FROM"):
            return self._word("RUN")
        if "FILE" in kind or kind in ("TABLE", "PATH"):
            return self._word("FILE")
        return self._word(KINDS.get(kind, "ODD"))

    def _word(self, kind: str) -> str:
        if kind in self.places:
            return self.random.choice(self.places[kind])
        if kind not in SOUND and kind != "ODD":
            return kind
        return self.random.choice(SOUND[kind] if kind in SOUND and self.random.random() < 0.5 else ODD)


def _options(beginning: Sequence[str]) -> list[argparse.Action]:
    """Of the command, and of the action that follows it."""
    parser: argparse.ArgumentParser | None = parser_of(beginning[0])
    found: list[argparse.Action] = []
    for word in (*beginning[1:], ""):
        if parser is None:
            break
        found += [each for each in parser._actions if each.option_strings and each.dest != "help"]
        below = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
        parser = below[0].choices.get(word) if below else None
    return found
