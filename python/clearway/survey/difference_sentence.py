"""The one sentence of a difference: how much slower, where those seconds are, what was set differently.

What is seen of single Runs is told in the past tense: they were so, and it may be chance. What bounds allow is told in
the present tense. Nothing is told of a line that may as well have stayed as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.experiment.comparison import Verdict
from clearway.experiment.interval import FEWEST
from clearway.survey.changes import named
from clearway.survey.difference import Difference, Part
from clearway.survey.member import OF_CALLS, OWN_LINE, Member
from clearway.survey.parts import mean

NEARLY_THE_SAME = 0.02
MOST_OF_IT = 0.8  # of the difference: one cause that is so much of it is named alone
WORTH_NAMING = 0.1  # of the difference
MOST_NAMED = 3
ONE_PLACE = 0.8  # of a cause's difference, on one host or in one function, for that to be named
WHOLE = 1.005  # of the difference: what is more goes with something that went the other way
LONGEST_HOST = 40
LONGEST_FUNCTION = 80


def sentence_of(made: Difference, a: Sequence[Member], b: Sequence[Member]) -> str:
    parts = [_how_much(made), *_where(made, a, b), named(made.changes)]
    text = "; ".join(part for part in parts if part)
    return f"{text[0].upper()}{text[1:]}.{_chance(made)}"


def _how_much(made: Difference) -> str:
    ratio, low, high = made.ratio, made.ratio_low, made.ratio_high
    if made.verdict is Verdict.NOT_COMPARED or ratio is None:
        return f"B cannot be compared with A: {made.not_compared or 'the records do not show how long they took'}"
    if low is None or high is None:
        several = " on average" if len(made.a.runs) + len(made.b.runs) > 2 else ""
        if abs(ratio - 1) < NEARLY_THE_SAME:
            return f"B took as long as A{several}, within {100 * NEARLY_THE_SAME:g} %"
        return f"B was {_times(ratio)} as {'slow' if ratio > 1 else 'fast'} as A{several}"
    if made.verdict is Verdict.SLOWER:
        return f"B is {_times(ratio)} as slow as A ({low:.2f} to {high:.2f})"
    if made.verdict is Verdict.FASTER:
        return f"B is {_times(ratio)} as fast as A ({1 / high:.2f} to {1 / low:.2f})"
    if made.verdict is Verdict.SAME:
        return f"A and B take the same time: B {ratio:.3f} times that of A ({low:.3f} to {high:.3f})"
    word = "slower" if ratio > 1 else "faster"
    return f"it is not clear that B is {word} than A: it takes {ratio:.2f} times as long ({low:.2f} to {high:.2f})"


def _times(ratio: float) -> str:
    return f"{q.three_digits(max(ratio, 1 / ratio))} times"


def _chance(made: Difference) -> str:
    """What the number of Runs does not allow to say."""
    if made.not_compared or made.ratio is None or made.ratio_low is not None:
        return ""
    if len(made.a.runs) == len(made.b.runs) == 1:
        return f" One Run of each does not show how much of this is chance: record {FEWEST} of each."
    return f" Fewer than {FEWEST} Runs of each do not show how much of this is chance."


def _where(made: Difference, a: Sequence[Member], b: Sequence[Member]) -> list[str]:
    """ "92 % of it (86 to 98 %) is waiting for a core on node7", as far as that may be claimed."""
    if made.ratio is None or made.verdict in (Verdict.NOT_COMPARED, Verdict.SAME):
        return []
    bounded = made.ratio_low is not None
    if made.verdict is Verdict.UNCLEAR and (bounded or abs(made.ratio - 1) < NEARLY_THE_SAME):
        return []
    slower = made.ratio > 1
    whole_s = sum(part.more_s for part in made.causes)
    if (whole_s > 0) != slower:
        same = " for the same work" if (made.a.work, made.b.work) != (1.0, 1.0) else ""
        return [f"yet the whole job took {'less' if slower else 'more'} time{same}"]
    claimed = sorted((part for part in made.causes if part.share), key=lambda part: -(part.share or 0))
    if not claimed or (claimed[0].share or 0) < WORTH_NAMING:
        return ["it is not clear where the seconds went"]
    tense = "is" if bounded else "was"
    first = claimed[0]
    if (first.share or 0) > WHOLE:
        return [_more_than_all(first, made, a, b, slower)]
    named_parts = [first]
    if (first.share or 0) < MOST_OF_IT:
        named_parts += [part for part in claimed[1:MOST_NAMED] if (part.share or 0) >= WORTH_NAMING]
    told = [_claim(part, place_of(part.key, slower, a, b)) for part in named_parts]
    what = "of it" if slower else "of the gain"
    less = "" if slower else "less "
    head, *rest = told
    words = [f"{head[0]} {what} {tense} {less}{head[1]}", *(f"{share} {less}{cause}" for share, cause in rest)]
    return [words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" and {words[-1]}"]


def _claim(part: Part, place: str) -> tuple[str, str]:
    share = f"{100 * (part.share or 0):.0f} %".replace("100 %", "all")
    if part.share_low is not None and part.share_high is not None:
        share = f"{100 * (part.share or 0):.0f} % ({100 * part.share_low:.0f} to {100 * part.share_high:.0f} %)"
    return share, f"{part.label}{place}"


def _more_than_all(first: Part, made: Difference, a: Sequence[Member], b: Sequence[Member], slower: bool) -> str:
    """Something else went the other way: then shares of the difference tell little."""
    more = "more" if slower else "less"
    text = f"{first.label}{place_of(first.key, slower, a, b)} took {q.seconds(abs(first.more_s))} {more} per rank"
    against = min(made.causes, key=lambda part: part.more_s if slower else -part.more_s)
    sure = against.low_s is None or against.high_s is None or not against.low_s <= 0 <= against.high_s
    if sure and abs(against.more_s) >= WORTH_NAMING * abs(first.more_s):
        text += f", {against.label} {q.seconds(abs(against.more_s))} {'less' if slower else 'more'}"
    return text


def place_of(cause: str, slower: bool, a: Sequence[Member], b: Sequence[Member]) -> str:
    """ " on node7", " in MPI_Alltoall", or nothing where it is not mostly in one place in every Run."""
    slow, fast = (b, a) if slower else (a, b)
    if cause in OWN_LINE:
        host = _one_place([member.hosts_of_cause[cause] for member in slow], _usual_on_hosts(cause, slow, fast))
        several = all(len(member.ranks_of_host) > 1 for member in slow)
        if host and several:
            return f" on {visible(host, LONGEST_HOST)}"
    if cause == "compute_s" and all(member.functions for member in (*slow, *fast)):
        function = _one_place([member.functions for member in slow], _means([member.functions for member in fast]))
        return f" in {visible(function, LONGEST_FUNCTION)}" if function else ""
    if cause in OF_CALLS:
        function = _one_place([member.calls_of_cause[cause] for member in slow], _means(
            [member.calls_of_cause[cause] for member in fast]))  # fmt: skip
        return f" in {visible(function, LONGEST_HOST)}" if function else ""
    return ""


def _one_place(slow: Sequence[Mapping[str, float]], usual: Mapping[str, float]) -> str:
    """The place that has most of what is above the usual, the same one in every Run."""
    found = set()
    for member in slow:
        above = {place: max(seconds - usual.get(place, 0.0), 0.0) for place, seconds in member.items()}
        first = max(above, key=lambda place: above[place], default="")
        if not first or above[first] < ONE_PLACE * sum(above.values()) or above[first] <= 0:
            return ""
        found.add(first)
    return found.pop() if len(found) == 1 else ""


def _usual_on_hosts(cause: str, slow: Sequence[Member], fast: Sequence[Member]) -> Mapping[str, float]:
    """What a host's ranks had of it in the faster Runs; on other hosts, what as many ranks had there."""
    hosts = {host for member in slow for host in member.ranks_of_host}
    if all(hosts == set(member.ranks_of_host) for member in fast):
        return _means([member.hosts_of_cause[cause] for member in fast])
    a_rank_s = mean([sum(member.hosts_of_cause[cause].values()) for member in fast])
    shares = {host: mean([member.ranks_of_host.get(host, 0.0) for member in slow]) for host in hosts}
    return {host: a_rank_s * share for host, share in shares.items()}


def _means(groups: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = {name for group in groups for name in group}
    return {name: mean([group.get(name, 0.0) for group in groups]) for name in names}
