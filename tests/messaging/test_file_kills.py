"""Kills a node at every call to the store while it shows a new band, decides about a held message
with a file, and replaces a picture. Another node goes on after each kill, and the result is there
once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from greenroom.background.records import SHARDS, TIMERS, TIMERS_DUE, due_key
from greenroom.files.models import FileState, Variant
from greenroom.files.records import FILES, blob_of, removed_in
from greenroom.files.set_band import apply_band
from greenroom.ids import FileId, ThreadId
from greenroom.messaging import open as opening
from greenroom.messaging.history import history
from greenroom.messaging.models import Kind, Message
from greenroom.messaging.outgoing import Held
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_thread_picture import set_thread_picture
from greenroom.messaging.thread import details
from greenroom.people import directory
from greenroom.people.actor import Actor, StaffRole, with_role
from greenroom.people.models import Picture
from greenroom.safety.access import find
from greenroom.safety.audit import audit_of_case
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import CaseId, Decision, HeldMessage, case_id
from greenroom.store.base import Store
from tests.background.faults import Killed, KilledStore
from tests.background.test_kills import killed_at_every_call
from tests.messaging.file_steps import quota, ready_file, send_files, stored
from tests.messaging.world import MessagingWorld, world_on
from tests.world import UNLIMITED

LIKE = FileId("fil_01k75q8h4g8j0m2p4r6t8v0x2y")


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[MessagingWorld]:
    async with world_on(store_url, UNLIMITED) as small:
        yield small


def _node(world: MessagingWorld, mine: Store) -> MessagingWorld:
    """With nothing cached, on its own view of the store."""
    blobs = world.files.blobs
    return MessagingWorld.over(mine, world.clock, UNLIMITED, blobs=blobs, actors=world.actors)


def _is_dead(node: MessagingWorld) -> bool:
    return isinstance(node.store, KilledStore) and node.store.is_dead


async def _until_killed(node: MessagingWorld, doing: Awaitable[object]) -> None:
    """Where a batch of writes is killed, those who wait for it are only canceled."""
    try:
        await doing
    except asyncio.CancelledError:
        if not _is_dead(node):
            raise
        raise Killed from None


async def _run_timers(node: MessagingWorld) -> None:
    await node.run_timers()
    if _is_dead(node):
        raise Killed  # the runner has only noted it


async def _due(world: MessagingWorld, file: FileId) -> list[str]:
    """The timers of this file, but for its expiry."""
    pages = [
        await world.store.query(TIMERS, due_key(shard), index=TIMERS_DUE, limit=200)
        for shard in range(SHARDS)
    ]
    keys = [str(item["pk"]) for page in pages for item in page.items]
    return [key for key in keys if file in key and "expiry" not in key]


async def _messages(world: MessagingWorld, thread: ThreadId) -> list[Message]:
    """The last ones, as Ben sees them."""
    node = world.another_node()
    page = await history(node.messaging, node.actors["ben"], thread)
    return list(page.messages)


async def _moderator(world: MessagingWorld) -> Actor:
    return with_role(await world.person("mod", role=StaffRole.MODERATOR), StaffRole.MODERATOR)


async def _group(world: MessagingWorld) -> ThreadId:
    await world.inquiry()
    asks = opening.Opening(kind=Kind.GROUP, others=(opening.Invited(world.user("ben")),))
    return (await opening.open_thread(world.messaging, world.actors["ana"], asks)).id


@dataclass
class Pictures:
    """Avatars of Ana, or pictures of a thread."""

    world: MessagingWorld
    thread: ThreadId | None

    async def set(self, node: MessagingWorld, file: FileId) -> None:
        ana = node.actors["ana"]
        if self.thread is None:
            await set_avatar(node.messaging, ana, file)
        else:
            setting = set_thread_picture(node.messaging, ana, self.thread, file)
            await _until_killed(node, setting)

    async def shown(self) -> Picture | None:
        node = self.world.another_node()
        if self.thread is None:
            return (await directory.by_id(node.people, node.user("ana"))).avatar
        return (await details(node.messaging, node.actors["ben"], self.thread)).view.thread.picture


@pytest.fixture(params=["avatar", "thread picture"])
async def pictures(request: pytest.FixtureRequest, world: MessagingWorld) -> Pictures:
    group = await _group(world)
    return Pictures(world, None if request.param == "avatar" else group)


async def test_a_message_shows_its_new_band_once(world: MessagingWorld) -> None:
    thread, mod = (await world.inquiry()).id, await _moderator(world)
    files: dict[str, FileId] = {}

    async def life(mine: Store, name: str) -> None:
        if name not in files:
            files[name] = await ready_file(world, "ana", thread)
            await send_files(world, "ana", thread, files[name], client_id=name)
        node = _node(world, mine)
        await apply_band(node.files, files[name], 2, mod.user, world.clock.now_ms())
        await _run_timers(node)

    async def proof(name: str) -> None:
        [message] = [
            one
            for one in await _messages(world, thread)
            if [attachment.file for attachment in one.attachments] == [files[name]]
        ]
        assert (message.band, message.attachments[0].band, message.version) == (2, 2, 2), name
        assert await _due(world, files[name]) == [], name

    assert await killed_at_every_call(world.store, life, proof) > 6


async def test_viewers_of_a_picture_get_its_new_band_once(
    world: MessagingWorld, pictures: Pictures
) -> None:
    mod, files = await _moderator(world), dict[str, FileId]()

    async def life(mine: Store, name: str) -> None:
        if name not in files:
            files[name] = await ready_file(world, "ana", pictures.thread)
            await pictures.set(world, files[name])
        node = _node(world, mine)
        await apply_band(node.files, files[name], 2, mod.user, world.clock.now_ms())
        await _run_timers(node)

    async def proof(name: str) -> None:
        file, shown = await stored(world, files[name]), await pictures.shown()
        assert file.band == 2
        assert shown is not None
        assert (shown.file, shown.version) == (file.id, file.version), name
        assert await _due(world, file.id) == [], name

    assert await killed_at_every_call(world.store, life, proof) > 6


async def test_a_replaced_picture_is_deleted_once_with_its_bytes(
    world: MessagingWorld, pictures: Pictures
) -> None:
    pairs: dict[str, list[FileId]] = {}

    async def keep(file_id: FileId) -> FileId:
        file = await stored(world, file_id)
        for variant in (Variant.ORIGINAL, Variant.SMALL):
            await world.files.blobs.put(blob_of(file, variant), b"bytes", "image/webp")
        return file_id

    async def kept(file_id: FileId) -> list[bool]:
        file, blobs = await stored(world, file_id), world.files.blobs
        return [
            await blobs.head(blob_of(file, one)) is not None
            for one in (Variant.ORIGINAL, Variant.SMALL)
        ]

    async def life(mine: Store, name: str) -> None:
        if name not in pairs:
            pairs[name] = [
                await keep(await ready_file(world, "ana", pictures.thread)) for _ in range(2)
            ]
            await pictures.set(world, pairs[name][0])
            await world.run_timers()
        node = _node(world, mine)
        await pictures.set(node, pairs[name][1])
        await _run_timers(node)

    async def proof(name: str) -> None:
        old, new = pairs[name]
        shown = await pictures.shown()
        assert shown is not None
        assert shown.file == new, name
        states = [(await stored(world, one)).state for one in (old, new)]
        assert states == [FileState.DELETED, FileState.READY], name
        assert (await kept(old), await kept(new)) == ([False, False], [True, True]), name
        assert await quota(world, "ana") == (1000, 1), name
        assert await _due(world, old) == [], name

    assert await killed_at_every_call(world.store, life, proof) > 6


@dataclass
class HeldFiles:
    """Messages of Ana with a picture like one that a moderator removed, each with its case."""

    world: MessagingWorld
    thread: ThreadId
    moderator: Actor
    files: dict[str, FileId] = field(default_factory=dict)

    def case(self, name: str) -> CaseId:
        return case_id(HeldMessage(self.thread, self.world.user("ana"), name))

    async def hold(self, name: str) -> None:
        if name in self.files:
            return
        file = await ready_file(
            self.world, "ana", self.thread, resembles=LIKE, perceptual_hash="f" * 64
        )
        held = await send_files(self.world, "ana", self.thread, file, client_id=name, body=name)
        assert isinstance(held, Held)
        await claim(self.world.safety, self.moderator, self.case(name))
        self.files[name] = file

    def decides(self, decision: Decision) -> Callable[[Store, str], Awaitable[None]]:
        async def life(mine: Store, name: str) -> None:
            await self.hold(name)
            node = _node(self.world, mine)
            deciding = decide(node.safety, self.moderator, self.case(name), decision, version=1)
            await _until_killed(node, deciding)
            await _run_timers(node)

        return life

    async def check_decided(self, name: str, decision: Decision) -> None:
        case = await find(self.world.safety, self.case(name))
        assert case is not None
        assert case.decision is decision, name
        entries = (await audit_of_case(self.world.safety, self.moderator, case.id)).entries
        assert [one.decision for one in entries] == [decision], name


@pytest.fixture
async def held(world: MessagingWorld) -> HeldFiles:
    return HeldFiles(world, (await world.inquiry()).id, await _moderator(world))


async def test_a_held_message_is_released_once_with_its_file(
    world: MessagingWorld, held: HeldFiles
) -> None:
    async def proof(name: str) -> None:
        found = [one for one in await _messages(world, held.thread) if one.body == name]
        assert [len(one.attachments) for one in found] == [1], name
        file = await stored(world, held.files[name])
        assert file.use is not None
        assert (file.state, file.use.item) == (FileState.READY, found[0].id), name
        await held.check_decided(name, Decision.RELEASE)

    assert await killed_at_every_call(world.store, held.decides(Decision.RELEASE), proof) > 10


async def test_a_held_message_is_removed_once_with_its_file(
    world: MessagingWorld, held: HeldFiles
) -> None:
    month = removed_in(world.clock.now_ms())

    async def proof(name: str) -> None:
        assert await _messages(world, held.thread) == []
        assert (await stored(world, held.files[name])).state is FileState.DELETED, name
        assert await quota(world, "ana") == (0, 0), name
        remembered = (await world.store.query(FILES, month, limit=200)).items
        assert len(remembered) == len(held.files), name
        assert await _due(world, held.files[name]) == [], name
        await held.check_decided(name, Decision.REMOVE)

    assert await killed_at_every_call(world.store, held.decides(Decision.REMOVE), proof) > 10
