"""`clearway testbed run --launcher-options`: said to the MPI's launcher besides what the testbed says itself."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from clearway.base.errors import ClearwayError
from clearway.base.quoted_words import quoted_words
from clearway.job.command_line import CommandLine, read_command, read_options
from clearway.job.rewriting import with_options
from clearway.job.settings import PARAMETER_OPTIONS, with_parameter


def with_launcher_options(command: Sequence[str], texts: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """`command` with the options of each of `texts` in it, in place of what it said. Raises ClearwayError."""
    line = read_command(command, environment)
    for text in texts:
        line = _with(line, quoted_words(text, "--launcher-options", "--launcher-options='--bind-to core'"))
    return line.words


def _with(line: CommandLine, words: list[str]) -> CommandLine:
    if line.grammar is None or line.launcher is None:
        raise ClearwayError(f"no launcher takes '{shlex.join(words)}'", "leave out --launcher-options")
    options = read_options(line.grammar, [*words, line.launcher], line.launcher)
    if [word for option in options for word in option.words] != words:
        raise ClearwayError(f"'{shlex.join(words)}' are not options of {line.grammar.name}", "--launcher-options='…'")
    for option in options:
        if option.name in PARAMETER_OPTIONS:
            line = with_parameter(line, *option.values)
        else:
            line = with_options(line, option.words)
    return line
