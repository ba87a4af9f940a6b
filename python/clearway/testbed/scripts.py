"""The two small scripts of a testbed: one runs a command on a host, one stands in for ssh."""

from __future__ import annotations

from pathlib import Path

from clearway.testbed.layout import Layout
from clearway.testbed.processors import GROUPS, group_prefix

# A host has its own name, /etc/hosts, shared memory and view of its cards; file systems and process ids are shared.
_ENTER = """\
#!/bin/sh
# enter HOST COMMAND...: runs a command on a host of testbed @NAME@
host=$1
shift
[ -e /run/netns/@PREFIX@$host ] || { echo "error: testbed @NAME@ has no host '$host'" >&2; exit 1; }
for group in @GROUPS@$host; do
    [ ! -d "$group" ] || echo $$ >"$group/cgroup.procs"
done
@SLURM@exec nsenter --net=/run/netns/@PREFIX@$host unshare --uts --ipc --mount @NAMESPACES@ sh -c '
    hostname "$1"
    mount --bind @DIRECTORY@/hosts /etc/hosts
    mount -t tmpfs -o mode=1777 testbed /dev/shm
    mount --rbind /sys/fs/cgroup @DIRECTORY@/cgroup &&
        mount -t sysfs testbed /sys &&
        mount --rbind @DIRECTORY@/cgroup /sys/fs/cgroup
@VIEW@    shift
    exec "$@"' sh "$host" "$@"
"""

# With Slurm each host has users of the testbed and control groups of its own, besides.
_SLURM = """\
export SLURM_CONF=@DIRECTORY@/slurm/slurm.conf
"""
_VIEW = """\
    for file in passwd group; do mount --bind @DIRECTORY@/$file /etc/$file; done
    for group in /sys/fs/cgroup/*/@PREFIX@$1; do
        [ ! -d "$group" ] || mount --bind "$group" "${group%/*}"
    done
"""

_REMOTE_SHELL = """\
#!/bin/sh
# remote-shell [OPTIONS] ADDRESS COMMAND...: stands in for ssh
while [ "${1#-}" != "$1" ]; do shift; done
case $1 in
@CASES@
*) echo "error: testbed @NAME@ has no host with address '$1'" >&2; exit 1 ;;
esac
shift
exec @DIRECTORY@/enter $host sh -c "$*"
"""


def write_scripts(layout: Layout, directory: Path) -> None:
    """Writes `enter`, `remote-shell` and what they need into `directory`."""
    (directory / "hosts").write_text(layout.hosts_file())
    (directory / "cgroup").mkdir()
    cases = "\n".join(
        f"{network.address(host)} | {layout.host_name(network, host)}) host={host.name} ;;"
        for network in layout.networks
        for host in layout.everyone
    )
    slurm = layout.shape.slurm
    words = {
        "@SLURM@": _SLURM if slurm else "",
        "@VIEW@": _VIEW if slurm else "",
        "@NAMESPACES@": "--cgroup" if slurm else "",
        "@CASES@": cases,
        "@NAME@": layout.name,
        "@GROUPS@": f"{GROUPS}/*/{layout.namespace('')}" if slurm else str(group_prefix(layout)),
        "@PREFIX@": layout.namespace(""),
        "@DIRECTORY@": str(directory),
    }
    for name, text in (("enter", _ENTER), ("remote-shell", _REMOTE_SHELL)):
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
