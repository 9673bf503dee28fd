"""Sets a person's metadata: the integrator's JSON object, stored with the account."""

from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.context import People
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import Account
from greenroom.store.problems import ConditionFailed


async def set_metadata(people: People, user: UserId, metadata: str | None) -> Account:
    """`metadata` is JSON text from `metadata.checked`; None removes it."""
    try:
        item = await people.store.write(records.with_metadata(user, metadata))
    except ConditionFailed:
        raise PersonNotFound from None
    assert item is not None
    return records.account_of(item)
