"""Suspensions: they end by themselves or are lifted; the person can still be found."""

import pytest

from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people import People, access, directory, records
from greenroom.people.access import AccountSuspended, check_not_suspended
from greenroom.people.directory import PersonNotFound
from greenroom.people.join import join
from greenroom.people.models import FOREVER_MS
from greenroom.people.suspend import suspend


async def test_a_suspension_ends_by_itself(people: People, clock: ManualClock) -> None:
    maya = await join(people, "maya")
    account = await suspend(people, maya.id, clock.now_ms() + 1000, "spam")
    assert account.is_suspended(clock.now_ms())
    assert account.suspension_reason == "spam"
    assert not account.is_suspended(clock.now_ms() + 1000)


async def test_reinstating_restores_the_account(people: People, clock: ManualClock) -> None:
    maya = await join(people, "maya", first_name="Maya")
    assert (await suspend(people, maya.id, None, "spam")).is_suspended(clock.now_ms())
    await people.store.write(records.reinstated(maya.id, FOREVER_MS))
    assert await access.account(people, maya.id) == maya


async def test_a_suspended_person_can_still_be_found(people: People) -> None:
    maya = await join(people, "maya")
    await suspend(people, maya.id, None, "spam")
    assert (await directory.by_id(people, maya.id)).name == "maya"
    assert [person.id for person in await directory.by_ids(people, [maya.id])] == [maya.id]
    assert len((await directory.by_name(people, "maya")).people) == 1


async def test_a_missing_account_cannot_be_suspended(people: People) -> None:
    nobody = UserId("usr_nobody")
    with pytest.raises(PersonNotFound):
        await suspend(people, nobody, None, "spam")
    assert await access.account(people, nobody) is None


async def test_suspending_costs_one_write(people: People) -> None:
    maya = await join(people, "maya", first_name="Maya", last_name="Lindqvist")
    with people.store.counting() as cost:
        await suspend(people, maya.id, None, "spam")
    assert cost.write_units == 1


def test_the_refusal_has_the_end_of_the_suspension() -> None:
    check_not_suspended(None, 0)
    check_not_suspended(1000, 1000)
    with pytest.raises(AccountSuspended) as refused:
        check_not_suspended(1000, 999)
    assert refused.value.until == "1970-01-01T00:00:01.000Z"
