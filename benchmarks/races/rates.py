"""How often a search of 15 runs comes within 3 % of the best of each grid, of more repetitions than the page has.

    PYTHONPATH=python:benchmarks python -m races.rates 100 [SEARCH]

Their seeds are others than the page's. It takes minutes, and writes nothing.
"""

from __future__ import annotations

import sys

from races.results import read_all
from races.score import AIM, NEAR
from races.searches import SEARCHES
from races.world import world_of

SEEDS = 1000  # from here on


def main() -> int:
    times = int(sys.argv[1])
    worlds = [world_of(result) for result in read_all()]
    for name in sys.argv[2:] or SEARCHES:
        near = {
            world.result.name: sum(world.behind(SEARCHES[name](world, AIM, SEEDS + at)) <= NEAR for at in range(times))
            for world in worlds
        }
        each = ", ".join(f"{grid} {count}" for grid, count in near.items())
        print(f"{name}: {sum(near.values())} of {times * len(worlds)} ({each})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
