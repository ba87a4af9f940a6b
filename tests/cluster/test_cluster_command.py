"""`clearway cluster`: lists and shows what comes with Clearway, and the documentation names all of it."""

from __future__ import annotations

from harness.command_line import run_clearway
from harness.mpis import REPOSITORY
from harness.outcome import Outcome

from clearway.cluster.files.read import parse_cluster
from clearway.cluster.ready import named_cluster, ready_names


def cluster(*arguments: str) -> Outcome:
    return run_clearway("cluster", *arguments)


def test_each_is_listed_and_documented() -> None:
    listed = cluster("list")
    assert listed.exit_code == 0, listed.says
    document = (REPOSITORY / "docs/clusters.md").read_text()
    for name in ready_names():
        assert name in listed.stdout
        assert f"`{name}`" in document


def test_what_is_shown_is_the_cluster() -> None:
    shown = cluster("show", "procurve2848")
    assert shown.exit_code == 0, shown.says
    assert parse_cluster(shown.stdout, "shown") == named_cluster("procurve2848")


def test_the_keys_of_the_document_are_known() -> None:
    block = (REPOSITORY / "docs/clusters.md").read_text().split("```toml\n")[1].split("```")[0]
    parse_cluster(block, "docs/clusters.md")


def test_unknown() -> None:
    outcome = cluster("show", "procurve")
    assert outcome.exit_code == 1
    assert outcome.stderr == "error: there is no ready cluster 'procurve'\n\nhint: did you mean procurve2848?\n"
