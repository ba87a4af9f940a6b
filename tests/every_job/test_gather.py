"""Gathering: small, whole or not at all, and no record twice, whatever kills it or stands in its way."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import time
import zlib
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.seeds import seeds, trying
from python.made_runs import Rank, write_all

from clearway.base.errors import ClearwayError
from clearway.ledger.profile import profile
from clearway.page.build import summarise
from clearway.run import load
from clearway.run.layout import PACKED_HEADER, SegmentKind, State
from clearway.run.reader import open_record
from clearway.testbed import privilege

MOST_OF_A_RANK_BYTES = 20_000
RANKS = 6


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a step leaves it in the spool: 20,000 calls a rank."""
    run = tmp_path_factory.mktemp("recorded") / "1234.0"
    options = ["--ranks", str(RANKS), "--ranks-per-host", "3", "--steps", "3000", "--neighbours", "2"]
    subprocess.run([clearway_tool("clearway-synthesise"), *options, run], check=True, timeout=60)
    return run


def gather(spool: Path, run: Path) -> subprocess.CompletedProcess[str]:
    words = [clearway_tool("clearway-slurm"), "gather", spool, run]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_small_and_its_page_says_the_same(recorded: Path, tmp_path: Path) -> None:
    spool, run = tmp_path / "spool", tmp_path / "deep" / "1234.0"
    shutil.copytree(recorded, spool)
    done = gather(spool, run)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(spool).keys() == {name for name in contents(recorded) if not name.endswith(".cwr")}
    assert all(len(raw) <= MOST_OF_A_RANK_BYTES for raw in contents(run).values())
    whole, kept = summarise(load(recorded)), summarise(load(run))
    assert kept.job.ranks == RANKS
    assert kept.ledger.wall_s > 0
    assert kept.ledger.wall_s == pytest.approx(whole.ledger.wall_s, rel=1e-6)
    waited = [
        page.ledger.mpi_wait_s + page.ledger.mpi_transfer_s + page.ledger.mpi_undivided_s for page in (whole, kept)
    ]
    assert waited[0] == pytest.approx(waited[1], rel=0.05), "of a sample"
    assert {row.function: row.count for row in kept.mpi_calls} == {row.function: row.count for row in whole.mpi_calls}
    assert any("sample" in note for note in kept.job.notes), "it says that calls were thinned"


def test_functions_keep_their_time_where_very_many_instructions_were_sampled(tmp_path: Path) -> None:
    """A record that has 6,000 of them, most met once, is small, and each file has as much time as before."""
    rank = Rank(0, 1, state=State.FINALIZED)
    for number, path in enumerate((b"/opt/bin/md", b"/lib/libm.so.6")):
        begin = (number + 1) << 30
        rank.add(SegmentKind.CODE_RANGES, begin=begin, end=begin + (1 << 24), path=path)
        for at in range(3000):
            times = 500 if at < 3 else 1 + number
            rank.add(SegmentKind.CODE_SAMPLES, address=begin + 977 * at, bytes=1, range=number, by_main=times)
    rank.fact("profile.period_us", "10000")
    spool = tmp_path / "spool"
    spool.mkdir()
    write_all([rank], spool)
    whole = profile(load(spool))
    assert gather(spool, tmp_path / "run").returncode == 0
    (kept,) = (tmp_path / "run").glob("*.cwr")
    assert kept.stat().st_size < 25_000
    small = profile(load(tmp_path / "run"))
    assert whole is not None
    assert small is not None
    assert len(load(tmp_path / "run").code_samples.data) < 3000
    for path in ("/opt/bin/md", "/lib/libm.so.6"):
        spent_s = [
            sum(made.main_s[made.function == at].sum() for at, one in enumerate(made.functions) if one.path == path)
            for made in (whole, small)
        ]
        assert spent_s[0] == pytest.approx(spent_s[1]) != 0


def test_killed_at_any_moment_and_called_again(recorded: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    spool = tmp_path / "spool"
    shutil.copytree(recorded, spool)
    began = time.monotonic()
    gather(spool, whole)
    takes_s = time.monotonic() - began
    for seed in seeds("gather-killed", 12):
        with trying("gather-killed", seed):
            shutil.rmtree(spool)
            shutil.copytree(recorded, spool)
            run = tmp_path / f"run-{seed}"
            for number in range(3):
                killed = subprocess.Popen([clearway_tool("clearway-slurm"), "gather", spool, run])
                time.sleep(random.Random(seed + number).random() * takes_s)
                killed.send_signal(signal.SIGKILL)
                killed.wait()
                seen = [path for folder in (spool, run) if folder.exists() for path in folder.glob("*.cwr")]
                assert {path.name for path in seen} == contents(whole).keys(), "none is lost on the way"
                for path in seen:
                    open_record(path)
            assert gather(spool, run).returncode == 0
            assert {name: raw for name, raw in contents(run).items() if name[0] != "."} == contents(whole)


def test_a_full_quota_keeps_it_in_the_spool(recorded: Path, tmp_path: Path) -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    spool, home = tmp_path / "spool", tmp_path / "home"
    shutil.copytree(recorded, spool)
    before = {name for name in contents(spool) if name.endswith(".cwr")}
    home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "none", home], check=True)
    try:
        done = gather(spool, home / "run")
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert "No space left on device; it stays in" in done.stderr
        left = {path.name for path in spool.glob("*.cwr")}
        kept = {path.name for path in (home / "run").iterdir()}
        assert left | kept == before
        assert not left & kept
        assert left, "it was full"
        subprocess.run(["mount", "-o", "remount,size=4m", home], check=True)
        assert gather(spool, home / "run").returncode == 0
        assert {path.name for path in (home / "run").iterdir()} == before
        assert load(home / "run").processes["rank"].tolist() == list(range(RANKS))
    finally:
        subprocess.run(["umount", home], check=True)


def test_a_folder_that_may_not_be_written(recorded: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    shutil.copytree(recorded, spool)
    done = gather(spool, Path("/proc/self/runs"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("cannot copy the record to /proc/self/runs: ")
    assert contents(spool) == contents(recorded)


def test_any_bytes_are_kept_as_they_are(tmp_path: Path) -> None:
    """What is no record of this version is not looked into; and the compression is zlib's format."""
    for seed in seeds("gather-any-bytes", 40):
        with trying("gather-any-bytes", seed):
            random_ = random.Random(seed)
            raw = b"CLEARWAY" + b"\0" * 12 + (1).to_bytes(4, "little") + _bytes(random_)
            folder = tmp_path / str(seed)
            (folder / "spool").mkdir(parents=True)
            (folder / "spool" / "rank.a.1.cwr").write_bytes(raw.ljust(600, b"\0"))
            assert gather(folder / "spool", folder / "run").returncode == 0
            kept = (folder / "run" / "rank.a.1.cwr").read_bytes()
            assert zlib.decompress(kept[PACKED_HEADER.itemsize :]) == raw.ljust(600, b"\0")


def _bytes(random_: random.Random) -> bytes:
    """Noise, runs and repetitions, of all distances."""
    made = bytearray()
    while len(made) < random_.choice([0, 3, 300, 70_000]):
        kind = random_.randrange(3)
        length = random_.randrange(1, 600)
        if kind == 0:
            made += random_.randbytes(length)
        elif kind == 1:
            made += bytes([random_.randrange(256)]) * length
        elif made:
            at = random_.randrange(max(0, len(made) - 40_000), len(made))
            made += made[at : at + length]
    return bytes(made)


def test_damaged_records_are_no_surprise(recorded: Path, tmp_path: Path) -> None:
    """Neither to who gathers nor to who reads what was gathered: a whole one, or one clear sentence."""
    source = max(recorded.glob("rank.*.cwr"), key=lambda path: path.stat().st_size).read_bytes()
    for seed in seeds("gather-damaged", 30):
        with trying("gather-damaged", seed):
            random_ = random.Random(seed)
            raw = bytearray(source)
            for _ in range(random_.randrange(1, 20)):
                raw[random_.randrange(20, min(len(raw), 17_000))] = random_.randrange(256)
            del raw[random_.choice([len(raw), random_.randrange(len(raw))]) :]
            folder = tmp_path / str(seed)
            (folder / "spool").mkdir(parents=True)
            (folder / "spool" / "rank.a.1.cwr").write_bytes(raw)
            done = gather(folder / "spool", folder / "run")
            assert done.returncode in (0, 1), done
            for path in (folder / "run").glob("*.cwr"):
                packed = bytearray(path.read_bytes())
                packed[random_.randrange(len(packed))] ^= 1 << random_.randrange(8)
                path.write_bytes(packed[: random_.choice([len(packed), random_.randrange(len(packed))])])
                try:
                    load(folder / "run")
                except ClearwayError as error:
                    assert error.message
