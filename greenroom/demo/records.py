"""The item that marks a demo's store: sample people are written into no other.

UserPosts
└─ DEMO
   └─ DEMO      the mark
"""

from greenroom.people.records import DEMO, USER_POSTS
from greenroom.store.base import Key, Put, Store

MARK: Key = Key(DEMO, DEMO)


async def mark(store: Store) -> None:
    await store.write(Put(USER_POSTS, {"pk": DEMO, "sk": DEMO}))
