"""Announces the picture of a person or thread again after a moderator has set its band.

The picture gets the file's version: clients then ask for its URLs again. As after a rename, the
people in the person's latest conversations get an event, and so do the members of the thread.
"""

import asyncio
import random

from msgspec.structs import replace

from greenroom.files.models import File
from greenroom.ids import ThreadId, UserId
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.rename_person import announce
from greenroom.messaging.update_thread import update_thread
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import Picture
from greenroom.people.rename import current_account
from greenroom.people.set_avatar import with_avatar
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12


async def show_avatar_band(messaging: Messaging, file: File) -> None:
    """Idempotent."""
    assert file.use is not None
    for attempt in range(_TRIES):
        try:
            before = await current_account(messaging.people, UserId(file.use.target))
        except PersonNotFound:
            return
        avatar = _with_version(before.avatar, file)
        if avatar is None:
            return
        after, ops = with_avatar(before, avatar)
        try:
            await messaging.store.write(*ops)
        except ConditionFailed:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
            continue  # the profile changed at the same moment
        await announce(messaging, after)
        return
    raise Conflict


class _AlreadyShown(Exception):
    pass


async def show_thread_picture_band(messaging: Messaging, file: File) -> None:
    """Idempotent."""
    assert file.use is not None

    def plan(head: Thread, _: int) -> PlannedWrite:
        picture = _with_version(head.picture, file)
        if picture is None:
            raise _AlreadyShown
        return PlannedWrite(replace(head, picture=picture), ())

    thread = ThreadId(file.use.target)
    messaging.thread_cache.drop(thread)  # a stale head may not have the picture yet
    try:
        await update_thread(messaging, thread, plan)
    except (_AlreadyShown, ThreadNotFound):
        return


def _with_version(picture: Picture | None, file: File) -> Picture | None:
    """None where it has been replaced meanwhile, or has the version already."""
    if picture is None or picture.file != file.id or picture.version >= file.version:
        return None
    return replace(picture, version=file.version)
