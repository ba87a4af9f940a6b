"""The simple commands of a shell script, as places of their words in its text. The shell reads the script; we only find
words in it, and what is not understood is passed over.

For sh, bash, ksh, zsh and csh: all have the same quotes, operators and redirections, as far as this needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

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
_OF_ARRAY = re.compile(r"(\w+)=$")

Place = tuple[int, int]


@dataclass(slots=True)
class Commands:
    """What a script's text consists of."""

    commands: list[list[Place]] = field(default_factory=list)  # the words of each, up to its first redirection
    arrays: dict[str, list[Place]] = field(default_factory=dict)  # bash's NAME=(…): the words between the brackets
    beside: list[Place] = field(default_factory=list)  # here-documents and comments


def read_commands(text: str) -> Commands:
    found = Commands()
    words: list[Place] = []
    redirected, at, heredocs = False, 0, list[str]()
    while (match := _TOKEN.match(text, at)) is not None:
        begin, at = at, match.end()
        kind, token = match.lastgroup, match[0]
        array = _OF_ARRAY.search(text, *words[-1]) if token == "(" and words and words[-1][1] == begin else None
        if array:
            found.arrays[array[1]], at = _in_brackets(text, at)
        elif kind in ("operator", "other"):
            is_definition = token == "(" and text[at:].lstrip(" \t").startswith(")")  # of a function: name () { … }
            if words and not is_definition:
                found.commands.append(words)
            words, redirected = [], False
            if token == "\n":
                for mark in heredocs:
                    begin, at = at, _behind(text, at, mark)
                    found.beside.append((begin, at))
                heredocs = []
        elif kind == "redirection":
            redirected = True
            if token.lstrip("0123456789") in ("<<", "<<-") and (word := re.compile(r"[ \t]*(\S+)").match(text, at)):
                heredocs.append(word[1].strip("'\"\\"))
        elif kind == "comment":
            found.beside.append((begin, at))
        elif kind == "word" and not redirected:
            words.append((begin, at))
    if words:
        found.commands.append(words)
    return found


def words_in(text: str) -> Iterator[str]:
    """Of one command without operators, as they are written."""
    return (match[0] for match in _TOKEN.finditer(text) if match.lastgroup == "word")


def _in_brackets(text: str, at: int) -> tuple[list[Place], int]:
    """The words up to the closing bracket, and what comes behind it."""
    words: list[Place] = []
    while (match := _TOKEN.match(text, at)) is not None:
        at = match.end()
        if match[0] == ")":
            break
        if match.lastgroup == "word":
            words.append((match.start(), at))
    return words, at


def _behind(text: str, at: int, mark: str) -> int:
    """Where the lines of a here-document end."""
    end = re.compile(rf"^\t*{re.escape(mark)}$\n?", re.MULTILINE).search(text, at)
    return len(text) if end is None else end.end()
