"""`idempotent`, on both store engines."""

import asyncio
from collections.abc import AsyncIterator
from itertools import islice

import pytest
from msgspec import Struct

from greenroom.api.idempotency import IdempotencyKeyReused, Idempotent, RequestInProgress, digest_of
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.people.join import UsernameTaken
from greenroom.safety.records import EPHEMERAL
from greenroom.store.problems import OutcomeUnknown
from tests.stores import IN_2100_MS, fresh_store

MAYA = Actor(UserId("usr_maya"))


class Made(Struct):
    number: int


class Workshop:
    """Counts its runs; can be told to wait or to fail."""

    def __init__(self) -> None:
        self.made = 0
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.failure: Exception | None = None

    async def make(self) -> Made:
        self.made += 1
        self.begun.set()
        number = self.made
        await self.go_on.wait()
        if self.failure is not None:
            raise self.failure
        return Made(number)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
async def idempotent(store_url: str, clock: ManualClock) -> AsyncIterator[Idempotent]:
    async with fresh_store(store_url, [EPHEMERAL], clock) as store:
        yield Idempotent(store, clock)


@pytest.fixture
async def workshop() -> Workshop:
    return Workshop()


async def test_a_repeated_request_runs_once(idempotent: Idempotent, workshop: Workshop) -> None:
    for _ in range(3):
        assert await idempotent(MAYA, "key", "asked", workshop.make, Made) == Made(1)
    assert workshop.made == 1


async def test_without_a_key_every_request_runs(idempotent: Idempotent, workshop: Workshop) -> None:
    assert await idempotent(MAYA, None, "asked", workshop.make, Made) == Made(1)
    assert await idempotent(MAYA, None, "asked", workshop.make, Made) == Made(2)


async def test_keys_belong_to_their_user(idempotent: Idempotent, workshop: Workshop) -> None:
    other = Actor(UserId("usr_other"))
    assert await idempotent(MAYA, "key", "asked", workshop.make, Made) == Made(1)
    assert await idempotent(other, "key", "asked", workshop.make, Made) == Made(2)


async def test_a_key_is_for_one_request(idempotent: Idempotent, workshop: Workshop) -> None:
    await idempotent(MAYA, "key", "asked", workshop.make, Made)
    with pytest.raises(IdempotencyKeyReused):
        await idempotent(MAYA, "key", "another request", workshop.make, Made)
    assert workshop.made == 1


async def test_of_concurrent_requests_one_runs(idempotent: Idempotent, workshop: Workshop) -> None:
    workshop.go_on.clear()
    tries = [
        asyncio.create_task(idempotent(MAYA, "key", "asked", workshop.make, Made))
        for _ in range(10)
    ]
    for answered in islice(asyncio.as_completed(tries), 9):
        with pytest.raises(RequestInProgress):
            await answered
    with pytest.raises(IdempotencyKeyReused):
        await idempotent(MAYA, "key", "another request", workshop.make, Made)
    workshop.go_on.set()
    answers = await asyncio.gather(*tries, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, Made)] == [Made(1)]
    assert await idempotent(MAYA, "key", "asked", workshop.make, Made) == Made(1)


async def test_a_refusal_leaves_the_key_free(idempotent: Idempotent, workshop: Workshop) -> None:
    workshop.failure = UsernameTaken("maya")
    with pytest.raises(UsernameTaken):
        await idempotent(MAYA, "key", "asked", workshop.make, Made)
    workshop.failure = None
    assert await idempotent(MAYA, "key", "another request", workshop.make, Made) == Made(2)


@pytest.mark.parametrize("failure", [OutcomeUnknown("lost"), RuntimeError("a bug")])
async def test_a_request_with_an_unknown_outcome_is_not_repeated_at_once(
    idempotent: Idempotent, workshop: Workshop, clock: ManualClock, failure: Exception
) -> None:
    workshop.failure = failure
    with pytest.raises(type(failure)):
        await idempotent(MAYA, "key", "asked", workshop.make, Made)
    workshop.failure = None
    with pytest.raises(RequestInProgress):
        await idempotent(MAYA, "key", "asked", workshop.make, Made)
    clock.advance(seconds=60)
    assert await idempotent(MAYA, "key", "asked", workshop.make, Made) == Made(2)


async def test_a_late_request_does_not_overwrite_the_response(
    idempotent: Idempotent, workshop: Workshop, clock: ManualClock
) -> None:
    workshop.go_on.clear()
    slow = asyncio.create_task(idempotent(MAYA, "key", "asked", workshop.make, Made))
    await workshop.begun.wait()
    clock.advance(seconds=60)
    quick = Workshop()
    quick.made = 7
    assert await idempotent(MAYA, "key", "asked", quick.make, Made) == Made(8)
    workshop.go_on.set()
    assert await slow == Made(1)
    assert await idempotent(MAYA, "key", "asked", workshop.make, Made) == Made(8)


async def test_a_key_expires_after_a_day(
    idempotent: Idempotent, workshop: Workshop, clock: ManualClock
) -> None:
    await idempotent(MAYA, "key", "asked", workshop.make, Made)
    clock.advance(seconds=24 * 3600 - 1)
    assert await idempotent(MAYA, "key", "asked", workshop.make, Made) == Made(1)
    clock.advance(seconds=1)
    assert await idempotent(MAYA, "key", "another request", workshop.make, Made) == Made(2)


def test_the_digest_distinguishes_operations_and_bodies() -> None:
    digests = {
        digest_of("a", Made(1)),
        digest_of("b", Made(1)),
        digest_of("a", Made(2)),
        digest_of("a", "x", Made(1)),
    }
    assert len(digests) == 4
    assert digest_of("a", Made(1)) in digests
