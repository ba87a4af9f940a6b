"""Slurm on the hosts of a testbed, with ordinary users: its controller on the head, a daemon on each host.

Nothing of the machine's own Slurm, users or groups is touched: configuration, state, spool, key and homes lie in the
testbed's directory, and go with it.
"""

from clearway.testbed.slurm.bring_up import DAEMONS, bring_up_slurm, prepare
from clearway.testbed.slurm.people import USERS, as_user, user_called
from clearway.testbed.slurm.queue import wait_for_all

__all__ = ["DAEMONS", "USERS", "as_user", "bring_up_slurm", "prepare", "user_called", "wait_for_all"]
