"""What was read of a host: each fact with the file or command that told it, or why it did not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from clearway.base.json import plain
from clearway.base.read_back import from_text
from clearway.cluster.hosts.output_lines import not_understood

SCHEMA = "clearway-host-1"

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about a host. `value` is None where it could not be read: `trouble` says why."""

    value: Value | None
    source: str  # file or command that it was read from
    trouble: str = ""  # why it could not be read


@dataclass(frozen=True, slots=True)
class State:
    """Facts by name. Those of a card are link.CARD.NAME; names end in a unit where there is one."""

    host: str
    facts: dict[str, Fact]

    def number(self, name: str) -> float | None:
        value = self.facts[name].value if name in self.facts else None
        return value if isinstance(value, int | float) else None

    def text(self, name: str) -> str | None:
        value = self.facts[name].value if name in self.facts else None
        return value if isinstance(value, str) else None

    def source(self, name: str) -> str:
        return self.facts[name].source

    @property
    def cards(self) -> tuple[str, ...]:
        """The network cards that carry addresses."""
        return tuple((self.text("network.cards") or "").split())

    def unread(self) -> Iterator[tuple[str, Fact]]:
        return ((name, fact) for name, fact in self.facts.items() if fact.value is None)


def text_of(state: State) -> str:
    return json.dumps({"host": state.host, "facts": plain(dict(state.facts))})


def state_from(text: str) -> State:
    """The other way round. Raises ClearwayError for what no host said."""
    try:
        return from_text(State, text)
    except ValueError as error:
        raise not_understood(error) from None
