"""Manual pages and completions are made from the parsers, and man and the shells can use them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, clearway_tool

from clearway.commands import command_names

GENERATOR = REPOSITORY / "packaging/from_parsers/generate.py"
HERE = Path(__file__).parent

# A line, and what is offered for its last word: all of it where it ends with "only".
OFFERS = [
    ("clearway re", "record report only"),
    ("clearway ", "run report explain docs fix testbed"),
    ("clearway run --fl", "--flow --flow-algorithm only"),
    ("clearway run -o pl", "places only"),
    ("clearway run -q -o places/ --i", "--io-cache --io-cache-files only"),
    ("clearway report pl", "places only"),
    ("clearway report places --html pa", "page.html only"),
    ("clearway explain congestion", "congestion-loss only"),
    ("clearway docs trouble", "troubleshooting only"),
    ("clearway testbed ", "run up down status exec only"),
    ("clearway testbed up --per", "--per-host only"),
    ("clearway testbed run --mpi open", "openmpi openmpi5 only"),
    ("clearway schedule check --gate ", "none token barrier credits only"),
    ("clearway run -- nice-jo", "nice-job only"),
    ("clearway run -- nice-job pa", "page.html only"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without any package, as where pip builds Clearway by itself."""
    folder = tmp_path_factory.mktemp("share")
    command = [sys.executable, "-S", "-E", GENERATOR, folder, clearway_tool("clearway-record")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder and a file to be completed, and a program for a job."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "places").mkdir()
    (folder / "page.html").touch()
    (folder / "bin").mkdir()
    (folder / "bin/nice-job").write_text("#!/bin/sh\n")
    (folder / "bin/nice-job").chmod(0o755)
    return folder


def said(place: Path, *words: str | Path) -> list[str]:
    """What a shell prints, in that folder."""
    if shutil.which(str(words[0])) is None:
        pytest.skip(f"needs {words[0]}")
    environment = {**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}", "HOME": str(place), "TERM": "xterm"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=place, env=environment, timeout=60, check=False)
    return done.stdout.splitlines()


def offered_by_bash(made: Path, place: Path, line: str) -> set[str]:
    script = """
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clearway 2>/dev/null
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    words = [*line.split(), ""] if line.endswith(" ") else line.split()
    return set(
        said(place, "bash", "--norc", "-c", script, "bash", made / "bash-completion/completions/clearway", *words)
    )


def offered_by_fish(made: Path, place: Path, line: str) -> set[str]:
    script = "source $argv[1]; complete -C $argv[2]"
    completion = made / "fish/vendor_completions.d/clearway.fish"
    words = said(place, "fish", "--no-config", "-c", script, completion, line)
    return {word.partition("\t")[0].rstrip("/") for word in words}


@pytest.fixture(scope="module")
def zsh_offers(made: Path, place: Path) -> dict[str, set[str]]:
    """For all lines at once: it takes long to begin."""
    lines = [line for line, _ in OFFERS]
    offers: dict[str, set[str]] = {}
    for word in said(place, "zsh", "-f", HERE / "zsh_words.zsh", made / "zsh/site-functions", *lines):
        if word.startswith("LINE:"):
            offers[line := word.removeprefix("LINE:")] = set()
        else:
            offers[line].add(word.rstrip("/"))
    return offers


OFFERED = pytest.mark.parametrize(("line", "wanted"), OFFERS, ids=[line for line, _ in OFFERS])


def check(offered: set[str], wanted: str) -> None:
    names = set(wanted.removesuffix(" only").split())
    assert offered >= names
    if wanted.endswith(" only"):
        assert offered == names


@OFFERED
def test_bash_offers(made: Path, place: Path, line: str, wanted: str) -> None:
    check(offered_by_bash(made, place, line), wanted)


@OFFERED
def test_zsh_offers(zsh_offers: dict[str, set[str]], line: str, wanted: str) -> None:
    check(zsh_offers[line], wanted)


@OFFERED
def test_fish_offers(made: Path, place: Path, line: str, wanted: str) -> None:
    check(offered_by_fish(made, place, line), wanted)


@pytest.mark.parametrize("name", command_names())
def test_every_option_is_everywhere(made: Path, name: str) -> None:
    shown = run_clearway(name, "--help").stdout
    flags = set(re.findall(r"(?:^  |, )(--[\w-]+)", shown, re.MULTILINE))
    page = (made / f"man/man1/clearway-{name}.1").read_text().replace("\\-", "-")
    shells = {shell: next(path for path in (made / shell).rglob("*") if path.is_file()) for shell in ("zsh", "fish")}
    bash = (made / "bash-completion/completions/clearway").read_text()
    for flag in flags:
        assert f"\\fB{flag}\\fR" in page
        assert f" {flag} " in bash or f' {flag}"' in bash or f'"{flag} ' in bash
        assert flag in shells["zsh"].read_text()
        assert f"-l {flag[2:]} " in shells["fish"].read_text()


def test_each_command_and_the_whole_have_a_page(made: Path) -> None:
    there = {page.name for page in (made / "man/man1").iterdir()}
    assert there == {"clearway.1", *(f"clearway-{name}.1" for name in command_names())}


def test_man_shows_them_without_complaint(made: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("needs groff")
    for page in (made / "man/man1").iterdir():
        command = ["groff", "-man", "-z", "-ww", "-Wbreak", "-Tutf8", page]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == "", page.name


def test_a_page_says_what_the_help_says(made: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("needs groff")
    command = ["groff", "-man", "-Tutf8", "-P-cbou", made / "man/man1/clearway-run.1"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "NAME\n       clearway-run - run an MPI job and record it\n" in shown
    assert "clearway run -- mpirun -np 8 PROGRAM ARGUMENTS" in shown
    assert re.search(r"--sample-ms N\n +milliseconds between samples of connections \(default 100\)\n", shown)
    assert "LAUNCHER ... PROGRAM ..." in shown
