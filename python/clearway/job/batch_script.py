"""A batch script: its `#SBATCH` options, the line that launches the job, and the script with either changed.

What is not understood stays as it is, letter by letter: the shell reads the script, we only find words in it.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from clearway.base.errors import ClearwayError
from clearway.job.change import Change, changed, grouped
from clearway.job.launcher_at import Identify
from clearway.job.script_launches import Raw, launches_in
from clearway.job.which_launcher import identify

C_SHELLS = ("csh", "tcsh")
SHELLS = ("sh", "bash", "dash", "ksh", "zsh", *C_SHELLS)
SHORT = {"x": "exclude", "C": "constraint"}  # of sbatch's options that a remedy may ask for
EXTENDED = {"exclude": ",", "constraint": "&"}  # what the script says stays in force, behind this
SBATCH = re.compile(r"^#SBATCH[ \t]+(?P<options>.*)$", re.MULTILINE)
_COMPONENT = re.compile(r"^#SBATCH[ \t]+(?:hetjob|packjob)[ \t]*\n", re.MULTILINE)  # what follows is another's


@dataclass(frozen=True, slots=True)
class BatchScript:
    name: str  # the file, as typed
    text: str
    begin: int  # where the launcher's command begins, behind `clearway run … --`
    end: int
    words: tuple[Raw, ...]  # of it
    recorded_from: int  # where `clearway run` stands before it; else `begin`

    @property
    def interpreter(self) -> list[str]:
        return shlex.split(self.text.splitlines()[0][2:])

    @property
    def has_components(self) -> bool:
        """Of a heterogeneous job."""
        return _COMPONENT.search(_head(self.text)) is not None

    def options(self) -> list[str]:
        """sbatch's, as the script says them."""
        return [word for line in SBATCH.finditer(_head(self.text)) for word in _split(line["options"])]

    def launch(
        self, change: Change, environment: Mapping[str, str], recorder: Sequence[str] = (), asked: Identify = identify
    ) -> list[str]:
        """The line that launches the job, with the change in it, as words of a shell."""
        words = changed(self.words, _without_batch_options(change), environment, recorder, asked)
        return [word if self._is_ours(word) else shlex.quote(word) for word in words]

    def with_change(self, change: Change, environment: Mapping[str, str], asked: Identify = identify) -> str:
        """The script as a person would write it. Lines that are not concerned stay as they are."""
        of_line = _without_batch_options(change)
        launched = _joined(self.launch(of_line, environment, asked=asked)) if of_line != Change() else None
        text = self.text if launched is None else self.text[: self.begin] + launched + self.text[self.end :]
        for option in grouped(change.batch_options):
            text = _with_option(text, option)
        return text

    def to_run(
        self, change: Change, environment: Mapping[str, str], recorder: Sequence[str], asked: Identify = identify
    ) -> list[str]:
        """The command that runs all of it, its launcher's line changed and recorded."""
        launched = _joined(self.launch(change, environment, recorder, asked))
        text = self.text[: self.recorded_from] + launched + self.text[self.end :]
        name = [] if _shell_of(self.text) in C_SHELLS else [self.name]  # which csh would take for an argument
        return [*self.interpreter, "-c", text, *name]

    def diff(self, changed_text: str) -> str:
        before, after = (text.splitlines(keepends=True) for text in (self.text, changed_text))
        return "".join(difflib.unified_diff(before, after, f"a/{self.name}", f"b/{self.name}"))

    def _is_ours(self, word: str) -> bool:
        """Whether the script has it, whole or as the end of a group of short options."""
        if isinstance(word, Raw) or word in self.words:
            return True
        return word.startswith("-") and len(word) > 2 and any(each.endswith(word[2:]) for each in self.words)


def read_script(name: str, text: str, line: int = 0) -> BatchScript:
    """`line`: which launch, where there are several. Raises ClearwayError where it is no batch script whose job we can
    tell.
    """
    if _shell_of(text) not in SHELLS:
        raise ClearwayError(f"'{name}' is not a shell script", "its first line must be #!/bin/sh or #!/bin/bash")
    if "\r\n" in text:
        raise ClearwayError(f"'{name}' has line ends of Windows, which sbatch refuses", f"dos2unix {name}")
    found = list(launches_in(text))
    at = _chosen(name, [text.count("\n", 0, launch.begin) + 1 for launch in found], line)
    launch = found[at]
    if launch.unclear:
        raise ClearwayError(
            f"'{name}': cannot tell whether {launch.unclear} is the program or options",
            f'if it is the program, put it in quotes: "{launch.unclear}"',
        )
    return BatchScript(name, text, launch.begin, launch.end, launch.words, launch.recorded_from)


def _chosen(name: str, lines: Sequence[int], line: int) -> int:
    """Which of the launches on these lines."""
    if not lines:
        raise ClearwayError(
            f"'{name}' launches no job that Clearway can find (srun, mpirun, mpiexec)",
            "put the command itself after it: clearway fix -- srun …",
        )
    shown = " and ".join([", ".join(map(str, lines[:-1])), str(lines[-1])] if len(lines) > 1 else [str(lines[0])])
    if line and lines.count(line) != 1:
        where = "launches several jobs" if line in lines else "launches no job that Clearway can find"
        raise ClearwayError(f"line {line} of '{name}' {where}", f"one of its lines {shown}")
    if line:
        return lines.index(line)
    if len(lines) > 1:
        raise ClearwayError(
            f"'{name}' launches {len(lines)} jobs, on lines {shown}",
            f"say which: clearway fix --line {lines[-1]} {name}",
        )
    return 0


def is_batch_script(text: str) -> bool:
    return text.startswith("#!") and SBATCH.search(text) is not None


def _joined(words: Sequence[str]) -> str:
    """Lines of the script that were broken stay so."""
    spaced = [(word.gap if isinstance(word, Raw) else " ") + word for word in words]
    return "".join(spaced).lstrip()


def all_extended(text: str, options: Sequence[str]) -> list[str]:
    """Options for sbatch's command line, which replace the script's own: what is to stay in force is said again."""
    return [word for option in grouped(options) for word in extended(text, option)]


def extended(text: str, option: Sequence[str]) -> list[str]:
    """This option of sbatch with what the script says to it, where that is to stay in force."""
    name = option[0].lstrip("-").partition("=")[0]
    said = _value_in(text, name) if name in EXTENDED else ""
    return [f"{option[0]}{EXTENDED[name]}{said}" if said else option[0], *option[1:]]


def _with_option(text: str, option: Sequence[str]) -> str:
    """With this option of sbatch: in the place of the same one, else below the others. In each component of a
    heterogeneous job, for each has options of its own. Slurm reads none below the first command.
    """
    end = len(_head(text))
    components = [text[:end]]
    while mark := _COMPONENT.search(components[-1]):
        last = components.pop()
        components += [last[: mark.end()], last[mark.end() :]]
    return "".join(_with_option_in(component, option) for component in components) + text[end:]


def _with_option_in(text: str, option: Sequence[str]) -> str:
    name = option[0].lstrip("-").partition("=")[0]
    option = extended(text, option)
    said = "#SBATCH " + shlex.join(option)
    for line in SBATCH.finditer(text):
        groups = grouped(_split(line["options"]))
        kept = [word for group in groups if _option_name(group) != name for word in group]
        if len(kept) < sum(map(len, groups)):
            both = said + (f" {shlex.join(kept)}" if kept else "")
            return text[: line.start()] + both + text[line.end() :]
    lines = [line for line in SBATCH.finditer(text) if not _COMPONENT.match(line[0] + "\n")]
    if not lines and not text.startswith("#!"):
        return f"{said}\n{text}"
    at = lines[-1].end() if lines else text.index("\n")
    return text[:at] + "\n" + said + text[at:]


def _option_name(group: Sequence[str]) -> str:
    """The long one of an option with its value."""
    first = group[0]
    return first[2:].partition("=")[0] if first.startswith("--") else SHORT.get(first[1:2], first[1:2])


def _value_in(text: str, name: str) -> str:
    """What the script says to this option already."""
    for line in SBATCH.finditer(_head(text)):
        for group in grouped(_split(line["options"])):
            if _option_name(group) == name:
                attached = group[0].partition("=")[2] if group[0].startswith("--") else group[0][2:].lstrip("=")
                return attached or " ".join(group[1:])
    return ""


def _without_batch_options(change: Change) -> Change:
    return replace(change, batch_options=())


def _split(options: str) -> list[str]:
    try:
        return shlex.split(options, comments=True)
    except ValueError:
        return options.split()


def _head(text: str) -> str:
    """Slurm reads options up to the first line that is a command."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[: next((at for at, line in enumerate(lines) if not _is_comment(line)), len(lines))])


def _shell_of(text: str) -> str:
    """The name of the shell in the first line, also of `env bash`; empty where there is none."""
    first = text.partition("\n")[0]
    try:
        words = shlex.split(first[2:]) if first.startswith("#!") else []
    except ValueError:
        return ""
    names = [PurePath(word).name for word in words]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if not name.startswith("-")]
    return names[0] if names else ""


def _is_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")
