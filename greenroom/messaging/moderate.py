"""Checks a text or a thread's name against the policy.

A refused text raises; holding a text back is up to the caller.
"""

from typing import TypeAlias

from greenroom.messaging import rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import PlainTextOnly, TextRefused
from greenroom.people.actor import Actor
from greenroom.safety.judge import RepeatCheck, has_link, judge
from greenroom.safety.verdict import Allow, Hold, Nudge, Refuse

TextVerdict: TypeAlias = Allow | Nudge | Hold


async def check_text(
    messaging: Messaging, actor: Actor, thread: Thread, body: str, names: str = ""
) -> TextVerdict:
    """`names` are the words of file names and URLs (`name_words.py`)."""
    verdict = await judge(
        messaging.safety,
        actor,
        body,
        booked=rules.is_booked(thread),
        first_contact=rules.is_behind_gate(thread, actor.user),
        names=names,
    )
    if isinstance(verdict, Refuse):
        raise _refused(verdict)
    return verdict


async def card_verdict(
    messaging: Messaging, actor: Actor, thread: Thread, written: str
) -> TextVerdict:
    """Cards often say the same again, so that repeats do not count."""
    verdict = await judge(
        messaging.safety,
        actor,
        written,
        booked=rules.is_booked(thread),
        first_contact=rules.is_behind_gate(thread, actor.user),
        repeats=RepeatCheck.IGNORED,
    )
    if isinstance(verdict, Refuse):
        raise _refused(verdict)
    return verdict


async def check_name(messaging: Messaging, actor: Actor, thread: Thread, subject: str) -> None:
    """For a new thread, whose name cannot be held: it is refused instead."""
    _check_plain(thread, subject, messaging.clock.now_ms())
    verdict = await moderate_name(messaging, actor, thread, subject)
    if isinstance(verdict, Hold):
        raise _refused(verdict)


async def check_panel_text(messaging: Messaging, actor: Actor, thread: Thread, body: str) -> None:
    """A text of the project panel is read like a message. It cannot be held: it is refused
    instead."""
    verdict = await judge(
        messaging.safety,
        actor,
        body,
        booked=rules.is_booked(thread),
        first_contact=False,
        repeats=RepeatCheck.IGNORED,
    )
    if isinstance(verdict, Hold | Refuse):
        raise _refused(verdict)


async def moderate_name(
    messaging: Messaging, actor: Actor, thread: Thread, subject: str
) -> TextVerdict:
    """A name is read like a message, and behind a gate before any message. Only a moderator can
    allow a link in it."""
    now_ms = messaging.clock.now_ms()
    asks = rules.waits_for_answer(thread, actor.user, now_ms)
    booked = rules.is_booked(thread)
    verdict = await judge(
        messaging.safety,
        actor,
        subject,
        booked=booked,
        first_contact=asks,
        repeats=RepeatCheck.IGNORED,
    )
    if isinstance(verdict, Refuse):
        raise _refused(verdict)
    if not isinstance(verdict, Hold):
        _check_plain(thread, subject, now_ms)
    return verdict


def _check_plain(thread: Thread, subject: str, now_ms: int) -> None:
    if has_link(subject) and any(
        rules.waits_for_answer(thread, gate.sender, now_ms) for gate in thread.gates.values()
    ):
        raise PlainTextOnly


def _refused(verdict: Hold | Refuse) -> TextRefused:
    return TextRefused(verdict.policy_hints or (verdict.reason,))
