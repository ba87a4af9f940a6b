"""Many questions to clearway-simulate, on all cores: it runs on one, so each question has a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any

from clearway.base.installed import find_program
from clearway.predict.cache import Cache, key_of
from clearway.predict.simulator import PROGRAM, Simulations

Answer = dict[str, Any]


def ask_all(questions: Sequence[list[str]], cache: Cache | None, watch: Callable[[int, Answer], None]) -> list[Answer]:
    """The answers in the questions' order; `watch` is told of each as it comes. The first questions are asked first.

    Raises ClearwayError where one cannot be simulated.
    """
    program, simulations = find_program(PROGRAM), Simulations()

    def ask(question: list[str]) -> Answer:
        if cache is None:
            return simulations.simulate(program, question)
        key = key_of(program, question)
        answer = cache.get(key)
        if answer is None:
            answer = simulations.simulate(program, question)
            cache.put(key, answer)
        return answer

    answers: dict[int, Answer] = {}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running: dict[Future[Answer], int] = {pool.submit(ask, each): index for index, each in enumerate(questions)}
        try:
            for done in as_completed(running):
                answers[running[done]] = done.result()
                watch(running[done], done.result())
        except BaseException:
            simulations.end()  # a signal to us alone has not reached them
            pool.shutdown(cancel_futures=True)
            raise
    if cache is not None:
        cache.prune()
    return [answers[index] for index in range(len(questions))]
