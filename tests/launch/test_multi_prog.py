"""`srun --multi-prog`: the recorder stands before each program of the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.job.recorded_command import find_programs

LIST = """# ocean and atmosphere
0      ./ocean -n 4
1-3,5  ./atmosphere %t \\
       %o
*\t'/opt/a b' # the rest
"""


def recorded(path: Path, directory: Path) -> list[str]:
    command = ["srun", "-n8", "--multi-prog", "-l", str(path), "ignored"]
    return find_programs(command, {}).recorded(["/bin/clearway-record", "-o", str(directory), "--job", "7"])


def test_before_each_program_of_the_list(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(LIST)
    command = recorded(path, tmp_path)
    assert command == ["srun", "-n8", "--multi-prog", "-l", str(tmp_path / "multi-prog.conf"), "ignored"]
    said = (tmp_path / "multi-prog.conf").read_text()
    recorder = f"/bin/clearway-record -o {tmp_path} --job 7 "
    assert said.count(recorder) == 3
    assert said.replace(recorder, "") == LIST
    assert f"1-3,5  {recorder}./atmosphere %t \\\n       %o\n" in said
    assert path.read_text() == LIST


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(ClearwayError, match=r"cannot read .*list of srun --multi-prog"):
        recorded(tmp_path / "none", tmp_path)
    (tmp_path / "list").write_text(LIST)
    with pytest.raises(ClearwayError, match="cannot hold the path of the Run directory"):
        recorded(tmp_path / "list", tmp_path / "a b")
