"""The batch system's job: what its variables tell, the page's headline, and the names of Run directories."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from python.made_runs import Machine, Rank, world, write_all

from clearway.base.sheet import Sheet
from clearway.job.batch import VARIABLES, batch_job, in_batch_job
from clearway.job.run_directory import claim_run_directory
from clearway.job.run_name import filled_in
from clearway.page.build import summarise
from clearway.page.render.html import html_of
from clearway.page.render.terminal.headline import headline
from clearway.run import load

REPOSITORY = Path(__file__).parents[2]
RECORDED = REPOSITORY / "native/recorder/host/batch.cpp"
SLURM = {  # a rank of `sbatch -N 2 -n 4 -c 2 --array=7`, as 22.05 tells, with the times of 23.02
    "SLURM_JOB_ID": "1234",
    "SLURM_STEP_ID": "0",
    "SLURM_JOB_NAME": "md-prod",
    "SLURM_JOB_PARTITION": "batch",
    "SLURM_JOB_ACCOUNT": "chem",
    "SLURM_JOB_NUM_NODES": "2",
    "SLURM_JOB_NODELIST": "n[03-04]",
    "SLURM_NTASKS": "4",
    "SLURM_STEP_NUM_NODES": "2",
    "SLURM_STEP_NUM_TASKS": "4",
    "SLURM_CPUS_PER_TASK": "2",
    "SLURM_MEM_PER_CPU": "2000",
    "SLURM_JOB_START_TIME": "1700000000",
    "SLURM_JOB_END_TIME": "1700003600",
}
ARRAY = {"SLURM_ARRAY_JOB_ID": "1230", "SLURM_ARRAY_TASK_ID": "7"}


def two_hosts() -> list[Rank]:
    ranks = world(4)
    for rank in ranks:
        rank.machine = Machine(f"n0{3 + rank.rank // 2}", f"boot-{rank.rank // 2}")
        rank.fact("process.program", "/opt/bin/gmx_mpi")
    return ranks


def recorded(directory: Path, variables: dict[str, str], ranks: list[Rank] | None = None) -> Path:
    """A Run whose command was started by `clearway run` in a batch job with these variables."""
    write_all(ranks or two_hosts(), directory)
    (directory / "run.json").write_text(json.dumps({"command": ["srun", "gmx_mpi"], "batch": variables}))
    return directory


def first_lines(directory: Path, width: int = 150) -> list[str]:
    return [line.plain for line in headline(summarise(load(directory)), Sheet(width, False, False))]


def test_what_is_recorded_is_what_is_understood() -> None:
    names = re.findall(r'^ {4}"([A-Z_]+)",$', RECORDED.read_text(), re.MULTILINE)
    understood = [name for identity, others in VARIABLES.items() for name in (identity, *others)]
    assert sorted(names) == sorted(understood)


def test_slurm_tells_who_the_job_is_and_what_was_asked_for() -> None:
    job = batch_job(in_batch_job(SLURM | ARRAY | {"SLURM_JWT": "secret", "HOME": "/home/a"}))
    assert job is not None
    assert (job.system, job.tried, job.id, job.array_task, job.step) == ("Slurm", True, "1230_7", "7", "0")
    assert (job.name, job.partition, job.account, job.nodes, job.tasks, job.cpus_per_task) == (
        "md-prod",
        "batch",
        "chem",
        2,
        4,
        2,
    )
    assert (job.memory_per_cpu_bytes, job.memory_per_node_bytes, job.limit_s) == (2000 << 20, None, 3600)


@pytest.mark.parametrize(
    ("variables", "system", "number", "name", "queue"),
    [
        ({"PBS_JOBID": "12[3].pbs01", "PBS_JOBNAME": "md", "PBS_QUEUE": "q"}, "PBS", "12[3].pbs01", "md", "q"),
        ({"LSB_JOBID": "12", "LSB_JOBINDEX": "3", "LSB_JOBNAME": "md", "LSB_QUEUE": "q"}, "LSF", "12[3]", "md", "q"),
        ({"LSB_JOBID": "12", "LSB_JOBINDEX": "0"}, "LSF", "12", "", ""),
        ({"FLUX_JOB_ID": "f2x", "FLUX_JOB_NNODES": "2"}, "Flux", "f2x", "", ""),
    ],
)
def test_other_systems_by_their_manuals(
    variables: dict[str, str], system: str, number: str, name: str, queue: str
) -> None:
    job = batch_job(in_batch_job(variables))
    assert job is not None
    assert (job.system, job.tried, job.id, job.name, job.partition) == (system, False, number, name, queue)


def of_grid_engine() -> list[dict[str, str]]:
    """As its jobs had them: of a job, of an array's task, of that task on another host than mpirun's."""
    parts = (REPOSITORY / "tests/python/environments/grid_engine.txt").read_text().split("\n\n")
    return [dict(line.split("=", 1) for line in part.splitlines() if not line.startswith("#")) for part in parts]


def test_grid_engine_tells_the_same_on_all_hosts_but_for_its_name_and_slots() -> None:
    found = [batch_job(in_batch_job(variables)) for variables in of_grid_engine()]
    told = [(job.id, job.array_task, job.name, job.nodes, job.tasks) for job in found if job is not None]
    assert told == [("1", "", "md-prod", 2, 4), ("2.3", "3", "arr", 2, 4), ("2.3", "3", "", None, None)]
    rest = {(job.system, job.tried, job.partition, job.account, job.restarts) for job in found if job is not None}
    assert rest == {("Grid Engine", True, "all.q", "sge", 0)}


def test_the_host_that_knows_all_of_the_job_is_believed(tmp_path: Path) -> None:
    """Of Grid Engine's it is mpirun's, which need not be rank 0's."""
    _, whole, part = of_grid_engine()
    ranks = two_hosts()
    write_all(ranks, tmp_path)
    for rank, variables in ((ranks[0], part), (ranks[2], whole)):
        facts = {f"batch.{name}": value for name, value in in_batch_job(variables).items()}
        (tmp_path / f"host.{rank.machine.name}.cwr").write_bytes(rank.host_record(facts, {}))
    assert first_lines(tmp_path)[0].startswith("gmx_mpi · job 2.3 (arr) · 2 nodes × 2 tasks  ")


@pytest.mark.parametrize("variables", [{}, {"JOB_ID": "7", "QUEUE": "x"}, {"SLURM_JOB_ID": ""}])
def test_no_job_is_none(variables: dict[str, str]) -> None:
    assert in_batch_job(variables) == {}
    assert batch_job(variables) is None


def test_numbers_that_are_none_are_not_believed() -> None:
    odd = dict.fromkeys(SLURM, "x") | {"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": "1" * 400}
    job = batch_job(odd)
    assert job is not None
    assert (job.nodes, job.tasks, job.limit_s, job.memory_per_cpu_bytes) == (None, None, None, None)


def test_the_headline_has_the_job(tmp_path: Path) -> None:
    title, under, *_ = first_lines(recorded(tmp_path, SLURM))
    assert title.startswith("gmx_mpi · job 1234 (md-prod) · 2 nodes × 2 tasks × 2 cpus  ")
    assert title.endswith("  10.0 s"), "ranks and hosts are those that were asked for"
    assert "partition batch · account chem" in under
    text = " ".join(html_of(summarise(load(tmp_path))).split())
    assert "gmx_mpi <span>· job 1234 (md-prod) · 2 nodes × 2 tasks × 2 cpus · 10.0 s" in text
    assert "partition batch · account chem" in text


def test_tasks_that_are_no_ranks_are_not_told(tmp_path: Path) -> None:
    """mpirun starts its daemons as a step: one task a node."""
    title = first_lines(recorded(tmp_path, SLURM | {"SLURM_STEP_NUM_TASKS": "2"}))[0]
    assert title.startswith("gmx_mpi · job 1234 (md-prod) · 2 nodes  ")
    assert "4 ranks on 2 hosts" in title


def test_without_a_batch_system_the_headline_is_as_it_was(tmp_path: Path) -> None:
    title, under, *_ = first_lines(recorded(tmp_path, {}))
    assert title.startswith("gmx_mpi   ")
    assert title.endswith("4 ranks on 2 hosts · 10.0 s")
    assert "job" not in title + under


def test_a_record_of_before_still_tells_its_number(tmp_path: Path) -> None:
    ranks = two_hosts()
    ranks[0].fact("environment.SLURM_JOB_ID", "77")
    assert first_lines(recorded(tmp_path, {}, ranks))[0].startswith("gmx_mpi · job 77  ")


def test_the_jobs_name_is_escaped(tmp_path: Path) -> None:
    hostile = SLURM | {"SLURM_JOB_NAME": "\x1b[31m<script>x</script>", "SLURM_JOB_PARTITION": "<b>\x07"}
    recorded(tmp_path, hostile)
    assert not any("\x1b" in line or "\x07" in line for line in first_lines(tmp_path))
    text = html_of(summarise(load(tmp_path)))
    assert "<script>x" not in text
    assert "<b>" not in text


@pytest.mark.parametrize("said", ['{"batch": 7}', '{"batch": {"SLURM_JOB_ID": 7}}', '{"batch": ["x"]}'])
def test_a_journal_that_is_odd_is_no_job(said: str, tmp_path: Path) -> None:
    recorded(tmp_path, {})
    (tmp_path / "run.json").write_text(said)
    assert summarise(load(tmp_path)).job.batch is None


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ("run-%j", "run-1234"),
        ("%A_%3a/%N", "1230_007/n03"),
        ("%x.%J", "md-prod.1234.0"),
        ("100%% %q", "100% %q"),
        ("%6j-%n", "001234-0"),
    ],
)
def test_names_take_the_patterns_of_sbatch(given: str, filled: str) -> None:
    assert filled_in(given, SLURM | ARRAY) == filled
    assert filled_in(given, {}) == given, "outside of a job nothing is a pattern"


def test_names_have_the_numbers_of_grid_engine() -> None:
    job, task, elsewhere = of_grid_engine()
    assert [filled_in("run-%j", each) for each in (job, task, elsewhere)] == ["run-1", "run-2.3", "run-2.3"]
    assert [filled_in("%A-%a", each) for each in (job, task, elsewhere)] == ["1-0", "2-3", "2-3"]


def test_a_jobs_name_stays_within_its_folder() -> None:
    assert filled_in("/runs/%x", SLURM | {"SLURM_JOB_NAME": "../../etc"}) == "/runs/___.._etc"
    assert filled_in("/runs/%x", SLURM | {"SLURM_JOB_NAME": ".."}) == "/runs/__"


@pytest.mark.parametrize(("given", "first"), [("run-%j", "run-1234"), (None, "clearway-md-1234")])
def test_a_requeued_job_makes_two_runs(
    given: str | None, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    assert [claim_run_directory(given, "/opt/md").name for _ in range(2)] == [first, f"{first}-2"]
