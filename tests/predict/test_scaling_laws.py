"""The laws of `clearway scale`, held against Runs that are made by laws which are known."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from harness.seeds import seeds, trying
from hypothesis import given, settings
from hypothesis import strategies as st

from clearway.ledger.account import LINES
from clearway.predict.scaling.bounds import bounds
from clearway.predict.scaling.counts import count_law
from clearway.predict.scaling.decomposition import blocks
from clearway.predict.scaling.fit import CHANCE, Column, Fit, column_of, fit
from clearway.predict.scaling.measured import Count, Measured, Site
from clearway.predict.scaling.nulls import amdahl, constant, perfect
from clearway.predict.scaling.scale import scale
from clearway.predict.scaling.terms import CONSTANT, LINEAR, PLANES, SET, Law, Term, most_terms
from clearway.predict.scaling.volume import messages, sent_bytes

RUNS = (2, 4, 8, 16)
SEND = Site("MPI_Send", "all ranks")
WHOLE = tuple(Term(Fraction(power), logarithm) for power in range(4) for logarithm in range(3))


def told(fitted: Fit | None, ranks: int) -> tuple[float, float, float]:
    """Lowest, expected, highest."""
    assert fitted is not None
    drawn = fitted.draws(ranks, 0.0, np.random.default_rng(1))
    low, middle, high = np.quantile(drawn, [0.5 - CHANCE / 2, 0.5, 0.5 + CHANCE / 2]).tolist()
    return low, middle, high


def test_the_set_is_the_published_one() -> None:
    assert {term.power for term in SET} >= {Fraction(n, 2) for n in range(7)}
    assert {term.logarithm for term in SET} == {0, 1, 2}
    assert Law((CONSTANT, Term(Fraction(1, 2), 1)), (-3.0, 0.5)).words == "-3 + 0.5·p^(1/2)·log2(p)"
    assert Law((LINEAR, Term(Fraction(0), 2)), (3.0, -0.5)).words == "3·p - 0.5·log2(p)^2"


@given(
    st.sampled_from(WHOLE),
    st.integers(1, 10**6),
    st.one_of(st.none(), st.tuples(st.sampled_from(WHOLE), st.integers(-50, 10**6))),
)
def test_counts_that_follow_a_law_are_foretold_to_the_unit(
    term: Term, factor: int, more: tuple[Term, int] | None
) -> None:
    law = Law((term, more[0]) if more else (term,), (factor, more[1]) if more else (factor,))
    counts = [round(law.at(ranks)) for ranks in RUNS]
    wanted = law.at(64)
    if min(*counts, wanted) < 0:  # there are no such counts
        return
    found = count_law(RUNS, counts)
    assert found is not None
    low, high = found.range_at(64)
    assert low <= wanted * (1 + 1e-6)
    assert high >= wanted * (1 - 1e-6)
    if not found.rivals:
        assert found.law.at(64) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("counts", "words", "from_ranks"),
    [
        ({1: 0, 2: 14, 4: 84, 8: 392}, "-7·p + 7·p^2", 1),  # each to each other
        ({1: 3, 2: 200, 4: 400, 8: 800}, "100·p", 2),  # one rank sends no message
        ({1: 5, 2: 5, 4: 5, 8: 5}, "5", 1),
        ({1: 0, 2: 0, 4: 0}, "0", 1),
        ({2: 6, 4: 24, 8: 72}, "3·p·log2(p)", 2),
    ],
)
def test_usual_counts_have_their_usual_laws(counts: dict[int, int], words: str, from_ranks: int) -> None:
    found = count_law(list(counts), list(counts.values()))
    assert found is not None
    assert (found.law.words, found.from_ranks) == (words, from_ranks)


def test_a_count_that_is_off_by_one_has_no_exact_law() -> None:
    assert count_law(RUNS, [200, 400, 801, 1600]) is None
    assert count_law((2, 4), [200, 401]) is None
    assert count_law((2, 2, 4), [200, 201, 400]) is None, "two Runs that do not count alike"


def test_rivals_of_a_law_are_told() -> None:
    """On 1, 2 and 4 ranks p·log2(p) and log2(p)^2 are the same; 8 ranks tell."""
    counts = [6 * ranks * int(math.log2(ranks)) for ranks in (1, 2, 4, 8)]
    unsure, sure = count_law((1, 2, 4), counts[:3]), count_law((1, 2, 4, 8), counts)
    assert unsure is not None
    assert sure is not None
    assert unsure.rivals
    assert unsure.range_at(64)[0] < sure.law.at(64) == pytest.approx(6 * 64 * 6)
    assert not sure.rivals


@settings(deadline=None, max_examples=20)
@given(st.floats(0.1, 100), st.floats(0, 10), st.sampled_from([1e-3, 10.0, 1e4]))
def test_seconds_without_noise_are_foretold(divided_s: float, each_s: float, unit: float) -> None:
    """Rank-seconds of Amdahl's law; the unit that they are told in changes nothing else."""
    seconds = [unit * (divided_s + each_s * ranks) for ranks in RUNS]
    low, middle, high = told(fit(RUNS, seconds, seconds), 32)
    wanted = unit * (divided_s + each_s * 32)
    assert low <= wanted <= high
    assert middle == pytest.approx(wanted, rel=0.15)


def test_bounds_hold_what_is_to_come_as_often_as_they_say() -> None:
    """Laws drawn at random, measured with noise on four numbers of ranks, told for eight times as many."""
    for seed in seeds("scaling bounds", 1):
        with trying("scaling bounds", seed):
            random_ = random.Random(seed)
            held, tries = 0, 120
            for _ in range(tries):
                term = random_.choice([term for term in SET if term != CONSTANT and term.power <= Fraction(3, 2)])
                law = Law((CONSTANT, term), (random_.random(), random_.random() / term.at(8)))
                seconds = [law.at(ranks) * (1 + random_.gauss(0, 0.03)) for ranks in RUNS]
                low, _, high = told(fit(RUNS, seconds, seconds), 128)
                held += low <= law.at(128) <= high
            # Of 120 cases of which each is held with a chance of 0.9, fewer than 94 are held once in 10,000 times.
            assert held >= 94, f"{held} of {tries}"


@pytest.mark.parametrize(("runs", "most"), [((4,), 0), ((2, 4), 0), ((2, 4, 8), 2), (RUNS, 2), ((*RUNS, 32), 3)])
def test_no_law_has_more_terms_than_the_runs_carry(runs: tuple[int, ...], most: int) -> None:
    assert most_terms(len(runs)) == most
    seconds = [ranks**1.2 + 3 * math.log2(ranks) + 1 for ranks in runs]
    fitted = fit(runs, seconds, seconds)
    if not most:
        assert fitted is None
    else:
        assert fitted is not None
        assert max(len(law.columns) for law in fitted.laws) <= most
        assert sum(law.weight for law in fitted.laws) == pytest.approx(1.0)


def test_runs_on_the_same_ranks_are_one_number_of_ranks() -> None:
    assert fit((2, 2, 4, 4), (1.0, 1.1, 2.0, 2.1), (1.0, 1.1, 2.0, 2.1)) is None


def test_what_was_counted_is_a_law_like_others() -> None:
    """Seconds in proportion to bytes that no term of the set describes."""
    amounts = {2: 7.0, 4: 31.0, 8: 40.0, 16: 45.0, 64: 200.0}
    seconds = [0.5 * amounts[ranks] for ranks in RUNS]
    fitted = fit(RUNS, seconds, seconds, [Column("bytes", lambda ranks: amounts[int(ranks)])])
    low, middle, high = told(fitted, 64)
    assert fitted is not None
    assert [column.words for column in fitted.laws[0].columns] == ["bytes"]
    assert low <= 100.0 <= high
    assert middle == pytest.approx(100.0, rel=0.05)


def test_null_models() -> None:
    ranks, seconds = (2, 4, 8), (10.0, 6.0, 4.0)  # 2 + 16/p
    assert constant(ranks, seconds) == 4.0
    assert perfect(ranks, seconds, 64) == 0.5
    assert amdahl(ranks, seconds, 64) == pytest.approx(2.25)
    assert amdahl((2, 2), (10.0, 10.0), 64) is None
    assert amdahl((2, 4), (1.0, 2.0), 64) == pytest.approx(1.2), "what grows has no such law: the nearest is constant"


SECONDS = st.one_of(st.just(0.0), st.floats(1e-9, 1e6))


@given(SECONDS, SECONDS, st.integers(9, 4096))
def test_two_runs_bound_what_the_null_models_say(first_s: float, last_s: float, target: int) -> None:
    low, high = bounds((2, 8), (first_s, last_s), target)
    assert 0 <= low <= high
    if first_s or last_s:
        assert low <= perfect((2, 8), (first_s, last_s), target) * (1 + 1e-9)
        assert high >= last_s


def test_no_call_takes_longer_than_the_job() -> None:
    """LAMMPS on one to four ranks and two busy cores. Rank-seconds of MPI_Send were foretold to be in proportion to its
    bytes: 57 s a rank of 16 s of wall-clock.
    """
    recorded = {  # by ranks: seconds a rank by line, and calls, bytes and rank-seconds of MPI_Send
        1: ((0.36, 1.88, 0.0, 0.05, 0.0, 0.0, 0.54), Count(0, 0, 0.0, 0.0)),
        2: ((0.16, 3.95, 1.88, 0.36, 0.0, 0.0, 0.68), Count(994, 18_545_944, 8.68, 2.62)),
        3: ((0.02, 4.14, 1.94, 0.21, 0.0, 0.0, 0.86), Count(1530, 27_838_904, 10.7, 2.94)),
        4: ((0.06, 4.73, 3.73, 0.30, 0.0, 0.0, 1.15), Count(3976, 37_236_488, 23.6, 8.91)),
    }
    runs = []
    for ranks, (each_s, sends) in recorded.items():
        lines = {line: ranks * seconds for line, seconds in zip(LINES, each_s, strict=True)}
        sites = {SEND: sends} if sends.calls else {}
        runs.append(Measured(f"l{ranks}", "lmp", ranks, 1, 2, True, sum(lines.values()), lines, sites, None, "-in in"))
    made = scale(runs, [8, 16], "strong")
    (send,) = made.sites
    for target, in_call in zip(made.targets, send.at_s, strict=True):
        assert target.wall.expected is not None
        assert in_call.expected is not None
        assert in_call.expected < 0.9 * target.wall.expected, "there is more than this call"
        assert in_call.low <= in_call.expected <= in_call.high <= target.wall.high


@pytest.mark.parametrize(
    ("ranks", "divided"),
    [(1, (1, 1, 1)), (2, (2, 1, 1)), (6, (3, 2, 1)), (7, (7, 1, 1)), (8, (2, 2, 2)), (12, (3, 2, 2)), (64, (4, 4, 4))],
)
def test_space_is_divided_into_blocks_with_the_least_faces(ranks: int, divided: tuple[int, int, int]) -> None:
    assert blocks(ranks) == divided


def test_what_blocks_send_is_expected_by_their_faces() -> None:
    """Bytes of LAMMPS on 2, 4, 6 and 12 hosts (docs/scale-benchmark.md): no power of the ranks has them."""
    sent, of_twelve = (31_637_048, 63_274_424, 80_095_928), 114_922_992
    assert count_law((2, 4, 6), sent, of_neighbours=True) is None
    one = fit((2, 4, 6), sent, sent, [column_of(PLANES)], search=False)
    assert one is not None
    assert float(np.median(one.draws(12, 0.0, np.random.default_rng(1)))) == pytest.approx(of_twelve, rel=0.05)


def test_a_halo_on_few_ranks_has_rivals_among_blocks() -> None:
    """On 2, 3 and 4 ranks slabs and blocks send as much; on 8 slabs send a third more."""
    found, alone = (count_law((2, 3, 4), (200, 300, 400), of_neighbours=near) for near in (True, False))
    assert found is not None and alone is not None
    assert found.law.words == alone.law.words == "100·p"
    assert found.range_at(8)[0] == pytest.approx(600)
    assert alone.range_at(8)[0] == pytest.approx(800)


@pytest.mark.parametrize(
    ("function", "sent", "nbytes"),
    [
        ("MPI_Isend", 100, 8000),
        ("MPI_Waitall", 0, 0),  # of receives: they were counted where they were sent
        ("MPI_Alltoallv", 700, 7000),  # each of eight ranks keeps its own block
        ("MPI_Allgather", 700, 56_000),
        ("MPI_Bcast", 300, 24_000),
        ("MPI_Barrier", 300, 24_000),
        ("MPI_Neighbor_alltoall", 100, 8000),
    ],
)
def test_what_calls_send_is_that_of_the_usual_algorithms(function: str, sent: float, nbytes: float) -> None:
    assert messages(function, 100, 8) == pytest.approx(sent)
    assert sent_bytes(function, 8000, 8) == pytest.approx(nbytes)
