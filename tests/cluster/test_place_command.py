"""`clearway place`, as a person types it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cluster.clusters import EXAMPLES

from clearway.cluster.files.read import parse_cluster
from clearway.commands import main

BATCH = ("SLURM_JOB_NODELIST", "SLURM_NODELIST", "PBS_NODEFILE", "PE_HOSTFILE", "LSB_MCPU_HOSTS", "LSB_HOSTS")


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in BATCH:
        monkeypatch.delenv(name, raising=False)


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["place", *words]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["place", *words]) != 0
    captured = capsys.readouterr()
    assert not captured.out
    assert "hint: " in captured.err
    return captured.err


def test_it_says_what_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "--cluster", str(EXAMPLES / "kutzner-2007.toml"), "--ranks", "64")
    for part in ("64 ranks on 32 of 32 hosts", "12 of 12, 12 of 12, 8 of 12", "12 Gbit/s", "1-8,13-20,25-32,37-44"):
        assert part in said
    assert not Path("clearway-place").exists()


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Debian's Open MPI is not installed")
def test_the_command_is_all_that_quiet_prints(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = str(EXAMPLES / "duke-2004.toml")
    said = typed(
        capsys, "-q", "--cluster", cluster, "-o", "D", "--", "mpirun.openmpi", "-np", "4", "pmemd", "-O", "-i", "a b"
    )
    assert said == (
        "mpirun.openmpi -np 4 --mca btl_tcp_if_include eth1 --hostfile D/hosts --rankfile D/ranks pmemd -O -i 'a b'\n"
    )
    assert Path("D/hosts").read_text() == "tiger_hs slots=2\nlion_hs slots=2\n"


def test_for_a_launcher_that_is_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(
        capsys, "--cluster", str(EXAMPLES / "duke-2004.toml"), "--for", "ch_p4", "--", "mpirun", "/work/exe/pmemd"
    )
    assert said.endswith("mpirun -p4pg clearway-place/pgfile /work/exe/pmemd\n")
    assert Path("clearway-place/pgfile").read_text() == "tiger_hs 1 /work/exe/pmemd\nlion_hs 2 /work/exe/pmemd\n"


def test_the_batch_systems_hosts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("nodes").write_text("n7\nn7\nn9\n")
    monkeypatch.setenv("PBS_NODEFILE", "nodes")
    said = typed(capsys, "--for", "mpich")
    assert Path("clearway-place/hosts").read_text() == "n7:2\nn9:1\n"
    assert said.count("not bound") == 1
    assert said.endswith("mpiexec -n 3 -f clearway-place/hosts PROGRAM\n")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    placement = json.loads(typed(capsys, "--cluster", str(EXAMPLES / "duke-2004.toml"), "--ranks", "3", "--json", "-"))
    assert placement["network"] == "hs"
    assert placement["seats"][2] == {"rank": 2, "host": "lion", "name": "lion_hs", "cpus": [0]}


def test_discovery_prints_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    found = parse_cluster(typed(capsys, "--discover"), "stdout")
    assert len(found.hosts) == 1
    assert found.hosts[0].cores


def test_what_cannot_be_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    duke = ("--cluster", str(EXAMPLES / "duke-2004.toml"))
    assert "5 ranks do not fit: 2 hosts have room for 4" in refused(capsys, *duke, "--ranks", "5")
    assert "no host has room for 3 ranks: the largest has room for 2" in refused(
        capsys, *duke, "--ranks", "3", "--per-host", "3"
    )
    assert "no network 'ib0'" in refused(capsys, *duke, "--network", "ib0")
    assert "--ranks must be at least 1, not 0" in refused(capsys, *duke, "--ranks", "0")
    assert "cannot read the cluster in 'absent.toml'" in refused(capsys, "--cluster", "absent.toml")
    assert "'./pmemd' is not a launcher" in refused(capsys, *duke, "--", "./pmemd")
    assert "exclude each other" in refused(capsys, *duke, "--discover")
    Path("hosts").write_text("tiger\nbear\n")
    assert "hosts gives host 'bear'" in refused(capsys, *duke, "--hostfile", "hosts")
    Path("file").write_text("")
    assert "cannot write file/D" in refused(capsys, *duke, "--for", "mpich", "-q", "-o", "file/D")
