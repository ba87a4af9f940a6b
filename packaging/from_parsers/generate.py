"""Writes manual pages and completions: `python3 generate.py FOLDER [CLEARWAY-RECORD]`.

Made from the parsers of the commands, so that nothing is written twice, and from what clearway-record says of itself.
Needs no package besides Python's own. Below FOLDER each lies where shells and man look for it below a prefix's share.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bash_completion import bash_completion
from commands_read import GROUPS, read_commands
from fish_completion import fish_completion
from man_pages import pages
from zsh_completion import zsh_completion

from clearway import __version__


def main() -> None:
    folder, recorder = Path(sys.argv[1]), sys.argv[2:]
    shown = subprocess.run([*recorder, "--help"], capture_output=True, text=True, check=True).stdout if recorder else ""
    commands = read_commands(shown)
    files = {f"man/man1/{name}": text for name, text in pages(commands, GROUPS, __version__)}
    files["bash-completion/completions/clearway"] = bash_completion(commands)
    files["zsh/site-functions/_clearway"] = zsh_completion(commands)
    files["fish/vendor_completions.d/clearway.fish"] = fish_completion(commands)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
