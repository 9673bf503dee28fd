"""Pictures of people and of threads: set, replaced, removed, and who sees them."""

import asyncio
import dataclasses

import pytest

from greenroom.files import Files
from greenroom.files.access import file_views
from greenroom.files.models import FileState, Media
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import FileId
from greenroom.messaging import open as opening, participants
from greenroom.messaging.block import block_person
from greenroom.messaging.edit_thread import edit_thread
from greenroom.messaging.events import Event, PersonUpdated, ThreadUpdated
from greenroom.messaging.models import Kind, Thread
from greenroom.messaging.problems import (
    AcceptFirst,
    FileAlreadyUsed,
    InvalidPicture,
    RoleNotAllowed,
    ThreadNotFound,
)
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_status import ThreadChange
from greenroom.messaging.set_thread_picture import set_thread_picture
from greenroom.messaging.thread import details
from greenroom.people import directory
from greenroom.people.models import Picture
from greenroom.people.rename import NewNames, rename
from tests.messaging.file_steps import PICTURE, announce, quota, ready_file, send_files, stored
from tests.messaging.world import MessagingWorld


def _shown(file: FileId) -> Picture:
    return Picture(file, str(PICTURE["thumbhash"]))


async def _sees(world: MessagingWorld, name: str, file: FileId) -> bool:
    return bool(await file_views(world.contexts[Files], world.actors[name], (file,)))


async def _group(world: MessagingWorld, *others: str) -> Thread:
    """Of people who know Ana."""
    ana = await world.person("ana")
    for name in others:
        await world.inquiry("ana", name)
    invited = tuple(opening.Invited(world.user(name)) for name in others)
    asks = opening.Opening(kind=Kind.GROUP, others=invited)
    return await opening.open_thread(world.messaging, ana, asks)


async def test_everybody_sees_an_avatar_and_the_old_one_is_deleted(world: MessagingWorld) -> None:
    ana, _ = await world.person("ana"), await world.person("ben")
    one, other = [await ready_file(world, "ana", None) for _ in range(2)]
    first = await set_avatar(world.messaging, ana, one)
    assert (first.avatar, first.version) == (_shown(one), 2)
    assert await set_avatar(world.messaging, ana, one) == first
    assert (await directory.by_id(world.people, ana.user)).avatar == _shown(one)
    assert await _sees(world, "ben", one)
    second = await set_avatar(world.messaging, ana, other)
    assert second.avatar == _shown(other)
    assert (await stored(world, one)).state is FileState.DELETED
    assert not await _sees(world, "ben", one)
    assert await quota(world, "ana") == (1000, 1)
    renamed = await rename(world.people, ana, NewNames(display_name="Ana B."))
    assert renamed.avatar == _shown(other)
    [found] = (await directory.by_name(world.people, "ana")).people
    assert found.avatar == _shown(other)
    by_username = await directory.by_username(world.people, "ana")
    assert by_username is not None
    assert by_username.avatar == _shown(other)
    assert (await set_avatar(world.messaging, ana, None)).avatar is None
    assert (await directory.by_id(world.people, ana.user)).avatar is None
    assert await quota(world, "ana") == (0, 0)


async def test_an_avatar_is_announced_as_names_are(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Hello")
    told: list[PersonUpdated] = []
    messaging = dataclasses.replace(world.messaging, publish_person=told.append)
    file = await ready_file(world, "ana", None)
    await set_avatar(messaging, world.actors["ana"], file)
    [event] = told
    assert event.person.avatar == _shown(file)
    assert set(event.shown_to) == {world.user("ana"), world.user("ben")}


async def test_who_is_blocked_sees_the_avatar_as_before(world: MessagingWorld) -> None:
    await world.inquiry()
    file = await ready_file(world, "ben", None)
    await set_avatar(world.messaging, world.actors["ben"], file)
    await block_person(world.messaging, world.actors["ben"], world.user("ana"))
    assert await _sees(world, "ana", file)


async def test_only_ready_pictures_of_ones_own_can_be_an_avatar(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, messaging = world.actors["ana"], world.messaging
    clip = await ready_file(world, "ana", None, type="video/mp4", media=Media.VIDEO)
    removed = FileId("fil_01k75q8h4g8j0m2p4r6t8v0x2y")
    for problem, file in (
        (FileNotReady, await announce(world, "ana", None)),
        (InvalidPicture, await ready_file(world, "ana", thread.id)),
        (FileNotFound, await ready_file(world, "ben", None)),
        (FileNotFound, removed),
        (InvalidPicture, clip),
        (InvalidPicture, await ready_file(world, "ana", None, resembles=removed)),
    ):
        with pytest.raises(problem):
            await set_avatar(messaging, ana, file)
    assert (await directory.by_id(world.people, ana.user)).avatar is None


async def test_two_devices_set_two_avatars_and_one_stays(world: MessagingWorld) -> None:
    ana = await world.person("ana")
    files = [await ready_file(world, "ana", None) for _ in range(4)]
    nodes = [world.another_node() for _ in files]
    await asyncio.gather(
        *(set_avatar(node.messaging, ana, file) for node, file in zip(nodes, files, strict=True))
    )
    stays = (await directory.by_id(world.people, ana.user)).avatar
    assert stays is not None
    states = {file: (await stored(world, file)).state for file in files}
    assert [file for file in files if states[file] is FileState.READY] == [stays.file]
    assert await quota(world, "ana") == (1000, 1)


async def test_members_see_the_picture_of_a_thread(world: MessagingWorld) -> None:
    thread = await _group(world, "ben", "cleo")
    await world.person("dan")
    told: list[Event] = []
    publish = lambda _, event: told.append(event)  # noqa: E731
    world.messaging = dataclasses.replace(world.messaging, publish=publish)
    one, other = [await ready_file(world, "ana", thread.id) for _ in range(2)]
    ana = world.actors["ana"]
    after = await set_thread_picture(world.messaging, ana, thread.id, one)
    assert after.picture == _shown(one)
    assert told == [ThreadUpdated()]
    seen = await details(world.another_node().messaging, world.actors["ben"], thread.id)
    assert seen.view.thread.picture == _shown(one)
    assert [await _sees(world, name, one) for name in ("ben", "cleo", "dan")] == [True, True, False]
    await set_thread_picture(world.messaging, ana, thread.id, other)
    assert (await stored(world, one)).state is FileState.DELETED
    await participants.leave(world.messaging, world.actors["cleo"], thread.id)
    assert [await _sees(world, name, other) for name in ("ben", "cleo")] == [True, False]
    assert (await set_thread_picture(world.messaging, ana, thread.id, None)).picture is None
    assert (await stored(world, other)).state is FileState.DELETED


async def test_a_node_that_missed_the_last_picture_of_a_thread_sets_the_next(
    world: MessagingWorld,
) -> None:
    thread, ana = await _group(world, "ben"), world.actors["ana"]
    one, two, three = [await ready_file(world, "ana", thread.id) for _ in range(3)]
    await set_thread_picture(world.messaging, ana, thread.id, one)
    await set_thread_picture(world.another_node().messaging, ana, thread.id, two)
    after = await set_thread_picture(world.messaging, ana, thread.id, three)
    assert after.picture == _shown(three)
    states = [(await stored(world, file)).state for file in (one, two, three)]
    assert states == [FileState.DELETED, FileState.DELETED, FileState.READY]


async def test_a_request_shows_no_picture(world: MessagingWorld) -> None:
    thread = await _group(world, "ben")
    file = await ready_file(world, "ana", thread.id)
    await set_thread_picture(world.messaging, world.actors["ana"], thread.id, file)
    dan = await world.person("dan")
    ana = world.actors["ana"]
    await participants.add(world.messaging, ana, thread.id, opening.Invited(dan.user))
    seen = await details(world.messaging, dan, thread.id)
    assert seen.view.thread.picture is None
    assert not await _sees(world, "dan", file)
    with pytest.raises(AcceptFirst):
        await set_thread_picture(world.messaging, dan, thread.id, None)


async def test_only_who_may_name_a_thread_sets_its_picture(world: MessagingWorld) -> None:
    thread = await _group(world, "ben")
    stranger = await world.person("eve")
    file = await ready_file(world, "ben", thread.id)
    with pytest.raises(RoleNotAllowed):
        await set_thread_picture(world.messaging, world.actors["ben"], thread.id, file)
    with pytest.raises(ThreadNotFound):
        await set_thread_picture(world.messaging, stranger, thread.id, file)
    used = await ready_file(world, "ana", thread.id)
    await send_files(world, "ana", thread.id, used)
    with pytest.raises(FileAlreadyUsed):
        await set_thread_picture(world.messaging, world.actors["ana"], thread.id, used)


async def test_safe_mode_is_set_by_who_may_name_a_thread(world: MessagingWorld) -> None:
    thread = await _group(world, "ben")
    ana, ben, change = world.actors["ana"], world.actors["ben"], ThreadChange(safe_mode=True)
    with pytest.raises(RoleNotAllowed):
        await edit_thread(world.messaging, ben, thread.id, change)
    both = ThreadChange(safe_mode=True, booking_id="bkg_1")
    with pytest.raises(RoleNotAllowed):
        await edit_thread(world.messaging, ana, thread.id, both)
    edited = await edit_thread(world.messaging, ana, thread.id, change, "Safe")
    assert isinstance(edited, Thread)
    assert (edited.safe_mode, edited.subject) == (True, "Safe")
    seen = await details(world.another_node().messaging, ben, thread.id)
    assert seen.view.thread.safe_mode
