"""The page's notes on settings that are made to find bugs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from python.made_runs import world, write_all

from clearway.diagnosis.facts import open_case
from clearway.engines.speed import Engine
from clearway.engines.words import About, Word
from clearway.page.build import page_of
from clearway.page.build.debugging import debugging
from clearway.run import load


@pytest.mark.parametrize(
    ("name", "value", "program", "said"),
    [
        ("MALLOC_PERTURB_", "85", "/opt/md", "MALLOC_PERTURB_=85 is set"),
        ("MALLOC_PERTURB_", "0", "/opt/md", ""),
        (
            "GLIBC_TUNABLES",
            "glibc.malloc.arena_max=1:glibc.malloc.perturb=3",
            "/opt/md",
            "glibc.malloc.perturb=3 is set",
        ),
        ("GLIBC_TUNABLES", "glibc.malloc.arena_max=1", "/opt/md", ""),
        ("PYTHONDONTWRITEBYTECODE", "1", "/usr/bin/python3.11", "anew at each start"),
        ("PYTHONDONTWRITEBYTECODE", "1", "/opt/md", ""),
        ("PYTHONMALLOC", "pymalloc_debug", "/usr/bin/python3.11", "checks each block"),
        ("PYTHONMALLOC", "malloc", "/usr/bin/python3.11", ""),
    ],
)
def test_each_is_noted_where_it_does_something(tmp_path: Path, name: str, value: str, program: str, said: str) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.fact(f"environment.{name}", value).fact("process.program", program)
    case = open_case(load(write_all(ranks, tmp_path)))
    assert len(debugging(case)) == bool(said)
    assert said in " ".join(page_of(case).job.notes)


@pytest.mark.parametrize(
    ("asked", "dynamic", "said"),
    [("2", "true", True), ("2", "TRUE", True), ("2", "false", False), ("1", "true", False), ("2,1", "true", False)],
)
def test_a_runtime_that_may_use_fewer_threads_and_does_is_noted(
    tmp_path: Path, asked: str, dynamic: str, said: bool
) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.fact("environment.OMP_NUM_THREADS", asked).fact("environment.OMP_DYNAMIC", dynamic)
    notes = debugging(open_case(load(write_all(ranks, tmp_path))))
    assert len(notes) == said
    assert not said or "No rank had more than 1 at work" in notes[0]


@pytest.mark.parametrize(
    ("about", "said"), [(About.MEASURING, "barrier"), (About.UNSORTED, "caches"), (About.DOUBLE, "mixed precision")]
)
def test_what_the_engine_says_of_its_input_is_noted(tmp_path: Path, about: About, said: str) -> None:
    case = open_case(load(write_all(world(2), tmp_path)))
    assert not debugging(case)
    engine, words = Engine("LAMMPS", "log", None, 0.1, 100), (Word(about, "a line"), Word(About.WARNING, "another"))
    [note] = debugging(replace(case, tables=replace(case.tables, engine=engine, words=words)))
    assert note.startswith("LAMMPS says: a line.") and said in note
