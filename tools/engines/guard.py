"""Ends engine programs whose manager is gone. Run as a program by `process.py`, which see; it needs the standard
library alone.

Standard input brings `+N` when a program was started in session N and `-N` when it was ended. Input ends when the
manager does, in whatever way, SIGKILL included: then everything in the sessions that are left is killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def session_pids(session: int) -> list[int]:
    """Processes of a session, as far as the system lists processes below /proc."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return []
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            if os.getsid(pid) == session:
                found.append(pid)
    return found


def kill_session(session: int) -> None:
    """Kill the process group that the session began with, and whatever else belongs to the session."""
    with contextlib.suppress(OSError):
        os.killpg(session, signal.SIGKILL)
    for pid in session_pids(session):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sessions: set[int] = set()
    for line in sys.stdin:
        session = int(line[1:])
        if line[0] == "+":
            sessions.add(session)
        else:
            sessions.discard(session)
    for session in sessions:
        kill_session(session)


if __name__ == "__main__":
    main()
