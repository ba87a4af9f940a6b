"""Whether two Changes go together: whether one says what the other says already, or says it otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.job.change import LISTS, Change, grouped, option_of


def includes(whole: Change, part: Change) -> bool:
    """Whether a job with `whole` has all that `part` would change."""
    return dict(_settings(part)).items() <= dict(_settings(whole)).items()


def disagree(one: Change, other: Change) -> bool:
    """Whether both set the same thing, to different values."""
    first, second = dict(_settings(one)), dict(_settings(other))
    return any(first[setting] != second[setting] for setting in first.keys() & second.keys())


def _options_of(change: Change) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("launcher", change.launcher_options),
        ("program", change.program_options),
        ("batch", change.batch_options),
    )


def _settings(change: Change) -> Iterator[tuple[tuple[str, ...], object]]:
    """Each single thing that is set, and its value."""
    yield from ((("parameter", name), value) for name, value in change.parameters)
    for name, value in change.environment:
        options = value.split(",") if name in LISTS else [value]
        yield from ((("variable", name, option_of(option) if name in LISTS else ""), option) for option in options)
    for kind, words in _options_of(change):
        for group in grouped(words):
            name, _, value = group[0].partition("=")
            yield (kind, name.lstrip("-")), (value, *group[1:])
    yield from ((("left out", option), True) for option in change.without)
    if change.program_prefix:
        yield ("before the program", change.program_prefix[0]), change.program_prefix
    for option in change.recorder_options:
        yield ("recorder", option.partition("=")[0]), option
    if change.ranks is not None:
        yield ("ranks",), change.ranks
    if change.launcher is not None:
        yield ("launched by",), change.launcher
