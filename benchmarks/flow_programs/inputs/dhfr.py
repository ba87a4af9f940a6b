"""AMBER's files of the JAC benchmark, taken out of the wheel of openmmtools and turned into GROMACS'.

python dhfr.py openmmtools.whl      writes topol.top and start.gro into the working directory
"""

import sys
import zipfile
from pathlib import Path

import parmed

FILES = ("JAC.prmtop", "JAC.inpcrd")


def main() -> None:
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        for name in FILES:
            (found,) = [each for each in wheel.namelist() if each.endswith(f"/{name}")]
            Path(name).write_bytes(wheel.read(found))
    system = parmed.load_file(*FILES)
    system.save("topol.top", overwrite=True)
    system.save("start.gro", overwrite=True)


if __name__ == "__main__":
    main()
