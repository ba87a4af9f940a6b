"""The kernel's moving of pages after the threads that use them: of no use to ranks that are pinned."""

from clearway.cluster.hosts.settings.sysctl import one_key

SETTING = one_key(
    "memory.numa_balancing",
    "kernel.numa_balancing",
    "stop the kernel from unmapping pages to see which core uses them",
    "safe where ranks are pinned to cores; programs that are not pinned may get slower",
    {"off": "0", "on": "1"},
    "off",
)
