"""A kind word before: the same that sending would say, and nothing remains of it."""

import asyncio

import pytest

from greenroom.messaging.preview import preview
from greenroom.messaging.problems import InvalidText, ThreadNotFound
from greenroom.messaging.send import Held, Outgoing, send
from greenroom.safety.limits import TooMany
from greenroom.safety.verdict import Allow, Nudge, PolicyHint, Refuse
from tests.messaging.world import World

_CONTACT = "Just write to me at ana@example.com, it is quicker."
_SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"


async def test_contact_details_are_nudged_before_they_go_out(world: World) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    said = await preview(world.messaging, ana, _CONTACT, thread_id=thread.id)
    assert isinstance(said, Nudge)
    assert said.policy_hints[0] is PolicyHint.CONTACT_DETAILS
    fine = await preview(world.messaging, ana, "See you on Friday.", thread_id=thread.id)
    assert fine == Allow()


async def test_nothing_is_stored_and_nothing_counts(world: World) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    with world.store.counting() as cost:
        for _ in range(20):
            await preview(world.messaging, ana, "The very same words.", thread_id=thread.id)
    assert cost.write_units == 0
    sent = await world.say("ana", thread.id, "The very same words.")
    assert sent.policy_hints == ()


async def test_what_would_be_held_looks_fine(world: World) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    assert await preview(world.messaging, ana, _SCAM, thread_id=thread.id) == Allow()
    sent = await send(world.messaging, ana, thread.id, Outgoing("c", _SCAM))
    assert isinstance(sent, Held)


async def test_first_words_have_no_links(world: World) -> None:
    ana = await world.person("ana")
    said = await preview(world.messaging, ana, "Look at https://example.com/me")
    assert isinstance(said, Refuse)
    assert said.policy_hints == (PolicyHint.LINK,)
    thread = await world.inquiry()
    later = await preview(world.messaging, ana, "See https://example.com/me", thread_id=thread.id)
    assert not isinstance(later, Refuse)


async def test_it_is_for_ones_own_conversations_and_for_texts(world: World) -> None:
    thread = await world.inquiry()
    cleo = await world.person("cleo")
    with pytest.raises(ThreadNotFound):
        await preview(world.messaging, cleo, "Hello", thread_id=thread.id)
    with pytest.raises(InvalidText):
        await preview(world.messaging, cleo, "   ")


async def test_nobody_tries_for_ever(world: World) -> None:
    ana = await world.person("ana")
    tries = [preview(world.messaging, ana, f"Is this one seen, {number}?") for number in range(200)]
    with pytest.raises(TooMany):
        await asyncio.gather(*tries)
