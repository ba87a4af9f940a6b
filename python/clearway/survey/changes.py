"""What two groups of Runs were run with that is not the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.survey.settings import Kind, Setting, Settings

NOT_SET = {  # what it says that a Run has none; of other kinds, it is not known
    Kind.INPUT: "not read",
    Kind.OPTION: "not set",
    Kind.PARAMETER: "not set",
    Kind.VARIABLE: "not set",
    Kind.LAUNCHER: "not set",
    Kind.BINDING: "not set",
    Kind.LIMIT: "not set",
    Kind.HOST: "not there",
}
FEW = 3  # names in a sentence
LONGEST_VALUE = 40  # in a sentence
EFFECTS = {  # what follows from other settings, if those differ as well
    (Kind.BINDING, "processors of a host's ranks"),
    (Kind.BATCH, "distribution of tasks"),
    (Kind.BATCH, "grant of processors"),
    (Kind.SIZE, "hosts"),
    (Kind.SIZE, "ranks on a host"),
}
EFFECTS_IN_BATCH = {(Kind.LIMIT, "memory of the control group")}  # of the memory that the job asked for


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that is not the same in all Runs. Texts come from the jobs: escape them."""

    kind: str
    name: str
    a: tuple[str, ...]  # its distinct values in the Runs of A
    b: tuple[str, ...]
    between: bool  # A and B have no value in common; else it varies within a group
    effect: bool  # may follow from another setting: not counted if another setting differs


def changes_of(a: Sequence[Settings], b: Sequence[Settings]) -> tuple[Change, ...]:
    """In the order of kinds; what differs between the groups before what varies within one."""
    known = {setting for settings in (*a, *b) for setting in settings if setting[0] is not Kind.LAUNCHER}
    if launchers_are_known((*a, *b)):
        known |= {setting for settings in (*a, *b) for setting in settings}
    effects = EFFECTS | (EFFECTS_IN_BATCH if any(kind is Kind.BATCH for kind, _ in known) else set())
    order = list(Kind)
    made = []
    for setting in sorted(known, key=lambda setting: (order.index(setting[0]), setting[1])):
        values = [_values_of(setting, side) for side in (a, b)]
        if all(values) and len({*values[0], *values[1]}) > 1:
            between = not set(values[0]) & set(values[1])
            made.append(Change(setting[0].value, setting[1], values[0], values[1], between, setting in effects))
    return tuple(sorted(made, key=lambda change: not change.between))


def _values_of(setting: Setting, runs: Sequence[Settings]) -> tuple[str, ...]:
    """Each once; nothing of Runs of which it is not known: that is no difference."""
    kind = setting[0]
    found = []
    for settings in runs:
        silent = kind is Kind.HOST and not any(other is Kind.HOST for other, _ in settings)  # no host has a record
        found.append(settings.get(setting) or (None if silent else NOT_SET.get(kind)))
    return tuple(dict.fromkeys(value for value in found if value is not None))


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
        return f"no recorded setting differs{also and ' between them'}{also}"
    if len(found) > 1:
        return f"{_names(found)} differ{also}"
    only = "" if varies else "only "
    return f"{only}{called(found[0])} differs{_values(found[0])}{also}"


def called(change: Change) -> str:
    """As the subject of a sentence, in the singular."""
    own = {
        Kind.PROGRAM: "the program",
        Kind.MPI: "the MPI" if change.name == "MPI" else f"the {change.name} of the MPI",
        Kind.ENGINE: "the engine",
        Kind.INPUT: f"the input {change.name}",
        Kind.LAUNCHER: "the launcher" if change.name == "launcher" else change.name,
        Kind.BATCH: f"the {change.name}",
        Kind.SIZE: f"the number of {change.name}",
        Kind.HOSTS: "the choice of hosts",
        Kind.HOST: f"the {change.name} of the hosts",
        Kind.BINDING: "the binding",
        Kind.LIMIT: f"the limit of {change.name}",
    }
    option = f"the option {change.name}" if change.name.startswith("-") else change.name
    return own.get(Kind(change.kind), option)


def _names(changes: Sequence[Change]) -> str:
    names = [called(change) for change in changes]
    if len(names) > FEW:
        return f"{len(names)} settings, first of them {' and '.join(names[: FEW - 1])},"
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


def _values(change: Change) -> str:
    if len(change.a) > 1 or len(change.b) > 1 or max(map(len, (change.a[0], change.b[0]))) > LONGEST_VALUE:
        return ""
    return f" ({change.a[0]} in A, {change.b[0]} in B)"
