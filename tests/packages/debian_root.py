"""A Debian of its own in a folder: another release, or one into which a package may be installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from harness.outcome import Outcome
from harness.runs import run_command

ROOTS = REPOSITORY / "build" / "old"  # kept: each takes minutes
MIRROR = "http://deb.debian.org/debian"


def debian_root(suite: str, packages: str) -> Path:
    """Its root, made if it is not there yet. Skips the test where that cannot be done."""
    if os.getuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    root = ROOTS / suite
    if not root.exists():
        unfinished = root.with_name(f"unfinished-{suite}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={packages}", suite, unfinished, MIRROR], check=True
        )
        unfinished.rename(root)
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {os.uname().nodename}\n")
    return root


def foreign_root(suite: str, machine: str, packages: str) -> Path:
    """One of another kind of processor: its packages, unpacked but not set up."""
    root = ROOTS / f"{suite}-{machine}"
    if os.getuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    if not root.exists():
        unfinished = root.with_name(f"unfinished-{root.name}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        options = [f"--arch={machine}", "--foreign", "--variant=minbase", f"--include={packages}"]
        subprocess.run(["debootstrap", *options, suite, unfinished, MIRROR], check=True)
        for package in (unfinished / "var/cache/apt/archives").glob("*.deb"):
            unpack = f"dpkg-deb --fsys-tarfile {shlex.quote(str(package))} | tar -x --keep-directory-symlink"
            subprocess.run(["sh", "-c", unpack], cwd=unfinished, check=True)
        (unfinished / "proc").unlink(missing_ok=True)  # a link to this machine's
        (unfinished / "proc").mkdir(exist_ok=True)
        unfinished.rename(root)
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {os.uname().nodename}\n")
    return root


def with_kernel(root: Path, *words: str | Path) -> list[str]:
    """The command, with /proc and shared memory mounted below this root for as long as it takes."""
    at = shlex.quote(str(root))
    mounts = f"mount -t proc proc {at}/proc && mkdir -p {at}/dev/shm && mount -t tmpfs -o mode=1777 tmpfs {at}/dev/shm"
    return ["unshare", "--mount", "sh", "-c", f"{mounts} && exec {shlex.join(map(str, words))}"]


def run_in_root(root: Path, script: str, user: int = 0, timeout_s: float = 200) -> Outcome:
    inside = ["chroot", f"--userspec={user}:{user}", root, "/bin/sh", "-c", script]
    return run_command(with_kernel(root, *inside), timeout_s=timeout_s)
