"""How a node goes: nobody new, answers for what was accepted, and a word to everybody else.

Each client is told when to come back, a little apart from the others, so that the nodes that stay
are not met by all of them at once.
"""

import asyncio
import random
from typing import Final

from greenroom.api.ws import frames
from greenroom.api.ws.desk import Desk
from greenroom.api.ws.herald import encode
from greenroom.api.ws.session import Closed, Session

_SPREAD_MS_EACH = 2
_SPREAD_MS = (1_000, 30_000)
_GLANCE_SECONDS = 0.01
_REASON: Final = "the server restarts"


async def drain(desk: Desk) -> None:
    desk.is_draining = True
    sessions = tuple(desk.sessions)
    spread_ms = min(max(_SPREAD_MS[0], _SPREAD_MS_EACH * len(sessions)), _SPREAD_MS[1])
    await asyncio.gather(*(_see_off(session, spread_ms) for session in sessions))
    await _until_gone(desk)


async def _see_off(session: Session, spread_ms: int) -> None:
    await session.finish()
    session.outbox.answer(encode(frames.Closing(_REASON, random.randint(0, spread_ms))))
    session.close(Closed.RESTART, _REASON)


async def _until_gone(desk: Desk) -> None:
    """Whoever does not answer the last word is cut off before long (`Patience.goodbye`)."""
    for _ in range(round((desk.patience.goodbye + 1) / _GLANCE_SECONDS)):
        if not desk.sessions and not desk.under_way:
            return
        await asyncio.sleep(_GLANCE_SECONDS)
