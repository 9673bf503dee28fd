"""The item that marks the store of a demo. Sample people are never written into another store.

UserPosts
└─ DEMO
   └─ DEMO      the mark
"""

from greenroom.people.records import DEMO, USER_POSTS
from greenroom.store.base import Key, Put, Store

MARK: Key = Key(DEMO, DEMO)


async def mark(store: Store) -> None:
    await store.write(Put(USER_POSTS, {"pk": DEMO, "sk": DEMO}))
