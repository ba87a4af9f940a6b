"""The ranks go by TCP though the hosts list an active InfiniBand port."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

OPTIONS = "--steps 30 --sleep-ms 20 --halo 60000"
SOUND = Job(program=workload(OPTIONS), shape=Shape(hosts=2, rate_bps=20_000_000, buffer_bytes=DEEP))
PORT = "/sys/class/infiniband/mlx5_0/ports/1"
LISTED = f"""mount -t tmpfs none /sys/class && mkdir -p {PORT} && cd {PORT} && echo 4: ACTIVE > state &&
echo "100 Gb/sec (4X EDR)" > rate && echo InfiniBand > link_layer && cd "$OLDPWD" && exec "$@\""""

PLANT = Plant(
    rule="slower-fabric",
    how="2 hosts, links of 20 Mbit/s; /sys/class lists an InfiniBand port of 100 Gbit/s, made of plain files",
    instead="they list none",
    faulty=replace(SOUND, program=("unshare", "--mount", "sh", "-c", LISTED, "sh", *workload(OPTIONS))),
    sound=SOUND,
    cost_known=False,  # nothing is faster in the twin
)
