"""Sends a client that resumes everything that it has missed."""

from typing import TYPE_CHECKING

from greenroom.api.sync import rendered
from greenroom.api.ws import frames
from greenroom.api.ws.encode import encode
from greenroom.api.ws.frames import ResumeAck
from greenroom.people.actor import Actor

if TYPE_CHECKING:
    from greenroom.api.ws.session import Session


async def replay(session: "Session", actor: Actor, request: frames.Resume) -> ResumeAck:
    """Sends page after page, no faster than the client reads."""
    server, delivery, outbox = session.server, session.delivery, session.outbox
    cursor, more, reset = request.cursor, True, list[str]()
    known = delivery.begin_replay(request.have)
    while more and not session.is_over:
        page = await server.sync.changes(actor, cursor, known)
        delivery.replayed(page.replayed)
        reset += page.reset
        if page.changes:
            changes = rendered(server.registry.changes, page)
            outbox.send_reply(encode(frames.Synced(request.id, changes)))
        cursor, more = page.cursor, page.more
        await outbox.wait_writable()
    return ResumeAck(request.id, cursor=cursor, reset=reset)
