"""Cost patterns: timers, the leases of a node, and followers of the change feed.

Careful: all patterns share one store, and with it the shards of the due index. Pending timers are
due long after every fixture's clock, and each timer that is due has a shard of its own.
"""

import random
from collections.abc import Sequence
from functools import partial
from itertools import count

from greenroom.background.followers import IDLE_SECONDS
from greenroom.background.leases import RENEW_MS, LeaseKeeper
from greenroom.background.models import FollowerState, Stage, Timer
from greenroom.background.progress import create, load_state, save
from greenroom.background.records import BACKGROUND, shard_of
from greenroom.background.schedule import cancel, schedule
from greenroom.background.timers import (
    LEASE_NAMES,
    POLL_SECONDS,
    TimerHandler,
    TimerRunner,
    lease_name,
)
from greenroom.clock import Clock, ManualClock
from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.store.base import Op, Put, Store

_YEAR_MS = 365 * 86_400_000
_HOUR_S = 3600
_KIND = "request_expiry"


def _pending(fixture: Fixture, later_ms: int = 0) -> Timer:
    due_ms = fixture.clock.now_ms() + _YEAR_MS + later_ms
    return Timer(_KIND, f"rqt_{fixture.name:0>26}", due_ms, {"threadId": fixture.leg})


async def _schedule(fixture: Fixture) -> Act:
    return partial(fixture.store.write, schedule(_pending(fixture)))


async def _move(fixture: Fixture) -> Act:
    await fixture.store.write(schedule(_pending(fixture)))
    return partial(fixture.store.write, schedule(_pending(fixture, later_ms=60_000)))


async def _cancel(fixture: Fixture) -> Act:
    timer = _pending(fixture)
    await fixture.store.write(schedule(timer))
    return partial(fixture.store.write, cancel(timer.kind, timer.id))


async def _run(fixture: Fixture, shard: int, *, with_op: bool = False) -> Act:
    id = next(id for n in count() if shard_of(_KIND, id := f"{fixture.name}.{n}") == shard)
    await fixture.store.write(schedule(Timer(_KIND, id, fixture.clock.now_ms(), {"n": 1})))
    ops = (_result(fixture),) if with_op else ()
    runner = _runner(fixture.store, fixture.clock, (shard,), ops)

    async def act() -> None:
        await runner.poll()
        await runner.settle()
        assert runner.counts.run == 1

    return act


async def _poll(fixture: Fixture) -> Act:
    """By a clock before every timer."""
    runner = _runner(fixture.store, ManualClock(0), range(len(LEASE_NAMES)))
    return runner.poll


def _runner(
    store: Store, clock: Clock, shards: Sequence[int], ops: Sequence[Op] = ()
) -> TimerRunner:
    async def handle(timer: Timer) -> Sequence[Op]:
        return ops

    held = {lease_name(shard) for shard in shards}
    handlers = {_KIND: TimerHandler(handle)}
    return TimerRunner(store, clock, handlers, holds=held.__contains__, chance=random.Random(1))


async def _renew(fixture: Fixture) -> Act:
    keeper = LeaseKeeper(fixture.store, fixture.clock, fixture.name, (LEASE_NAMES,))
    await keeper.renew()
    return keeper.renew


async def _idle(fixture: Fixture) -> Act:
    await create(fixture.store, fixture.name, Stage.FOLLOWING, "checkpoint")
    return partial(load_state, fixture.store, fixture.name)


async def _batch(fixture: Fixture) -> Act:
    state = FollowerState(fixture.name, 1, Stage.FOLLOWING, "checkpoint")
    await create(fixture.store, fixture.name, state.stage, state.checkpoint)
    return partial(save, fixture.store, state, state, _result(fixture))


def _result(fixture: Fixture) -> Put:
    """What a timer or a follower writes, below a kilobyte."""
    return Put(BACKGROUND, {"pk": f"FOLLOWER#{fixture.name}", "sk": "RESULT", "text": TEXT})


TITLE = "Timers and followers"
PATTERNS = (
    Pattern(
        "timer_schedule",
        "schedule a timer by a write of its own; in a transaction twice that",
        _schedule,
        most_write=2,
    ),
    Pattern("timer_move", "move a timer to another time, likewise", _move, most_write=3),
    Pattern("timer_cancel", "cancel a timer, likewise", _cancel, most_write=2),
    Pattern(
        "timer_run",
        "run a timer: find it in its shard, read it, remove it",
        partial(_run, shard=0),
        most_read=1.5,
        most_write=2,
    ),
    Pattern(
        "timer_run_with_write",
        "the same, with one item that its handler writes",
        partial(_run, shard=1, with_op=True),
        most_read=1.5,
        most_write=6,
    ),
    Pattern(
        "timers_hour",
        "an hour of polling without timers, in the whole cluster",
        _poll,
        times=POLL_SECONDS / _HOUR_S,
        most_read=36_000,
    ),
    Pattern(
        "leases_hour",
        "an hour of a node that renews its leases",
        _renew,
        times=RENEW_MS / 1000 / _HOUR_S,
        most_read=7_200,
        most_write=3_600,
    ),
    Pattern(
        "follower_hour",
        "an hour of a follower without changes, besides its reads of the change feed",
        _idle,
        times=IDLE_SECONDS / _HOUR_S,
        most_read=720,
    ),
    Pattern(
        "follower_batch",
        "a follower's batch: its checkpoint, and one item as the result",
        _batch,
        most_write=4,
    ),
)
