"""The network card that a job's messages go by."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.card_loads import loads


def busiest_card(case: Case) -> str:
    """Its name, as `clearway host apply --device` takes it; "" where the record does not tell."""
    carrying = loads(case.connections)
    return carrying[0].link.card if carrying else ""
