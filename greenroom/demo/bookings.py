"""Writes the sample bookings into the store, once: one in full swing, a dispute, a finished one."""

import logging

from greenroom.bookings.cards.payloads import (
    Answer,
    Complete,
    DepositClaim,
    Dispute,
    Expense,
    Extra,
    Extras,
    Noted,
    Offer,
    Overtime,
    Proofs,
    Reasoned,
    Reschedule,
    Safety,
)
from greenroom.demo.scene import Scene, euros
from greenroom.demo.seeding import Seeding
from greenroom.errors import Problem

_log = logging.getLogger(__name__)

_FILM_DAYS = 3.185
"""So that it ends a few minutes ago: its last payment has an hour."""


async def seed_samples(seeding: Seeding) -> None:
    """Writes what is not there yet."""
    scenes = (
        _finished(Scene(seeding, "demo-deal-finished", "jonas", "mateo", days=25)),
        _disputed(Scene(seeding, "demo-deal-dispute", "jonas", "studio.nord", days=9)),
        _in_full_swing(Scene(seeding, "demo-deal-film", "jonas", "mateo", days=_FILM_DAYS)),
    )
    for scene in scenes:
        try:
            await scene
        except Problem as problem:  # a user, or an older version, has made something else of it
            _log.warning("a sample booking is left as it is: %s", problem)


async def _in_full_swing(scene: Scene) -> None:
    """Its cards are in every state that a card can have."""
    about = "The film of the harbour story"
    hello = (
        "Mateo, would you film the harbour story? One long day, from the ferry to the last light."
    )
    if not await scene.open(about, hello, city="Lisbon"):
        return
    terms = scene.terms(
        "Filming, one day", 900, days=13, hours=8, deposit=200, place="Cais do Sodré"
    )
    offered = await scene.offer("mateo", terms, "With a second camera and sound.")
    less = scene.terms(
        "Filming, one day", 780, days=13, hours=7, deposit=200, place="Cais do Sodré"
    )
    counter = Offer(legs=(less,), note="Seven hours are enough, and our budget is 780.")
    countered = await scene.answer("jonas", offered, "counter", counter, pays="sandbox:ok")
    await scene.answer("mateo", countered, "accept")
    await scene.say("jonas", "Wonderful, we are on!")
    await _settled_changes(scene)
    await _failed_changes(scene)
    await _open_changes(scene)
    await scene.end(unread={"jonas": 1, "mateo": 1})


async def _settled_changes(scene: Scene) -> None:
    """Applied and declined."""
    later = Reschedule(
        starts_at=scene.at(14, 8), ends_at=scene.at(14, 15), note="Rain on the first day."
    )
    await scene.answer("mateo", await scene.propose("jonas", later), "accept")
    drone = Extras(items=(Extra(title="Drone, half a day", price=euros(240)),))
    declined = await scene.propose("mateo", drone)
    await scene.answer("jonas", declined, "decline", Noted(note="The port does not allow drones."))


async def _failed_changes(scene: Scene) -> None:
    """Withdrawn, expired, and failed: the bank declined."""
    longer = await scene.propose("mateo", Overtime(minutes=90, price=euros(150)))
    await scene.answer("mateo", longer, "withdraw")
    tapes = Expense(title="Memory cards", price=euros(64), note="They stay with you.")
    await scene.let_expire(await scene.propose("mateo", tapes))
    light = Extras(items=(Extra(title="Light for the cabin", price=euros(120)),))
    asked = await scene.propose("mateo", light)
    await scene.answer("jonas", asked, "accept", pays="sandbox:insufficient_funds")


async def _open_changes(scene: Scene) -> None:
    """Proposed; countered; and accepted, with a payment that does not come through."""
    hour = Overtime(minutes=60, price=euros(95), note="For the last light, if the sky is clear.")
    await scene.propose("mateo", hour)
    closed = Safety(measures=("Life vests on the ferry", "No one films below deck alone"))
    proposed = await scene.propose("mateo", closed)
    more = Safety(measures=(*closed.measures, "A medic on call until the last light"))
    await scene.answer("jonas", proposed, "counter", more)
    ferry = Expense(title="Ferry for two", price=euros(38))
    asked = await scene.propose("mateo", ferry)
    await scene.answer("jonas", asked, "accept", pays="sandbox:unreachable")


async def _disputed(scene: Scene) -> None:
    hello = "Could we have the big room for one day, with the paper backdrop?"
    if not await scene.open("The big room", hello, city="Lisbon"):
        return
    terms = scene.terms("The big room, one day", 320, days=3, hours=8, deposit=150)
    await scene.book(await scene.offer("studio.nord", terms))
    await scene.reach_due()
    scene.wait(days=2.5)
    await scene.answer("jonas", await scene.propose("studio.nord", Complete()), "accept")
    claim = DepositClaim(amount=euros(110), reason="The backdrop was torn and has to be replaced.")
    asked = await scene.propose("studio.nord", claim)
    await scene.answer("jonas", asked, "decline", Noted(note="It was torn when we came."))
    opened = Dispute(
        reason="The backdrop was whole in the morning. A new one costs 110 euros.",
        claim=euros(110),
    )
    dispute = await scene.propose("studio.nord", opened)
    account = Answer(answer="We found the tear at nine and told your assistant at once.")
    await scene.answer("jonas", dispute, "respond", account)
    await scene.end(unread={"studio.nord": 1})


async def _finished(scene: Scene) -> None:
    hello = "We need a clip of forty seconds for the exhibition. Would you cut one for us?"
    about = "The clip for the exhibition"
    if not await scene.open(about, hello, city="Lisbon"):
        return
    terms = scene.terms("Clip of 40 seconds", 450, days=4, hours=5, deposit=100)
    await scene.book(await scene.offer("mateo", terms))
    await scene.sign("mateo")
    await scene.sign("jonas")
    await scene.reach_due()
    scene.wait(days=3)
    proofs = Proofs(title="First cut", note="With music that we may use.")
    seen = await scene.propose("mateo", proofs)
    changes = Reasoned(note="Lovely. Could the ferry come earlier?")
    asked = await scene.answer("jonas", seen, "ask_changes", changes)
    scene.wait(days=1)
    second = Proofs(title="Second cut", note="The ferry is the first shot now.")
    delivered = await scene.answer("mateo", asked, "deliver", second)
    await scene.answer("jonas", delivered, "accept")
    await scene.answer("jonas", await scene.propose("mateo", Complete()), "accept")
    await scene.let_pass()
    await scene.say("jonas", "Thank you! It runs in a loop at the entrance.")
    await scene.end(unread={})
