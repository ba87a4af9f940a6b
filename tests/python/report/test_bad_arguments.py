"""What a user may hand to any command instead of what it wants: one message with a hint, no traceback, no output."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.commands import main

TAKE_A_FILE = [
    *(["report {0}", "top {0}", "show {0}", "diff {0} other", "scale {0} other --to 4"]),
    *(
        [
            "what-if {0} --network perfect",
            "predict --from {0}",
            "predict alltoall --cluster {0}",
            "predict --resume {0}",
        ]
    ),
    *(["place --cluster {0} --ranks 2", "place --hostfile {0} --ranks x", "bench alltoall --read {0}"]),
    *(["compare --variants {0} -- true", "compare --resume {0}", "fix --resume {0}", "fix --from {0} -- true"]),
    *(["tune --resume {0}", "tune --files {0} -o new", "tune --site {0} -o new -- mpirun", "task {0}", "task {0} 1"]),
    *(["host apply --undo {0}", "run --flow={0} -- true", "docs {0}", "explain {0}", "cluster show {0}"]),
    *(["schedule show {0} --ranks 4", "run -o {0}/below -- true"]),
]
NONSENSE = [
    *(["run", "report", "compare", "fix", "tune", "diff", "diff one", "diff a b c", "scale", "bench", "predict"]),
    *(["compare -- true", "compare --rounds 0 --bare -- true", "compare --precision 0 --bare -- true"]),
    *(["fix --rounds 0 -- true", "fix --precision 0 -- true", "fix --remedy prayer -- true"]),
    *(["tune --within 0 -- true", "tune --steps 0 -- true", "list --last 0", "predict --workload="]),
    *(["predict alltoall --buffer 0", "predict alltoall --ecn 0", "predict alltoall --rate 0"]),
    *(["predict alltoall --hosts 0", "predict alltoall --seed -1", "predict alltoall --vary seed"]),
    *(["run --sample-ms 0 -- true", "run --timeline=0 -- true", "run --io-cache 0 -- true"]),
    *(["workload show gromacs33 --cpu 0", "workload run gromacs33 --scale -1 -- mpirun", "workload run gromacs33"]),
    *(["place --ranks 0 --cluster procurve2848", "schedule show ordered --ranks 0", "host apply tcp.ecn=perhaps"]),
    *(["testbed run --timeout 0 -- true", "testbed run --hosts 0 -- true", "testbed run --fault x -- true"]),
]


def is_one_message(line: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> bool:
    code = main(line.split())
    captured = capsys.readouterr()
    told, _, hint = captured.err.partition("\n\nhint: ")
    is_clear = told.startswith("error: ") and told.count("\n") == 0 and hint.strip() != "" and captured.out == ""
    return code in (1, 2) and is_clear and not (directory / "new").exists()


@pytest.mark.parametrize("kind", ["missing", "folder", "empty", "text", "binary"])
def test_a_wrong_file_is_told_in_one_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, content in (("empty", b""), ("text", b"hello, world\n"), ("binary", bytes(range(256)))):
        (tmp_path / name).write_bytes(content)
    takers = [line for line in TAKE_A_FILE if kind in ("empty", "text", "binary") or "{0}/below" not in line]
    assert [line for line in takers if not is_one_message(line.format(kind), tmp_path, capsys)] == []


def test_nonsense_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [line for line in NONSENSE if not is_one_message(line, tmp_path, capsys)] == []


def hint(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(line.split()) != 0
    return capsys.readouterr().err.partition("\n\nhint: ")[2].strip()


def test_the_hint_leads_to_what_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all" / "md 1").mkdir(parents=True)
    (tmp_path / "all" / "none").mkdir()
    (tmp_path / "all" / "md 1" / "rank.n1.1.cwr").write_bytes(b"")
    assert hint("report all", capsys) == "there are Runs below it: clearway list all"
    assert hint("report all/none", capsys).startswith("`clearway run --")
    monkeypatch.chdir(tmp_path / "all" / "md 1")
    assert hint("report rank.n1.1.cwr", capsys) == "give the directory: ."
    assert hint("reprot x", capsys) == "did you mean report?"
    assert hint("xyzzy x", capsys).startswith("one of: run, record, ")
    assert hint("explain congestion-los", capsys) == "did you mean congestion-loss?"
    assert hint("explain xyzzy", capsys) == "`clearway explain` lists them all"
    assert hint("place --cluster gigabit --ranks 4", capsys).endswith("clearway cluster show gigabit >my.toml")
