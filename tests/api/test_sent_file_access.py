"""Who may see a file that was sent: each kind of caller, at every route that gives it away.

Ana has sent a photo to a group with Ben, Lea, Tom and Dee, and another to Bob and to Eve, each in a
conversation of two. Lea has left the group, Tom has not answered his invitation, Dee has declined.
Ana has blocked Bob, and Eve has blocked Ana. Zoe's request to Ana waits. Cleo knows nobody.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from greenroom.files.models import File
from greenroom.ids import ThreadId
from greenroom.people.actor import Scope
from tests.api.world import ApiWorld, ok_json
from tests.files.ready_files import picture, stored

CLEAR = {"small", "medium", "large"}
"""Others never get the original of a picture: it may say where it was taken."""
TEXTS_IN_A_REQUEST = 5
"""Those who are invited may read them; files come after them."""
GROUP, BLOCKED, BLOCKER = "group", "blocked", "blocker"
SEEN: dict[str, tuple[str, str, set[str]]] = {
    "owner": ("ana", GROUP, {*CLEAR, "original", "blurred"}),
    "member": ("ben", GROUP, CLEAR),
    "left": ("lea", GROUP, set()),
    "invited": ("tom", GROUP, set()),
    "declined": ("dee", GROUP, set()),
    "pending requester": ("zoe", GROUP, set()),
    "blocked by the owner": ("bob", BLOCKED, CLEAR),
    "blocker of the owner": ("eve", BLOCKER, set()),
    "stranger": ("cleo", GROUP, set()),
    "moderator": ("mod", GROUP, set()),
    "admin": ("adi", GROUP, set()),
}
"""Who, which photo, and the variants of the photo that they get URLs of."""


@dataclass
class Sent:
    world: ApiWorld
    files: dict[str, File] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    """Paths, by the photo."""

    async def send(self, place: str, thread: str) -> None:
        photo = picture(self.world.files, self.world.actors["ana"], thread=ThreadId(thread))
        await stored(self.world.files, photo)
        sent = await self.world.say("ana", thread, "", attachments=[{"fileId": photo.id}])
        self.files[place] = photo
        self.messages[place] = f"/threads/{thread}/messages/{sent['messageId']}"

    async def urls(self, headers: dict[str, str], place: str) -> list[dict[str, Any]]:
        """Of all that the caller asks for, with a file of nobody's among them."""
        wanted = {"fileIds": [self.files[place].id, "fil_01k75q8h4g0000000000000000"]}
        answer = await self.world.client.post("/v1/file-urls", headers=headers, json=wanted)
        found: list[dict[str, Any]] = ok_json(answer)["files"]
        return found


@pytest.fixture
async def sent(world: ApiWorld) -> Sent:
    for name in ("lea", "tom", "dee", "bob", "eve", "zoe"):
        await world.join(name)
    found = Sent(world)
    group = (await world.open("ana", "ben", "lea", kind="group"))["threadId"]
    for name in ("ben", "lea"):
        await world.accept(name, group)
    for name in ("tom", "dee"):
        invited = {"userId": world.ids[name]}
        ok_json(await world.ask("ana", "POST", f"/threads/{group}/participants", invited), 201)
    for number in range(TEXTS_IN_A_REQUEST):
        await world.say("ana", group, f"How about day {number}?")
    await found.send(GROUP, group)
    own = f"/threads/{group}/participants/{world.ids['lea']}"
    ok_json(await world.ask("lea", "DELETE", own), 204)
    [request] = [
        one
        for one in (await world.get("dee", f"/threads/{group}"))["requests"]
        if one["targetUserId"] == world.ids["dee"]
    ]
    ok_json(await world.ask("dee", "POST", f"/requests/{request['requestId']}/decline"), 204)
    await found.send(BLOCKED, await world.talk("ana", "bob"))
    ok_json(await world.ask("ana", "PUT", f"/blocks/{world.ids['bob']}"))
    await found.send(BLOCKER, await world.talk("ana", "eve"))
    ok_json(await world.ask("eve", "PUT", f"/blocks/{world.ids['ana']}"))
    await world.open("zoe", "ana", message={"body": "Hello Ana!"})
    return found


@pytest.mark.parametrize("who", SEEN)
async def test_each_caller_gets_the_urls_in_the_table(sent: Sent, who: str) -> None:
    name, place, variants = SEEN[who]
    urls = await sent.urls(sent.world.bearer(name), place)
    assert [one["fileId"] for one in urls] == ([sent.files[place].id] if variants else [])
    if variants:
        assert urls[0]["shown"] == "clear"
        assert urls[0]["urls"].keys() == variants


@pytest.mark.parametrize("who", SEEN)
async def test_the_file_itself_is_for_its_owner_alone(sent: Sent, who: str) -> None:
    name, place, _ = SEEN[who]
    answer = await sent.world.ask(name, "GET", f"/files/{sent.files[place].id}")
    assert answer.status_code == (200 if who == "owner" else 404)


@pytest.mark.parametrize("who", SEEN)
async def test_who_sees_no_message_sees_no_file(sent: Sent, who: str) -> None:
    name, place, variants = SEEN[who]
    message = await sent.world.ask(name, "GET", sent.messages[place])
    assert (message.status_code == 200) == bool(variants), message.text


@pytest.mark.parametrize("who", SEEN)
async def test_nobody_can_make_a_sent_file_their_own(sent: Sent, who: str) -> None:
    """Not even its owner, who has used it already."""
    name, place, _ = SEEN[who]
    body = {"fileId": sent.files[place].id}
    thread = sent.messages[place].split("/messages/")[0]
    statuses = {"avatar": 422 if who == "owner" else 404, "delete": 409 if who == "owner" else 404}
    avatar = await sent.world.ask(name, "PUT", "/me/avatar", body)
    assert avatar.status_code == statuses["avatar"], avatar.text
    picture_of = await sent.world.ask(name, "PUT", f"{thread}/picture", body)
    assert picture_of.status_code in (403, 404, 409), picture_of.text
    deleted = await sent.world.ask(name, "DELETE", f"/files/{body['fileId']}")
    assert deleted.status_code == statuses["delete"], deleted.text
    assert len(await sent.urls(sent.world.bearer("ana"), place)) == 1


async def test_a_service_sees_what_the_person_sees_for_whom_it_acts(sent: Sent) -> None:
    for name, seen in (("ben", True), ("lea", False), ("cleo", False)):
        headers = sent.world.service_for(name)
        assert len(await sent.urls(headers, GROUP)) == seen
    wanted = {"fileIds": [sent.files[GROUP].id]}
    bare = sent.world.bearer("shop", Scope.SERVICE)
    answer = await sent.world.client.post("/v1/file-urls", headers=bare, json=wanted)
    assert answer.status_code == 403


async def test_a_member_can_be_added_accept_and_leave(sent: Sent) -> None:
    """Tom accepts, and sees what was sent since he was invited; he leaves, and sees nothing."""
    world = sent.world
    group = sent.messages[GROUP].split("/")[2]
    await world.accept("tom", group)
    assert len(await sent.urls(world.bearer("tom"), GROUP)) == 1
    own = f"/threads/{group}/participants/{world.ids['tom']}"
    ok_json(await world.ask("tom", "DELETE", own), 204)
    assert await sent.urls(world.bearer("tom"), GROUP) == []
