"""What a word such as $OPTIONS stands for in a batch script: known only if the script says it once, and plainly.

    OPTIONS="--mpi=pmix -n $SLURM_NTASKS"       LAUNCH=(srun -n 4)
    srun $OPTIONS ./program                     "${LAUNCH[@]}" ./program

Whatever is set twice, in a loop, by a command or from the outside stays what it is: a word that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clearway.job.shell_words import Commands, words_in

_VARIABLE = re.compile(r"\$(\w+)|\$\{(\w+)\}")
_QUOTED = re.compile(r"\"\$(\w+)\"|\"\$\{(\w+)\}\"")
_ARRAY = re.compile(r"\"?\$\{(\w+)\[[@*]\]\}\"?")
_PLAIN = re.compile(r"(?:[\w./:=,+@%^-]|\$\w+|\$\{\w+\}|[ \t])*")  # no quotes, no commands, no patterns
DEEPEST = 4  # variables that name variables


def is_variable(word: str) -> bool:
    return any(pattern.fullmatch(word) for pattern in (_VARIABLE, _QUOTED, _ARRAY))


class Variables:
    def __init__(self, text: str, commands: Commands) -> None:
        self.text = _without(text, commands)
        self.arrays = {name: [text[begin:end] for begin, end in words] for name, words in commands.arrays.items()}

    def words(self, word: str, depth: int = 0) -> list[str] | None:
        """What a word is replaced by, as words of the script; None where that is not known."""
        if array := _ARRAY.fullmatch(word):
            return self.arrays.get(array[1]) if self._times_set(array[1]) == 1 else None
        found = _VARIABLE.fullmatch(word) or _QUOTED.fullmatch(word)
        name = (found[1] or found[2]) if found else ""
        value = self._value(name) if name else None
        if value is None or depth > DEEPEST:
            return None
        words = list(words_in(value))
        if _QUOTED.fullmatch(word) and len(words) != 1:
            return None
        first = self.words(words[0], depth + 1) if words and _VARIABLE.fullmatch(words[0]) else None
        return words if first is None else [*first, *words[1:]]

    def _value(self, name: str) -> str | None:
        """Without its quotes. What it names must be the same where it is used."""
        if self._times_set(name) != 1:
            return None
        sets = rf"(?:{name}=|\bset[ \t]+{name}[ \t]*=[ \t]*|\bsetenv[ \t]+{name}[ \t]+)"
        said = re.search(rf"(?<![\w$]){sets}(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s;&|()'\"`]*))(?=[\s;&]|$)", self.text)
        if said is None:
            return None
        value = next(each for each in (*said.groups(), "") if each is not None)
        if not _PLAIN.fullmatch(value) or (said[2] is not None and "$" in value):
            return None
        named: Sequence[tuple[str, str]] = _VARIABLE.findall(value)
        return value if all(self._times_set(one or other) <= 1 for one, other in named) else None

    def _times_set(self, name: str) -> int:
        """And 2 where a loop or a command may set it."""
        if re.search(rf"\b(?:for|foreach|read|select|getopts|mapfile|unset)\b[^;\n]*\b{name}\b", self.text):
            return 2
        sets = rf"(?<![\w$]){name}(?:\[[^\]\n]*\])?\+?=|\b(?:set|@)[ \t]+{name}[ \t]*[-+]?=(?!=)|\bsetenv[ \t]+{name}\b"
        return len({match.end() for match in re.finditer(sets, self.text)})


def _without(text: str, commands: Commands) -> str:
    """Here-documents and comments say nothing."""
    for begin, end in commands.beside:
        text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    return text
