"""A batch script: what of it is the job, and what a change leaves as it was."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearway.base.errors import ClearwayError
from clearway.job.batch_script import is_batch_script, read_script
from clearway.job.change import Change
from clearway.queue.slurm_time import minutes, times

SCRIPT = r"""#!/bin/bash -l
#SBATCH --nodes=4 --time=30   # minutes
#SBATCH -n 8

module load gromacs; cat <<EOF > notes
srun is not started here
EOF
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
LABEL="a;b" clearway run -o run-%j -- srun --mpi=pmix -n "$SLURM_NTASKS" \
    gmx_mpi mdrun -s "my file.tpr" \
    -ntomp $N >out.txt 2>&1 || echo "srun failed"
echo 'srun done' # srun
"""


def made(text: str, change: Change) -> str:
    return read_script("job.sh", text).with_change(change, {})


def test_what_is_the_job() -> None:
    script = read_script("job.sh", SCRIPT)
    assert script.words[:3] == ("srun", "--mpi=pmix", "-n")
    assert script.words[-2:] == ("-ntomp", "$N")
    assert script.options() == ["--nodes=4", "--time=30", "-n", "8"]
    assert script.interpreter == ["/bin/bash", "-l"]


@pytest.mark.parametrize(
    ("said", "asked", "now"),
    [
        ("--mem=1G --nodes=2", "--mem=2048M", "--mem=2048M --nodes=2"),
        ("--nodes 2 --mem 1G", "--mem=2048M", "--mem=2048M --nodes 2"),
        ("--exclude=n3 -N2", "--exclude=n4", "--exclude=n4,n3 -N2"),
        ("-x n3", "--exclude=n4", "--exclude=n4,n3"),
        ("-xn[1-2]", "--exclude=n4", "'--exclude=n4,n[1-2]'"),
        ("-C ib -N2", "--constraint=new", "'--constraint=new&ib' -N2"),
        ('--constraint="[a|b]"', "--constraint=new", "'--constraint=new&[a|b]'"),
        ("-N2", "--switches=1", "-N2\n#SBATCH --switches=1"),
    ],
)
def test_an_option_of_sbatch_in_the_place_of_the_same_one(said: str, asked: str, now: str) -> None:
    text = f"#!/bin/sh\n#SBATCH {said}\nsrun ./a.out\n"
    script = made(text, Change(batch_options=(asked,)))
    assert script == f"#!/bin/sh\n#SBATCH {now}\nsrun ./a.out\n"
    assert made(script, Change(batch_options=(asked,))).count("SBATCH") == script.count("SBATCH")


@pytest.mark.parametrize(
    ("before", "line", "words"),
    [
        ('O="--mpi=pmix -n $SLURM_NTASKS"', "srun $O ./a b", "srun --mpi=pmix -n $SLURM_NTASKS ./a b"),
        ("export O='-n 4'", "srun ${O} -c2 ./a", "srun -n 4 -c2 ./a"),
        ("A=./a", "srun $A $B", "srun $A $B"),
        ("N=4", "srun -n $N ./a", "srun -n $N ./a"),
        ("", "srun -n $N ./a", "srun -n $N ./a"),
        ('L="srun -n 4"\nM="$L --exact"', "$M ./a", "srun -n 4 --exact ./a"),
        ("L=mpirun", '"$L" -np 4 ./a', "mpirun -np 4 ./a"),
        ("L=(srun -n 4)", '"${L[@]}" ./a "b c"', 'srun -n 4 ./a "b c"'),
        ("# O=-n2\nO=-n1 # O=-n3", "srun $O ./a", "srun -n1 ./a"),
    ],
)
def test_variables_that_hold_the_launcher_or_its_options(before: str, line: str, words: str) -> None:
    script = read_script("job.sh", f"#!/bin/bash\n{before}\n{line}\n")
    assert " ".join(script.words) == words
    assert script.text[script.begin : script.end] == line


def test_in_a_c_shell() -> None:
    text = "#!/bin/csh -f\n#SBATCH -n2\nset o = '-n 2'\nif ($?X) srun $o ./a >& log\n"
    script = read_script("job.csh", text)
    assert script.words == ("srun", "-n", "2", "./a")
    assert script.to_run(Change(), {}, [])[:3] == ["/bin/csh", "-f", "-c"]
    assert "job.csh" not in script.to_run(Change(), {}, []), "csh would take it for an argument"
    assert "if ($?X) srun -n 2 --exact ./a >& log" in made(text, Change(launcher_options=("--exact",)))


def test_one_of_several_launches() -> None:
    text = "#!/bin/sh\nsrun ./a\n\nsrun ./b; srun ./c\nsrun ./d\n"
    with pytest.raises(ClearwayError, match="launches 4 jobs, on lines 2, 4, 4 and 5") as refused:
        read_script("job.sh", text)
    assert refused.value.hint == "say which: clearway fix --line 5 job.sh"
    assert read_script("job.sh", text, 2).words == ("srun", "./a")
    assert read_script("job.sh", text, 5).words == ("srun", "./d")
    with pytest.raises(ClearwayError, match=r"line 3 of 'job.sh' launches no job"):
        read_script("job.sh", text, 3)
    with pytest.raises(ClearwayError, match=r"line 4 of 'job.sh' launches several jobs"):
        read_script("job.sh", text, 4)


def test_each_component_of_a_heterogeneous_job_gets_it() -> None:
    text = "#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2 --mem=1G\nsrun ./a : ./b\n#SBATCH --late\n"
    changed = made(text, Change(batch_options=("--mem=2G",), launcher_options=("--exact",)))
    assert changed == (
        "#!/bin/sh\n#SBATCH -n1\n#SBATCH --mem=2G\n#SBATCH hetjob\n#SBATCH --mem=2G -n2\n"
        "srun --exact ./a : --exact ./b\n#SBATCH --late\n"
    )
    assert read_script("job.sh", text).has_components


def test_below_the_first_command_slurm_reads_no_options() -> None:
    text = "#!/bin/sh\ncat <<E > next.sh\n#SBATCH --mem=1G\nE\nsrun ./a\n"
    assert made(text, Change(batch_options=("--mem=2G",))) == text.replace("sh\n", "sh\n#SBATCH --mem=2G\n", 1)


def test_a_change_leaves_the_rest_as_it_was() -> None:
    change = Change(
        environment=(("X", "a b"),), launcher_options=("--cpu-bind=cores",), batch_options=("--time=60", "--exclusive")
    )
    diff = read_script("job.sh", SCRIPT).diff(made(SCRIPT, change))
    changed = [line for line in diff.splitlines()[2:] if line[0] in "+-"]
    assert changed == [
        "-#SBATCH --nodes=4 --time=30   # minutes",
        "+#SBATCH --time=60 --nodes=4",
        "+#SBATCH --exclusive",
        '-LABEL="a;b" clearway run -o run-%j -- srun --mpi=pmix -n "$SLURM_NTASKS" \\',
        '+LABEL="a;b" clearway run -o run-%j -- env \'X=a b\' srun --mpi=pmix -n "$SLURM_NTASKS" --cpu-bind=cores \\',
    ]
    assert made(SCRIPT, Change()) == SCRIPT


def test_what_runs_is_recorded_by_us_only() -> None:
    *shell, text, name = read_script("job.sh", SCRIPT).to_run(Change(), {}, ["RECORDER", "-o", "a dir"])
    assert (shell, name) == (["/bin/bash", "-l", "-c"], "job.sh")
    assert 'LABEL="a;b" srun --mpi=pmix -n "$SLURM_NTASKS" RECORDER -o \'a dir\' \\\n    gmx_mpi' in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("time srun -n4 ./a", ["srun", "-n4", "./a"]),
        ("if ! srun ./a; then exit 1; fi", ["srun", "./a"]),
        ("(cd x && exec srun ./a)", ["srun", "./a"]),
        ("srun ./a $(seq 1 3) ${b:-c d}", ["srun", "./a", "$(seq 1 3)", "${b:-c d}"]),
        ("timeout 60 /usr/bin/srun -N 2 './a b' | tee log", ["timeout", "60", "/usr/bin/srun", "-N", "2", "'./a b'"]),
        ("./prepare && srun ./a &", ["srun", "./a"]),
        ('srun "$PROGRAM" -x', ["srun", '"$PROGRAM"', "-x"]),
        ("srun ./a < in > out", ["srun", "./a"]),
    ],
)
def test_where_it_stands_in_a_line(line: str, words: list[str]) -> None:
    assert list(read_script("job.sh", f"#!/bin/sh\n{line}\n").words) == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#!/usr/bin/python3\nsrun ./a\n", "is not a shell script"),
        ("srun ./a\n", "is not a shell script"),
        ("#!/bin/sh\necho srun ./a\n", "launches no job"),
        ("#!/bin/sh\nsrun ./a\nsrun ./b\n", "launches 2 jobs"),
        ("#!/bin/sh\nsrun $OPTIONS ./a\n", r"whether \$OPTIONS is the program"),
        ("", "is not a shell script"),
        ("#!/bin/sh\r\nsrun ./a\r\n", "line ends of Windows"),
        ("#!/usr/bin/env python3\nsrun ./a\n", "is not a shell script"),
        ("#!/bin/sh\nfor O in -n1 -n2; do srun $O ./a; done\n", r"whether \$O is the program"),
        ('#!/bin/sh\nO=-n1\n[ "$1" ] && O=-n2\nsrun $O ./a\n', r"whether \$O is the program"),
        ('#!/bin/sh\nO="$(./options)"\nsrun $O ./a\n', r"whether \$O is the program"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ClearwayError, match=message):
        read_script("job.sh", text)


@given(st.text(alphabet="ab '\"\\$(){}`|&;<>\n#=-", max_size=60))
def test_any_text_is_left_as_it_is(rest: str) -> None:
    """Whatever stands around the job."""
    text = f"#!/bin/sh\n{rest}\nsrun ./a\n"
    try:
        script = read_script("job.sh", text)
    except ClearwayError:
        return
    assert script.text[script.begin : script.end].split()[0] == "srun"
    assert script.with_change(Change(), {}) == text


@given(st.lists(st.sampled_from(["'a b'", '"$X"', "$Y", "\\ c", "-q", "$(echo d  e)", "x\\\n   y"]), max_size=6))
def test_the_shell_reads_the_same_words(arguments: list[str]) -> None:
    """A shell tells: with a change in it, the program's own words are what they were."""
    line = " \\\n  ".join(["srun", "-N2", "printf", "'[%s]'", *arguments])
    text = f'#!/bin/sh\nsrun() {{ while [ "${{1#-}}" != "$1" ]; do shift; done; "$@"; }}\nX="1 2" Y=3\n{line}\n'
    changed = made(text, Change(launcher_options=("--cpu-bind=cores",)))
    assert "--cpu-bind=cores" in changed
    said = [subprocess.run(["sh", "-c", each], capture_output=True, timeout=30).stdout for each in (text, changed)]
    assert said[0] == said[1]


def test_times() -> None:
    told = {"30": 30, "30:01": 31, "4:00:00": 240, "2-12": 3600, "2-12:30": 3630, "0": 0, "INFINITE": None}
    assert {text: minutes(text) for text in told} == told
    assert times(["-t", "10", "--nodes=2", "--time=1:00:00", "-t5"], 3) == [
        "-t",
        "30",
        "--nodes=2",
        "--time=180",
        "-t15",
    ]


def test_what_is_a_batch_script() -> None:
    assert is_batch_script(SCRIPT)
    assert not is_batch_script("#!/bin/sh\n./a\n")
