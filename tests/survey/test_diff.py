"""`clearway diff`: what sets Runs apart, and no more than the Runs allow to say."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY
from harness.seeds import seeds, trying
from python.made_runs import Machine, Rank, SegmentKind, State, world, write_all
from survey.made import made_run

from clearway.base.schema import schema_of
from clearway.base.sheet import Sheet
from clearway.engines.saved import write_kept
from clearway.engines.speed import Engine
from clearway.experiment.comparison import Verdict
from clearway.experiment.interval import difference_of
from clearway.run.directory import find_records
from clearway.run.layout import FILE_READ
from clearway.survey.differ import differ
from clearway.survey.difference import SCHEMA, Difference
from clearway.survey.difference_html import html_of
from clearway.survey.difference_terminal import lines_of
from clearway.survey.member import read_member

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-diff-1.json"
NO_CORE = {"node2": 4.0}
CLOSE = {"environment.OMP_PROC_BIND": "close"}


def held(a: Path | list[Path], b: Path | list[Path], same_work: bool = False) -> Difference:
    sides = ([side] if isinstance(side, Path) else side for side in (a, b))
    first, second = ([read_member(one) for one in side] for side in sides)
    return differ(first, second, same_work)


def group(folder: Path, name: str, *steps_s: float, **more: object) -> list[Path]:
    return [made_run(folder / f"{name}{n}", step_s=step_s, **more) for n, step_s in enumerate(steps_s)]  # type: ignore[arg-type]


def engine_said(
    run: Path, ns_per_day: float | None, s_per_step: float | None, steps: int, version: str = "1", name: str = "LAMMPS"
) -> Path:
    write_kept(run, find_records(run).job, Engine(name, "log", ns_per_day, s_per_step, steps, version))
    return run


def test_two_runs_are_told_apart_in_a_sentence(tmp_path: Path) -> None:
    a = made_run(tmp_path / "a")
    b = made_run(tmp_path / "b", no_core_s=NO_CORE, facts=CLOSE)
    made = held(a, b)
    # 11 s and 15 s. Ranks 2 and 3 had no core for 4 s, and the others waited for them.
    assert made.sentence == (
        "B was 1.36 times as slow as A; 93 % of it was waiting for a core on node2; only OMP_PROC_BIND differs "
        "(true in A, close in B). One Run of each does not show how much of this is chance: record 3 of each."
    )
    assert (made.ratio, made.ratio_low) == (pytest.approx(15 / 11), None)
    parts = {part.key: part for part in made.causes}
    assert sum(part.a_s for part in made.causes) == pytest.approx(made.a.ledger.wall_s) == pytest.approx(11.0)
    assert sum(part.more_s for part in made.causes) == pytest.approx(4.0)
    assert parts["core_wait_s"].a_s == 0.0
    assert parts["core_wait_s"].more_s == pytest.approx(3.73, abs=0.01)
    assert {part.key: round(part.more_s, 1) for part in made.hosts} == {"node1": 0.0, "node2": 1.9}


def test_the_function_that_takes_longer_is_named(tmp_path: Path) -> None:
    before = made_run(tmp_path / "a", samples={"/opt/bin/md": 800, "/lib/libexp.so": 100})
    after = made_run(tmp_path / "b", step_s=0.5, samples={"/opt/bin/md": 800, "/lib/libexp.so": 1000})
    made = held(before, after)
    assert "computing in functions of libexp.so without a name" in made.sentence
    parts = {part.key: part.more_s for part in made.functions}
    assert parts["functions of libexp.so without a name"] == pytest.approx(10.0, abs=1.0)
    assert parts["functions of md without a name"] == pytest.approx(0.0, abs=1.0)


def test_functions_are_not_compared_where_one_run_was_not_sampled(tmp_path: Path) -> None:
    made = held(made_run(tmp_path / "a"), made_run(tmp_path / "b", step_s=0.5, samples={"/opt/bin/md": 800}))
    assert made.functions == ()
    assert "functions of" not in made.sentence


def test_the_other_way_round_it_is_a_gain(tmp_path: Path) -> None:
    made = held(made_run(tmp_path / "a", no_core_s=NO_CORE), made_run(tmp_path / "b"))
    assert made.sentence.startswith(
        "B was 1.36 times as fast as A; 93 % of the gain was less waiting for a core on node2; "
    )


def test_groups_are_told_apart_with_their_spread(tmp_path: Path) -> None:
    a = group(tmp_path, "a", 0.250, 0.251, 0.252)
    b = group(tmp_path, "b", 0.250, 0.252, 0.251, no_core_s=NO_CORE, facts=CLOSE)
    made = held(a, b)
    assert made.verdict is Verdict.SLOWER
    assert made.ratio_low is not None
    assert made.ratio_high is not None
    assert 1.3 < made.ratio_low < 15 / 11 < made.ratio_high < 1.45
    assert made.sentence.startswith(
        f"B is 1.36 times as slow as A ({made.ratio_low:.2f} to {made.ratio_high:.2f}); 93 % ("
    )
    assert " of it is waiting for a core on node2; only OMP_PROC_BIND differs" in made.sentence
    assert "chance" not in made.sentence
    computing = made.causes[0]
    assert computing.low_s is not None
    assert computing.low_s < 0 < computing.more_s
    assert computing.share is None, "it may be less on the other side"


def test_what_the_spread_does_not_allow_is_not_claimed(tmp_path: Path) -> None:
    """The means are a tenth apart, and so are the Runs of each group."""
    a = group(tmp_path, "a", 0.24, 0.27, 0.30)
    b = group(tmp_path, "b", 0.265, 0.295, 0.325, late_s=0.005, facts=CLOSE)
    made = held(a, b)
    assert made.verdict is Verdict.UNCLEAR
    assert made.sentence.startswith("It is not clear that B is slower than A: it takes 1.10 times as long (")
    assert "of it" not in made.sentence
    imbalance = next(part for part in made.causes if part.key == "imbalance_s")
    assert imbalance.low_s is not None
    assert imbalance.low_s > 0, "it is more beyond doubt, but of what?"
    assert all(part.share is None for part in made.causes)
    assert made.sentence.endswith("only OMP_PROC_BIND differs (true in A, close in B).")


def test_a_cause_that_is_not_the_same_in_all_runs_is_not_named(tmp_path: Path) -> None:
    """B is slower beyond doubt, and its Runs waited for a core on one host or on the other, or on none."""
    a = group(tmp_path, "a", 0.25, 0.25, 0.251)
    lost_s = [{"node1": 4.0}, {"node2": 4.0}, {"node2": 4.1}]
    b = [made_run(tmp_path / f"b{n}", no_core_s=one) for n, one in enumerate(lost_s)]
    made = held(a, b)
    assert "waiting for a core;" in made.sentence
    assert "node" not in made.sentence


def test_two_of_each_tell_nothing_of_chance(tmp_path: Path) -> None:
    made = held(group(tmp_path, "a", 0.25, 0.25), group(tmp_path, "b", 0.5, 0.5))
    assert made.verdict is Verdict.UNCLEAR
    assert made.sentence.startswith("B was 1.91 times as slow as A on average; ")
    assert made.sentence.endswith("Fewer than 3 Runs of each do not show how much of this is chance.")


def test_the_same_job_twice(tmp_path: Path) -> None:
    made = held(made_run(tmp_path / "a"), made_run(tmp_path / "b"))
    assert made.sentence.startswith("B took as long as A, within 2 %; no recorded setting differs.")
    assert made.changes == ()


def test_bounds_hold_as_often_as_they_say() -> None:
    """Of groups without any difference, few, unequal in number and in spread: at most one in twenty is called apart."""
    for seed in seeds("difference", 1):
        with trying("difference", seed):
            noise = random.Random(seed)
            wrong = 0
            for _ in range(1000):
                a = [noise.gauss(10, 1) for _ in range(noise.randint(3, 6))]
                b = [noise.gauss(10, 3) for _ in range(noise.randint(3, 6))]
                around = difference_of(a, b)
                assert around is not None
                assert around.low <= statistics.mean(b) - statistics.mean(a) <= around.high
                wrong += not around.low <= 0 <= around.high
            assert wrong <= 50
    assert difference_of([1.0, 2.0], [1.0, 2.0, 3.0]) is None


def test_a_small_part_is_named_with_its_place(tmp_path: Path) -> None:
    made = held(made_run(tmp_path / "a"), made_run(tmp_path / "b", step_s=0.5))
    assert made.sentence.startswith("B was 1.91 times as slow as A; 90 % of it was computing; ")
    late = held(made_run(tmp_path / "c"), made_run(tmp_path / "d", late_s=0.1))
    assert "waiting for ranks that compute longer" in late.sentence


def launched(run: Path, *command: str) -> Path:
    (run / "run.json").write_text(json.dumps({"command": ["srun", *command, "/opt/bin/md"]}))
    return run


def test_settings_have_one_name_wherever_they_were_set(tmp_path: Path) -> None:
    """The same parameter by the launcher and by the environment; nothing of it where it says the same."""
    known = {"environment.OMPI_MCA_btl_tcp_sndbuf": "64k", "environment.OMP_SCHEDULE": "static"}
    a = launched(made_run(tmp_path / "a", facts=known), "-n", "4", "-c", "4", "--cpu-bind=cores")
    exports = "--export=ALL,OMPI_MCA_btl_tcp_sndbuf=64k,OMP_SCHEDULE=static"
    b = launched(made_run(tmp_path / "b"), exports, "--cpu-bind=none", "--ntasks=4")
    assert [(change.kind, change.name, change.a, change.b) for change in held(a, b).changes] == [
        ("launcher", "--cpu-bind", ("cores",), ("none",)),
        ("launcher", "-c", ("4",), ("not set",)),
    ]


def test_a_launcher_that_is_not_on_record_is_no_other_launcher(tmp_path: Path) -> None:
    a = launched(made_run(tmp_path / "a"), "-n", "4", "--cpu-bind=cores")
    made = held(a, made_run(tmp_path / "b"))
    assert made.changes == ()
    assert made.notes == (
        "Only some of the Runs have a record of the launcher's command line, so it was not compared.",
    )


def test_job_ids_and_our_own_variables_are_no_settings(tmp_path: Path) -> None:
    names = ("SLURM_JOB_ID", "PBS_JOBID", "CLEARWAY_DIR", "CLEARWAY_JOB", "LD_PRELOAD")
    runs = [
        made_run(tmp_path / side, facts={f"environment.{name}": f"/x/libclearway.so{side}" for name in names})
        for side in "ab"
    ]
    assert held(*runs).changes == ()


def test_what_only_some_ranks_or_hosts_have(tmp_path: Path) -> None:
    a = made_run(tmp_path / "a")
    ranks = world(4)
    for rank in ranks:
        rank.fact("process.program", "/opt/bin/md").fact("process.command_line", "md -s run.tpr")
        rank.fact("environment.OMP_PROC_BIND", "false" if rank.rank == 3 else "true")
    changes = {change.name: change.b for change in held(a, write_all(ranks, tmp_path / "b")).changes}
    assert changes["OMP_PROC_BIND"] == ("true on ranks 0-2, false on rank 3",)


def test_input_options_binding_hosts_and_versions_are_found(tmp_path: Path) -> None:
    old = {"mpi.library": "Open MPI v4.1.4, package: Debian", "mpi.device": "of one side only"}
    a = engine_said(made_run(tmp_path / "a", facts=old), 10.0, 0.01, 100, "2021")
    told = {
        "process.command_line": "md -s run.tpr -nb cpu",
        "mpi.library": "Open MPI v5.0.1",
        "process.cpus_allowed": "0-3",
    }
    b = engine_said(made_run(tmp_path / "b", facts=told, hosts=("node7", "node8")), 10.0, 0.01, 100, "2022.5")
    found = {(change.kind, change.name): (change.a, change.b) for change in held(a, b).changes}
    assert found == {
        ("engine", "engine"): (("LAMMPS 2021",), ("LAMMPS 2022.5",)),
        ("program's option", "-nb"): (("not set",), ("cpu",)),
        ("MPI", "MPI"): (("Open MPI v4.1.4",), ("Open MPI v5.0.1",)),
        ("hosts", "hosts"): (("node[1-2]",), ("node[7-8]",)),
        ("binding", "processors of a host's ranks"): (("0 | 1; 2 | 3",), ("0-3 for each",)),
    }


def test_an_option_is_said_to_be_one(tmp_path: Path) -> None:
    plain = made_run(tmp_path / "a", facts={"process.command_line": "md -s run.tpr"})
    other = made_run(tmp_path / "b", facts={"process.command_line": "md -s run.tpr -nb cpu"})
    assert "only the option -nb differs (not set in A, cpu in B)" in held(plain, other).sentence


def test_another_input_file_is_found(tmp_path: Path) -> None:
    runs = []
    for side, extent_bytes in (("a", 1000), ("b", 2000)):
        ranks = world(2)
        for rank in ranks:
            rank.fact("process.program", "/opt/bin/md").fact("process.command_line", "md -s /data/run.tpr")
            rank.fact("process.cwd", f"/scratch/{side}")
            for path, size in (
                ("/data/run.tpr", extent_bytes),
                (f"/scratch/{side}/table", 10),
                ("/usr/lib/x", extent_bytes),
            ):
                rank.add(SegmentKind.FILES, path=path.encode(), reads=1, flags=FILE_READ, extent_bytes=size)
        runs.append(write_all(ranks, tmp_path / side))
    (change,) = held(*runs).changes
    assert (change.kind, change.name) == ("input", "/data/run.tpr")
    assert (change.a, change.b) == (("1,000 bytes read",), ("2,000 bytes read",))


def host_says(run: Path, name: str, **facts: str) -> Path:
    rank = Rank(-1, 0, machine=Machine(name, f"boot-{name}"))
    told = {"tcp.sack": "1", "host.cores": "64", "shm.free_bytes": str(id(facts)), "net.eth0.addresses": name} | facts
    (run / f"host.{name}.cwr").write_bytes(rank.host_record(told, {}))
    return run


def test_what_slurm_was_asked_for(tmp_path: Path) -> None:
    """And nothing that only follows from it, or that it tells each task."""
    asked = {"a": {"SLURM_JOB_PARTITION": "short"}, "b": {"SLURM_JOB_PARTITION": "long", "SLURM_CPUS_PER_TASK": "2"}}
    runs = []
    for side, told in asked.items():
        follows = {"SLURM_CPU_BIND": f"mask_cpu:0x{side}", "SLURM_JOB_CPUS_PER_NODE": f"{len(told)}(x2)"}
        run = made_run(tmp_path / side, facts={f"environment.{name}": value for name, value in follows.items()})
        known = {"SLURM_JOB_ID": side, **told}
        runs.append(host_says(run, "node1", **{f"batch.{name}": value for name, value in known.items()}))
    made = held(*runs)
    assert [(change.kind, change.name, change.a, change.b) for change in made.changes] == [
        ("batch job", "grant of processors", ("1(x2)",), ("2(x2)",)),
        ("batch job", "number of cpus per task", ("not asked for",), ("2",)),
        ("batch job", "partition", ("short",), ("long",)),
    ]
    assert "the number of cpus per task and the partition differ" in made.sentence
    made = held(runs[0], made_run(tmp_path / "by hand"))
    assert not [change for change in made.changes if change.kind == "batch job"], "of the other nothing is known"


def test_a_setting_of_one_host_is_found_and_what_changes_by_itself_is_not(tmp_path: Path) -> None:
    a, b, silent = (made_run(tmp_path / name) for name in "abc")
    for run, shaped in ((a, {}), (b, {"tcp.sack": "0", "net.eth0.shaped_bytes_per_s": "1000"})):
        host_says(run, "node1")
        host_says(run, "node2", **shaped)
    assert {(change.kind, change.name): (change.a, change.b) for change in held(a, b).changes} == {
        ("host", "tcp.sack"): (("1",), ("1 on node1, 0 on node2",)),
        ("host", "net.eth0.shaped_bytes_per_s"): (("not there",), ("not there on node1, 1000 on node2",)),
    }
    assert held(a, silent).changes == (), "a host without a record is none with other settings"


def test_binding_that_follows_from_a_setting_does_not_count_beside_it(tmp_path: Path) -> None:
    a = made_run(tmp_path / "a")
    free = {"process.cpus_allowed": "0-3"}
    assert (
        "only the binding differs (0 | 1; 2 | 3 in A, 0-3 for each in B)"
        in held(a, made_run(tmp_path / "b", facts=free)).sentence
    )
    assert "only OMP_PROC_BIND differs" in held(a, made_run(tmp_path / "c", facts=free | CLOSE)).sentence


def test_what_varies_within_a_group_is_not_what_sets_them_apart(tmp_path: Path) -> None:
    a = group(tmp_path, "a", 0.25) + group(tmp_path, "x", 0.25, facts=CLOSE)
    made = held(a, group(tmp_path, "b", 0.3, 0.3, facts={"environment.OMP_SCHEDULE": "static"}))
    assert [(change.name, change.between) for change in made.changes] == [
        ("OMP_SCHEDULE", True),
        ("OMP_PROC_BIND", False),
    ]
    assert "; OMP_SCHEDULE differs (not set in A, static in B); OMP_PROC_BIND varies within a group." in made.sentence


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"process.command_line": "md -s other.tpr"}, "the work may have changed with the program's options"),
        ({"process.program": "/opt/bin/other"}, "they are different programs"),
    ],
)
def test_other_work_is_not_compared_by_time(tmp_path: Path, facts: dict[str, str], why: str) -> None:
    a, b = made_run(tmp_path / "a"), made_run(tmp_path / "b", step_s=0.5, facts=facts)
    made = held(a, b)
    assert made.verdict is Verdict.NOT_COMPARED
    assert made.sentence.startswith(f"B cannot be compared with A: {why}; ")
    assert all(part.share is None for part in made.causes)
    assert held(a, b, same_work=True).sentence.startswith("B was 1.91 times as slow as A; ")


def test_a_job_that_was_killed_is_not_compared_by_time(tmp_path: Path) -> None:
    made = held(made_run(tmp_path / "a"), made_run(tmp_path / "b", state=State.RUNNING))
    assert made.not_compared == f"{tmp_path}/b did not end normally (no end)"


def test_seconds_are_those_of_the_same_work(tmp_path: Path) -> None:
    """Twice the steps in twice the time is neither faster nor slower."""
    a = engine_said(made_run(tmp_path / "a", step_s=0.25), 8.0, 0.1, 100)
    b = engine_said(made_run(tmp_path / "b", step_s=0.5), 8.0, 0.1, 200)
    made = held(a, b)
    assert made.ratio == 1.0
    assert made.b.work == 2.0
    assert made.b.ledger.wall_s == pytest.approx(21 / 2)
    assert made.sentence.startswith("B took as long as A, within 2 %;")


def test_a_longer_job_that_did_more_is_said_to_be_so_for_the_same_work(tmp_path: Path) -> None:
    """B is faster by a fifth, and takes less time; for as many steps as A did it would have taken more."""
    a = engine_said(made_run(tmp_path / "a", step_s=0.25), None, 0.1, 100)
    b = engine_said(made_run(tmp_path / "b", step_s=0.2), None, 0.08, 50)
    assert "yet the whole job took more time for the same work" in held(a, b).sentence
    in_ns = engine_said(made_run(tmp_path / "c", step_s=0.2), 8.0, 0.08, 50)
    assert held(a, in_ns).b.work == 0.5, "steps beside ns: both have steps"


def test_seconds_of_different_engines_are_what_each_took(tmp_path: Path) -> None:
    """An iteration of pw.x is no time step of LAMMPS: that there were fewer says nothing of the work."""
    a = engine_said(made_run(tmp_path / "a", step_s=0.25), None, 0.01, 600)
    b = engine_said(made_run(tmp_path / "b", step_s=0.25), None, 0.2, 13, name="Quantum ESPRESSO")
    made = held(a, b)
    assert made.not_compared == "a step of LAMMPS is not one of Quantum ESPRESSO"
    assert made.a.ledger.wall_s == made.b.ledger.wall_s == pytest.approx(11.0)
    assert not [note for note in made.notes if "scaled" in note]


def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path) -> None:
    bad = "\x1b]0;title\x07<script>alert(1)</script>\u202e"
    facts = {"process.program": f"/bin/{bad}", "environment.OMP_PLACES": bad, f"environment.OMP_{bad[:12]}": "1"}
    a = made_run(tmp_path / "a")
    made = held(
        a,
        made_run(tmp_path / bad.replace("/", "|"), facts=facts, hosts=(f"n{bad[:20]}", "n2"), no_core_s=NO_CORE),
        True,
    )
    shown = "\n".join(line.plain for line in lines_of(made, Sheet(100, True, False)))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    text = html_of(made)
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "default-src 'none'" in text


def test_the_command(tmp_path: Path) -> None:
    a, b = group(tmp_path / "before", "a", 0.25, 0.251, 0.252), group(tmp_path / "after", "b", 0.5, 0.501, 0.502)
    one = run_clearway("diff", a[0], b[0])
    assert (one.exit_code, one.stderr) == (0, "")
    assert one.stdout.splitlines()[2].startswith("B was 1.91 times as slow as A; ")
    groups = run_clearway("diff", *a, "--", *b)
    assert groups.stdout.splitlines()[2].startswith("B is 1.91 times as slow as A (")
    assert run_clearway("diff", tmp_path / "before", tmp_path / "after").stdout == groups.stdout
    files = run_clearway("diff", a[0], "--", b[0], "--html", tmp_path / "d.html", "--json", tmp_path / "d.json")
    assert (files.exit_code, files.stdout) == (0, "")
    tree = json.loads((tmp_path / "d.json").read_text())
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(tree, schema_of(Difference, SCHEMA))
    assert tree["sentence"] in (tmp_path / "d.html").read_text().replace("&#39;", "'")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: no Runs to compare"),
        (["a"], "error: one Run has nothing to compare with"),
        (["a", "b", "c"], "error: cannot tell the two groups apart in 3 Runs"),
        (["a", "--"], "error: one of the groups of Runs is empty"),
        (["a", "--", "b", "--", "c"], "error: more than two groups of Runs"),
        (["a", "a"], "is in both groups"),
        (["a", "/nowhere"], "error: cannot read a Run from /nowhere"),
    ],
)
def test_mistakes_are_told_in_one_line_and_a_hint(words: list[str], message: str, tmp_path: Path) -> None:
    for name in "abc":
        made_run(tmp_path / name)
    outcome = run_clearway("diff", *words, directory=tmp_path)
    assert outcome.exit_code == 1
    assert message in outcome.stderr.splitlines()[0]
    assert "hint: " in outcome.stderr


def test_the_schema_in_the_documentation_is_that_of_the_difference() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Difference, SCHEMA)
