"""A fault of a host: what shows it, what mends it, and why it matters to a parallel job."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc

from clearway.cluster.hosts.state import State
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.host_faults import Remedy


@dataclass(frozen=True, slots=True)
class Fault:
    """`serious`: it costs any parallel job that meets it; else it matters to some."""

    id: str  # as docs/host.md lists them
    title: str
    serious: bool
    evidence: tuple[Evidence, ...]
    remedies: tuple[Remedy, ...]
    advice: str  # what to do by hand; "" if the remedies are sufficient
    why: str


def fault(
    module: str,
    why: str | None,
    title: str,
    evidence: tuple[Evidence, ...],
    *,
    remedies: tuple[Remedy, ...] = (),
    advice: str = "",
    serious: bool = True,
) -> Fault:
    """Named for the module that found it, whose description says why it matters."""
    name = module.rpartition(".")[2].replace("_", "-")
    return Fault(name, title, serious, evidence, remedies, advice, cleandoc(why or ""))


def shown(state: State, name: str, value: str | None = None) -> Evidence:
    """A fact as evidence, in the words of `value` or as it was read."""
    return Evidence(name, str(state.facts[name].value) if value is None else value, state.facts[name].source)
