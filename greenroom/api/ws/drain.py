"""How a node goes: nobody new, answers for what was accepted, and a word to everybody else.

Each client is told when to come back, a little apart from the others, so that the nodes that stay
are not met by all of them at once.
"""

import asyncio
import random

from greenroom.api.ws import frames
from greenroom.api.ws.desk import Desk
from greenroom.api.ws.herald import encode
from greenroom.api.ws.session import Closed, Session

_SPREAD_MS_EACH = 2
_SPREAD_MS = (1_000, 30_000)


async def drain(desk: Desk) -> None:
    desk.is_draining = True
    sessions = tuple(desk.sessions)
    await asyncio.gather(*(session.drain() for session in sessions))
    spread = min(max(_SPREAD_MS[0], _SPREAD_MS_EACH * len(sessions)), _SPREAD_MS[1])
    for session in sessions:
        _bid_farewell(session, random.randint(0, spread))
    await _until_gone(desk)


def _bid_farewell(session: Session, delay_ms: int) -> None:
    session.outbox.answer(encode(frames.Closing("the server restarts", delay_ms)))
    session.close(Closed.RESTART, "the server restarts")


async def _until_gone(desk: Desk) -> None:
    """A while for the last words to leave; whoever does not read them is left alone."""
    for _ in range(20):
        if not desk.sessions:
            return
        await asyncio.sleep(0.05)
