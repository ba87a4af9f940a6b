"""Each command of Clearway's that a page shows is one that its parser takes, so that no option is shown that is none.

Pages whose blocks are typed as well: the tutorials, the guides of docs/how-to, docs/slurm.md, parts of the README.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from readme.tutorial import BLOCK

from clearway.base.errors import ClearwayError
from clearway.commands import command_names, load_command, parser_of

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
PROMPT = re.compile(r"^\$ ")


def commands_on(page: Path) -> list[list[str]]:
    """The words of each, without a comment, and up to what begins another command. Output has no prompt."""
    found = []
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language not in ("", "sh", "console"):
            continue
        lines = body.replace("\\\n", " ").splitlines()
        if language == "console":
            lines = [PROMPT.sub("", line) for line in lines if PROMPT.match(line)]
        for part in (part for line in lines for part in re.split(r"\s(?:;|&&|\|) ", line.split("  #")[0])):
            words = part.removeprefix("sudo ").strip()
            if words.startswith("clearway "):
                found.append(shlex.split(re.sub(r" >\S+", "", words), comments=True)[1:])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_parsers_take_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flow.table").touch()  # the parser of --flow=TABLE looks for it
    for name, *words in commands_on(page):
        if name.startswith("-"):
            assert name in ("--version", "--help")
            continue
        assert name in command_names(), name
        between = getattr(load_command(name), "BETWEEN", "--")
        try:
            parser_of(name).parse_args([between if word == "--" else word for word in words])
        except ClearwayError as error:
            pytest.fail(f"clearway {name} {shlex.join(words)}: {error.message}")


def test_there_are_many() -> None:
    assert sum(len(commands_on(page)) for page in PAGES) > 100


def test_an_option_that_is_none_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\nclearway report --nothing-like-it run   # a comment\n```\n```console\nclearway said this\n```\n"
    )
    assert commands_on(page) == [["report", "--nothing-like-it", "run"]]
    with pytest.raises(ClearwayError, match="nothing-like-it"):
        parser_of("report").parse_args(commands_on(page)[0][1:])
