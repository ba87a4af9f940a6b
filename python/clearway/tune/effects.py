"""What each setting is worth, from all runs of a race together: those of joined ways tell of each of their settings.

The logarithm of a time is taken as a sum: of what the machine did in that round, of what each setting of the way is
worth, of what is peculiar to a way of several settings (they may help each other, or stand in each other's way), and of
noise. A run that a neighbour disturbed counts less.

Most settings are worth next to nothing, some a few per cent, few very much: SIZES says how many of each are expected
before anything ran. So little as there is in one lucky run is taken for chance, and what several runs tell is believed
(a mixture of normal distributions: Mitchell and Beauchamp, "Bayesian variable selection in linear regression", Journal
of the American Statistical Association 83, 1023 (1988)). What is expected so is why a race can end with "nothing to
gain" while each setting by itself is known to 2 % only.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearway.tune.setting import Way, name_of

# How likely it is that a setting is worth about so much: standard deviations of logarithms of times.
SIZES = ((0.5, 0.004), (0.3, 0.03), (0.2, 0.2))
DOUBTED = (0.85, 0.12, 0.03)  # likewise, of settings that can hardly pay as the first run says
PECULIAR = 0.01  # likewise of what a way is worth besides its settings
DRIFT = 0.03  # likewise of what the machine does in a round
WIDE = 0.3  # that of a setting, as long as only noise is looked for
USUAL_NOISE = 0.02  # likewise of a run, as long as runs do not tell
USUAL_RUNS = 2  # that guess counts as so many runs
LEAST_NOISE = 0.003
TAILS = 4.0  # of a run: of Student's t with so many degrees of freedom. What is far off counts next to nothing
FITS = 8  # noise and far runs are found from fit to fit
UNKNOWN = 10.0  # the logarithm of the unchanged job's time may be anything
DRAWS = 200
SWEEPS = 10  # until draws have forgotten where they began

Seconds = Mapping[str, Mapping[int, float]]  # by name and round


@dataclass(frozen=True)
class Effects:
    """What the runs tell: draws of all worths together, each as likely as it is (Thompson 1933)."""

    settings: Mapping[str, int]  # by name: its column of `draws`
    ways: Mapping[str, int | None]  # likewise, of those that ran; None: it has one setting, and nothing peculiar
    draws: np.ndarray

    @cached_property
    def mean(self) -> np.ndarray:
        expected: np.ndarray = self.draws.mean(axis=0)
        return expected

    def worth(self, way: Way, of: np.ndarray | None = None) -> float:
        """The logarithm of its time by that of the unchanged job, as it is expected; or as drawn."""
        return float((self.mean if of is None else of)[self._places(way)].sum())

    def setting_worth(self, name: str, of: np.ndarray | None = None) -> float:
        """Expected, or as drawn; nothing for one that never ran."""
        place = self.settings.get(name)
        return 0.0 if place is None else float((self.mean if of is None else of)[place])

    def drawn_worths(self, way: Way) -> np.ndarray:
        worths: np.ndarray = self.draws[:, self._places(way)].sum(axis=1)
        return worths

    def _places(self, way: Way) -> list[int]:
        own = self.ways.get(name_of(way))
        places = [self.settings[one.name] for one in way if one.name in self.settings]
        return places if own is None else [*places, own]


@dataclass(frozen=True)
class _Noise:
    """Of the runs: what one differs by, of how many runs that is known, and how much each run counts."""

    size: float
    freedom: float
    weights: np.ndarray
    fitted: np.ndarray  # what the numbers of the design are, if so


def effects(
    ways: Mapping[str, Way], seconds: Seconds, settings: Sequence[str] = (), seed: int = 0,
    doubted: Collection[str] = (),
) -> Effects:  # fmt: skip
    """`settings`: those of which something is wanted, besides those that ran."""
    runs = [(ways[name], number, taken) for name, rounds in seconds.items() for number, taken in rounds.items()]
    names = dict.fromkeys([*settings, *(setting.name for way, _, _ in runs for setting in way)])
    ran = dict.fromkeys(name_of(way) for way, _, _ in runs if way)
    places = {name: at for at, name in enumerate(names)}
    several = [name for name in ran if len(ways[name]) > 1]
    own = {name: len(places) + at for at, name in enumerate(several)}
    numbers = {number: at for at, number in enumerate(sorted({number for _, number, _ in runs}))}

    logs = np.log([taken for _, _, taken in runs])
    design, peculiar = np.zeros((len(runs), len(places))), np.zeros((len(runs), len(own)))
    in_round = np.zeros((len(runs), len(numbers)))
    for row, (way, number, _) in enumerate(runs):
        design[row, [places[one.name] for one in way]] = 1
        in_round[row, numbers[number]] = 1
        if len(way) > 1:
            peculiar[row, own[name_of(way)] - len(places)] = 1
    noise = _noise(np.hstack([design, peculiar, in_round]), logs,
                   np.array([WIDE] * len(places) + [PECULIAR] * len(own) + [DRIFT] * len(numbers)))  # fmt: skip
    usual = [share for share, _ in SIZES]
    shares = np.array([DOUBTED if name in doubted else usual for name in places]).reshape(len(places), len(SIZES))
    draws = _draws(design, peculiar, in_round, logs, noise, shares, np.random.default_rng(seed))
    return Effects(places, {name: own.get(name) for name in ran}, draws)


def _noise(design: np.ndarray, logs: np.ndarray, sizes: np.ndarray) -> _Noise:
    """By least squares in which each number is drawn towards nothing, as far as its size says."""
    design = np.column_stack([design, np.ones(len(logs))])
    least = np.diag(1 / np.append(sizes, UNKNOWN) ** 2)
    noise, freedom, weights = USUAL_NOISE, float(USUAL_RUNS), np.ones(len(logs))
    fitted = np.zeros(design.shape[1])
    for _ in range(FITS if len(logs) else 0):
        weighted = design.T * weights / noise**2
        inverse = np.linalg.inv(weighted @ design + least)
        fitted = inverse @ weighted @ logs
        left = logs - design @ fitted
        free = max(0.0, float(np.sum(weights)) - float(np.sum((weighted @ design) * inverse)))
        squares = float(np.sum(weights * left**2)) + USUAL_RUNS * USUAL_NOISE**2
        freedom = free + USUAL_RUNS
        noise = max(LEAST_NOISE, math.sqrt(squares / freedom))
        weights = (TAILS + 1) / (TAILS + (left / noise) ** 2)
    return _Noise(noise, freedom, weights, fitted)


def _draws(
    design: np.ndarray, peculiar: np.ndarray, in_round: np.ndarray, logs: np.ndarray, noise: _Noise,
    shares: np.ndarray, chance: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """Of what settings are worth, and of what is peculiar, given that noise; which is itself known so well only.
    `shares`: how likely each size is, by setting.

    Each setting in turn is drawn given all others, for each draw by itself (Gibbs sampling). Rounds, what is peculiar
    and noise are one covariance meanwhile.
    """
    own = peculiar * PECULIAR
    covariance = (np.diag(noise.size**2 / noise.weights) + own @ own.T + DRIFT**2 * in_round @ in_round.T
                  + UNKNOWN**2 * np.ones((len(logs), len(logs))))  # fmt: skip
    weight = np.linalg.inv(covariance) if len(logs) else covariance
    scale = noise.freedom / chance.chisquare(noise.freedom, DRAWS)  # of all of that covariance
    told, between = design.T @ weight @ logs, design.T @ weight @ design
    count = design.shape[1]
    worth = np.tile(noise.fitted[:count], (DRAWS, 1))
    variance = np.array([[size**2] for _, size in SIZES])
    known = np.diag(between)[:, None] / scale
    narrowed = 1 / (known[:, None, :] + 1 / variance)  # by setting and size
    before = np.log(shares)[:, :, None] + 0.5 * np.log(narrowed / variance)
    normal, uniform = chance.standard_normal((SWEEPS, count, DRAWS)), chance.random((SWEEPS, count, DRAWS))
    each = np.arange(DRAWS)
    for sweep in range(SWEEPS):
        for at in range(count):
            pull = (told[at] - worth @ between[:, at] + worth[:, at] * between[at, at]) / scale
            log_odds = before[at] + 0.5 * pull**2 * narrowed[at]
            odds = np.cumsum(np.exp(log_odds - log_odds.max(axis=0)), axis=0)
            size = (odds < uniform[sweep, at] * odds[-1]).sum(axis=0)  # each as likely as its odds
            spread = narrowed[at, size, each]
            worth[:, at] = pull * spread + np.sqrt(spread) * normal[sweep, at]
    kept = PECULIAR * own.T @ weight
    left = logs - worth @ design.T
    root = np.linalg.cholesky(np.eye(own.shape[1]) * PECULIAR**2 * (1 + 1e-9) - kept @ own * PECULIAR)
    about = chance.standard_normal((DRAWS, own.shape[1])) @ root.T * np.sqrt(scale)[:, None]
    return np.hstack([worth, left @ kept.T + about])
