"""Random people do random things with cards, and everything is what the plain model says.

`make soak-cards` runs until it is stopped.
"""

import asyncio
import random

import pytest
from hypothesis import given, settings, strategies as st

from greenroom.bookings.schema import SCHEMA
from tests.bookings.card_run import CardRun, Difference, run_cards
from tests.bookings.databases import opened
from tests.bookings.planted_mistakes import MISTAKES, Plant
from tests.sql_databases import temporary_sql


async def test_cards_do_what_the_model_says(request: pytest.FixtureRequest) -> None:
    async with opened("sqlite", request) as database:
        happened = await run_cards(database, seed=1, steps=1500)
    done = " ".join(happened)
    assert all(word in done for word in ("offer accept", "charge Taken", "refund", "dispute"))


@settings(max_examples=10, deadline=None, derandomize=True)
@given(dice=st.randoms(use_true_random=False))
def test_a_difference_is_shrunk_to_its_shortest_story(dice: random.Random) -> None:
    """The same steps, thrown by Hypothesis: it looks for a short run that goes wrong."""

    async def one_booking() -> None:
        database = temporary_sql((SCHEMA,))
        try:
            await CardRun(database, dice, 0).run(30)
        finally:
            await database.close()

    asyncio.run(one_booking())


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
