"""A preview says what sending would do, and stores nothing."""

import asyncio
from collections.abc import Awaitable

import pytest

from greenroom.messaging import Messaging
from greenroom.messaging.block import block_person
from greenroom.messaging.edit import edit
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.models import Kind, Message
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Held, Outcome, Outgoing
from greenroom.messaging.preview import preview
from greenroom.messaging.problems import InvalidText, PlainTextOnly, TextRefused, ThreadNotFound
from greenroom.messaging.send import send
from greenroom.messaging.start import start
from greenroom.people.actor import Actor
from greenroom.safety.limits import TooMany
from greenroom.safety.verdict import Allow, Hold, Nudge, PolicyHint, Refuse, Verdict
from tests.messaging.world import MessagingWorld

_CONTACT = "Just write to me at ana@example.com, it is quicker."
_SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"


async def test_contact_details_are_nudged_before_they_go_out(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    said = await preview(world.messaging, ana, _CONTACT, thread_id=thread.id)
    assert isinstance(said, Nudge)
    assert said.policy_hints[0] is PolicyHint.CONTACT_DETAILS
    fine = await preview(world.messaging, ana, "See you on Friday.", thread_id=thread.id)
    assert fine == Allow()


async def test_a_link_has_no_stranger_hint_once_the_other_person_has_accepted(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    link = "https://example.com/my-portfolio"
    known = await preview(world.messaging, world.actors["ana"], link, thread_id=thread.id)
    assert isinstance(known, Nudge)  # the account is new
    assert known.policy_hints == (PolicyHint.LOOKS_LIKE_SPAM,)
    sent = await world.say("ana", thread.id, link)
    assert PolicyHint.LINK not in sent.policy_hints
    stranger = await preview(world.messaging, world.actors["ana"], link)
    assert isinstance(stranger, Refuse)
    assert stranger.policy_hints == (PolicyHint.LINK,)


async def test_nothing_is_stored_and_nothing_counts(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    with world.store.counting() as cost:
        for _ in range(20):
            await preview(world.messaging, ana, "The very same words.", thread_id=thread.id)
    assert cost.write_units == 0
    sent = await world.say("ana", thread.id, "The very same words.")
    assert sent.policy_hints == ()


TEXTS = (
    "See you on Friday.",
    _CONTACT,
    _SCAM,
    "See https://example.com/me",
    "You have won the lottery, send a processing fee to claim your prize",
    "MAKE MONEY FAST!!! earn $5000 per week, guaranteed income https://example.com/x",
    "I will kill you",
    "nice butt, send nudes",
)


@pytest.mark.parametrize("place", ["known", "request", "stranger", "friend", "group"])
@pytest.mark.parametrize("body", TEXTS)
async def test_it_gives_the_outcome_of_sending(
    world: MessagingWorld, place: str, body: str
) -> None:
    """And what editing would do."""
    ana, ben, cleo = [await world.person(name) for name in ("ana", "ben", "cleo")]
    messaging = world.messaging
    if place in ("known", "friend", "group"):
        known = await world.inquiry()
    match place:
        case "known":
            said = await preview(messaging, ana, body, thread_id=known.id)
            message = await world.say("ana", known.id, "Hello")
            assert await _outcome(edit(messaging, ana, known.id, message.id, body)) == _name(said)
            sent = send(messaging, ana, known.id, Outgoing("c", body))
        case "request":
            opening = Opening(kind=Kind.INQUIRY, others=(Invited(ben.user),))
            asked = await open_thread(messaging, ana, opening)
            said = await preview(messaging, ana, body, thread_id=asked.id)
            sent = send(messaging, ana, asked.id, Outgoing("c", body))
        case _:
            others = {"stranger": [cleo], "friend": [ben], "group": [ben, cleo]}[place]
            users = [one.user for one in others]
            said = await preview(messaging, ana, body, recipients=users)
            opening = Opening(kind=Kind.INQUIRY, others=tuple(map(Invited, users)))
            sent = _first(messaging, ana, opening, body)
    assert await _outcome(sent) == _name(said)


async def _first(messaging: Messaging, actor: Actor, opening: Opening, body: str) -> Outcome:
    return (await start(messaging, actor, opening, body)).first


def _name(verdict: Verdict) -> str:
    return {Refuse: "refused", Hold: "held"}.get(type(verdict), "sent")


async def _outcome(trying: Awaitable[Message | HeldChange | Outcome]) -> str:
    try:
        outcome = await trying
    except (PlainTextOnly, TextRefused):
        return "refused"
    return "held" if isinstance(outcome, Held | HeldChange) else "sent"


async def test_it_knows_repeated_texts(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, body = world.actors["ana"], "Have a look at my new portfolio, it is online."
    for _ in range(7):
        assert isinstance(
            await preview(world.messaging, ana, body, thread_id=thread.id), Allow | Nudge
        )
        await world.say("ana", thread.id, body)
    assert isinstance(await preview(world.messaging, ana, body, thread_id=thread.id), Hold)
    assert isinstance(await send(world.messaging, ana, thread.id, Outgoing("c", body)), Held)


async def test_nobody_learns_of_a_block_from_it(world: MessagingWorld) -> None:
    await world.inquiry()
    ana, ben, cleo = [await world.person(name) for name in ("ana", "ben", "cleo")]

    async def answers() -> list[Verdict]:
        bodies = ("See https://example.com/me", "Hello", _CONTACT)
        return [
            await preview(world.messaging, ana, body, recipients=[other.user])
            for body in bodies
            for other in (ben, cleo)
        ]

    before = await answers()
    for other in (ben, cleo):
        await block_person(world.messaging, other, ana.user)
    assert await answers() == before
    assert before[0] != before[1], "a friend and a stranger differ"


async def test_it_takes_only_the_users_own_threads_and_valid_texts(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    cleo = await world.person("cleo")
    with pytest.raises(ThreadNotFound):
        await preview(world.messaging, cleo, "Hello", thread_id=thread.id)
    with pytest.raises(InvalidText):
        await preview(world.messaging, cleo, "   ")


async def test_previews_are_rate_limited(world: MessagingWorld) -> None:
    ana = await world.person("ana")
    tries = [preview(world.messaging, ana, f"Is this one seen, {number}?") for number in range(200)]
    with pytest.raises(TooMany):
        await asyncio.gather(*tries)
