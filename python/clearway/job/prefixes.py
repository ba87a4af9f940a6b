"""Commands that run another command, and often stand before a launcher: `timeout 60 mpirun …`.

Here too it is only told where their own words end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from clearway.job.launcher_options import Grammar, skip_options, words


@dataclass(frozen=True, slots=True)
class Prefix:
    """A command that ends by running another one."""

    grammar: Grammar
    operands: int = 0  # words between its options and the command
    assignments: bool = False  # NAME=VALUE words stand there
    numbers: bool = False  # -19 is an option, as it was once written


def _prefix(name: str, short_flags: str = "", short_one: str = "", flags: str = "", one: str = "") -> Prefix:
    return Prefix(
        Grammar(name, words(flags), words(one), short_flags=short_flags, short_one=short_one, abbreviations=True)
    )


PREFIXES = {
    "env": replace(_prefix("env", "i0v", "uC", "ignore-environment null debug", "unset chdir"), assignments=True),
    "nice": replace(_prefix("nice", "", "n", "", "adjustment"), numbers=True),
    "ionice": _prefix("ionice", "t", "cn", "ignore", "class classdata"),
    "nohup": _prefix("nohup"),
    "setsid": _prefix("setsid", "cfw", "", "ctty fork wait"),
    "stdbuf": _prefix("stdbuf", "", "ioe", "", "input output error"),
    "time": _prefix("time", "apqv", "fo", "append portability quiet verbose", "format output"),
    "timeout": replace(
        _prefix("timeout", "v", "ks", "foreground preserve-status verbose", "kill-after signal"), operands=1
    ),
    "taskset": replace(_prefix("taskset", "ac", "", "all-tasks cpu-list"), operands=1),
    "numactl": _prefix(
        "numactl",
        "al",
        "iNmCpPw",
        "all localalloc balancing",
        "interleave cpunodebind membind physcpubind preferred preferred-many weighted-interleave",
    ),
    "chrt": replace(_prefix("chrt", "abfior", "TPD", "all-tasks batch fifo idle other rr"), operands=1),
}


def launcher_position(command: Sequence[str]) -> int:
    """Where the launcher (or the program itself) begins in `command`, behind any prefixes."""
    at = 0
    while at < len(command):
        prefix = PREFIXES.get(PurePath(command[at]).name)
        if prefix is None:
            return at
        name, at = command[at], at + 1
        while prefix.numbers and at < len(command) and re.fullmatch(r"-[-+]?\d+", command[at]):
            at += 1
        at = skip_options(prefix.grammar, command, at, name)
        if prefix.assignments:
            while at < len(command) and "=" in command[at]:
                at += 1
        at += prefix.operands
    return at


def assigned_variables(prefix_words: Sequence[str]) -> dict[str, str]:
    """The NAME=VALUE words among the prefixes: what `env` sets for the launcher."""
    assignments = (word.partition("=") for word in prefix_words if not word.startswith("-"))
    return {name: value for name, equals, value in assignments if equals and name.isidentifier()}
