"""`clearway fix --remedy flow` where no finding offers it: tried for who asks, and promised to nobody."""

from __future__ import annotations

import json
from pathlib import Path

from harness.command_line import run_clearway
from survey.made import made_run

from clearway.experiment.fixing import diagnosis_of, name_of


def names(run: Path, *wanted: str) -> list[str]:
    return [name_of(choice) for choice in diagnosis_of(run, wanted).choices]


def test_it_is_tried_for_whoever_asks(tmp_path: Path) -> None:
    """All-to-alls between two hosts, of which nothing is lost."""
    run = made_run(tmp_path / "run")
    assert not names(run)
    assert not names(run, "eager-limit")
    asked = diagnosis_of(run, ["flow"])
    assert [name_of(choice) for choice in asked.choices] == ["flow"]
    assert asked.expected_gain_s(asked.choices[0]) is None


def test_not_where_it_has_nothing_to_order(tmp_path: Path) -> None:
    assert not names(made_run(tmp_path / "run", hosts=("node1", "node1")), "flow")


def test_the_command_line_with_it_is_shown(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run")
    (run / "run.json").write_text(json.dumps({"command": ["srun", "-n", "4", "/opt/bin/md"]}))
    shown = run_clearway("fix", "--dry-run", "--from", run, "--remedy", "flow", directory=tmp_path)
    assert shown.exit_code == 0, shown.says
    assert "With flow:" in shown.stdout
    assert "--flow" in shown.stdout.partition("With flow:")[2]
