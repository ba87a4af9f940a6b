"""Variants as they are asked for: by options and by a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_share, parse_time_s
from clearway.experiment.journal import append, read_plan, read_samples, write_plan
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.sample import Figures, Sample
from clearway.experiment.variants_file import read_variants
from clearway.experiment.vary import rank_numbers, settings_of
from clearway.job.change import Change

FILE = """
[[variant]]
name = "large buffers"
parameters = { btl_tcp_sndbuf = 524288 }
environment = { OMP_NUM_THREADS = 2 }
launcher_options = "--bind-to core"
program_options = ["-npme", "0"]
recorder_options = "--flow"
ranks = 4
mpi = "mpich"

[[variant]]
command = "mpirun.mpich -np 2 'other program'"
name = "other"
"""


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "variants.toml"
    path.write_text(FILE)
    unchanged, first, second = read_variants(path)
    assert unchanged == Variant("unchanged")
    assert first == Variant(
        "large buffers",
        Change((("btl_tcp_sndbuf", "524288"),), (("OMP_NUM_THREADS", "2"),), ("--bind-to", "core"), ("--flow",),
               ("-npme", "0"), 4, "mpich"),
    )  # fmt: skip
    assert second == Variant("other", Change(), ("mpirun.mpich", "-np", "2", "other program"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no list of variants"),
        ("variant = 3", "no list of variants"),
        ("[[variant]]\nnme = 1", "has an unknown key 'nme'"),
        ("[[variant]]\nranks = 'many'", "ranks = 'many'"),
        ("[[variant]]\nranks = true", "ranks = True"),
        ("[[variant]]\nname = 3", "name = 3"),
        ("[[variant]]\nenvironment = 'A=1'", "environment = 'A=1'"),
        ("[[variant]]\nprogram_options = 3", "program_options = 3"),
        ("[[variant]", "variants.toml"),
    ],
)
def test_a_file_with_a_mistake(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "variants.toml"
    path.write_text(text)
    with pytest.raises(ClearwayError, match=told):
        read_variants(path)


def test_every_value_with_every_other() -> None:
    settings = settings_of(["a_b=1,2", "OMP_NUM_THREADS=3,4"])
    assert [(one.parameters, one.environment) for one in settings] == [
        ((("a_b", a),), (("OMP_NUM_THREADS", b),)) for a in "12" for b in "34"
    ]


@pytest.mark.parametrize("text", ["btl", "btl=", "btl=1,,2", "=1", "--mca=3"])
def test_nothing_to_vary(text: str) -> None:
    with pytest.raises(ClearwayError, match="has no NAME=VALUE,VALUE"):
        settings_of([text])


def test_amounts() -> None:
    assert [parse_time_s(text) for text in ("90", "90s", "1.5m", "2h")] == [90, 90, 90, 7200]
    assert [parse_share(text) for text in ("2%", "0.02", ".5 %")] == [0.02, 0.02, 0.005]
    assert rank_numbers("8,1,2,2") == [1, 2, 8]
    for parse, text in ((parse_time_s, "0"), (parse_time_s, "soon"), (parse_share, "few"), (rank_numbers, "1,0")):
        with pytest.raises(ClearwayError):
            parse(text)


def test_the_journal_brings_everything_back(tmp_path: Path) -> None:
    change = Change((("p", "1"),), (("V", "2"),), ("--bind-to", "core"), ("--flow",), ("-x", "-1"), 4, "mpich")
    plan = Plan(("mpirun", "a b"), (Variant("A"), Variant("B", change, ("c",))), budget_s=3.0, testbed="--hosts 2")
    write_plan(tmp_path, plan, Path("/somewhere"))
    assert read_plan(tmp_path) == (plan, Path("/somewhere"))
    samples = [
        Sample("A", 0, "round-0/0-A", 1.5, Figures(1.5, None, 1.0, None, 3.25, "GROMACS")),
        Sample("B", 0, "round-0/1-B", 2.5, None, "ended with 1: µ\n"),
    ]
    for sample in samples:
        append(tmp_path, sample)
    assert read_samples(tmp_path) == samples


def test_a_line_that_was_cut_is_measured_again(tmp_path: Path) -> None:
    whole = Sample("A", 1, "round-1/0-A", 1.0, None, "planted")
    append(tmp_path, whole)
    with (tmp_path / "runs.jsonl").open("a") as file:
        file.write('{"variant": "B", "rou')
    assert read_samples(tmp_path) == [whole]
    append(tmp_path, whole)
    assert read_samples(tmp_path) == [whole, whole]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"working_directory": "/", "variants": 3}'])
def test_a_damaged_plan(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(ClearwayError, match="not the plan of a comparison"):
        read_plan(tmp_path)
