"""Rate limits and membership are checked before any work on a text, so refusals are cheap."""

import sys
from collections.abc import Awaitable, Callable
from types import CodeType, FrameType

import pytest

from greenroom.errors import Problem
from greenroom.ids import ThreadId
from greenroom.messaging import characters, markup, text
from greenroom.messaging.edit import edit
from greenroom.messaging.models import Kind, Message
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.preview import preview
from greenroom.messaging.problems import InvalidText, ThreadNotFound
from greenroom.messaging.rename import rename
from greenroom.messaging.report import report_message
from greenroom.messaging.send import send
from greenroom.messaging.start import start
from greenroom.safety.judge import has_link, judge_text
from greenroom.safety.limits import Rate, TooMany
from greenroom.safety.models import Reason
from greenroom.safety.normalise import NormalisedText, digest, normalise
from greenroom.unicode import limit_marks
from tests.messaging.world import MessagingWorld
from tests.world import LIMITS

HOSTILE = "a" + "\u302e\U0001d165\ufdfa" * 2_000
NAME = "a" + "\u302e\U0001d165\ufdfa" * 40
WORK: dict[CodeType, str] = {
    one.__code__: one.__qualname__
    for one in (
        *(
            text.clean,
            text.subject,
            text.mentioned,
            characters.normalised,
            limit_marks,
            markup.pieces,
        ),
        *(has_link, judge_text, normalise, digest, NormalisedText.__init__),
    )
}
ONCE = dict.fromkeys(
    LIMITS, Rate(most=1, window_ms=60_000, local_share=0, lease_size=1, lease_ms=1_000)
)
NOWHERE = ThreadId("thr_" + "0" * 26)


async def worked(doing: Awaitable[object], refusal: type[Problem]) -> set[str]:
    """The functions that processed the text before the refusal."""
    called: set[str] = set()

    def see(message: FrameType, event: str, _: object) -> None:
        if event == "call" and message.f_code in WORK:
            called.add(WORK[message.f_code])

    sys.setprofile(see)
    try:
        with pytest.raises(refusal):
            await doing
    finally:
        sys.setprofile(None)
    return called


def _uses(
    world: MessagingWorld, thread: ThreadId, message: Message
) -> dict[str, Callable[[], Awaitable[object]]]:
    ana, messaging = world.actors["ana"], world.messaging
    others = (Invited(world.user("ben")),)
    asks = Opening(kind=Kind.INQUIRY, others=others, subject=NAME)
    return {
        "send": lambda: send(messaging, ana, thread, Outgoing("c", HOSTILE)),
        "send again": lambda: send(messaging, ana, thread, Outgoing("c1", HOSTILE)),
        "start": lambda: start(messaging, ana, asks, HOSTILE),
        "open": lambda: open_thread(messaging, ana, asks),
        "edit": lambda: edit(messaging, ana, thread, message.id, HOSTILE),
        "rename": lambda: rename(messaging, ana, thread, NAME),
        "preview": lambda: preview(messaging, ana, HOSTILE, thread_id=thread),
        "preview to people": lambda: preview(
            messaging, ana, HOSTILE, recipients=[world.user("ben")]
        ),
        "report": lambda: report_message(
            messaging, ana, thread, message.id, Reason.SPAM, HOSTILE[:2_000]
        ),
    }


async def _strict(world: MessagingWorld) -> tuple[MessagingWorld, ThreadId, Message]:
    """The same world, after Ana has used up every limit."""
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Hello")
    strict = world.another_node(rates=ONCE)
    for limit in LIMITS:
        await strict.messaging.safety.limits.spend(world.user("ana"), limit)
    return strict, thread.id, message


USES = ("send", "start", "open", "edit", "rename", "preview", "preview to people", "report")


@pytest.mark.parametrize("use", USES)
async def test_no_text_is_processed_above_the_limit(world: MessagingWorld, use: str) -> None:
    strict, thread, message = await _strict(world)
    doing = _uses(strict, thread, message)[use]
    assert await worked(doing(), TooMany) == set()


async def test_a_retry_with_another_text_is_refused_without_processing_it(
    world: MessagingWorld,
) -> None:
    strict, thread, message = await _strict(world)
    assert await worked(_uses(strict, thread, message)["send again"](), Problem) == set()


@pytest.mark.parametrize("use", ["send", "edit", "rename", "preview", "report"])
async def test_no_text_is_processed_for_a_missing_thread(world: MessagingWorld, use: str) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Hello")
    assert await worked(_uses(world, NOWHERE, message)[use](), ThreadNotFound) == set()


async def test_the_test_notices_processing(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    empty = send(world.messaging, world.actors["ana"], thread.id, Outgoing("c", "\u3164"))
    assert "clean" in await worked(empty, InvalidText)
