"""What people write in cards is cleaned and checked as messages are."""

import pytest

from greenroom.bookings.cards.payloads import DepositClaim, Extra, Extras, Offer, Proofs
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.ids import FileId
from greenroom.messaging.cards.texts import clean_content
from greenroom.messaging.problems import CardNeedsReview
from tests.cards.world import CardWorld, euros


def test_texts_lose_what_nobody_sees() -> None:
    extras = Extras(items=(Extra(title=" Album\u202e\u200b ", price=euros(90)),), note="e\u0301")
    cleaned = clean_content(extras)
    assert cleaned.items[0].title == "Album"
    assert cleaned.note == "é"


def test_a_title_of_blanks_is_refused() -> None:
    with pytest.raises(InvalidCard):
        clean_content(Extras(items=(Extra(title="\u200b ", price=euros(90)),)))


async def test_the_same_words_twice_are_no_spam(local: CardWorld) -> None:
    thread, _ = await local.booked()
    for _ in range(6):
        card = await local.propose(
            "ben", thread.id, Proofs(title="Selection", note="In the folder")
        )
        await local.answer("ben", card, "withdraw")


async def test_what_a_message_cannot_say_no_card_says(local: CardWorld) -> None:
    thread = await local.inquiry()
    scam = "You have won the lottery, send a processing fee to claim your prize"
    offer = local.offer()
    with pytest.raises(CardNeedsReview):
        await local.propose("ben", thread.id, Offer(legs=offer.legs, note=scam))


@pytest.mark.parametrize("name", ["", "mnf_", "mnf_" + "A" * 26, "x" * 2000, "fil_" + "0" * 2000])
async def test_proofs_name_files_and_manifests(local: CardWorld, name: str) -> None:
    """A card is kept with its message, so that nothing in it may be of any length."""
    thread, _ = await local.booked()
    with pytest.raises(InvalidCard, match="no id"):
        await local.propose("ben", thread.id, Proofs(title="Selection", files=(name,) * 50))
    manifest = "mnf_" + "0" * 26
    await local.propose("ben", thread.id, Proofs(title="Selection", files=(manifest,)))


async def test_evidence_has_to_be_in_the_conversation(local: CardWorld) -> None:
    thread, _ = await local.booked(deposit=100)
    claim = DepositClaim(amount=euros(5), reason="A lamp", evidence=(FileId("fil_" + "0" * 26),))
    with pytest.raises(InvalidCard, match="send it there first"):
        await local.propose("ben", thread.id, claim)
