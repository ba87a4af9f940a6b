"""Where the launcher stands in a command line, and which one it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from clearway.job.launcher_options import Grammar
from clearway.job.launchers.testbed import TESTBED, WORDS_BEFORE, is_testbed
from clearway.job.prefixes import assigned_variables, launcher_position

Identify = Callable[[str, Mapping[str, str]], Grammar | None]


def launcher_at(
    command: Sequence[str], environment: Mapping[str, str], identify_launcher: Identify
) -> tuple[int, Grammar | None]:
    """Behind any prefixes, the position of the launcher or, with no Grammar, of the program itself.

    The end of `command` where there is nothing but prefixes.
    """
    start = launcher_position(command)
    if start >= len(command):
        return start, None
    if is_testbed(list(command[start:])):
        return start + WORDS_BEFORE, TESTBED
    return start, identify_launcher(command[start], {**environment, **assigned_variables(command[:start])})
