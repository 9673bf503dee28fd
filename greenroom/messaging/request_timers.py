"""The timers that let requests expire: one for each thread and moment.

`expiry_ops` belongs in every transaction that changes the gates of a thread. Careful: a request
that was declined, or whose sender is blocked, keeps its timer: for its sender it has to expire at
the same moment and in the same way as one that nobody has answered.
"""

from greenroom.background.models import Timer
from greenroom.background.schedule import cancel, schedule
from greenroom.ids import ThreadId
from greenroom.messaging import rules
from greenroom.messaging.models import Thread
from greenroom.store.base import Op

KIND = "request_expiry"


def expiry_ops(before: Thread | None, after: Thread) -> tuple[Op, ...]:
    """Schedules the timers that the change makes necessary, then cancels those it makes needless.
    A timer that is not canceled finds nothing to do."""
    if before is not None and before.gates is after.gates:
        return ()
    were = set() if before is None else _moments(before)
    are = _moments(after)
    return (
        *(schedule(_timer(after.id, ms)) for ms in sorted(are - were)),
        *(cancel(KIND, _timer(after.id, ms).id) for ms in sorted(were - are)),
    )


def thread_of(timer: Timer) -> ThreadId:
    return ThreadId(str(timer.payload["threadId"]))


def _moments(thread: Thread) -> set[int]:
    return {gate.expires_ms for gate in thread.gates.values() if rules.awaits_expiry(gate)}


def _timer(thread: ThreadId, due_ms: int) -> Timer:
    return Timer(KIND, f"{thread}#{due_ms}", due_ms, {"threadId": thread})
