"""The demo's conversations with files."""

import shutil

from greenroom.api.composition import Contexts
from greenroom.app import compose
from greenroom.demo import SAMPLE_PEOPLE, seed
from greenroom.files import Files
from greenroom.files.access import load_many
from greenroom.files.models import BLUR, Attachment, FileState, Media
from greenroom.messaging import Messaging
from greenroom.messaging.history import history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Message, Thread
from greenroom.people import People, directory
from greenroom.people.actor import Actor, Scope
from greenroom.safety import Safety
from greenroom.safety.queue import queue
from tests.api.world import ApiWorld
from tests.stores import SECRET
from tests.world import RATES, SETTINGS

_WITH_FFMPEG = shutil.which("ffmpeg") is not None


async def test_the_demo_has_real_files_of_every_kind(sqlite_world: ApiWorld) -> None:
    """One test: seeding takes seconds."""
    contexts = await _seed(sqlite_world)
    thread, messages = await _scouting(contexts)
    shown = [one for message in messages for one in message.attachments]
    [gallery] = [message for message in messages if len(message.attachments) == 4]
    assert {one.media for one in gallery.attachments} == {Media.PICTURE}
    assert len({(one.w, one.h) for one in gallery.attachments}) == 3
    assert all(one.thumbhash and one.alt for one in gallery.attachments)
    named = {one.name: one for one in shown}
    assert named["Shot list.pdf"].pages == 1
    assert named["call times.csv"].media is Media.OTHER
    if _WITH_FFMPEG:
        assert named["coast road.mp4"].media is Media.VIDEO
        assert named["Voice note.wav"].waveform
    [delivery] = [one for one in shown if one.kind == "manifest"]
    assert delivery.url.startswith("https://")
    await _check_band(contexts, named["close-up.jpg"])
    assert thread.picture is not None
    await _check_avatars(contexts)
    await _check_queue(contexts)

    sqlite_world.clock.advance(days=2)
    await _seed(sqlite_world)
    assert await _scouting(contexts) == (thread, messages), "a restart changes nothing"


async def _check_band(contexts: Contexts, attachment: Attachment) -> None:
    assert attachment.file is not None
    found = await load_many(contexts[Files], [attachment.file])
    assert found[attachment.file].band == BLUR
    assert found[attachment.file].banded_by == (await _actor(contexts, "ada")).user


async def _check_avatars(contexts: Contexts) -> None:
    people = [await directory.by_username(contexts[People], "maya")]
    people += [await directory.by_username(contexts[People], "theo")]
    assert [person is not None and person.avatar is not None for person in people] == [True, False]


async def _check_queue(contexts: Contexts) -> None:
    ada = Actor((await _actor(contexts, "ada")).user, frozenset({Scope.MODERATOR}))
    [case] = (await queue(contexts[Safety], ada)).cases
    [file] = (await load_many(contexts[Files], case.files)).values()
    assert (file.state, file.name) == (FileState.READY, "offer.jpg")
    assert file.resembles is not None


async def _seed(world: ApiWorld) -> Contexts:
    contexts = world.contexts
    store, blobs = contexts[People].store, contexts[Files].blobs
    await seed(
        lambda clock: compose(store, clock, SECRET, blobs=blobs, settings=SETTINGS, rates=RATES),
        world.clock.now_ms(),
        ["greenroom.demo.files"],
    )
    return contexts


async def _scouting(contexts: Contexts) -> tuple[Thread, list[Message]]:
    maya = await _actor(contexts, "maya")
    rows = (await inbox(contexts[Messaging], maya)).rows
    [row] = [row for row in rows if row.thread.subject == "Scouting in Sintra"]
    page = await history(contexts[Messaging], maya, row.thread.id)
    return row.thread, list(page.messages)


async def _actor(contexts: Contexts, username: str) -> Actor:
    assert username in {one.username for one in SAMPLE_PEOPLE}
    person = await directory.by_username(contexts[People], username)
    assert person is not None
    return Actor(person.id)
