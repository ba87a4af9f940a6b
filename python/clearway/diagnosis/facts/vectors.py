"""What the processors of the job's hosts can do at once, as the kernel tells."""

from __future__ import annotations

from clearway.diagnosis.facts import Case

AVX2 = ("avx2", "avx512f")


def all_have_avx2(case: Case) -> bool:
    """Not where a record is older than this fact, or the processors are no x86."""
    hosts = case.run.hosts
    return bool(hosts) and all(host.facts.get("host.vectors") in AVX2 for host in hosts)
