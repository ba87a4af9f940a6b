"""A folder of files as no command wants them, and as all of them want them, damaged."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Sequence
from pathlib import Path

from python.made_runs import SegmentKind, world, write_all

from clearway.cluster.ready import ready_text

TEXTS = {
    "cluster.toml": ready_text("crossover-pair"),
    "hosts": "tiger:2\npuma slots=2\n",
    "table.txt": "alltoall 2 1024 4096 ordered\n",
    "variants.toml": '[[variant]]\nname = "a"\nprogram_options = "-npme 0"\n',
    "plan.json": '{"schema": "clearway-compare-plan-1", "variants": []}\n',
}


def make_places(folder: Path, chance: random.Random) -> dict[str, Sequence[str]]:
    """Made in `folder`; what a word of each kind may be there."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / f"damaged-{name}").write_bytes(damaged(text.encode(), chance))
    odd = {"empty": b"", "binary": chance.randbytes(3000), "nul": b"a\0b\n", "latin1": b'name = "\xe9"\n',
           "bom.toml": b"\xef\xbb\xbf" + TEXTS["cluster.toml"].encode(), "one-line": b"x" * 1_000_000,
           "deep.json": b"[" * 100_000, "long.json": b'{"schema": ' + b"9" * 6000 + b"}",
           "nan.json": b'{"schema": NaN}'}  # fmt: skip
    for name, data in odd.items():
        (folder / name).write_bytes(data)
    runs = [_made_run(folder / "run", chance, is_damaged=False), _made_run(folder / "damaged", chance, is_damaged=True)]
    (folder / "piped").mkdir()
    os.mkfifo(folder / "piped" / "rank.node0.1.cwr")
    os.mkfifo(folder / "piped" / "run.json")
    (folder / "kept").mkdir()
    (folder / "kept" / "file").write_text("as it was")
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
    nowhere = ["missing", "loop", "dangling", "", "-", "kept", "/dev/null", "empty/x"]
    files = [*TEXTS, *(f"damaged-{name}" for name in TEXTS), *odd, *nowhere, "run", "/proc/self/mem", "run/run.json"]
    return {
        "RUN": [*runs, *runs, *nowhere, "piped", "empty", ".", "run/run.json"],
        "FILE": files,
        "OUTPUT": [
            "new",
            "new.json",
            "new.svg",
            "new.html",
            "kept",
            "kept/file/x",
            "loop",
            "",
            "-",
            "/dev/full",
            "/proc/x",
        ],
        "WORD": ["load-imbalance", "units", "gigabit", "nothing", "", "../x", "<b>", "x" * 300],
    }


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Cut, flipped, with bytes too many or too few, or with another number in it."""
    changed = bytearray(data)
    way, at = chance.randrange(5), chance.randrange(len(data))
    if way == 0:
        del changed[at:]
    elif way == 1:
        for _ in range(20):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    elif way == 2:
        changed[at:at] = chance.choice([b"\0", b"\xff", b"\x1b[2J", b"<script>", b'"', b"9" * 5000])
    elif way == 3:
        del changed[at : at + chance.randrange(1, 100)]
    else:
        numbers = list(re.finditer(rb"\d+", data[:20_000])) or [re.match(b"", data)]
        one = chance.choice(numbers)
        assert one is not None
        changed[one.start() : one.end()] = chance.choice([b"0", b"-1", b"1e308", b"9" * 25, b"null", b"NaN", b'"x"'])
    return bytes(changed)


def _made_run(folder: Path, chance: random.Random, is_damaged: bool) -> str:
    ranks = world(2)
    for rank in ranks:
        for call in range(4):
            rank.collective("MPI_Allreduce", 1.0 + call, 1.5 + call + 0.1 * rank.rank, nbytes=4096)
        rank.fact(
            "process.command_line", "<b>md\x1b[31m -deffnm \udcff".encode(errors="surrogateescape").decode("latin1")
        )
        rank.add(SegmentKind.FILES, path=b"/scratch/<i>\n\x1b[2J", reads=3, read_bytes=300, read_ticks=10**8)
    write_all(ranks, folder)
    (folder / "run.json").write_text('{"command": ["mpirun", "<b>"], "exit_code": 0}')
    if is_damaged:
        for file in sorted(folder.iterdir()):
            file.write_bytes(damaged(file.read_bytes(), chance))
    return folder.name
