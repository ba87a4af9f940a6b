"""Ways to search a grid with so many runs: the race of `clearway tune`, and its peers. Each names what it would take.

Peers choose what took least; no peer proves that. One run of each is spent on the job as it was typed, as the race
spends one on its diagnosis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from clearway.experiment.comparison import End
from clearway.tune.race import Answer, Race
from clearway.tune.rounds import StopRaceError
from clearway.tune.rules import Rules
from clearway.tune.setting import Setting, Way, goes_with
from races.informed import informed
from races.results import First
from races.world import Runs, World, doubted_of, known_settings, on_top, settings_of, shapes_of

BUDGET = 15

Search = Callable[[World, int, int], Way]  # with so many runs, and a seed


def race(runs: Runs, first: First, seed: int, budget: int | None) -> Race:
    """The first run, which is one of the budget, is that whose diagnosis `first` keeps."""
    known = known_settings(runs.world.result)

    def run(way: Way, number: int) -> float | None:
        if budget is not None and runs.count >= budget - 1:
            raise StopRaceError(End.BUDGET)
        return runs(way, number)

    def settings_for(way: Way) -> Sequence[Setting]:
        return [one for one in settings_of(first, on_top(runs.base, way), known) if changes(runs, (*way, one), way)]

    def doubted_for(way: Way) -> Sequence[Setting]:
        return [one for one in doubted_of(first, on_top(runs.base, way), known) if changes(runs, (*way, one), way)]

    shapes = [one for one in shapes_of(first, known) if changes(runs, (one,), ())]
    raced = Race(shapes, settings_for, run, Rules(seed=seed), doubted_for=doubted_for)
    raced.go()
    return raced


def changes(runs: Runs, way: Way, before: Way) -> bool:
    """Whether it makes another job of it, and one that is in the grid."""
    names = {setting.name for setting in on_top(runs.base, way)}
    known = runs.world.logs.keys() | runs.world.failing
    return names != {setting.name for setting in on_top(runs.base, before)} and frozenset(names) in known


def tuned(world: World, budget: int, seed: int) -> Way:
    firsts = world.result.firsts
    raced = race(Runs(world, seed), firsts[seed % len(firsts)], seed, budget)
    return raced.best()[1]


def undiagnosed(world: World, budget: int, seed: int) -> Way:
    """The same race, in which no setting is doubted, whatever the first run says."""
    firsts = world.result.firsts
    return race(Runs(world, seed), undoubted(firsts[seed % len(firsts)]), seed, budget).best()[1]


def undoubted(first: First) -> First:
    shapes = dict.fromkeys([*first.settings, *first.doubted])
    every = {shape: (*first.settings.get(shape, ()), *first.doubted.get(shape, ())) for shape in shapes}
    return First(first.shapes, every, first.spent_s)


def unchanged(_world: World, _budget: int, _seed: int) -> Way:
    return ()


def random_search(world: World, budget: int, seed: int) -> Way:
    """Each way once at most."""
    runs = Runs(world, seed)
    others = [way for way in world.result.ways if way]
    Random(seed).shuffle(others)
    tried = {way: runs(way, 1) for way in [(), *others[: budget - 1]]}
    return min((way for way, seconds in tried.items() if seconds), key=lambda way: tried[way] or 0.0)


def optuna_search(world: World, budget: int, seed: int) -> Way:
    """Its usual sampler (TPE), told each knob as a list of words and nothing else; combinations that cannot be run
    are pruned."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    runs = Runs(world, seed)
    knobs: dict[str, list[Setting]] = {}
    for setting in known_settings(world.result).values():
        knobs.setdefault(setting.knob, []).append(setting)
    tried: dict[Way, float] = {}

    def objective(trial: optuna.Trial) -> float:
        way: Way = ()
        for knob, settings in knobs.items():
            words = trial.suggest_categorical(knob, ["", *(one.name for one in settings)])
            way += tuple(one for one in settings if one.name == words and goes_with(way, one))
        seconds = runs(way, 1)
        if seconds is None:
            raise optuna.TrialPruned
        tried[way] = min(seconds, tried.get(way, seconds))
        return seconds

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial(dict.fromkeys(knobs, ""))
    study.optimize(objective, n_trials=budget)
    return min(tried, key=tried.__getitem__, default=())


YARDSTICK = "a model told how much settings and noise matter"

SEARCHES: dict[str, Search] = {
    "`clearway tune`": tuned,
    "the same race without the diagnosis": undiagnosed,
    "Optuna (TPE), without the diagnosis": optuna_search,
    "random search": random_search,
    YARDSTICK: informed,
    "the job as it was typed": unchanged,
}

__all__ = ["BUDGET", "SEARCHES", "Answer", "race"]
