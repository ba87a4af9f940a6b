"""With Slurm's plugin MPI programs of every job leave a Run each, with nobody doing anything; others leave nothing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from every_job.cluster import USER, Cluster, wait_for
from harness.mpis import mpi

from clearway.run import load
from clearway.site.plugin import build_plugin, version_of_plugin
from clearway.testbed.kernel import processes_in

MOST_OF_A_RANK_BYTES = 20_000


def test_a_batch_job_of_an_ordinary_user(cluster: Cluster, late: Path) -> None:
    job = cluster.script(f"srun -N2 -n4 {late}\nsrun -n1 -N1 {late}\nsrun -n2 hostname\n", "-N2", "-n4")
    assert cluster.output(job).count("ranks") == 2
    assert [name for name in cluster.runs() if name.startswith(f"{job}.")] == [f"{job}.0", f"{job}.1"]
    run = load(cluster.folder / f"{job}.0")
    assert (run.processes["rank"].tolist(), run.job, run.notes) == ([0, 1, 2, 3], f"slurm-{job}.0", ())
    for record in (cluster.folder / f"{job}.0").iterdir():
        assert record.stat().st_uid == 58_001
        assert record.stat().st_size <= MOST_OF_A_RANK_BYTES, record
    assert [cluster.spool(host) for host in ("node1", "node2")] == [[], []]
    page = cluster.clearway("report", str(job))
    assert page.returncode == 0, page
    assert f"job {job} (job.sh) · 2 nodes × 2 tasks" in page.stdout
    assert f"{job}.1" in page.stderr, "the other step is named"
    step = cluster.clearway("report", f"{job}.1")
    assert (step.returncode, step.stderr) == (0, ""), step


def test_an_array_and_a_program_that_only_prints_its_help(cluster: Cluster, late: Path) -> None:
    before = set(cluster.runs())
    told = cluster.run("sbatch", "--parsable", "--wait", "-n2", "--array=3,5", "--wrap", f"srun -n2 {late}")
    array = told.stdout.strip()
    made = set(cluster.runs()) - before
    assert sorted(name.rsplit(".", 1)[1] for name in made) == [f"{array}_3", f"{array}_5"]
    assert cluster.clearway("report", f"{array}_5").returncode == 0
    assert cluster.clearway("report", f"{array}_4").returncode == 1


def test_who_does_not_want_it(cluster: Cluster, late: Path) -> None:
    before = cluster.runs()
    assert cluster.srun("--clearway=off", "-n2", late).stdout == "2 ranks\n"
    job = cluster.script(f"srun -n2 {late}\n", "-n2", "--clearway=off")
    assert cluster.output(job) == "2 ranks\n"
    by_hand = cluster.clearway(
        "run", "-q", "-o", f"{cluster.home}/mine", "--", "srun", "--clearway=off", "-n2", str(late)
    )
    assert (by_hand.returncode, by_hand.stdout) == (0, "2 ranks\n"), by_hand
    refused = cluster.srun("--clearway=of", "-n1", "true")
    assert refused.returncode != 0
    assert "--clearway=of is not valid: on or off" in refused.stderr
    try:
        cluster.install("partitions=gpu,long")
        assert cluster.srun("-n2", late).stdout == "2 ranks\n"
        assert cluster.runs() == before
        cluster.install("partitions=gpu,all")
        assert cluster.srun("-n2", late).stdout == "2 ranks\n"
        cluster.install("default=off")
        assert cluster.srun("-n2", late).stdout == "2 ranks\n"
        assert len(cluster.runs()) == len(before) + 1
        assert cluster.srun("--clearway=on", "-n2", late).stdout == "2 ranks\n"
        assert len(cluster.runs()) == len(before) + 2
    finally:
        cluster.install("")


def test_what_is_in_the_way_is_one_sentence_and_the_job_runs(cluster: Cluster, late: Path, tmp_path: Path) -> None:
    before = cluster.runs()

    def said(options: str, plugin: Path | None = None) -> str:
        cluster.install(options, plugin)
        done = cluster.srun("-n2", "-N1", late)
        assert (done.returncode, done.stdout) == (0, "2 ranks\n"), done
        checked = cluster.clearway("slurm", "check")
        return "\n".join([*done.stderr.splitlines(), *(checked.stdout.splitlines() if checked.returncode else [])])

    try:
        forbidden = said("folder=/proc/%u")
        assert forbidden.count("this job runs unrecorded: you may not write to /proc/user1") == 1, forbidden
        assert "You may not write to /proc/user1, where your Runs would be kept" in forbidden
        assert said("folder=/proc/%u --nonsense").count("unrecorded") == 2
        other = _of_another_slurm(tmp_path, cluster)
        mismatch = said("", other)
        assert f"built for Slurm {version_of_plugin(other)}" in mismatch, mismatch
        assert "jobs run unrecorded until it is built again" in mismatch
        (cluster.configuration.parent / "plugstack.conf").write_text("")
        assert "the plugin is not installed here" in cluster.clearway("slurm", "check").stdout
        assert cluster.runs() == before
    finally:
        cluster.install("")
    assert cluster.clearway("slurm", "check").returncode == 0


def test_a_full_spool_is_one_sentence_and_the_job_runs(cluster: Cluster, late: Path) -> None:
    spool, before = "/dev/shm/full", cluster.runs()
    as_root = ["srun", "--clearway=off", "-w", "node1", "-N1", "-n1", "sh", "-c"]
    mounted = cluster.run(*as_root, f"mkdir {spool} && mount -t tmpfs -o size=1m,mode=711 none {spool}", user=None)
    assert mounted.returncode == 0, mounted
    log = cluster.configuration.parent / "node1.log"
    begin = log.stat().st_size
    try:
        cluster.install(f"spool={spool}")
        done = cluster.srun("-w", "node1", "-n2", "-N1", late)
        assert (done.returncode, done.stdout) == (0, "2 ranks\n"), done
        told = done.stderr + log.read_text()[begin:]
        assert told.count(f"this job runs unrecorded: the spool {spool} is full") == 1, told
        assert cluster.runs() == before
    finally:
        cluster.install("")
        cluster.run(*as_root, f"umount {spool} && rmdir {spool}", user=None)


def test_a_folder_that_nodes_do_not_share_is_one_sentence_and_the_job_runs(cluster: Cluster, late: Path) -> None:
    """node2 has a disk of its own where the others have the user's home."""
    folder = cluster.home / ".clearway"
    cluster.run("mkdir", "-p", folder)
    as_root = ["srun", "--clearway=off", "-w", "node2", "-N1", "-n1", "sh", "-c"]
    over_two = ["-N2", "-n4", "--ntasks-per-node=2", late]
    own_disk = f"mount -t tmpfs -o uid={USER.number},mode=700 none {folder}"
    before = set(cluster.runs())
    assert cluster.srun(*over_two).stderr == ""
    assert cluster.run(*as_root, own_disk, user=None).returncode == 0
    try:
        done = cluster.srun(*over_two)
        assert (done.returncode, done.stdout) == (0, "4 ranks\n"), done
        assert done.stderr.count("clearway:") == done.stderr.count("\n") == 1, done.stderr
        assert f"node2 does not share {cluster.folder} with the node where srun was started" in done.stderr
        assert "the records of its ranks stay on node2" in done.stderr
        kept = cluster.spool("node2", str(cluster.folder))
    finally:
        assert cluster.run(*as_root, f"umount {folder}", user=None).returncode == 0
    whole, divided = sorted(set(cluster.runs()) - before, key=lambda name: int(name.split(".")[0]))
    assert kept == [divided]
    ranks = [sorted(load(cluster.folder / run).processes["rank"].tolist()) for run in (whole, divided)]
    assert ranks == [[0, 1, 2, 3], [0, 1]]


def _of_another_slurm(folder: Path, cluster: Cluster) -> Path:
    """The plugin as built with the headers of a Slurm that is a release further."""
    shutil.copytree("/usr/include/slurm", folder / "slurm")
    header = folder / "slurm" / "slurm_version.h"
    header.write_text(header.read_text().replace("0x160508", "0x170208"))
    return build_plugin(cluster.configuration.parent / "other", folder)


def test_a_step_whose_daemon_was_killed_is_gathered_with_a_later_one(cluster: Cluster, late: Path) -> None:
    """As when gathering is killed, or the node dies and comes back: the records wait in the spool."""
    line = cluster.testbed.on_host("head", ["srun", "-N1", "-n2", "-w", "node1", str(late), "3000"], "user1")
    job = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: len(cluster.spool("node1")) == 1, "step in the spool")
        (name,) = cluster.spool("node1")
        wait_for(lambda: len(cluster.spool("node1", f"/dev/shm/clearway/{name}")) == 3, "records")
        assert cluster.spool("node1") == [name], "while its slurmstepd lives, nobody touches it"
        for pid in processes_in([cluster.testbed.layout.namespace("node1")]):
            words = Path(f"/proc/{pid}/comm").read_text().strip()
            if words in ("slurmstepd", "late"):
                os.kill(pid, signal.SIGKILL)
    finally:
        job.kill()
        job.wait()
        cluster.run("scancel", "--user=user1", user=None)
    wait_for(lambda: cluster.run("squeue", "-h", user=None).stdout == "", "end of the job")
    cluster.run("scontrol", "update", "NodeName=node1", "State=RESUME", user=None)
    wait_for(lambda: cluster.srun("-w", "node1", "true").returncode == 0, "working node1")

    def kept() -> list[str]:
        """Records come one by one, and those of the host first."""
        return sorted(path.name.partition(".")[0] for path in (cluster.folder / name).glob("[!.]*"))

    wait_for(lambda: kept() == ["host", "rank", "rank"], "whole Run")
    assert load(cluster.folder / name).job == f"slurm-{name}"


def test_a_job_that_is_started_again_is_another_run(cluster: Cluster, late: Path) -> None:
    again = '[ -n "$SLURM_RESTART_COUNT" ] || { scontrol requeue $SLURM_JOB_ID; sleep 60; }'
    mpirun = " ".join(mpi("openmpi-debian").launcher)
    (cluster.home / "job.sh").write_text(f"#!/bin/sh\nsrun -n2 {late}\n{mpirun} -n 2 {late}\n{again}\n")
    job = cluster.run("sbatch", "--parsable", "--requeue", "-n2", "job.sh").stdout.strip()

    def state() -> str:
        return cluster.run("scontrol", "show", "job", job, user=None).stdout

    def ended() -> bool:
        return re.search("JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)", state()) is not None

    cluster.starts_again(job)
    wait_for(ended, "end of the job", 80)
    assert "JobState=COMPLETED" in state(), state()
    runs = [name for name in cluster.runs() if name.startswith(f"{job}.")]
    assert runs == [f"{job}.0", f"{job}.0-2", f"{job}.mpirun1", f"{job}.mpirun1-2"]
    for run in runs:
        assert len(list((cluster.folder / run).glob("rank.*.cwr"))) == 2
    assert f"{job}.0" in cluster.clearway("report", job).stderr, "the newest is shown, the other named"
