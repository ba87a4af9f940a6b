"""What launchers are told, to the letter: golden/NAME.txt has files and command of each form."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from cluster.clusters import example

from clearway.base.errors import ClearwayError
from clearway.cluster.forms.command import as_placed, program_of, ranks_of
from clearway.cluster.forms.registry import FORMS, form_for
from clearway.cluster.placement import Placement, Request, place
from clearway.commands.place import FORM_NAMES
from clearway.job.launchers.openmpi import OPEN_MPI_4

GOLDEN = Path(__file__).parent / "golden"
PLACEMENTS = {
    "duke": (place(example("duke-2004"), Request(4)), "/work/exe/pmemd -O", tuple(FORMS)),
    "council": (place(example("hpc-advisory-council-2012"), Request(64)), "namd2 apoa1.namd", ("openmpi4", "platform")),
    "modern": (place(example("modern"), Request(6, threads=32, order="cyclic")), "gmx_mpi mdrun", tuple(FORMS)),
    "uneven": (place(example("beowulf-2000"), Request(5, order="cyclic", per_host=2)), "sander", tuple(FORMS)),
}


def told(placement: Placement, form: str, program: str) -> str:
    entry = FORMS[form]
    command = [entry.launcher, *(["-n", "2"] if entry.grammar else []), *program.split()]
    made = entry.make(placement, "DIR", program_of(entry, command, {}))
    files = "".join(f"--- {name}\n{text}" for name, text in made.files.items())
    notes = "".join(f"! {note}\n" for note in made.notes)
    return f"{files}$ {' '.join(as_placed(made, entry, command, {}))}\n{notes}"


@pytest.mark.parametrize("name", PLACEMENTS)
def test_golden(name: str) -> None:
    placement, program, forms = PLACEMENTS[name]
    written = []
    for form in forms:
        try:
            written.append(f"=== {form}\n{told(placement, form, program)}")
        except ClearwayError as error:
            written.append(f"=== {form}\nerror: {error.message}\n")
    assert "\n".join(written) == (GOLDEN / f"{name}.txt").read_text()


def test_the_process_group_file_of_the_amber_list() -> None:
    """As Robert Duke's mail has it, "insanely" with one process less on the first host."""
    placement = PLACEMENTS["duke"][0]
    made = FORMS["ch_p4"].make(placement, "DIR", ["/work/exe/pmemd"])
    assert made.files == {"pgfile": "tiger_hs 1 /work/exe/pmemd\nlion_hs 2 /work/exe/pmemd\n"}


def test_what_a_command_says_of_hosts_and_cores_is_replaced() -> None:
    placement = PLACEMENTS["duke"][0]
    entry = FORMS["openmpi4"]
    typed = shlex.split("mpirun -np 8 --map-by node --bind-to core --hostfile old -H a,b --mca pml ob1 pmemd -O")
    made = entry.make(placement, "DIR", program_of(entry, typed, {}))
    line = " ".join(as_placed(made, entry, typed, {}))
    assert line.startswith("mpirun -np 4 --mca pml ob1 ")
    assert line.endswith(" --hostfile DIR/hosts --rankfile DIR/ranks pmemd -O")
    assert "old" not in line
    assert "--bind-to" not in line
    assert ranks_of(entry, typed, {}) == 8
    assert "--bind-to core" in " ".join(as_placed(made, entry, typed, {}, binds=False))


def test_names_of_forms() -> None:
    assert set(FORM_NAMES) == set(FORMS)
    assert form_for(OPEN_MPI_4) == "openmpi4"


def test_several_programs_are_refused() -> None:
    with pytest.raises(ClearwayError, match="several programs"):
        program_of(FORMS["mpich"], shlex.split("mpiexec -n 1 a : -n 1 b"), {})
