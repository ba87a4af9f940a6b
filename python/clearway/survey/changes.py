"""What two groups of Runs were run with that is not the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.survey.settings import Kind, Settings

NOT_SET = {  # what is said of a Run that has none
    Kind.INPUT: "not read",
    Kind.OPTION: "not set",
    Kind.PARAMETER: "not set",
    Kind.VARIABLE: "not set",
    Kind.LAUNCHER: "not set",
}
NOT_KNOWN = "not known"
EFFECTS = {  # what follows from other settings, if those differ as well
    (Kind.BINDING, "processors of a host's ranks"),
    (Kind.SIZE, "hosts"),
    (Kind.SIZE, "ranks on a host"),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that is not the same in all Runs. Texts come from the jobs: escape them."""

    kind: str
    name: str
    a: tuple[str, ...]  # its values in the Runs of A, each once
    b: tuple[str, ...]
    between: bool  # A and B have no value in common; else it varies within a group
    effect: bool  # may follow from another setting: not counted where another differs


def changes_of(a: Sequence[Settings], b: Sequence[Settings]) -> tuple[Change, ...]:
    """In the order of kinds; what differs between the groups before what varies within one."""
    known = {setting for settings in (*a, *b) for setting in settings if setting[0] is not Kind.LAUNCHER}
    if launchers_are_known((*a, *b)):
        known |= {setting for settings in (*a, *b) for setting in settings}
    order = list(Kind)
    made = []
    for setting in sorted(known, key=lambda setting: (order.index(setting[0]), setting[1])):
        values = [
            tuple(dict.fromkeys(one.get(setting, NOT_SET.get(setting[0], NOT_KNOWN)) for one in side))
            for side in (a, b)
        ]
        if len({*values[0], *values[1]}) > 1:
            between = not set(values[0]) & set(values[1])
            made.append(Change(setting[0].value, setting[1], values[0], values[1], between, setting in EFFECTS))
    return tuple(sorted(made, key=lambda change: not change.between))


def launchers_are_known(runs: Sequence[Settings]) -> bool:
    """Whether every record has the command line with its launcher: that of `clearway-record` alone has none."""
    return all(any(kind is Kind.LAUNCHER for kind, _ in settings) for settings in runs)


def named(changes: Sequence[Change]) -> str:
    """The end of the sentence: "only OMP_PROC_BIND differs (true, then not set)"."""
    causes = [change for change in changes if change.between and not change.effect]
    found = causes or [change for change in changes if change.between]
    varies = [change for change in changes if not change.between and not change.effect]
    also = f"; {_names(varies)} {'varies' if len(varies) == 1 else 'vary'} within a group" if varies else ""
    if not found:
        return f"of what is on record, nothing that was set differs{also and ' between them'}{also}"
    if len(found) > 1:
        return f"{_names(found)} differ{also}"
    only = "" if varies else "only "
    return f"{only}{called(found[0])} differs{_values(found[0])}{also}"


FEW = 3
LONGEST_VALUE = 40


def called(change: Change) -> str:
    if change.kind in (Kind.PROGRAM, Kind.HOSTS):
        return f"the {change.name}" if change.kind == Kind.PROGRAM else "the choice of hosts"
    if change.kind in (Kind.SIZE, Kind.BINDING, Kind.LIMIT):
        return f"the number of {change.name}" if change.kind == Kind.SIZE else f"the {change.name}"
    if change.kind in (Kind.HOST, Kind.INPUT):
        return f"{change.name} of the hosts" if change.kind == Kind.HOST else f"the input {change.name}"
    return "the MPI" if change.name == "MPI" else change.name


def _names(changes: Sequence[Change]) -> str:
    names = [called(change) for change in changes]
    if len(names) > FEW:
        return f"{len(names)} settings, first of them {' and '.join(names[: FEW - 1])},"
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


def _values(change: Change) -> str:
    if len(change.a) > 1 or len(change.b) > 1 or max(map(len, (change.a[0], change.b[0]))) > LONGEST_VALUE:
        return ""
    return f" ({change.a[0]} in A, {change.b[0]} in B)"
