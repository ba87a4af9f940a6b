"""Patches to the shapes of batch scripts that people publish: only the launch and one #SBATCH line are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.job.batch_script import read_script
from clearway.job.change import Change
from clearway.job.launcher_options import Grammar
from clearway.job.launchers.openmpi import OPEN_MPI_4
from clearway.job.launchers.slurm import SRUN
from clearway.job.script_launches import LAUNCHERS

SCRIPTS = Path(__file__).parents[1] / "slurm" / "scripts"
PATCHED = {
    "array-of-words.sh": "srun -n 2 --mpi=pmix OPTION ./engine in",
    "csh.csh": "  srun -n$n -k OPTION ./engine nam=PNS_141 mct='a b' >& out.csh",
    "ensemble.sh": "    srun --exact -n1 -N1 --mem=50M OPTION ./engine $i > out.$i 2>&1 &",
    "exec.sh": "exec srun OPTION ./engine mdrun $ARGS ${EXTRA:+-nsteps $EXTRA}",
    "fails.sh": "srun OPTION ./engine fails | tee said.txt",
    "function.sh": '    if ! srun --ntasks="$n" OPTION ./engine -in run.in "$@"; then',
    "gromacs.sh": "srun OPTION mdengine mdrun -deffnm nvt -dlb yes -maxh 71.99 \\",
    "heterogeneous.sh": "srun --het-group=0 OPTION ./engine a : --het-group=1 OPTION ./engine b",
    "launcher.sh": "srun -n $SLURM_NTASKS OPTION ./engine -nk 1 < si.scf.in > si.scf.out",
    "loop.sh": '  srun OPTION ./engine -npool 2 -in $calc.in > $calc.out || { echo "$calc failed"; exit 3; }',
    "multi-prog.sh": "srun --multi-prog OPTION conf",
    "options.sh": "srun --mpi=pmix --distribution=block:cyclic OPTION $APP -in 1",
    "signal.sh": "srun --kill-on-bad-exit=1 OPTION ./engine 30 &",
    "spoken-of.sh": "[[ -x ./engine ]] && srun OPTION ./engine 1 2>err.log",
    "stages.sh": "mpirun -np $SLURM_NTASKS OPTION $GMX mdrun -s md.tpr -deffnm md -maxh 71.5",
    "strict-array.sh": 'srun OPTION "$SLURM_SUBMIT_DIR/engine" "${args[@]}" -var seed $((SLURM_ARRAY_TASK_ID * 7 + 1)) '
    "| tee out.txt",
    "timed.sh": '{ time mpirun -np "${SLURM_NTASKS}" --bind-to core --mca btl ^openib OPTION ./engine '
    '-i "it\'s here" ; } 2>&1 | tee "log.$SLURM_JOB_ID"',
    "wrapped.sh": "srun OPTION ./wrapper.sh ./engine mdrun -s topol.tpr",
}
OPTIONS = {"srun": "--cpu-bind=cores", "mpirun": "--report-bindings"}


def asked(word: str, _environment: object) -> Grammar | None:
    return {"srun": SRUN, "mpirun": OPEN_MPI_4}.get(word)


@pytest.mark.parametrize("name", sorted(path.name for path in SCRIPTS.iterdir()))
def test_only_what_is_asked_for_is_another(name: str) -> None:
    text = (SCRIPTS / name).read_text()
    script = read_script(name, text, 9 if name == "stages.sh" else 0)
    launcher = script.words[0]
    assert launcher in LAUNCHERS
    option = OPTIONS[launcher]
    change = Change(launcher_options=tuple(option.split()), batch_options=("--exclusive",))
    lines = script.diff(script.with_change(change, {}, asked)).splitlines()
    added = [line[1:] for line in lines[2:] if line[0] == "+"]
    removed = [line[1:] for line in lines[2:] if line[0] == "-"]
    parts = 2 if name == "heterogeneous.sh" else 1
    assert added.count("#SBATCH --exclusive") == parts
    assert [line.replace(option, "OPTION") for line in added if line != "#SBATCH --exclusive"] == [PATCHED[name]]
    assert len(removed) == 1


def test_an_array_is_run_as_the_first_of_its_tasks() -> None:
    from clearway.experiment.script_options import environment_of_script

    ours = {"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_JOB_ID": "70", "SLURM_JOB_ID": "71", "HOME": "/h"}
    alone = read_script("job.sh", "#!/bin/sh\n#SBATCH -n2\nsrun ./a\n")
    assert environment_of_script(alone, ours) == {"SLURM_JOB_ID": "71", "HOME": "/h"}
    array = read_script("job.sh", "#!/bin/sh\n#SBATCH -a 3,5-9:2%4\nsrun ./a\n")
    told = environment_of_script(array, ours)
    assert {name.removeprefix("SLURM_ARRAY_"): value for name, value in told.items() if "ARRAY" in name} == {
        "TASK_ID": "3",
        "TASK_MIN": "3",
        "TASK_MAX": "9",
        "TASK_COUNT": "4",
        "JOB_ID": "70",
    }
