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
from greenroom.store.ephemeral import EPHEMERAL
from greenroom.store.problems import OutcomeUnknown
from tests.stores import IN_2100_MS, fresh_store

MAYA = Actor(UserId("usr_maya"))


class Created(Struct):
    number: int


class Factory:
    """Counts its runs; can be told to wait or to fail."""

    def __init__(self) -> None:
        self.made = 0
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.failure: Exception | None = None

    async def make(self) -> Created:
        self.made += 1
        self.begun.set()
        number = self.made
        await self.go_on.wait()
        if self.failure is not None:
            raise self.failure
        return Created(number)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
async def idempotent(store_url: str, clock: ManualClock) -> AsyncIterator[Idempotent]:
    async with fresh_store(store_url, [EPHEMERAL], clock) as store:
        yield Idempotent(store, clock)


@pytest.fixture
async def factory() -> Factory:
    return Factory()


async def test_a_repeated_request_runs_once(idempotent: Idempotent, factory: Factory) -> None:
    for _ in range(3):
        assert await idempotent(MAYA, "key", "asked", factory.make, Created) == Created(1)
    assert factory.made == 1


async def test_without_a_key_every_request_runs(idempotent: Idempotent, factory: Factory) -> None:
    assert await idempotent(MAYA, None, "asked", factory.make, Created) == Created(1)
    assert await idempotent(MAYA, None, "asked", factory.make, Created) == Created(2)


async def test_keys_belong_to_their_user(idempotent: Idempotent, factory: Factory) -> None:
    other = Actor(UserId("usr_other"))
    assert await idempotent(MAYA, "key", "asked", factory.make, Created) == Created(1)
    assert await idempotent(other, "key", "asked", factory.make, Created) == Created(2)


async def test_a_key_is_for_one_request(idempotent: Idempotent, factory: Factory) -> None:
    await idempotent(MAYA, "key", "asked", factory.make, Created)
    with pytest.raises(IdempotencyKeyReused):
        await idempotent(MAYA, "key", "another request", factory.make, Created)
    assert factory.made == 1


async def test_of_concurrent_requests_one_runs(idempotent: Idempotent, factory: Factory) -> None:
    factory.go_on.clear()
    tries = [
        asyncio.create_task(idempotent(MAYA, "key", "asked", factory.make, Created))
        for _ in range(10)
    ]
    for answered in islice(asyncio.as_completed(tries), 9):
        with pytest.raises(RequestInProgress):
            await answered
    with pytest.raises(IdempotencyKeyReused):
        await idempotent(MAYA, "key", "another request", factory.make, Created)
    factory.go_on.set()
    answers = await asyncio.gather(*tries, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, Created)] == [Created(1)]
    assert await idempotent(MAYA, "key", "asked", factory.make, Created) == Created(1)


async def test_a_refusal_leaves_the_key_free(idempotent: Idempotent, factory: Factory) -> None:
    factory.failure = UsernameTaken("maya")
    with pytest.raises(UsernameTaken):
        await idempotent(MAYA, "key", "asked", factory.make, Created)
    factory.failure = None
    assert await idempotent(MAYA, "key", "another request", factory.make, Created) == Created(2)


@pytest.mark.parametrize("failure", [OutcomeUnknown("lost"), RuntimeError("a bug")])
async def test_a_request_with_an_unknown_outcome_is_not_repeated_at_once(
    idempotent: Idempotent, factory: Factory, clock: ManualClock, failure: Exception
) -> None:
    factory.failure = failure
    with pytest.raises(type(failure)):
        await idempotent(MAYA, "key", "asked", factory.make, Created)
    factory.failure = None
    with pytest.raises(RequestInProgress):
        await idempotent(MAYA, "key", "asked", factory.make, Created)
    clock.advance(seconds=60)
    assert await idempotent(MAYA, "key", "asked", factory.make, Created) == Created(2)


async def test_a_late_request_does_not_overwrite_the_response(
    idempotent: Idempotent, factory: Factory, clock: ManualClock
) -> None:
    factory.go_on.clear()
    slow = asyncio.create_task(idempotent(MAYA, "key", "asked", factory.make, Created))
    await factory.begun.wait()
    clock.advance(seconds=60)
    quick = Factory()
    quick.made = 7
    assert await idempotent(MAYA, "key", "asked", quick.make, Created) == Created(8)
    factory.go_on.set()
    assert await slow == Created(1)
    assert await idempotent(MAYA, "key", "asked", factory.make, Created) == Created(8)


async def test_a_key_expires_after_a_day(
    idempotent: Idempotent, factory: Factory, clock: ManualClock
) -> None:
    await idempotent(MAYA, "key", "asked", factory.make, Created)
    clock.advance(seconds=24 * 3600 - 1)
    assert await idempotent(MAYA, "key", "asked", factory.make, Created) == Created(1)
    clock.advance(seconds=1)
    assert await idempotent(MAYA, "key", "another request", factory.make, Created) == Created(2)


def test_the_digest_distinguishes_operations_and_bodies() -> None:
    digests = {
        digest_of("a", Created(1)),
        digest_of("b", Created(1)),
        digest_of("a", Created(2)),
        digest_of("a", "x", Created(1)),
    }
    assert len(digests) == 4
    assert digest_of("a", Created(1)) in digests
