"""Finds followers and timers by name, and repairs them: replays, drops, rebuilds."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from greenroom.background import set_aside
from greenroom.background.follower import Follower
from greenroom.background.problems import (
    ChangeNotSetAside,
    FollowerNotFound,
    TimerKindNotFound,
    TimerNotSetAside,
)
from greenroom.background.progress import all_set_aside
from greenroom.background.rebuild import request_rebuild
from greenroom.background.set_aside import Replay
from greenroom.background.timers import TimerHandler
from greenroom.clock import Clock
from greenroom.store.base import Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Background:
    store: Store
    clock: Clock
    followers: Callable[[], Sequence[Follower]]
    """All that are registered. A function, because contexts register while they are built."""
    timers: Callable[[], Mapping[str, TimerHandler]]


def follower_named(background: Background, name: str) -> Follower:
    followers = background.followers()
    for follower in followers:
        if follower.name == name:
            return follower
    raise FollowerNotFound(name, _known(one.name for one in followers))


def check_kind(background: Background, kind: str) -> None:
    """Refuses a kind of timer that is not registered."""
    if kind not in (kinds := background.timers()):
        raise TimerKindNotFound(kind, _known(kinds))


def _known(names: Iterable[str]) -> str:
    shown = ", ".join(sorted(names))
    return f"The known ones are: {shown}" if shown else "Nothing is registered"


async def rebuild(background: Background, name: str) -> None:
    """Requests it; the node that works on the follower does it."""
    await request_rebuild(background.store, follower_named(background, name))
    _log.info("a rebuild of %s was requested", name)


async def replay_change(background: Background, name: str, number: int) -> Replay:
    """Handles a change again, in order with all others of its item."""
    follower = follower_named(background, name)
    async for aside in all_set_aside(background.store, name):
        if aside.number == number:
            return await set_aside.replay_changes(background.store, follower, aside.change.key)
    raise ChangeNotSetAside(name, number)


async def drop_change(background: Background, name: str, number: int) -> None:
    follower_named(background, name)
    if not await set_aside.drop_change(background.store, name, number):
        raise ChangeNotSetAside(name, number)
    _log.info("change %d of %s was dropped", number, name)


async def replay_timer(background: Background, kind: str, id: str) -> None:
    now_ms = background.clock.now_ms()
    if not await set_aside.replay_timer(background.store, kind, id, now_ms):
        check_kind(background, kind)
        raise TimerNotSetAside(kind, id)


async def drop_timer(background: Background, kind: str, id: str) -> None:
    """Also one of a kind that is not registered any more."""
    timer = await set_aside.timer_set_aside(background.store, kind, id)
    if timer is None:
        check_kind(background, kind)
        raise TimerNotSetAside(kind, id)
    handler = background.timers().get(kind)
    if handler is not None and handler.on_dropped is not None:
        await handler.on_dropped(timer)
    await set_aside.drop_timer(background.store, kind, id)  # if it has not gone with its purpose
    _log.info("timer %s %s was dropped", kind, id)
