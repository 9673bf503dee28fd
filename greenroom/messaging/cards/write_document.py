"""Tells a thread what has become of a contract: issued, signed by somebody, voided."""

from typing import cast

from greenroom.bookings.news import DocumentNews
from greenroom.bookings.panel_lines import PanelLines
from greenroom.ids import RequestId
from greenroom.messaging import items
from greenroom.messaging.cards.tabs import with_tabs
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.models import BuiltInEvent, Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.panel.models import Tab
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING, claim_key
from greenroom.messaging.set_status import write_change
from greenroom.people.actor import SYSTEM
from greenroom.store.base import Put, key_of
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed


async def write_document(messaging: Messaging, news: DocumentNews, lines: PanelLines) -> None:
    """Does nothing where it was told already. The message names the document and its version."""
    told = f"document:{news.document}:{news.version}:{news.event}:{news.actor}"
    claimed = claim_key(news.thread, SYSTEM, told)

    def plan(head: Thread, ms: int) -> PlannedWrite:
        actor = news.actor if news.actor in head.members else SYSTEM
        event, about = cast(BuiltInEvent, news.event), (news.document, str(news.version))
        message = system_message(messaging, head, actor, ms, event, *about)
        claim = items.at(claimed) | {
            "messageId": message.id,
            "seq": message.seq,
            "ts": message.ms,
        }
        ops = (message_op(message), Put(MESSAGING, claim, F("pk").absent()))
        planned = PlannedWrite(with_message(head, message), ops, (MessageCreated(message),))
        return with_tabs(planned, lines, (Tab.DOCS,), ms)

    try:
        await write_change(messaging, news.thread, plan, set[RequestId]())
    except ConditionFailed as refusal:
        if not any(key_of(failure.op) == claimed for failure in refusal.failed):
            raise
