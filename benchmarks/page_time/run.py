"""Time and memory for the page of a large Run, made by clearway-synthesise with the real writer.

python run.py [--ranks N]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AIM_S, AIM_GB = 15.0, 2.0


def tool(name: str) -> str:
    found = shutil.which(name) or str(Path(sys.executable).parent / name)
    if not Path(found).exists():
        raise SystemExit(f"error: {name} is not on the PATH\n\nhint: make build")
    return found


def peak_gb(process: subprocess.Popen[bytes]) -> float:
    """Largest resident memory of `process` while it runs."""
    peak_kb = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                peak_kb = max(peak_kb, int(line.split()[1]))
        time.sleep(0.02)
    return peak_kb / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4096)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        subprocess.run([tool("clearway-synthesise"), "--ranks", str(options.ranks), run], check=True)
        record_mb = sum(file.stat().st_size for file in run.iterdir()) / 1e6
        print(f"{options.ranks} ranks, {record_mb:.0f} MB of records; aim: {AIM_S:.0f} s, {AIM_GB:.0f} GB")
        for kind in ("json", "html"):
            begin = time.monotonic()
            command = [tool("clearway"), "report", str(run), f"--{kind}", str(Path(folder) / f"page.{kind}")]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            memory = peak_gb(process)
            if process.wait() != 0:
                raise SystemExit(f"error: {' '.join(command)} failed")
            print(f"{kind:5} {time.monotonic() - begin:6.1f} s  {memory:5.2f} GB")


if __name__ == "__main__":
    main()
