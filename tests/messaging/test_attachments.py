"""Messages with files: who may attach what, what everybody sees, and what deleting leaves."""

import asyncio

import pytest
from msgspec.structs import replace

from greenroom.files import Files
from greenroom.files.access import file_views
from greenroom.files.models import FileState
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import FileId, MessageId, ThreadId
from greenroom.messaging import history, inbox, open as opening, participants
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.delete import delete
from greenroom.messaging.edit import edit
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Kind, Message, MessageKind, NewAttachment, Role, Thread
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.problems import (
    ClientIdReused,
    ConversationLocked,
    FileAlreadyUsed,
    InvalidAttachments,
    InvalidText,
    PlainTextOnly,
    ThreadNotFound,
)
from greenroom.messaging.respond import accept
from greenroom.messaging.send import send
from greenroom.people.actor import Actor, Scope
from tests.messaging.file_steps import (
    announce,
    quota,
    ready_file,
    send_files,
    settle,
    stored,
)
from tests.messaging.world import MessagingWorld


@pytest.fixture
async def thread(world: MessagingWorld) -> Thread:
    return await world.inquiry()


async def _send(world: MessagingWorld, thread: ThreadId, *files: FileId, body: str = "") -> Message:
    sent = await send_files(world, "ana", thread, *files, body=body)
    assert isinstance(sent, Sent)
    return sent.message


async def _messages(world: MessagingWorld, thread: ThreadId, name: str) -> tuple[Message, ...]:
    node = world.another_node()
    return (await history.history(node.messaging, world.actors[name], thread)).messages


async def _seen(world: MessagingWorld, name: str, *files: FileId) -> list[FileId]:
    """Those that this person may see."""
    return list(await file_views(world.contexts[Files], world.actors[name], files))


async def test_a_message_shows_its_files_to_everybody_in_the_thread(
    world: MessagingWorld, thread: Thread
) -> None:
    one = await ready_file(world, "ana", thread.id, "roof.jpg")
    other = await ready_file(world, "ana", thread.id, "contract.pdf", type="application/pdf")
    sent = await send_files(world, "ana", thread.id, one, other, body="Look!", alt="A roof")
    assert isinstance(sent, Sent)
    [message] = await _messages(world, thread.id, "ben")
    assert message == replace(sent.message)
    assert (message.kind, message.body) == (MessageKind.ASSET, "Look!")
    assert [(shown.file, shown.name, shown.alt) for shown in message.attachments] == [
        (one, "roof.jpg", "A roof"),
        (other, "contract.pdf", "A roof"),
    ]
    shown = message.attachments[0]
    assert (shown.mime, shown.w, shown.h) == ("image/jpeg", 4000, 3000)
    assert shown.thumbhash
    use = (await stored(world, one)).use
    assert use is not None
    assert (use.kind, use.target, use.item, use.position) == ("message", thread.id, message.id, 1)
    assert await _seen(world, "ben", one, other) == [one, other]


async def test_the_band_of_a_message_is_the_largest_of_its_files(
    world: MessagingWorld, thread: Thread
) -> None:
    files = [await ready_file(world, "ana", thread.id, band=band) for band in (0, 2, 1)]
    message = await _send(world, thread.id, *files)
    assert message.band == 2
    assert [shown.band for shown in message.attachments] == [0, 2, 1]


async def test_the_preview_is_the_caption_or_the_first_name(
    world: MessagingWorld, thread: Thread
) -> None:
    ana = world.actors["ana"]

    async def preview() -> str:
        page = await inbox.inbox(world.another_node().messaging, ana)
        return page.rows[0].thread.preview

    files = [await ready_file(world, "ana", thread.id, f"{n}" * 200 + ".jpg") for n in range(4)]
    await send_files(world, "ana", thread.id, files[0], body="A caption", client_id="1")
    assert await preview() == "A caption"
    await send_files(world, "ana", thread.id, files[1], client_id="2")
    assert (await preview()).startswith("1111")
    await send_files(world, "ana", thread.id, files[2], files[3], client_id="3")
    assert (await preview()).endswith("… +1")
    assert len((await preview()).encode()) <= 123


async def test_a_text_needs_no_files_and_files_need_no_text(
    world: MessagingWorld, thread: Thread
) -> None:
    ana = world.actors["ana"]
    with pytest.raises(InvalidText):
        await send(world.messaging, ana, thread.id, Outgoing("c1", " \n "))
    message = await _send(world, thread.id, await ready_file(world, "ana", thread.id), body=" \n ")
    assert message.body == ""
    plain = await world.say("ana", thread.id, "Only a text")
    assert (plain.kind, plain.attachments) == (MessageKind.TEXT, ())


async def test_only_own_unused_files_of_this_thread_can_be_attached(
    world: MessagingWorld, thread: Thread
) -> None:
    await world.person("cleo")
    other = await world.inquiry("cleo", "ana")
    elsewhere = await ready_file(world, "ana", other.id)
    for_profile = await ready_file(world, "ana", None)
    of_ben = await ready_file(world, "ben", thread.id)
    missing = FileId("fil_01k75q8h4g8j0m2p4r6t8v0x2y")
    for file in (of_ben, missing, FileId("nonsense")):
        with pytest.raises(FileNotFound):
            await _send(world, thread.id, file)
    for file in (elsewhere, for_profile):
        with pytest.raises(InvalidAttachments, match="not uploaded for this conversation"):
            await _send(world, thread.id, file)
    used = await ready_file(world, "ana", thread.id)
    await _send(world, thread.id, used)
    with pytest.raises(FileAlreadyUsed):
        await send_files(world, "ana", thread.id, used, client_id="again")
    assert len(await _messages(world, thread.id, "ben")) == 1


@pytest.mark.parametrize(
    "state",
    [FileState.INFECTED, FileState.UNSCANNABLE, FileState.REFUSED, FileState.FAILED],
)
async def test_a_file_that_ended_badly_cannot_be_attached(
    world: MessagingWorld, thread: Thread, state: FileState
) -> None:
    file = await announce(world, "ana", thread.id)
    await settle(world, file, state)
    with pytest.raises(FileNotReady, match=state.value):
        await _send(world, thread.id, file)
    assert await _messages(world, thread.id, "ana") == ()


async def test_there_is_a_limit_to_files_and_words(world: MessagingWorld, thread: Thread) -> None:
    files = [await ready_file(world, "ana", thread.id) for _ in range(11)]
    with pytest.raises(InvalidAttachments, match="at most 10"):
        await _send(world, thread.id, *files)
    with pytest.raises(InvalidAttachments, match="twice"):
        await _send(world, thread.id, files[0], files[0])
    with pytest.raises(InvalidText, match="1,000"):
        await send_files(world, "ana", thread.id, files[0], alt="x" * 1001)
    with pytest.raises(InvalidText, match="8,000"):
        await send_files(world, "ana", thread.id, *files[:9], alt="x" * 900, client_id="2")
    message = await _send(world, thread.id, *files[:10], body="All ten")
    assert len(message.attachments) == 10


async def test_descriptions_are_cleaned_and_judged_with_the_caption(
    world: MessagingWorld, thread: Thread
) -> None:
    file = await ready_file(world, "ana", thread.id)
    sent = await send_files(
        world, "ana", thread.id, file, body="Call me:", alt="\u200b +49 170 1234567 \n"
    )
    assert isinstance(sent, Sent)
    assert sent.message.attachments[0].alt == "+49 170 1234567"
    assert "contact-details" in sent.hints


async def test_behind_a_gate_there_are_no_files(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    asks = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(ben.user),))
    thread = await opening.open_thread(world.messaging, ana, asks)
    with pytest.raises(PlainTextOnly):
        await announce(world, "ana", thread.id)
    await world.say("ana", thread.id, "Hello!")
    await accept(world.messaging, ben, thread.gates[ben.user].id)
    file = await ready_file(world, "ana", thread.id)
    assert (await _send(world, thread.id, file)).seq == 2


async def test_a_retry_is_answered_as_the_first_try(world: MessagingWorld, thread: Thread) -> None:
    file, other = [await ready_file(world, "ana", thread.id) for _ in range(2)]
    tries = [
        send_files(world, "ana", thread.id, file, body="Look", alt=" A cat ") for _ in range(4)
    ]
    first, *rest = await asyncio.gather(*tries)
    assert isinstance(first, Sent)
    for again in (
        *rest,
        await send_files(world, "ana", thread.id, file, body="Look", alt=" A cat "),
    ):
        assert isinstance(again, Sent)
        assert again.message == first.message
    for changed in (
        send_files(world, "ana", thread.id, file, body="Look", alt="A dog"),
        send_files(world, "ana", thread.id, other, body="Look", alt=" A cat "),
        send_files(world, "ana", thread.id, body="Look"),
        send_files(world, "ana", thread.id, file, other, body="Look", alt=" A cat "),
    ):
        with pytest.raises(ClientIdReused):
            await changed
    assert len(await _messages(world, thread.id, "ben")) == 1
    assert (await stored(world, other)).use is None


async def test_two_messages_cannot_share_a_file(world: MessagingWorld, thread: Thread) -> None:
    file = await ready_file(world, "ana", thread.id)
    nodes = [world, *(world.another_node() for _ in range(3))]
    results = await asyncio.gather(
        *(
            send_files(node, "ana", thread.id, file, client_id=f"c{n}")
            for n, node in enumerate(nodes)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(one, Sent) for one in results) == 1
    assert sum(isinstance(one, FileAlreadyUsed) for one in results) == 3
    assert len(await _messages(world, thread.id, "ben")) == 1


async def test_deleting_a_message_deletes_its_files(world: MessagingWorld, thread: Thread) -> None:
    files = [await ready_file(world, "ana", thread.id) for _ in range(3)]
    message = await _send(world, thread.id, *files, body="Look")
    assert await quota(world, "ana") == (3000, 3)
    gone = await delete(world.messaging, world.actors["ana"], thread.id, message.id)
    assert (gone.attachments, gone.body, gone.band) == ((), "", 0)
    assert await quota(world, "ana") == (0, 0)
    for file in files:
        found = await stored(world, file)
        assert (found.state, found.name) == (FileState.DELETED, "")
    assert await _seen(world, "ben", *files) == []
    assert await _seen(world, "ana", *files) == []
    again = await delete(world.messaging, world.actors["ana"], thread.id, message.id)
    assert again.deleted_ms == gone.deleted_ms
    assert await quota(world, "ana") == (0, 0)


async def test_a_file_that_changes_while_its_message_is_deleted(
    world: MessagingWorld, thread: Thread
) -> None:
    file = await ready_file(world, "ana", thread.id)
    message = await _send(world, thread.id, file)
    await asyncio.gather(
        delete(world.messaging, world.actors["ana"], thread.id, message.id),
        delete(world.another_node().messaging, world.actors["ana"], thread.id, message.id),
    )
    assert (await stored(world, file)).state is FileState.DELETED
    assert await quota(world, "ana") == (0, 0)


async def test_a_caption_can_be_edited_and_emptied(world: MessagingWorld, thread: Thread) -> None:
    ana, file = world.actors["ana"], await ready_file(world, "ana", thread.id)
    message = await _send(world, thread.id, file, body="Lok")
    for body in ("Look", ""):
        edited = await edit(world.messaging, ana, thread.id, message.id, body)
        assert isinstance(edited, Message)
        assert (edited.body, edited.attachments) == (body, message.attachments)
    text = await world.say("ana", thread.id, "A text")
    with pytest.raises(InvalidText):
        await edit(world.messaging, ana, thread.id, text.id, "")


async def test_an_edited_caption_is_judged_with_the_descriptions(
    world: MessagingWorld, thread: Thread
) -> None:
    ana, file = world.actors["ana"], await ready_file(world, "ana", thread.id)
    sent = await send_files(world, "ana", thread.id, file, alt="x" * 900)
    assert isinstance(sent, Sent)
    for length, fits in ((7099, True), (7100, False)):
        change = edit(world.messaging, ana, thread.id, sent.message.id, "y" * length)
        if fits:
            assert isinstance(await change, Message)
        else:
            with pytest.raises(InvalidText, match="8,000"):
                await change


async def test_people_who_come_later_do_not_see_earlier_files(world: MessagingWorld) -> None:
    ana = await world.person("ana")
    for name in ("ben", "cleo", "dan"):
        await world.person(name)
    for name in ("ben", "cleo", "dan"):
        await world.inquiry("ana", name)
        await world.inquiry(name, "ana")
    group = await opening.open_thread(
        world.messaging,
        ana,
        opening.Opening(
            kind=Kind.GROUP,
            others=tuple(opening.Invited(world.user(name)) for name in ("ben", "cleo")),
        ),
    )
    early = await ready_file(world, "ana", group.id)
    await _send(world, group.id, early)
    added = opening.Invited(world.user("dan"), Role.MEMBER)
    await participants.add(world.messaging, ana, group.id, added)
    late = await ready_file(world, "ana", group.id)
    await send_files(world, "ana", group.id, late, client_id="late")
    assert await _seen(world, "ben", early, late) == [early, late]
    assert await _seen(world, "dan", early, late) == [late]
    await participants.leave(world.messaging, world.actors["ben"], group.id)
    assert await _seen(world, "ben", early, late) == []
    stranger = await world.person("eve")
    assert await file_views(world.contexts[Files], stranger, (early, late)) == {}


async def test_somebody_who_blocks_sees_nothing_more_and_the_sender_notices_nothing(
    world: MessagingWorld, thread: Thread
) -> None:
    before = await ready_file(world, "ana", thread.id)
    await send_files(world, "ana", thread.id, before, client_id="1")
    await block_person(world.messaging, world.actors["ben"], world.user("ana"))
    after = await ready_file(world, "ana", thread.id)
    sent = await send_files(world, "ana", thread.id, after, client_id="2")
    assert isinstance(sent, Sent)
    assert await _seen(world, "ana", before, after) == [before, after]
    assert await _seen(world, "ben", before, after) == []


@pytest.mark.parametrize("is_back", [False, True])
async def test_who_comes_back_sees_no_name_of_a_file_that_was_deleted(
    world: MessagingWorld, is_back: bool
) -> None:
    """Whether it was deleted while they were away, or when they are back."""
    await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    direct = await opening.open_direct(world.messaging, ben, ana.user)
    message = await _send(world, direct.id, await ready_file(world, "ana", direct.id, "roof.jpg"))
    await block_person(world.messaging, ben, ana.user)
    await world.say("ana", direct.id, "Still there?")
    for back in (False, True):
        if back:
            await unblock_person(world.messaging, ben, ana.user)
        if back == is_back:
            await delete(world.messaging, ana, direct.id, message.id)
    rows = (await inbox.inbox(world.another_node().messaging, ben)).rows
    [row] = [row for row in rows if row.thread.id == direct.id]
    assert (row.thread.last_seq, row.thread.preview) == (message.seq, "")


async def test_a_viewer_is_told_whether_they_know_the_owner(world: MessagingWorld) -> None:
    """Ben has accepted Ana, and Cleo has accepted Ana; Ben and Cleo have never met."""
    ana = await world.person("ana")
    for name in ("ben", "cleo"):
        await world.inquiry("ana", name)
    members = tuple(opening.Invited(world.user(name)) for name in ("ben", "cleo"))
    asks = opening.Opening(kind=Kind.GROUP, others=members)
    group = await opening.open_thread(world.messaging, ana, asks)
    file = await ready_file(world, "cleo", group.id)
    await send_files(world, "cleo", group.id, file)
    files = world.contexts[Files]

    async def knows(name: str) -> bool:
        view = (await file_views(files, world.actors[name], (file,)))[file]
        assert view.viewer is not None
        return view.viewer.knows_owner

    assert await knows("ana")
    assert not await knows("ben")
    await world.say("ben", group.id, "Nice picture, Cleo")
    assert await knows("ben")


async def test_nothing_is_attached_in_a_locked_thread(
    world: MessagingWorld, thread: Thread
) -> None:
    file = await ready_file(world, "ana", thread.id)
    moderator = Actor(world.user("ben"), frozenset({Scope.MODERATOR}))
    await lock(world.messaging, moderator, thread.id)
    with pytest.raises(ConversationLocked):
        await _send(world, thread.id, file)
    assert (await stored(world, file)).use is None


async def test_outsiders_cannot_upload_for_a_thread(world: MessagingWorld, thread: Thread) -> None:
    await world.person("cleo")
    for place in (thread.id, ThreadId("thr_01k75q8h3c0000000000000000")):
        with pytest.raises(ThreadNotFound):
            await announce(world, "cleo", place)


async def test_what_a_message_with_files_costs(unlimited_world: MessagingWorld) -> None:
    """A plain text still reads nothing; each file is one read and one write of its item."""
    world = unlimited_world
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Warm")
    with world.store.counting() as cost:
        await world.say("ana", thread.id, "A plain text")
    assert (cost.read_units, cost.write_units) == (0, 6)
    file = await ready_file(world, "ana", thread.id)
    with world.store.counting() as cost:
        await _send(world, thread.id, file)
    assert cost.read_units <= 1
    assert cost.write_units <= 12


async def test_a_message_id_is_not_a_way_to_a_file(world: MessagingWorld, thread: Thread) -> None:
    file = await ready_file(world, "ana", thread.id)
    attachments = (NewAttachment(FileId(str(MessageId(file)))),)
    outgoing = Outgoing("c1", "", attachments=attachments)
    with pytest.raises(ThreadNotFound):
        await send(world.messaging, await world.person("cleo"), thread.id, outgoing)
    assert (await stored(world, file)).use is None
