"""What was predicted of unseen figures the first time: kept, and never changed by a later model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from measured.circumstances import here_and_now

from papers.claim import Paper, Verdict

FILE = Path(__file__).resolve().parent / "first_answers.json"
Answers = dict[str, dict[str, Any]]


def kept(file: Path = FILE) -> Answers:
    answers: Answers = json.loads(file.read_text(encoding="utf-8"))
    return answers


def keep(answers: Answers, file: Path = FILE) -> None:
    file.write_text(json.dumps(answers, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def name_of(paper: Paper, verdict: Verdict) -> str:
    return f"{paper.name}: {verdict.claim.where}: {verdict.claim.what}"


def with_first_answers(paper: Paper, verdicts: Sequence[Verdict], answers: Answers) -> list[Verdict]:
    """Each unseen figure with its first answer, as far as there is one."""
    return [
        replace(each, first=answers[name_of(paper, each)]["value"])
        if each.claim.is_unseen and name_of(paper, each) in answers
        else each
        for each in verdicts
    ]


def new_answers(paper: Paper, verdicts: Sequence[Verdict], answers: Answers) -> Answers:
    """Those of figures that have just been simulated for the first time."""
    today = here_and_now()
    return {
        name: {"value": each.predicted, "date": today.date, "commit": today.commit}
        for each in verdicts
        if each.claim.is_unseen and (name := name_of(paper, each)) not in answers
    }
