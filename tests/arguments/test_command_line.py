"""What argparse says of options, in words that people know."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.command_line import run_clearway


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("list", "--last", "x"), "clearway list: argument --last: 'x' is not a whole number"),
        (("list", "--last", "9" * 5000), "is not a whole number"),
        (("bench", "alltoall", "--budget-s", "1,5"), "argument --budget-s: '1,5' is not a number"),
        (("diff", "a", "--all", "--", "b"), "clearway diff: unrecognized arguments: -- b"),
        (("run", "-o", "/", "--", "true"), "cannot use '/' as the Run directory: it is not empty"),
    ],
)
def test_refused(words: tuple[str, ...], told: str) -> None:
    refused = run_clearway(*words)
    assert told in refused.stderr, refused.stderr
    assert "\nhint: " in refused.stderr


def test_two_dashes_may_be_a_value(tmp_path: Path) -> None:
    """argparse made an empty list of it, and the command a traceback."""
    refused = run_clearway("schedule", "show", "ordered", "--ranks", "2", "--bytes=--")
    assert refused.stderr.startswith("error: '--' is not a size in bytes\n")


def test_a_link_that_leads_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    refused = run_clearway("diff", "loop", "missing", directory=tmp_path)
    assert refused.stderr.startswith("error: cannot read a Run from loop: ")


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    """Space would not help."""
    refused = run_clearway("slurm", "ended", "nowhere", directory=tmp_path)
    assert refused.stderr == (
        "error: cannot use nowhere: No such file or directory\n\n"
        "hint: is it spelled right? Or make it first; temporary files are where TMPDIR says\n"
    )


def test_a_launcher_that_starts_nothing(tmp_path: Path) -> None:
    refused = run_clearway("place", "--discover", "true", directory=tmp_path)
    assert refused.stderr == (
        "error: 'true' ended with exit code 0 after 0 hosts had answered\n\n"
        "hint: see whether it reaches the hosts: true hostname\n"
    )
