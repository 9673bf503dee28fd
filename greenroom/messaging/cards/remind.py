"""Reminds those whose answer a card waits for, once for each version, before its deadline."""

from collections.abc import Mapping
from typing import Any, cast

from greenroom.ids import CardId, ThreadId
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.models import Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING, card_key, claim_key
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import SYSTEM
from greenroom.store.base import Check, Put, key_of
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed


async def remind(messaging: Messaging, thread: ThreadId, card: CardId, version: int) -> None:
    """Nothing where the card has moved on, or was reminded of."""
    shadow = await messaging.store.get(MESSAGING, card_key(thread, card), consistent=True)
    if shadow is None or shadow.get("version") != version:
        return
    found = cast(Mapping[str, Any], shadow)
    claimed = claim_key(thread, SYSTEM, f"card:{card}:{version}:reminder")

    def plan(head: Thread, ms: int) -> PlannedWrite:
        about = (card, found["type"], found["state"], *head.open_cards.get(card, ()))
        message = system_message(messaging, head, SYSTEM, ms, "card.reminded", *about)
        claim = items.at(claimed) | {
            "messageId": message.id,
            "seq": message.seq,
            "ts": message.ms,
        }
        ops = (
            message_op(message),
            Put(MESSAGING, claim, F("pk").absent()),
            Check(MESSAGING, card_key(thread, card), F("version").equals(version)),
        )
        return PlannedWrite(with_message(head, message), ops, (MessageCreated(message),))

    try:
        await update_thread(messaging, thread, plan)
    except ConditionFailed as refusal:
        expected = {claimed, card_key(thread, card)}
        if not any(key_of(failure.op) in expected for failure in refusal.failed):
            raise
