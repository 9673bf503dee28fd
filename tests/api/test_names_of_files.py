"""Replies, the inbox and a later search have the names of files."""

from greenroom.files.models import File
from greenroom.ids import ThreadId
from greenroom.messaging.records import MESSAGING, head_key
from tests.api.world import ApiWorld, ok_json
from tests.files.ready_files import document, picture, stored

NAMES = ["DSC_0417.jpg", "Contract of March.pdf"]


async def _files(world: ApiWorld, thread: str) -> list[File]:
    ana = world.actors["ana"]
    photo = picture(world.files, ana, thread=ThreadId(thread), name=NAMES[0])
    contract = document(world.files, ana, thread=ThreadId(thread), name=NAMES[1])
    await stored(world.files, photo, contract)
    return [photo, contract]


async def _sent(world: ApiWorld, thread: str, body: str = "") -> str:
    files = await _files(world, thread)
    attached = [{"fileId": one.id, "alt": f"What is in {one.name}"} for one in files]
    return str((await world.say("ana", thread, body, attachments=attached))["messageId"])


async def test_a_client_can_show_the_names_in_what_a_message_replies_to(world: ApiWorld) -> None:
    thread = await world.talk()
    sent = await _sent(world, thread)
    reply = await world.say("ben", thread, "The second is best", replyToMessageId=sent)
    for name in ("ana", "ben"):
        path = f"/threads/{thread}/messages/{reply['replyToMessageId']}"
        quoted = await world.get(name, path)
        assert quoted["body"] == ""
        assert [one["name"] for one in quoted["attachments"]] == NAMES


async def test_a_deleted_message_has_no_names_to_show(world: ApiWorld) -> None:
    thread = await world.talk()
    sent = await _sent(world, thread)
    await world.say("ben", thread, "The second is best", replyToMessageId=sent)
    ok_json(await world.ask("ana", "DELETE", f"/threads/{thread}/messages/{sent}"))
    quoted = await world.get("ben", f"/threads/{thread}/messages/{sent}")
    assert not quoted.get("attachments")
    assert not any(name in str(quoted) for name in NAMES)


async def test_the_inbox_names_the_first_file_and_counts_the_others(world: ApiWorld) -> None:
    thread = await world.talk()
    await _sent(world, thread)
    for name in ("ana", "ben"):
        [row] = (await world.get(name, "/inbox"))["threads"]
        assert row["preview"] == f"{NAMES[0]} +1"


async def test_what_a_search_will_read_has_names_and_descriptions(world: ApiWorld) -> None:
    thread = await world.talk()
    await _sent(world, thread, "As we said")
    partition = head_key(ThreadId(thread)).partition
    page = await world.store.query(MESSAGING, partition, limit=100)
    [item] = [one for one in page.items if one.get("attachments")]
    assert item["body"] == "As we said"
    attachments = item["attachments"]
    assert isinstance(attachments, list)
    found = [(one["name"], one["alt"]) for one in attachments if isinstance(one, dict)]
    assert found == [(name, f"What is in {name}") for name in NAMES]
