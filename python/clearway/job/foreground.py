"""Running a command as if it had been typed in our place: same streams, same signals, same end.

It cannot simply replace this process, for its end must be written down. So it runs in our process group, and
what a terminal sends to the group (Ctrl-C, Ctrl-Z, a lost line) reaches it without us; what is sent to us alone
is passed on.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from clearway.base.errors import ClearwayError

PASSED_ON = frozenset(
    {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGTSTP,
        signal.SIGCONT,
        signal.SIGWINCH,
    }
)
PYTHON_IGNORES = (signal.SIGPIPE, signal.SIGXFSZ)  # the interpreter does; the job must not inherit it
SENT_BY_KERNEL = 0x80  # si_code SI_KERNEL: from the terminal, to the whole group
LOOK_S = 0.5  # another thread of ours, which a library has started, may take the word that the job has ended


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended: by exit (code 0..255) or by a signal."""

    code: int  # as a shell gives it: 128 + n for signal n
    signal: int | None


def run_in_foreground(command: list[str], environment: Mapping[str, str]) -> Ending:
    """Runs `command` to its end. Raises ClearwayError when it cannot be started."""
    waited_for = PASSED_ON | {signal.SIGCHLD}
    mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:  # as some daemons start jobs: we would never hear of an end
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        try:
            pid = os.posix_spawnp(command[0], command, environment, setsigmask=mask_before, setsigdef=PYTHON_IGNORES)
        except OSError as error:
            raise ClearwayError(
                f"cannot run '{command[0]}': {error.strerror}", "is it spelled right, and its module loaded?"
            ) from None
        return _attend(pid, waited_for)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)


def _attend(pid: int, waited_for: frozenset[signal.Signals]) -> Ending:
    was_asked = is_stopped = False
    while True:
        received = signal.sigtimedwait(waited_for, LOOK_S)
        if received is not None and received.si_signo != signal.SIGCHLD:
            was_asked = received.si_signo == signal.SIGTSTP or (was_asked and received.si_signo != signal.SIGCONT)
            if received.si_code != SENT_BY_KERNEL:
                os.kill(pid, received.si_signo)
        # Signals of one kind merge while they are pending: one SIGCHLD may tell of a stop and of the end.
        while (state := os.waitpid(pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED))[0] == pid:
            status = state[1]
            if os.WIFSTOPPED(status) or os.WIFCONTINUED(status):
                is_stopped = os.WIFSTOPPED(status)
            elif os.WIFSIGNALED(status):
                return Ending(128 + os.WTERMSIG(status), os.WTERMSIG(status))
            else:
                return Ending(os.WEXITSTATUS(status), None)
        # The shell that waits for us must see it, too. But who stops the job alone, by its process id, lets it go on
        # alone, and nobody would wake us.
        if was_asked and is_stopped:
            was_asked = False
            os.kill(os.getpid(), signal.SIGSTOP)


def end_like(ending: Ending) -> int:
    """The exit code to leave with; for a command that a signal ended, this process ends by the same."""
    if ending.signal is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the job has left the core file that matters
        if ending.signal not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(ending.signal, signal.SIG_DFL)
        os.kill(os.getpid(), ending.signal)
    return ending.code
