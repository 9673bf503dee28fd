"""The state of one of a user's own lists: how many entries it has, and when it last changed.

Every change of an entry also changes the state, in the same transaction: it limits the entries, and
sync reads only the state while nothing has changed.
"""

from typing import Any

from msgspec import Struct

from greenroom.messaging.context import Messaging
from greenroom.messaging.records import MESSAGING
from greenroom.store.base import Key, Update
from greenroom.store.expressions import Condition, F

_COUNT, _CHANGED_AT, _VERSION = "count", "changedAt", "version"


class ListState(Struct, frozen=True):
    count: int = 0
    changed_ms: int = 0
    """When an entry was last added, changed or removed."""
    version: int = 0
    """How often that has happened."""


async def list_state(messaging: Messaging, key: Key) -> ListState:
    """May be a little old: sync looks again for a while."""
    item: Any = await messaging.store.get(MESSAGING, key)
    if item is None:
        return ListState()
    return ListState(item[_COUNT], item[_CHANGED_AT], item[_VERSION])


def list_op(key: Key, added: int, now_ms: int, most: int | None = None) -> Update:
    """`added` may be 0 or -1. With `most`, refused where there are so many already."""
    room: Condition | None = None
    if most is not None:
        room = F(_COUNT).absent() | F(_COUNT).at_most(most - 1)
    actions = (F(_COUNT).add(added), F(_VERSION).add(1), F(_CHANGED_AT).set(now_ms))
    return Update(MESSAGING, key, actions, room)
