"""The models: sizes that were published, and Scripts that make sense on any number of ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command

from clearway.base.errors import ClearwayError
from clearway.predict.models import Script, find_program, make_script, program_names
from clearway.predict.models.domains import halo_volumes, moved, split
from clearway.predict.models.grids import divisible
from clearway.predict.models.patches import charges_to_slabs, homes, proxies
from clearway.predict.models.programs import gromacs33
from clearway.predict.models.script import ranges
from clearway.predict.models.traffic import computing_of, traffic_of

MODELS = [(name, system) for name in program_names() for system in find_program(name).SYSTEMS]


def sizes(script: Script, kind: str) -> list[int]:
    return [activity.bytes for _, activity in script.activities() if activity.kind == kind]


@pytest.mark.parametrize(("name", "system"), MODELS)
def test_ranks_understand_each_other(name: str, system: str, tmp_path: Path) -> None:
    """Each message has its receive, each collective call all of its ranks; odd numbers and primes too."""
    for ranks in (1, 2, 7, 8, 19):
        path = tmp_path / f"{ranks}.script"
        path.write_text(make_script(name, system, ranks).text())
        outcome = run_command([clearway_tool("clearway-workload"), "--check", path])
        assert outcome.exit_code == 0, outcome.says


@pytest.mark.parametrize(("name", "system"), MODELS)
def test_computing_is_the_published_time_divided(name: str, system: str) -> None:
    one = sum(computing_of(make_script(name, system, 1)))
    published = find_program(name).SYSTEMS[system].serial_ns
    assert one / published == pytest.approx(round(one / published), rel=1e-6)  # some repeat after several time steps
    several = computing_of(make_script(name, system, 8))
    assert sum(several) >= one * (1 - 1e-6)  # nothing is done faster by being divided
    assert max(several) < one / 4
    twice_as_fast = computing_of(make_script(name, system, 8, cpu=2.0))
    assert max(twice_as_fast) == pytest.approx(max(several) / 2, rel=1e-5)  # a Script has whole nanoseconds


@pytest.mark.parametrize(("ranks", "published"), [(4, 173_184), (8, 43_296), (16, 11_808), (32, 2_952)])
def test_transposes_of_gromacs33_have_the_papers_size(ranks: int, published: int) -> None:
    """Kutzner et al. 2007, aquaporin."""
    script = make_script("gromacs33", "aqp1", ranks)
    assert sizes(script, "alltoall").count(published) == 2 * ranks


def test_gromacs33_goes_halfway_around_the_ring() -> None:
    whole = [size for size in sizes(make_script("gromacs33", "aqp1", 8), "sendrecv") if size == 10_000 * 12]
    assert len(whole) == 8 * (4 + 4)


def test_the_grid_of_gromacs33_is_divided_evenly() -> None:
    """calcgrid.c: the next product of 2, 3, 5, 7 and one of 11 and 13 that the ranks divide, in two dimensions."""
    grid = gromacs33.SYSTEMS["aqp1"].grid
    told = {ranks: divisible(grid, ranks)[:2] for ranks in (1, 4, 6, 8, 16, 32)}
    assert told == {1: (90, 88), 4: (96, 88), 6: (90, 90), 8: (96, 88), 16: (96, 96), 32: (96, 96)}
    assert divisible(grid, 19) == (95, 95, 80)  # grompp would refuse
    computing = computing_of(make_script("gromacs33", "aqp1", 16))
    assert min(computing) == max(computing)


def test_gromacs_moves_what_was_recorded() -> None:
    """gmx_mpi 2022.5 with DHFR on 4 ranks: two all-to-alls a step, to which a rank gives 270 kB."""
    script = make_script("gromacs", "dhfr", 4)
    transposes = sizes(script, "alltoall")
    assert len(transposes) == 2 * script.ranks
    assert {4 * size for size in transposes} == {64 * 64 * 33 * 8 // 4}


def test_amber6_gathers_all_atoms() -> None:
    (first, *rest) = sizes(make_script("amber6", "dhfr", 10), "allgatherv")
    assert 10 * first >= 23_558 * 24 > 10 * (first - 24)
    assert rest == [first]


def test_messages_of_namd_are_of_the_size_that_was_seen() -> None:
    """HPC Advisory Council 2012: the majority from 4 to 16 kB, on 64 cores a host."""
    script = make_script("namd", "apoa1", 64)
    of_patches = [row for row in traffic_of(script).rows if 4_096 <= row.bytes <= 16_384]
    assert sum(row.messages for row in of_patches) > traffic_of(script).messages / 2


def test_every_pair_of_patches_meets_somewhere() -> None:
    """Each patch is needed by as many ranks as there are, at most, and by one at least where each rank has one."""
    patches = (3, 4, 5)
    assert sorted(set(homes(patches, 60))) == list(range(60))
    for home, needing in zip(homes(patches, 60), proxies(patches, 60), strict=True):
        assert 1 <= len(needing) <= 27
        assert home not in needing
    assert all(needing == [] for needing in proxies(patches, 1))


def test_charges_cover_the_mesh() -> None:
    touched = charges_to_slabs((2, 2, 2), (32, 32, 32), 8, 4)
    assert {rank for rank, _ in touched} == set(range(8))
    assert {slab for _, slab in touched} == set(range(4))
    assert sum(touched.values()) == pytest.approx(8 * (32 / 2 + 3) ** 3 * 4, rel=1e-3)


def test_a_box_is_cut_where_the_least_is_sent() -> None:
    assert split(64, (4.0, 4.0, 4.0), 0.1) == (4, 4, 4)
    assert split(4, (40.0, 4.0, 4.0), 1.0) == (4, 1, 1)
    # By hand: cells of 2 × 4 × 4; one slice of 1 × 4 × 4.
    assert halo_volumes((4.0, 4.0, 4.0), (2, 1, 1), 1.0) == [16.0, 0.0, 0.0]
    # Then one of 1 × (2 + 1) × 4.
    assert halo_volumes((4.0, 4.0, 4.0), (2, 2, 1), 1.0) == [8.0, 12.0, 0.0]
    assert [moved((2, 3, 4), 23, edge, 1) for edge in range(3)] == [11, 15, 20]


def test_ranges_are_short() -> None:
    assert ranges([0, 1, 2, 3, 6, 8, 9]) == "0-3,6,8-9"


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (("charmm", None, 8), "there is no workload 'charmm'", "gromacs33"),
        (("gromacs33", "villin", 8), "the workload gromacs33 has no system 'villin'", "aqp1, dppc"),
        (("gromacs33", "aqp1", 0), "a workload needs 1 to 65536 ranks, and at least 1 step", "--ranks 8"),
        (("gromacs33", "aqp1", 8, 0.0), "--cpu must be a speed above 0, not 0", "--cpu 2"),
    ],
)
def test_what_cannot_be_modelled(arguments: tuple[str, str, int], said: str, hint: str) -> None:
    with pytest.raises(ClearwayError) as raised:
        make_script(*arguments)
    assert said in raised.value.message
    assert hint in (raised.value.hint or "")
