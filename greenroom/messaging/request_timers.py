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


def expiry_ops(before: Thread | None, after: Thread, room: int | None = None) -> tuple[Op, ...]:
    """Schedules the timers that the change makes necessary, then cancels those it makes needless.

    Beyond `room` ops cancellations are left out: a timer that is not canceled finds nothing to do.
    Schedules never are: the store refuses a transaction that is too large with them."""
    if before is not None and before.gates is after.gates:
        return ()
    were = set() if before is None else _moments(before)
    are = _moments(after)
    schedules = [schedule(_timer(after.id, ms)) for ms in sorted(are - were)]
    cancellations = [cancel(KIND, _timer(after.id, ms).id) for ms in sorted(were - are)]
    left = None if room is None else max(0, room - len(schedules))
    return (*schedules, *cancellations[:left])


def thread_of(timer: Timer) -> ThreadId:
    return ThreadId(str(timer.payload["threadId"]))


def _moments(thread: Thread) -> set[int]:
    return {gate.expires_ms for gate in thread.gates.values() if rules.awaits_expiry(gate)}


def _timer(thread: ThreadId, due_ms: int) -> Timer:
    return Timer(KIND, f"{thread}#{due_ms}", due_ms, {"threadId": thread})
