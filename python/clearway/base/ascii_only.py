"""What stands for our signs where a terminal or a file does not have them: not UTF-8, but ISO 8859-1 or ASCII."""

from __future__ import annotations

import codecs

_SIGNS = {"█": "#", "▚": "%", "░": "-", "▒": "=", "▓": "+", "×": "x", "·": ".", "─": "-", "│": "|",
          "–": "-", "…": "~", "•": "*", "µ": "u", "▏": " ", "▎": " ", "▍": "#", "▌": "#", "▋": "#",
          "▊": "#", "▉": "#", "→": ">", "●": "o", "╌": ".", "▶": ">", "◀": "<", "↔": "=", "\N{MINUS SIGN}": "-",
          "▁": "_", "▂": ".", "▃": ":", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "\N{NO-BREAK SPACE}": " "}  # fmt: skip
ASCII = str.maketrans(_SIGNS)  # one character for one: tables stay tables
IN_TEXT = {
    **_SIGNS,
    "…": "...",
    "÷": "/",
    "±": "+-",
    "Å": "A",
    "²": "^2",
    "³": "^3",
    "√": "sqrt ",
    "⌈": "ceil(",
    "⌉": ")",
}

# Error handlers of a stream, by what it does with bytes of file names that are no text.
ESCAPES, PASSES = "clearway-escapes", "clearway-passes"


def ascii_only(text: str) -> str:
    return text.translate(ASCII).encode("ascii", "backslashreplace").decode()


def _stand_in(error: UnicodeError, passes: bool) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    shown = b"".join(_bytes_for(character, passes) for character in error.object[error.start : error.end])
    return shown, error.end


def _bytes_for(character: str, passes: bool) -> bytes:
    code = ord(character)
    if passes and 0xDC80 <= code <= 0xDCFF:  # how Python carries a byte that is no text
        return bytes([code - 0xDC00])
    return IN_TEXT.get(character, character).encode("ascii", "backslashreplace")


codecs.register_error(ESCAPES, lambda error: _stand_in(error, passes=False))
codecs.register_error(PASSES, lambda error: _stand_in(error, passes=True))
