"""Open a thread with its first message.

What one would get wrong: a text that can never be sent must not leave an empty conversation at
somebody's gate, so the text is looked at first. The message is named after the thread's key, so
that a retry opens nothing new and says nothing twice.
"""

from hashlib import blake2b

from msgspec import Struct

from greenroom.messaging import text
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.open import Opening, open_thread
from greenroom.messaging.send import Held, Outgoing, Sent, send
from greenroom.people.actor import Actor


class Started(Struct, frozen=True):
    thread: Thread
    client_id: str
    first: Sent | Held


async def start(
    messaging: Messaging, actor: Actor, opening: Opening, body: str, *, key: str | None = None
) -> Started:
    cleaned = text.clean(body)
    thread = await open_thread(messaging, actor, opening, key=key)
    outgoing = Outgoing(_client_id(messaging, key), cleaned)
    return Started(thread, outgoing.client_id, await send(messaging, actor, thread.id, outgoing))


def _client_id(messaging: Messaging, key: str | None) -> str:
    name = messaging.ids.request() if key is None else key
    return "first:" + blake2b(name.encode(), digest_size=16).hexdigest()
