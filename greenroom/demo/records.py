"""The items that mark the store of a demo. Sample people are never written into another store.

UserPosts
└─ DEMO
   ├─ DEMO              the mark
   └─ SCENE#{scene}     a sample booking was played to its end
"""

from greenroom.people.records import DEMO, USER_POSTS
from greenroom.store.base import Key, Put, Store

MARK: Key = Key(DEMO, DEMO)


async def mark(store: Store) -> None:
    await store.write(Put(USER_POSTS, {"pk": DEMO, "sk": DEMO}))


async def note_played(store: Store, scene: str) -> None:
    await store.write(Put(USER_POSTS, {"pk": DEMO, "sk": f"SCENE#{scene}"}))


async def was_played(store: Store, scene: str) -> bool:
    return await store.get(USER_POSTS, Key(DEMO, f"SCENE#{scene}")) is not None
