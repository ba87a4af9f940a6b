"""`clearway bench` under real MPIs: what it measures, writes and refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.base.schema import schema_of
from clearway.bench.sweep import OPERATIONS, SCHEMA, Sweep

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-bench-1.json"


def bench(mpi: Mpi, *arguments: str | Path, ranks: int = 3) -> Outcome:
    command = [clearway_tool("clearway"), "bench", *arguments, "--", *mpi.launcher, "-np", str(ranks)]
    return run_command(command, mpi.environment)


def measured(mpi: Mpi, *arguments: str | Path, ranks: int = 3) -> dict[str, Any]:
    """The JSON of a sweep that must succeed."""
    outcome = bench(mpi, *arguments, "--json", "-", ranks=ranks)
    assert outcome.exit_code == 0, outcome.says
    sweep: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(sweep, schema_of(Sweep, SCHEMA))
    return sweep


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Sweep, SCHEMA)


def test_every_mpi_is_found_and_measured(any_mpi: Mpi) -> None:
    """The right library of several that are installed: another one would see single ranks."""
    if any_mpi.name == "mpich-standard-abi":
        pytest.skip("its launcher is MPICH's, whose usual library is measured")
    sweep = measured(any_mpi, "alltoall", "--sizes", "1,1000", "--algorithms", "own", "--calls", "4")
    assert (sweep["ranks"], sweep["hosts"], sweep["ranks_per_host"]) == (3, 1, 3)
    (own,) = sweep["curves"]
    assert [point["block_bytes"] for point in own["points"]] == [1, 1000]
    for point in own["points"]:
        assert len(point["calls_ns"]) == 4
        assert point["fault"] == ""
        moved = 2 * point["block_bytes"]
        assert point["mean_bytes_per_s"] == pytest.approx(moved * 4 / (sum(point["calls_ns"]) * 1e-9))


def test_a_sweep_knows_what_its_mpi_was_told(open_mpi: Mpi) -> None:
    """By the environment and by the launcher's line, which goes before it; and nothing else of either."""
    options = ["--mca", "coll_tuned_use_dynamic_rules", "1", "-x", "UCX_TLS=tcp", "-x", "HOME", "-np", "2"]
    command = [clearway_tool("clearway"), "bench", "alltoall", "--sizes", "16", "--calls", "2", "--algorithms", "own"]
    told = {"OMPI_MCA_coll_tuned_alltoall_algorithm": "2", "UCX_TLS": "self", "OMP_NUM_THREADS": "1"}
    outcome = run_command([*command, "--json", "-", "--", *open_mpi.launcher, *options], open_mpi.environment | told)
    assert outcome.exit_code == 0, outcome.says
    settings = json.loads(outcome.stdout)["settings"]
    assert settings == {
        "OMPI_MCA_coll_tuned_alltoall_algorithm": "2",
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "UCX_TLS": "tcp",
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_moves_every_byte(operation: str, open_mpi: Mpi) -> None:
    """clearway-bench compares what arrived; a fault would end with 1."""
    sweep = measured(open_mpi, operation, "--sizes", "1001", "--algorithms", "own", "--calls", "3")
    assert sweep["operation"] == operation
    assert sweep["curves"][0]["points"][0]["fault"] == ""


def test_a_damaged_byte_is_noticed(programs: ProgramBuilder, open_mpi: Mpi, tmp_path: Path) -> None:
    library = programs.build_plain("libflips.so", "flips_a_byte.c", shared=True)
    command = [*open_mpi.launcher, "-np", "2", clearway_tool("clearway-bench"), "alltoall", "--sizes", "64"]
    command += ["--candidate", "ordered", "--candidate", "?", "--candidate", "own", "--flow-library", library]
    outcome = run_command(command, open_mpi.environment)
    assert outcome.exit_code == 0, outcome.says
    lines = tmp_path / "lines"
    lines.write_text(outcome.stdout)
    shown = run_clearway("bench", "alltoall", "--read", lines, "--json", "-")
    assert shown.exit_code == 1
    faults = {curve["candidate"]: curve["points"][0]["fault"] for curve in json.loads(shown.stdout)["curves"]}
    assert "wrong or missing bytes were received" in faults["ordered"]
    assert "does not have it" in faults["?"]
    assert faults["own"] == ""


def test_the_message_of_the_papers_grid(open_mpi: Mpi) -> None:
    """90 × 88 × 80 on 4 ranks: 23 × 22 lines of 41 complex numbers."""
    sweep = measured(open_mpi, "alltoall", "--grid", "90x88x80", "--algorithms", "own", "--calls", "3", ranks=4)
    assert [point["block_bytes"] for point in sweep["curves"][0]["points"]] == [23 * 22 * 41 * 8]


@pytest.mark.timed
def test_slow_points_keep_to_their_budget(open_mpi: Mpi) -> None:
    arguments = ["alltoall", "--sizes", "1Mi", "--algorithms", "own", "--calls", "1000000", "--budget-s", "0.2"]
    (point,) = measured(open_mpi, *arguments)["curves"][0]["points"]
    assert 3 <= len(point["calls_ns"]) < 1_000_000
    assert sum(point["calls_ns"][:-1]) < 0.2e9 or len(point["calls_ns"]) == 3


def test_everything_that_is_written(open_mpi: Mpi, tmp_path: Path) -> None:
    html, png, svg, table = (tmp_path / name for name in ("b.html", "b.png", "b.svg", "b.table"))
    words = ["allgather", "--sizes", "64,4Ki", "--algorithms", "own", "--calls", "3", "--rate", "1gbit"]
    outcome = bench(open_mpi, *words, "--html", html, "--plot", png, "--save-table", table)
    assert outcome.exit_code == 0, outcome.says
    assert re.search(r"^ +64 B +own +[\d.,]+", outcome.stdout, re.MULTILINE)
    assert png.read_bytes().startswith(b"\x89PNG")
    page = html.read_text()
    assert "<svg" in page
    assert not re.search(r"(src|href)=\"(?!data:|#)", page)  # nothing is fetched
    assert len([line for line in table.read_text().splitlines() if line.startswith("allgather 3 1 ")]) == 2

    # The same lines again, as a batch job would have kept them.
    lines = tmp_path / "lines"
    run = [*open_mpi.launcher, "-np", "2", clearway_tool("clearway-bench"), "allgather", "--sizes", "64"]
    lines.write_text("noise of the job\n" + run_command(run, open_mpi.environment).stdout)
    again = run_clearway("bench", "allgather", "--read", lines, "--plot", svg)
    assert again.exit_code == 0, again.says
    assert "2 ranks" in again.stdout

    # And again from the JSON of that.
    saved = tmp_path / "b.json"
    first = run_clearway("bench", "allgather", "--read", lines, "--json", saved)
    second = run_clearway("bench", "allgather", "--read", saved)
    assert first.exit_code == 0
    assert second.stdout == first.stdout
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["alltoall"], "no launcher to measure with"),
        (["alltoall", "--", "mpirun.nothing", "-np", "2"], "not on the PATH"),
        (["alltoall", "--", "true"], "not an MPI launcher"),
        (["alltoall", "--sizes", "1Ki..", "--", "true"], "not a message size"),
        (["alltoall", "--plot", "picture.doc", "--", "true"], "does not end in"),
        (["alltoall", "--read", "/nowhere/at/all"], "cannot read"),
        (["alltoall", "--read", "/dev/null"], "is not the output of clearway-bench"),
        (["alltoall", "--read", str(REPOSITORY / "docs/json-schema/clearway-bench-1.json")], "is not a sweep"),
        (["reduce", "--", "true"], "reduce"),
    ],
)
def test_mistakes_get_one_message_and_a_hint(arguments: list[str], told: str) -> None:
    outcome = run_clearway("bench", *arguments)
    assert outcome.exit_code in (1, 2)
    assert told in outcome.stderr


def test_one_rank_has_nobody_to_talk_to(open_mpi: Mpi) -> None:
    outcome = bench(open_mpi, "alltoall", "--sizes", "64", ranks=1)
    assert outcome.exit_code == 1
    assert "sees only one rank" in outcome.stderr
    assert "hint: " in outcome.stderr
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize("text", ["--hosts '2", "--hosts 2\\"])
def test_a_testbed_whose_quotation_mark_is_open(text: str) -> None:
    refused = run_clearway("bench", "alltoall", "--testbed", text)
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"error: --testbed '{text}' cannot be divided into words: ")
    assert "hint: --testbed" in refused.stderr
