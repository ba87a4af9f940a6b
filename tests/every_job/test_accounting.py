"""With Slurm's accounting the verdict on a job is its AdminComment: a real slurmdbd on a real MariaDB."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from every_job.cluster import Cluster, wait_for
from every_job.test_preempted import PARTITIONS, page_of, preempted

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("slurmdbd") is None or shutil.which("mariadbd") is None,
        reason="slurmdbd or mariadb-server is not installed",
    ),
]
NOTHING = subprocess.DEVNULL


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Its socket."""
    folder = tmp_path_factory.mktemp("database")
    data, socket = folder / "data", folder / "socket"
    install = ["mariadb-install-db", "--user=root", f"--datadir={data}", "--auth-root-authentication-method=normal"]
    subprocess.run(install, stdout=NOTHING, stderr=NOTHING, check=True)
    words = ["mariadbd", "--no-defaults", "--user=root", f"--datadir={data}", "--skip-networking", f"--socket={socket}"]
    with subprocess.Popen(words, stdout=NOTHING, stderr=NOTHING) as server:
        try:
            wait_for(socket.exists, "database")
            yield socket
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def accounted(cluster: Cluster, database: Path) -> Iterator[Cluster]:
    folder = cluster.configuration.parent
    munge = folder / "munge" / "socket"
    settings = {
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={munge}",
        "DbdHost": "head",
        "SlurmUser": "root",
        "StorageType": "accounting_storage/mysql",
        "StorageHost": "localhost",
        "StorageUser": "root",
        "LogFile": folder / "database.log",
        "PidFile": folder / "database.pid",
    }
    configuration = folder / "slurmdbd.conf"
    configuration.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    configuration.chmod(0o600)
    line = cluster.testbed.on_host("head", ["env", f"MYSQL_UNIX_PORT={database}", "slurmdbd", "-D"])
    subprocess.run(["setsid", "--fork", *line], stdin=NOTHING, stdout=NOTHING, stderr=NOTHING, check=True)
    kept = "AccountingStorageType=accounting_storage/"
    wanted = f"{kept}slurmdbd\nAccountingStorageHost=head\nAccountingStoragePass={munge}"
    add = ["sacctmgr", "--immediate", "add", "cluster", "testbed"]
    with cluster.own_settings():
        cluster.configuration.write_text(cluster.configuration.read_text().replace(f"{kept}none", wanted))
        wait_for(lambda: cluster.run(*add, user=None).returncode == 0, "accounting")
        cluster.gives_verdicts()
        yield cluster
    os.kill(int((folder / "database.pid").read_text()), signal.SIGTERM)


def test_the_verdict_is_the_jobs_comment(accounted: Cluster, late: Path) -> None:
    job = accounted.script(f"srun -n2 {late} 100\n", "-n2")
    asked = ["sacct", "--noheader", "--allocations", f"--jobs={job}", "--format=admincomment%200"]

    def comment() -> str:
        return accounted.run(*asked, user=None).stdout.strip()

    wait_for(lambda: comment() != "", "comment")
    assert "core-seconds" in comment()
    assert comment().endswith(f"clearway report {job}")
    assert accounted.output(job) == "2 ranks\n", "nothing was said there"


@pytest.mark.timeout(200)
def test_of_each_start_of_a_job_slurm_says_how_it_ended(accounted: Cluster, late: Path) -> None:
    """The first gave way to another job, the second ended well."""
    accounted.restart_controller(PARTITIONS)
    first, second = preempted(accounted, late)
    assert second == f"{first}-2"
    assert "Slurm stopped it for a job of higher priority." in page_of(accounted, first, "--ask-slurm")
    assert "Slurm" not in page_of(accounted, second, "--ask-slurm").partition("Findings")[0]
