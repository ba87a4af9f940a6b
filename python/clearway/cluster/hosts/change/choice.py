"""Which changes a person asked for: `tcp.ecn=on` in words, and the card where one is meant."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.settings import Change, find_setting
from clearway.cluster.hosts.sources.network import card_of, default_card, name_address, read_cards


def plan_changes(words: Sequence[str], device: str | None, reader: Reader) -> tuple[Change, ...]:
    """In the order of `words`. Raises ClearwayError for what cannot be done, before anything is."""
    named = [word.partition("=")[0] for word in words]
    twice = {name for name in named if named.count(name) > 1}
    if twice:
        raise ClearwayError(f"{', '.join(sorted(twice))} is given twice", "give each setting one value")
    return tuple(plan_one(word, device, reader) for word in words)


def plan_one(word: str, device: str | None, reader: Reader) -> Change:
    name, _, value = word.partition("=")
    setting = find_setting(name)
    value = value or setting.default or ""
    if not value:
        raise ClearwayError(f"{name} needs a value: {setting.values}", f"clearway host apply {name}=VALUE")
    return setting.plan(reader, chosen_card(device, reader) if setting.of_device else "", value)


def chosen_card(device: str | None, reader: Reader) -> str:
    """`device`, or the card of the host's name, or that of the way out."""
    cards = read_cards(reader)
    if device is not None:
        if device not in cards:
            raise ClearwayError(
                f"this host has no network card '{device}' with an address", f"one of: {', '.join(cards)}"
            )
        return device
    if len(cards) == 1:
        return next(iter(cards))
    with contextlib.suppress(UnreadableError):
        return card_of(name_address(), cards)
    with contextlib.suppress(UnreadableError):
        if (found := default_card(reader)) in cards:
            return found
    raise ClearwayError("cannot tell which network card to set", f"--device {' or '.join(cards) or 'CARD'}")
