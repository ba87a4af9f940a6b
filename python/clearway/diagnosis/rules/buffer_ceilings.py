"""Socket buffers are as large as the host allows, and that is too small."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.full_buffers import NO_SCALING, evidence, receive_limits, send_limits, share_lost
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The hosts do not allow socket buffers as large as the network needs"
REMEDIES = ("host-buffers",)
NAMED = 3  # hosts


def examine(case: Case) -> Suspicion | None:
    sending = [limit for limit in send_limits(case.tables, case.connections) if limit.ceiling]
    receiving = [limit for limit in receive_limits(case.tables, case.connections) if limit.ceiling]
    limits = [*sending, *receiving]
    if not limits:
        return None
    share = share_lost(case.tables, limits)
    hosts = sorted({limit.ceiling_host for limit in limits})
    ceilings = sorted({(limit.ceiling or "", limit.buffer_bytes) for limit in limits})
    names = " and ".join(dict.fromkeys(name for name, _ in ceilings))
    where = ", ".join(hosts[:NAMED]) + (f" and {len(hosts) - NAMED} more" if len(hosts) > NAMED else "")
    says = (
        f"Socket buffers have grown to the limit of {where} ({names}) and hold back data, though the network could "
        f"carry more. Asking for larger ones does not help unless the limit is raised."
    )
    if all(limit.ceiling == NO_SCALING for limit in limits):
        says = (
            f"Window scaling is switched off on {where} ({NO_SCALING} = 0): connections from and to there have at most "
            f"64 KiB on their way, however large the buffers are, though the network could carry more. As root: "
            f"`sysctl -w {NO_SCALING}=1`, and keep it in /etc/sysctl.d."
        )
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=says,
        evidence=(
            *(
                Evidence(name, "0" if name == NO_SCALING else f"{q.bytes_(size)} reached", "sysctl")
                for name, size in ceilings
            ),
            Evidence("hosts with this limit", f"{len(hosts):,} of {case.tables.job.hosts:,}", "sysctl"),
            *(evidence(sending, receive=False) if sending else ()),
            *(evidence(receiving, receive=True) if receiving else ()),
        ),
        confidence=0.92,
    )
