"""Random people do random things with cards, and everything is what the plain model says.

`make soak-cards` runs until it is stopped.
"""

import pytest

from tests.bookings.card_run import Difference, run_cards
from tests.bookings.databases import opened
from tests.bookings.planted_mistakes import MISTAKES, Plant


async def test_cards_do_what_the_model_says(request: pytest.FixtureRequest) -> None:
    async with opened("sqlite", request) as database:
        happened = await run_cards(database, seed=1, steps=1500)
    done = " ".join(happened)
    assert all(word in done for word in ("offer accept", "charge Taken", "refund", "dispute"))


@pytest.mark.timeout(120)
async def test_cards_do_the_same_on_postgresql(request: pytest.FixtureRequest) -> None:
    async with opened("postgresql", request) as database:
        assert await run_cards(database, seed=2, steps=300)


@pytest.mark.parametrize(("plant", "booking"), MISTAKES.items(), ids=[p.__name__ for p in MISTAKES])
async def test_a_planted_mistake_is_noticed(
    plant: Plant, booking: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    plant(monkeypatch)
    async with opened("sqlite", request) as database:
        with pytest.raises(Difference):
            await run_cards(database, seed=7, steps=20_000, first=booking)
