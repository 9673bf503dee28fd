"""The claim on a client's id of an edit, which makes it happen once and answers its retries."""

from hashlib import blake2b

import msgspec
from msgspec import Struct

from greenroom.ids import ThreadId, UserId
from greenroom.messaging.context import Messaging
from greenroom.messaging.items import at
from greenroom.messaging.panel.items import entry_of
from greenroom.messaging.panel.models import Edit, Edited, LogEntry, Tab
from greenroom.messaging.panel.problems import EditIdReused
from greenroom.messaging.records import MESSAGING, panel_claim_key, panel_log_key
from greenroom.store.base import Put
from greenroom.store.expressions import F


class EditRequest(Struct, frozen=True, kw_only=True):
    """An edit as its author sent it, cleaned."""

    thread: ThreadId
    tab: Tab
    by: UserId
    client_id: str
    edit: Edit

    @property
    def digest(self) -> bytes:
        return blake2b(msgspec.msgpack.encode((self.tab, self.edit)), digest_size=16).digest()


def claim_op(request: EditRequest, entry: LogEntry) -> Put:
    key = panel_claim_key(request.thread, request.by, request.client_id)
    claim = at(key) | {
        "digest": request.digest,
        "tab": request.tab.value,
        "version": entry.made.version,
    }
    return Put(MESSAGING, claim, F("pk").absent())


async def first_answer(messaging: Messaging, request: EditRequest) -> Edited | None:
    """The answer that this edit got before; None where it was never accepted."""
    key = panel_claim_key(request.thread, request.by, request.client_id)
    claim = await messaging.store.get(MESSAGING, key, consistent=True)
    if claim is None:
        return None
    if claim["digest"] != request.digest:
        raise EditIdReused(request.client_id)
    made = panel_log_key(request.thread, str(claim["tab"]), int(str(claim["version"])))
    logged = await messaging.store.get(MESSAGING, made, consistent=True)
    return None if logged is None else Edited(entry_of(logged), again=True)
