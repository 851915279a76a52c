"""Signals that mean quit, noticed at once and by a thread of their own.

A handler written in Python runs in the main thread, and only when that next executes bytecode: a signal
that comes just before the thread begins to wait for a lock is not noticed before the lock is. So the
interpreter is told to write the number of each signal into a pipe, and a thread reads it there.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

QUIT_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def watch_signals(notice: Callable[[int], None]) -> None:
    """Interrupt, termination and hang-up no longer end the process; `notice` is called with their number.

    Each time, and on a thread of its own. A hang-up that is ignored, as under `nohup`, stays so. Call it in
    the main thread.
    """
    read, sending = _wakeup_channel()
    signal.set_wakeup_fd(sending, warn_on_full_buffer=False)
    for number in QUIT_SIGNALS:
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)

    def listen() -> None:
        while numbers := read():
            for number in numbers:
                if number in QUIT_SIGNALS:
                    notice(number)

    threading.Thread(target=listen, name="signals", daemon=True).start()


def raise_in_main_thread(make_error: Callable[[int], BaseException]) -> None:
    """Lets a quit signal raise an error in the main thread, also while that waits for a lock; once.

    Call it in the main thread.
    """
    raised = threading.Event()

    def handle(number: int, frame: object) -> None:
        if not raised.is_set():
            raised.set()
            raise make_error(number)

    def nudge(number: int) -> None:
        while not raised.wait(0.05) and hasattr(signal, "pthread_kill"):
            signal.pthread_kill(main_thread, number)

    main_thread = threading.get_ident()
    watch_signals(nudge)
    for number in QUIT_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handle)


def _wakeup_channel() -> tuple[Callable[[], bytes], int]:
    """A function that waits for signal numbers, and the descriptor to which the interpreter writes them."""
    if os.name == "nt":  # pipes can't be made non-blocking there
        import socket

        receiver, sender = socket.socketpair()
        sender.setblocking(False)
        return lambda: receiver.recv(64), sender.detach()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    return lambda: os.read(reading, 64), writing
