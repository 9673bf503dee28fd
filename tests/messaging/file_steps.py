"""Announces files in a test, and states of them what their check would state."""

from typing import Any

from greenroom.api.registry import Registry
from greenroom.background.follower import Follower
from greenroom.files import Files, items
from greenroom.files.access import load
from greenroom.files.create_file import create_file
from greenroom.files.models import ENDED_BADLY, File, FileState, Media, NewFile, Scan
from greenroom.files.release import end_badly_ops, release_ops
from greenroom.files.storage import storage
from greenroom.ids import FileId, ThreadId
from greenroom.messaging.follow_files import NAME
from greenroom.messaging.models import NewAttachment
from greenroom.messaging.outgoing import Outcome, Outgoing
from greenroom.messaging.send import send
from tests.background.fixtures import follower_runner
from tests.world import World

SHA256 = "ab" * 32
PICTURE: dict[str, Any] = {
    "type": "image/jpeg",
    "media": Media.PICTURE,
    "scan": Scan.CLEAN,
    "width": 4000,
    "height": 3000,
    "thumbhash": "1QcSHQRnh493V4dIh4eXh1h4kJUI",
    "labels": {"neutral": 0.98},
}


async def announce(
    world: World[Any],
    name: str,
    thread: ThreadId | None,
    file_name: str = "photo.jpg",
    size: int = 1000,
) -> FileId:
    new = NewFile(name=file_name, size=size, sha256=SHA256, thread=thread)
    return (await create_file(world.contexts[Files], world.actors[name], new)).id


async def settle(
    world: World[Any], file_id: FileId, state: FileState = FileState.READY, **fields: Any
) -> File:
    """As the pipeline ends."""
    before = await stored(world, file_id)
    fields = (PICTURE if state is FileState.READY else {}) | fields
    now_ms = world.clock.now_ms()
    after = items.changed(before, now_ms, state=state, **fields)
    if state in ENDED_BADLY:
        await world.store.write(*end_badly_ops(before, after, now_ms))
    else:
        await world.store.write(items.change_op(after))
    return after


async def expire(world: World[Any], file_id: FileId) -> None:
    """As its expiry does."""
    found = await stored(world, file_id)
    await world.store.write(*release_ops([found], world.clock.now_ms()))


async def ready_file(
    world: World[Any],
    name: str,
    thread: ThreadId | None,
    file_name: str = "photo.jpg",
    **fields: Any,
) -> FileId:
    file_id = await announce(world, name, thread, file_name)
    await settle(world, file_id, **fields)
    return file_id


async def stored(world: World[Any], file_id: FileId) -> File:
    found = await load(world.contexts[Files], file_id)
    assert found is not None
    return found


async def states(world: World[Any], *file_ids: FileId) -> list[str]:
    return [(await stored(world, one)).state.value for one in file_ids]


async def send_files(
    world: World[Any],
    name: str,
    thread: ThreadId,
    *file_ids: FileId,
    body: str = "",
    client_id: str = "f1",
    alt: str = "",
) -> Outcome:
    attachments = tuple(NewAttachment(one, alt) for one in file_ids)
    outgoing = Outgoing(client_id, body, attachments=attachments)
    return await send(world.messaging, world.actors[name], thread, outgoing)


async def follow_files(world: World[Any]) -> None:
    """What the follower does, and then the timers that it schedules."""
    await follower_runner(world.store, world.clock, files_follower(world)).catch_up()
    await world.run_timers()


def files_follower(world: World[Any]) -> Follower:
    found = world.contexts[Registry].followers(world.contexts)
    return next(follower for follower in found if follower.name == NAME)


async def quota(world: World[Any], name: str) -> tuple[int, int]:
    """Bytes and number of the files that count."""
    found = await storage(world.contexts[Files], world.actors[name])
    return found.bytes, found.files
