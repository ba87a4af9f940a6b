"""A batch script: its `#SBATCH` options, the one line that launches the job, and the script with either changed.

What is not understood stays as it is, letter by letter: the shell reads the script, we only find words in it.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from clearway.base.errors import ClearwayError
from clearway.job.change import Change, changed, grouped
from clearway.job.launcher_at import Identify
from clearway.job.prefixes import launcher_position
from clearway.job.which_launcher import identify

SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
LAUNCHERS = (
    "srun",
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "orterun",
    "prterun",
    "prun",
    "mpirun.openmpi",
    "mpirun.mpich",
)
SHORT = {"x": "exclude"}  # of sbatch's options that a remedy may ask for
EXTENDED = frozenset(("exclude",))  # what the script says stays in force
SBATCH = re.compile(r"^#SBATCH[ \t]+(?P<options>.*)$", re.MULTILINE)
# A word: quoted parts, escaped letters, expansions, and whatever is no operator.
_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t]|\\\n)+)
      | (?P<comment>\#[^\n]*)
      | (?P<redirection>\d*(?:<<<|<<-?|<&|>&|>>|<>|>\||[<>]|&>>?))
      | (?P<operator>\n|;;|&&|\|\||\|&|[;&|()])
      | (?P<word>(?:'[^']*'|"(?:[^"\\]|\\.)*"|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\$\{[^}]*\}|\\(?:.|\n)
                  |[^\s'"`\\;&|()<>])+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = frozenset(("exec", "if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"))


class Raw(str):
    """A word as the script has it, quotes and all, and what stands before it: a space, or a line's end."""

    gap = " "


def _raw(word: str, gap: str) -> Raw:
    made = Raw(word)
    made.gap = gap
    return made


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

    def options(self) -> list[str]:
        """sbatch's, as the script says them."""
        return [word for line in SBATCH.finditer(self._head()) for word in _split(line["options"])]

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
        return [*self.interpreter, "-c", text, self.name]

    def diff(self, changed_text: str) -> str:
        before, after = (text.splitlines(keepends=True) for text in (self.text, changed_text))
        return "".join(difflib.unified_diff(before, after, f"a/{self.name}", f"b/{self.name}"))

    def _is_ours(self, word: str) -> bool:
        """Whether the script has it, whole or as the end of a group of short options."""
        if isinstance(word, Raw) or word in self.words:
            return True
        return word.startswith("-") and len(word) > 2 and any(each.endswith(word[2:]) for each in self.words)

    def _head(self) -> str:
        """Slurm reads options up to the first line that is a command."""
        lines = self.text.splitlines(keepends=True)
        return "".join(lines[: next((at for at, line in enumerate(lines) if not _is_comment(line)), len(lines))])


def read_script(name: str, text: str) -> BatchScript:
    """Raises ClearwayError where it is no batch script whose job we can tell."""
    first = text.splitlines()[0] if text else ""
    shell = PurePath((shlex.split(first[2:]) or [""])[0]).name if first.startswith("#!") else ""
    if shell not in SHELLS:
        raise ClearwayError(f"'{name}' is not a shell script", "its first line must be #!/bin/sh or #!/bin/bash")
    found = list(_launches(text))
    if len(found) != 1:
        told = "launches no job" if not found else f"launches {len(found)} jobs"
        raise ClearwayError(
            f"'{name}' {told} that Clearway can find (srun, mpirun, mpiexec)",
            "put the command itself after it: clearway fix -- srun …",
        )
    (recorded_from, words) = found[0]
    begin, end = words[0][0], words[-1][1]
    ends = [begin, *(last for _, last in words)]
    raw = tuple(_raw(text[first:last], text[ends[at] : first] or " ") for at, (first, last) in enumerate(words))
    program = raw[launcher_position(raw) :]
    unclear = next((word for word in program[1:] if not word.startswith("-")), "")
    if re.fullmatch(r"\$\w+|\$\{\w+\}", unclear) and word_follows(raw, unclear):
        raise ClearwayError(
            f"'{name}': cannot tell whether {unclear} is the program or options",
            f'if it is the program, put it in quotes: "{unclear}"',
        )
    return BatchScript(name, text, begin, end, raw, recorded_from)


def word_follows(words: Sequence[str], word: str) -> bool:
    return words.index(word) + 1 < len(words)


def is_batch_script(text: str) -> bool:
    return text.startswith("#!") and SBATCH.search(text) is not None


def _launches(text: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Each simple command that is a launcher's: where it begins with what records it, and the places of its words."""
    for words in _commands(text):
        raw = [text[begin:end] for begin, end in words]
        at = 0
        while at < len(raw) and (raw[at] in _KEYWORDS or re.match(r"\w+=", raw[at])):
            at += 1
        recorded_from = at
        if [PurePath(word).name for word in raw[at : at + 2]] == ["clearway", "run"] and "--" in raw[at:]:
            at = raw.index("--", at) + 1
        launcher = at + launcher_position(raw[at:])
        if launcher < len(raw) and PurePath(raw[launcher]).name in LAUNCHERS:
            yield words[recorded_from][0], words[at:]


def _commands(text: str) -> Iterator[list[tuple[int, int]]]:
    """The places of the words of each simple command, up to its first redirection."""
    words: list[tuple[int, int]] = []
    redirected, at, heredocs = False, 0, list[str]()
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None
        at = match.end()
        kind, token = match.lastgroup, match[0]
        if kind == "operator" or kind == "other":
            is_definition = token == "(" and text[at:].lstrip(" \t").startswith(")")  # of a function: name () { … }
            if words and not is_definition:
                yield words
            words, redirected = [], False
            if token == "\n":
                for mark in heredocs:
                    at = _behind(text, at, mark)
                heredocs = []
        elif kind == "redirection":
            redirected = True
            if token.lstrip("0123456789") in ("<<", "<<-") and (word := re.compile(r"[ \t]*(\S+)").match(text, at)):
                heredocs.append(word[1].strip("'\"\\"))
        elif kind == "word" and not redirected:
            words.append((match.start(), match.end()))
    if words:
        yield words


def _behind(text: str, at: int, mark: str) -> int:
    """Where the lines of a here-document end."""
    end = re.compile(rf"^\t*{re.escape(mark)}$\n?", re.MULTILINE).search(text, at)
    return len(text) if end is None else end.end()


def _joined(words: Sequence[str]) -> str:
    """Lines of the script that were broken stay so."""
    spaced = [(word.gap if isinstance(word, Raw) else " ") + word for word in words]
    return "".join(spaced).lstrip()


def extended(text: str, option: Sequence[str]) -> list[str]:
    """This option of sbatch with what the script says to it, where that is to stay in force."""
    name = option[0].lstrip("-").partition("=")[0]
    said = _value_in(text, name) if name in EXTENDED else ""
    return [f"{option[0]},{said}" if said else option[0], *option[1:]]


def _with_option(text: str, option: Sequence[str]) -> str:
    """With this option of sbatch: in the place of the same one, else below the others."""
    name = option[0].lstrip("-").partition("=")[0]
    option = extended(text, option)
    said = "#SBATCH " + shlex.join(option)
    for line in SBATCH.finditer(text):
        groups = grouped(_split(line["options"]))
        kept = [word for group in groups if _option_name(group) != name for word in group]
        if len(kept) < sum(map(len, groups)):
            both = said + (f" {shlex.join(kept)}" if kept else "")
            return text[: line.start()] + both + text[line.end() :]
    lines = list(SBATCH.finditer(text))
    at = lines[-1].end() if lines else text.index("\n")
    return text[:at] + "\n" + said + text[at:]


def _option_name(group: Sequence[str]) -> str:
    """The long one of an option with its value."""
    first = group[0]
    return first[2:].partition("=")[0] if first.startswith("--") else SHORT.get(first[1:2], first[1:2])


def _value_in(text: str, name: str) -> str:
    """What the script says to this option already."""
    for line in SBATCH.finditer(text):
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


def _is_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")
