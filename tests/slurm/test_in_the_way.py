"""What a site lacks is said in one sentence, and the job runs."""

from __future__ import annotations

from pathlib import Path

from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person

NODES = ("--nodes=2", "--ntasks-per-node=1", "--time=5")


def script(folder: Path, *after: str) -> str:
    lines = [f"clearway run -q -o {folder} -- srun {{ring}} 3", *after]
    return "#!/bin/sh\n" + "\n".join(lines) + "\n"


def test_nodes_that_do_not_share_the_folder(person: Person, lazy: Path) -> None:
    """/dev/shm is each node's own."""
    folder = Path(f"/dev/shm/{person.home.name}-run")
    report = f"clearway report {folder} && ls {folder}"
    said = person.submit(script(folder, report).format(ring=lazy), *NODES, "--nodelist=node[1-2]")
    told = [line for line in said.splitlines() if line.startswith("clearway-record: ")]
    assert told == [
        f"clearway-record: node2 does not see the folder '{folder}' that `clearway run` made: its records stay on node2"
    ]
    page = " ".join(said.split())
    assert "1 of 2 ranks left no record (rank 1): their time is missing here. There are no records of node2:" in page
    assert "rank.node1." in said
    assert "rank.node2." not in said


def test_no_permission_to_write(person: Person, lazy: Path) -> None:
    """A job that was submitted runs for hours: it must not fail for want of a folder. What is typed says so at once."""
    if person.user is None:
        return  # root may write everywhere
    refused = person.do("clearway", "run", "-o", "/proc/run", "--", "srun", "-n1", lazy, "1")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "cannot make the Run directory '/proc/run'" in refused.stderr
    assert "hint: choose another directory: -o DIR" in refused.stderr

    asked = f"#!/bin/sh\nclearway run -o /proc/run -- srun {lazy} 1 && echo ran\n"
    said = person.submit(asked, "--nodes=1", "--ntasks=2").splitlines()
    assert said == [
        "clearway: 'srun' runs without Clearway: cannot make the Run directory '/proc/run': No such file or directory",
        "hint: choose another directory: -o DIR",
        "ran",
    ]


def test_a_program_that_only_the_working_directory_has(person: Person, lazy: Path) -> None:
    """srun looks there, too, after the PATH; also in that of --chdir."""
    lines = [
        f"cd {lazy.parent} && srun {lazy.name} 1 && clearway run -q -o $HOME/here -- srun {lazy.name} 1 && echo ran",
        f"cd / && clearway run -q -o $HOME/there -- srun -D {lazy.parent} {lazy.name} 1 && echo ran",
    ]
    assert person.submit("#!/bin/sh\n" + "\n".join(lines) + "\n", "--nodes=1", "--ntasks=2") == "ran\nran\n"
    assert all(len([*(person.home / run).glob("rank.*.cwr")]) == 2 for run in ("here", "there"))


def test_a_working_directory_that_is_gone(person: Person, lazy: Path) -> None:
    """Somebody tidied up while the job waited."""
    gone = 'here=$(mktemp -d) && cd "$here" && rmdir "$here"'
    asked = f"#!/bin/sh\n{gone}\nclearway run -- srun {lazy} 1 || true\n"
    told, hint, *rest = person.submit(asked, "--nodes=1", "--ntasks=2").splitlines()
    assert told.startswith("clearway: 'srun' runs without Clearway: cannot find the working directory: ")
    assert hint == "hint: cd into one that exists"
    assert rest == ["srun: error: getcwd failed: No such file or directory"]  # its own words
    typed = person.do("sh", "-c", f"{gone} && clearway run -- srun {lazy} 1")
    assert typed.returncode == 1
    assert typed.stderr.startswith("error: cannot find the working directory: "), typed.stderr


def test_all_nodes_share_it(person: Person, programs: ProgramBuilder, folder: Path) -> None:
    """MPICH by PMI-2, without a word."""
    ring = person.brings(programs.build(mpi("mpich-debian"), "lazy_ring-mpich", "lazy_ring.c"))
    said = person.submit(script(folder).replace("srun", "srun --mpi=pmi2").format(ring=ring), *NODES)
    assert said == ""
    assert len(list(folder.glob("rank.*.cwr"))) == 2
