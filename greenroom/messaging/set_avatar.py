"""Sets a person's picture, and announces it to the people in their latest conversations.

One transaction changes the profile, says in the file what it is used for, and deletes the picture
before it.
"""

import asyncio
import random

from greenroom.files.access import load_many
from greenroom.files.models import FileUse
from greenroom.files.release import release_ops
from greenroom.files.use import use_op
from greenroom.ids import FileId
from greenroom.messaging.context import Messaging
from greenroom.messaging.pictures import AVATAR, own_picture, reference_to
from greenroom.messaging.rename_person import announce
from greenroom.people.actor import Actor
from greenroom.people.models import Account
from greenroom.people.rename import current_account
from greenroom.people.set_avatar import with_avatar
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12


async def set_avatar(messaging: Messaging, actor: Actor, file_id: FileId | None) -> Account:
    """None removes the picture. Idempotent."""
    for attempt in range(_TRIES):
        before = await current_account(messaging.people, actor.user)
        if file_id == (None if before.avatar is None else before.avatar.file):
            return before
        after, ops = await _planned(messaging, actor, before, file_id)
        try:
            await messaging.store.write(*ops)
        except ConditionFailed:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
            continue  # the profile or a file changed at the same moment
        await announce(messaging, after)
        return after
    raise Conflict


async def _planned(
    messaging: Messaging, actor: Actor, before: Account, file_id: FileId | None
) -> tuple[Account, tuple[Op, ...]]:
    now_ms = messaging.clock.now_ms()
    avatar, used = None, list[Op]()
    if file_id is not None:
        file = await own_picture(messaging.files, actor, file_id, None)
        used.append(use_op(file, FileUse(kind=AVATAR, target=actor.user), now_ms))
        avatar = reference_to(file)
    after, changed = with_avatar(before, avatar)
    old = [] if before.avatar is None else [before.avatar.file]
    found = (await load_many(messaging.files, old)).values()
    return after, (*changed, *used, *release_ops(found, now_ms))
