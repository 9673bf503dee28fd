"""Events of files and of messages that wait for them reach their owner's devices, nobody else.

Files are uploaded over REST and checked by the real decoder. Each event is compared with what its
recipient sees over REST at that moment, and so is what a device has that only syncs.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest

from greenroom.people.actor import StaffRole
from tests.files.pictures import saved, scene
from tests.messaging.file_steps import follow_files
from tests.socket.client import Client
from tests.socket.node import CAST, Node

PICTURE = saved(scene(), "JPEG")
_ABOUT_FILES = ("file.", "file_preferences.", "waiting_message.")
Events = list[dict[str, Any]]


@dataclass
class Device:
    """What Ana's other device has: it loads once, and then only syncs."""

    node: Node
    files: dict[str, Any] = field(default_factory=dict)
    waiting: list[Any] = field(default_factory=list)
    preferences: Any = None
    cursor: str = ""

    async def load(self) -> None:
        self.cursor = (await self.node.call("ana", "GET", "/sync"))["cursor"]
        self.files, self.waiting, self.preferences = await self.on_the_server()

    async def sync(self) -> None:
        found = await self.node.call("ana", "GET", f"/sync?cursor={self.cursor}")
        assert found["reset"] == []
        self.cursor = found["cursor"]
        changes = found.get("files") or {"changed": [], "deleted": [], "preferences": None}
        self.files |= {file["fileId"]: file for file in changes["changed"]}
        for deleted in changes["deleted"]:
            self.files.pop(deleted, None)
        self.preferences = changes["preferences"] or self.preferences
        if found.get("waiting"):
            self.waiting = found["waiting"]["waitingMessages"]

    async def on_the_server(self) -> tuple[dict[str, Any], list[Any], Any]:
        page = await self.node.call("ana", "GET", "/files")
        waiting = await self.node.call("ana", "GET", "/waiting-messages")
        files = {file["fileId"]: file for file in page["files"]}
        preferences = await self.node.call("ana", "GET", "/me/file-preferences")
        return files, waiting["waitingMessages"], preferences


@dataclass
class Town:
    """Ana, on two devices, talks with Ben; Cleo is in a group with both; Dora knows nobody; Mod
    moderates. All are connected."""

    node: Node
    clients: dict[str, Client]
    device: Device
    thread: str = ""

    async def heard(self) -> dict[str, Events]:
        """The events about files that each client received since the last time."""
        found = {name: await client.events_so_far() for name, client in self.clients.items()}
        about = {
            name: [event for event in events if event["type"].startswith(_ABOUT_FILES)]
            for name, events in found.items()
        }
        return {name: events for name, events in about.items() if events}

    async def heard_by_ana_alone(self, *kinds: str) -> Events:
        """Both devices of hers heard the same, of these kinds; afterwards sync tells the same."""
        found = await self.heard()
        assert found.keys() == ({"ana", "ana again"} if kinds else set())
        if kinds:
            assert found["ana"] == found["ana again"]
            assert [event["type"] for event in found["ana"]] == list(kinds)
        await self.device.sync()
        device = self.device
        assert (device.files, device.waiting, device.preferences) == await device.on_the_server()
        return found.get("ana", [])

    async def announced(self, content: bytes = PICTURE, **fields: Any) -> dict[str, Any]:
        digest = sha256(content).hexdigest()
        new = {"name": "DSC_0417.jpg", "size": len(content), "sha256": digest} | fields
        made: dict[str, Any] = await self.node.call("ana", "POST", "/files", new)
        return made

    async def uploaded(self, made: dict[str, Any], content: bytes = PICTURE) -> str:
        """All bytes have come, and the check is due."""
        headers = {
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0",
            "Content-Type": "application/offset+octet-stream",
        }
        url = made["upload"]["url"]
        async with self.node.http.patch(url, headers=headers, data=content) as answer:
            assert answer.status == 204, await answer.text()
        return str(made["file"]["fileId"])

    async def checked(self, content: bytes = PICTURE, **fields: Any) -> str:
        file = await self.uploaded(await self.announced(content, **fields), content)
        await self.node.run_timers()
        return file

    async def send(self, file: str, client_id: str = "w-1", status: int = 202) -> Any:
        body = {"clientMessageId": client_id, "attachments": [{"fileId": file}]}
        path = f"/threads/{self.thread}/messages"
        found, answer = await self.node.rest("ana", "POST", path, body)
        assert found == status, answer
        return answer

    async def file(self, file: str) -> Any:
        return await self.node.call("ana", "GET", f"/files/{file}")


@pytest.fixture
async def town(any_node: Node) -> AsyncIterator[Town]:
    node = any_node
    await node.join("dora")
    await node.person("mod", role=StaffRole.MODERATOR)
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(await node.connect(name))
            for name in (*CAST, "dora", "mod")
        }
        clients["ana again"] = await stack.enter_async_context(await node.connect("ana"))
        found = Town(node, clients, Device(node))
        found.thread = await node.talk("ana", "ben")
        await node.group("ana", "ben", "cleo")
        await found.device.load()
        await found.heard()
        yield found
    await node.files.close()


async def test_the_owner_hears_that_a_file_is_ready(town: Town) -> None:
    file = await town.checked()
    [event] = await town.heard_by_ana_alone("file.ready")
    assert event == {"type": "file.ready", "file": await town.file(file)}
    assert (event["file"]["state"], event["file"]["media"]) == ("ready", "picture")
    await town.node.run_timers()
    assert await town.heard() == {}, "told once"


async def test_the_members_hear_nothing_of_a_file_that_is_for_their_thread(town: Town) -> None:
    await town.checked(threadId=town.thread)
    await town.heard_by_ana_alone("file.ready")


async def test_the_owner_hears_that_a_file_is_refused(town: Town) -> None:
    file = await town.checked(sha256="0" * 64)
    [event] = await town.heard_by_ana_alone("file.refused")
    assert event == {"type": "file.refused", "file": await town.file(file)}
    assert event["file"]["state"] == "refused"
    assert event["file"]["problem"]["type"] == "/problems/checksum-mismatch"


async def _claimed_case(town: Town, message: str) -> str:
    """Ben has reported the message, and Mod looks at it."""
    report = {"reason": "nsfw", "threadId": town.thread, "messageId": message}
    await town.node.call("ben", "POST", "/reports", report)
    [case] = (await town.node.call("mod", "GET", "/moderation/queue"))["cases"]
    await town.node.call("mod", "POST", f"/moderation/cases/{case['caseId']}/claim")
    return str(case["caseId"])


async def test_the_owner_hears_of_a_band_and_the_members_of_the_changed_message(
    town: Town,
) -> None:
    file = await town.checked(threadId=town.thread)
    message = (await town.send(file, status=201))["message"]["messageId"]
    case = await _claimed_case(town, message)
    await town.heard()
    body = {"caseId": case, "band": 1}
    await town.node.call("mod", "PUT", f"/moderation/files/{file}/band", body)
    [event] = await town.heard_by_ana_alone("file.banded")
    assert event == {"type": "file.banded", "file": await town.file(file)}
    assert event["file"]["band"] == 1
    await town.node.run_timers()
    for name in ("ana", "ben"):
        shown = await town.clients[name].event("message.edited")
        path = f"/threads/{town.thread}/messages/{message}"
        assert shown["message"]["attachments"][0]["band"] == 1
        reloaded = await town.node.call(name, "GET", path)
        assert shown["message"]["attachments"] == reloaded["attachments"]
    for name in ("cleo", "dora", "mod"):
        assert await town.clients[name].events_so_far() == [], name


async def test_the_author_hears_that_a_message_waits_and_is_sent(town: Town) -> None:
    made = await town.announced(threadId=town.thread)
    await town.send(made["file"]["fileId"])
    [event] = await town.heard_by_ana_alone("waiting_message.changed")
    path = f"/threads/{town.thread}/waiting-messages/w-1"
    assert event["waitingMessage"] == await town.node.call("ana", "GET", path)
    assert (event["waitingMessage"]["status"], event.get("messageId")) == ("waiting", None)

    await town.uploaded(made)
    await town.node.run_timers()
    await follow_files(town.node)
    ready, sent = await town.heard_by_ana_alone("file.ready", "waiting_message.changed")
    assert ready["file"]["fileId"] == made["file"]["fileId"]
    assert sent["waitingMessage"]["status"] == "sent"
    assert town.device.waiting == []
    newest = (await town.node.history("ben", town.thread))[-1]
    assert newest["messageId"] == sent["messageId"]
    assert newest["attachments"][0]["fileId"] == made["file"]["fileId"]


async def test_the_author_hears_that_a_message_could_not_be_sent(town: Town) -> None:
    made = await town.announced(threadId=town.thread, sha256="0" * 64)
    await town.send(made["file"]["fileId"])
    await town.heard_by_ana_alone("waiting_message.changed")
    await town.uploaded(made)
    await town.node.run_timers()
    await follow_files(town.node)
    _, failed = await town.heard_by_ana_alone("file.refused", "waiting_message.changed")
    assert failed["waitingMessage"]["status"] == "failed"
    assert town.device.waiting == [failed["waitingMessage"]]
    said = [message["body"] for message in await town.node.history("ben", town.thread)]
    assert "" not in said


async def test_the_author_hears_that_a_message_is_canceled(town: Town) -> None:
    made = await town.announced(threadId=town.thread)
    await town.send(made["file"]["fileId"])
    await town.heard_by_ana_alone("waiting_message.changed")
    path = f"/threads/{town.thread}/waiting-messages/w-1"
    await town.node.call("ana", "DELETE", path)
    [event] = await town.heard_by_ana_alone("waiting_message.changed")
    assert event["waitingMessage"]["status"] == "canceled"
    assert town.device.waiting == []


async def test_nobody_hears_of_a_file_that_its_owner_deletes_and_sync_tells_the_owner(
    town: Town,
) -> None:
    file = await town.checked()
    await town.heard_by_ana_alone("file.ready")
    await town.node.call("ana", "DELETE", f"/files/{file}")
    await town.heard_by_ana_alone()
    assert file not in town.device.files


async def test_only_the_users_devices_hear_how_sensitive_pictures_are_shown(town: Town) -> None:
    assert town.device.preferences == {"safeMode": "blur"}
    for mode in ("hide", "show", "show"):
        body = {"safeMode": mode}
        await town.node.call("ana", "PUT", "/me/file-preferences", body)
        [event] = await town.heard_by_ana_alone("file_preferences.changed")
        found = await town.node.call("ana", "GET", "/me/file-preferences")
        assert event == {"type": "file_preferences.changed", "preferences": found}
        assert found == town.device.preferences == body
