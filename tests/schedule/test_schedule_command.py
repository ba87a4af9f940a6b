"""`clearway schedule`: what it prints, refuses and writes, and how fast."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from schedule.schedules import NAMES

from clearway.commands import main

ORDERED_5 = Path(__file__).with_name("ordered_5.txt")
NODE_ORDERED_7 = Path(__file__).with_name("node_ordered_7.txt")


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["schedule", *arguments]) == 0
    return capsys.readouterr().out


def test_the_papers_figure_5(capsys: pytest.CaptureFixture[str]) -> None:
    """The page as it was looked at and liked, with the four phases of Kutzner et al. 2007, Fig. 5."""
    assert shown(capsys, "show", "ordered", "--ranks", "5") == ORDERED_5.read_text(encoding="utf-8")


def test_hosts_of_unequal_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "show", "node_ordered", "--hosts", "3,2,2") == NODE_ORDERED_7.read_text(encoding="utf-8")


def test_list_names_every_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "list")
    for name in NAMES:
        assert f"\n  {name} " in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_check_tells_what_it_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "check", "node_ordered", "--ranks", "6", "--per-host", "2", "--gate", "barrier") == (
        "sound: node_ordered alltoall, 6 ranks on 3 hosts, barrier between phases\n"
        "  every byte arrives exactly once, at its place, in 30 messages and 3 phases\n"
        "  no network port serves more than one host in a direction and phase\n"
        "  no order of events can hang it\n"
    )
    assert "unsound" not in shown(capsys, "check", "ring", "--ranks", "1")
    uneven = shown(capsys, "check", "pairwise", "--hosts", "4,1,2", "--operation", "alltoallw", "--uneven")
    assert uneven.startswith("sound: pairwise alltoallw, 7 ranks on 3 hosts\n")


def test_many_ranks_are_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "show", "ordered", "--ranks", "200", "--per-host", "2")
    assert "  … and 183 more phases (--all shows them)\n" in text
    assert "who sends" not in text
    assert "more phases" not in shown(capsys, "show", "ordered", "--ranks", "200", "--all")


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (["show", "sorted", "--ranks", "5"], 1, "there is no algorithm 'sorted'", "one of: direct, lam, "),
        (["show", "ordered"], 1, "no number of ranks", "--ranks N, "),
        (["show", "ordered", "--ranks", "0"], 1, "--ranks and --per-host must be at least 1", "--ranks 5"),
        (["show", "ordered", "--ranks", "99999"], 1, "cannot show schedules of more than 1024 ranks", "give fewer"),
        (["show", "ordered", "--hosts", "3,x"], 1, "'3,x' is not a list of ranks per host", "--hosts 3,2,1"),
        (["show", "ordered", "--hosts", "3,0"], 1, "'3,0' is not a list of ranks per host", "--hosts 3,2,1"),
        (
            ["show", "ordered", "--hosts", "3", "--per-host", "2"],
            1,
            "--hosts and --per-host exclude each other",
            "give one",
        ),
        (["show", "ordered", "--hosts", "3", "--ranks", "2"], 1, "--hosts 3 has 3 ranks, but --ranks is 2", "leave"),
        (["show", "ordered", "--ranks", "3", "--bytes", "-1"], 1, "'-1' is not a size in bytes", "for example 64k or"),
        (["show", "ordered", "--ranks", "3", "--uneven"], 1, "all blocks of alltoall have the same size", "clearway"),
        (
            ["check", "lam", "--ranks", "3", "--operation", "allgather"],
            1,
            "the algorithm lam cannot do allgather",
            "one of: dir",
        ),
        (["show", "direct", "--ranks", "65", "--svg", "-"], 1, "cannot draw 65 ranks", "up to 64 ranks"),
        (["paint"], 2, "clearway schedule: argument ACTION: invalid choice", "clearway schedule --help"),
    ],
)
def test_mistakes(arguments: list[str], code: int, message: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {message}")
    assert f"\n\nhint: {hint}" in captured.err


def test_svg_is_a_picture_of_every_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "figure.svg"
    shown(capsys, "show", "node_ordered", "--ranks", "8", "--per-host", "2", "--svg", str(file))
    assert shown(capsys, "show", "node_ordered", "--ranks", "8", "--per-host", "2", "--svg", "-") == file.read_text()
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    lines = root.findall("{http://www.w3.org/2000/svg}line")
    assert [line.get("class") for line in lines].count("message inside") == 8
    assert len(lines) == 56
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for line in lines:
        assert all(0 <= float(line.attrib[x]) <= width for x in ("x1", "x2"))
        assert all(0 <= float(line.attrib[y]) <= height for y in ("y1", "y2"))


def test_a_plain_terminal_gets_ascii() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "clearway", "schedule", "show", "ordered", "--ranks", "5"]
    text = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=True).stdout.decode("ascii")
    assert "o--> o-->" in text.replace("  ", " ")
    assert "?" not in text


@pytest.mark.timed
def test_what_is_slow_to_load_is_not_loaded() -> None:
    """A person waits for this command: most of the time of a start goes into libraries."""
    asked = "schedule", "show", "ordered", "--ranks", "5"
    script = (
        "import sys, clearway.commands as commands\n"
        "try: commands.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*{'matplotlib', 'msgspec', 'numpy', 'pandas', 'scipy', 'plotly'} & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *asked], capture_output=True, text=True, timeout=60, check=True
    )
    assert "ordered" in done.stdout
    assert done.stderr == "\n"
