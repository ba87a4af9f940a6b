"""Files of clusters: TOML of a person's hand, and back again."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from fuzzing import fuzz, watched

with watched:
    from clearway.base.errors import ClearwayError
    from clearway.cluster.files.read import parse_cluster
    from clearway.cluster.files.write import write_cluster

FOLDER = Path(tempfile.mkdtemp(prefix="clearway-fuzz-"))  # where files that it names are looked for


def run_once(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    with contextlib.suppress(ClearwayError):
        cluster = parse_cluster(text, str(FOLDER / "cluster.toml"))
        written = write_cluster(cluster)
        try:
            again = parse_cluster(written, "written")
        except ClearwayError as error:
            raise AssertionError(f"we do not read what we wrote: {error.message}\n{written}") from None
        assert again == cluster, written


if __name__ == "__main__":
    fuzz(run_once)
