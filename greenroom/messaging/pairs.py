"""The threads of two people: the id of their direct thread, and all threads opened for the two.

The id of a direct thread is derived from the pair and a random key, so that nobody can work out the
id of another pair's thread. The key is an item of the store, created once by the first node that
needs it: all nodes use the same one, and a restored backup contains it.
"""

import secrets
from collections.abc import AsyncIterator
from hashlib import blake2b

from greenroom.ids import ThreadId, UserId, as_letters
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.records import MESSAGING, pair_partition, secret_key
from greenroom.store.base import Put
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item

_KEY = secret_key("pairs")
_KEY_BYTES = 32
_PAGE = 50


async def direct_id(messaging: Messaging, one: UserId, other: UserId) -> ThreadId:
    pair = "\n".join(sorted((one, other)))
    digest = blake2b(pair.encode(), digest_size=16, key=await _key(messaging)).digest()
    return ThreadId("thr_" + as_letters(digest))


async def threads_of(messaging: Messaging, one: UserId, other: UserId) -> AsyncIterator[ThreadId]:
    """Every thread that was opened for these two, a page at a time."""
    cursor: str | None = None
    while True:
        page = await messaging.store.query(
            MESSAGING, pair_partition(one, other), limit=_PAGE, cursor=cursor, consistent=True
        )
        for item in page.items:
            yield ThreadId(str(item["sk"]))
        cursor = page.next
        if cursor is None:
            return


async def _key(messaging: Messaging) -> bytes:
    kept = messaging.secrets.get(_KEY)
    if kept is None:
        kept = messaging.secrets[_KEY] = await _get_or_create(messaging)
    return kept


async def _get_or_create(messaging: Messaging) -> bytes:
    found = await messaging.store.get(MESSAGING, _KEY, consistent=True)
    if found is not None:
        return _bytes_in(found)
    created = secrets.token_bytes(_KEY_BYTES)
    try:
        await messaging.store.write(
            Put(MESSAGING, items.at(_KEY) | {"key": created}, F("pk").absent())
        )
    except ConditionFailed as refusal:  # another node was first
        found = refusal.item or await messaging.store.get(MESSAGING, _KEY, consistent=True)
        assert found is not None
        return _bytes_in(found)
    return created


def _bytes_in(item: Item) -> bytes:
    key = item["key"]
    assert isinstance(key, bytes)
    return key
