"""The rule that a phase's messages follow, in few words: "r → r + 2" instead of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.schedule.model import Send


def pattern(sends: Sequence[Send], hosts: Sequence[int]) -> str:
    """Who sends to whom; every pair where there is no rule that says it shorter."""
    ranks = len(hosts)
    pairs = {(send.sender, send.receiver) for send in sends}
    if not pairs:
        return "nobody"
    if len(pairs) == ranks * (ranks - 1):
        return "all to all"
    host_pairs = {(hosts[sender], hosts[receiver]) for sender, receiver in pairs}
    if len(set(hosts)) > 1 and all(sender == receiver for sender, receiver in host_pairs):
        return "inside hosts"
    shift = common_shift(pairs, ranks)
    if shift is not None:
        return f"r → r + {shift}"
    differences = {sender ^ receiver for sender, receiver in pairs}
    if len(differences) == 1 and len(pairs) == ranks:
        return f"r ↔ r xor {differences.pop()}"
    shift = common_shift(host_pairs, len(set(hosts)))
    if shift is not None and len(pairs) > 1:
        return f"host h → h + {shift}"
    both = sorted(pair for pair in pairs if pair[0] < pair[1] and (pair[1], pair[0]) in pairs)
    single = sorted((a, b) for a, b in pairs if (b, a) not in pairs)
    return "  ".join([*(f"{a}↔{b}" for a, b in both), *(f"{a}→{b}" for a, b in single)])


def common_shift(pairs: set[tuple[int, int]], size: int) -> int | None:
    """k where the pairs are n → n + k (mod size) for every n, else None."""
    shifts = {(receiver - sender) % size for sender, receiver in pairs}
    return shifts.pop() if len(shifts) == 1 and len(pairs) == size else None
