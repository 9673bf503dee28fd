"""Every kind of caller, and data that each may ask for: for test_route_access.py.

Ana and Ben talk (with Lea, who has left, and Sam, who is suspended). Pia has a pending request to
Tom. Ben has blocked Bob, with whom he has a conversation of two. Cleo knows nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import jwt
from httpx import Response

from greenroom.api.files import tus_headers
from greenroom.background.models import Timer, TimerRow
from greenroom.background.records import retry_timer
from greenroom.background.repair import Background
from greenroom.background.schedule import schedule
from greenroom.files import Files
from greenroom.files.create_file import create_file
from greenroom.files.models import NewFile
from greenroom.ids import ThreadId, UserId
from greenroom.people import People
from greenroom.people.actor import Actor, Scope
from greenroom.people.suspend import suspend
from greenroom.safety.models import SentMessage, case_id
from tests.api.deals import deals_in
from tests.api.world import ApiWorld, ok_json
from tests.files.ready_files import picture, stored
from tests.stores import SECRET

HELD = "held-1"
WAITING = "waiting-1"
SEND_AT = "2100-03-01T09:00:00+01:00"
SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
TOKENLESS = ("nobody", "expired", "other algorithm", "no algorithm")
_WHO = {
    "suspended": "sam",
    "stranger": "cleo",
    "blocked": "bob",
    "left": "lea",
    "sender": "pia",
    "target": "tom",
    "member": "ben",
    "moderator": "mod",
    "admin": "adi",
}
_WHO_ASK_TOO = ("ole", "qin", "rui")
"""A sender can have one request to Tom, and each way to answer needs its own."""
_STRANGERS = ("zoe", "yan", "xia")
"""One for each way to contact somebody: a direct thread, opening, adding."""
MISSING = {
    "threadId": "thr_01k75q8h3c0000000000000000",
    "messageId": "msg_01k75q8j5d0000000000000000",
    "requestId": "rqt_01k75q8h3d0000000000000000",
    "caseId": "cas_aaaaaaaaaaaaaaaaaaaaaaaa",
    "noticeId": "ntc_01k75q8h3d0000000000000000",
    "clientMessageId": "never-sent",
    "manifestId": "mnf_01k75q8m9h0000000000000000",
    "fileId": "fil_01k75q8k7f0000000000000000",
    "scheduledMessageId": "sch_01k75q8h3e0000000000000000",
    "cardId": "crd_01k75q8h3e0000000000000000",
    "documentId": "doc_01k75q8h3e0000000000000000",
}
_OF_DEALS = ("/cards", "/booking", "/documents", "/receipts.pdf")
NEW_FILE = {"name": "notes.txt", "size": 5, "sha256": sha256(b"notes").hexdigest()}
_METADATA = {"filename": "notes.txt", "sha256": NEW_FILE["sha256"]}
TUS = {
    "Tus-Resumable": "1.0.0",
    "Content-Type": "application/offset+octet-stream",
    "Upload-Length": "5",
    "Upload-Offset": "0",
    "Upload-Metadata": tus_headers.metadata_of({k: str(v) for k, v in _METADATA.items()}),
}
"""The headers of every request to `/v1/uploads`. Those that a request does not need are ignored."""


@dataclass
class PopulatedWorld:
    world: ApiWorld
    threads: dict[str, str] = field(default_factory=dict)
    """By name: `talk`, `gate`, `apart`."""
    messages: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    case: str = ""
    notice: str = ""
    """One for Ben."""
    scheduled: list[str] = field(default_factory=list)
    """Two of Ben's: one is sent now, the other is not."""
    files: list[str] = field(default_factory=list)
    """Two of Ben's: of one all bytes have come, of the other none."""
    pictures: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Ben's, in messages that were reported, and the cases: one that Mod has claimed, and one that
    Adi has."""
    avatar: str = ""
    """A picture of Ben's that is not used yet."""
    blurred: str = ""
    """A picture of Ben's that is blurred."""
    card: str = ""
    """Ben has proposed it; it waits for Ana."""
    document: str = ""
    """The contract between them."""
    content_sha256: str = ""
    leg: str = ""
    """What Ana has booked with Ben."""

    @property
    def sent(self) -> str:
        """A picture that Ben has sent to the talk."""
        return self.pictures["mod"][0]

    def headers(self, caller: str) -> dict[str, str]:
        now = self.world.clock.now_ms() // 1000
        claims = {"sub": self.world.ids["ben"], "exp": now + 3600}
        match caller:
            case "nobody":
                return {}
            case "expired":
                return self.world.bearer("ben", exp=now - 60)
            case "other algorithm":
                return _signed(claims, SECRET * 2, "HS512")
            case "no algorithm":
                return _signed(claims, "", "none")
            case "service":
                return self.world.service_for("ben")
            case "bare service":
                return self.world.bearer("shop", Scope.SERVICE)
            case _:
                return self.world.bearer(_WHO[caller])

    def own_id(self, caller: str) -> str:
        return self.world.ids[_WHO.get(caller, "ben")]

    def place(self, caller: str) -> str:
        """The thread that a caller requests."""
        if caller in ("sender", "target"):
            return "gate"
        return "apart" if caller == "blocked" else "talk"

    async def ask(
        self, caller: str, route: str, body: object = None, *, missing: bool = False
    ) -> Response:
        method, _, path = route.partition(" ")
        return await self.world.client.request(
            method,
            self.filled(caller, path, missing=missing, method=method),
            headers=self.headers(caller) | (TUS if path.startswith("/v1/uploads") else {}),
            json=body,
        )

    def filled(self, caller: str, path: str, *, missing: bool, method: str = "") -> str:
        place = self.place(caller)
        in_thread = path.endswith("/participants/{userId}")
        names = {
            "threadId": self.threads["deal" if self.is_deal(caller, path) else place],
            "messageId": self.messages[place],
            "requestId": self.request_for(path),
            "caseId": self.case,
            "noticeId": self.notice,
            "manifestId": MISSING["manifestId"],
            "clientMessageId": WAITING if "/waiting-messages/" in path else HELD,
            "scheduledMessageId": self.scheduled[path.endswith("/send")],
            "fileId": self.file_for(caller, method, path),
            "userId": self.own_id(caller) if in_thread else self.world.ids[_subject_of(path)],
            "emoji": "👍",
            "tab": "brief",
            "legId": self.leg if path.endswith("/calendar.ics") else "leg_1",
            "cardId": self.card,
            "documentId": self.document,
            "versionFile": "1.pdf",
            "sha256": "0" * 64,
            "paymentKey": "lbg_1:p1",
            "lbgId": "lbg_1",
            "code": "person-not-found",
            "follower": "no-such-follower",
            "number": "1",
        }
        names |= MISSING if missing else {}
        for name, value in names.items():
            path = path.replace(f"{{{name}}}", value)
        return path + ("?name=ma" if path == "/v1/people" else "")

    def is_deal(self, caller: str, path: str) -> bool:
        """Ben's deal with Ana, for those who take no part in another conversation."""
        return self.place(caller) == "talk" and path.endswith(_OF_DEALS)

    def file_for(self, caller: str, method: str, path: str) -> str:
        if method in ("GET", "HEAD") and path == "/v1/files/{fileId}":
            return self.sent
        if path.startswith("/v1/moderation/"):
            return self.picture_for(caller)[0]
        return self.blurred if path.endswith("/appeals") else self.files["/uploads/" in path]

    def picture_for(self, caller: str) -> tuple[str, str]:
        return self.pictures["adi" if caller == "admin" else "mod"]

    def request_for(self, path: str) -> str:
        """One for each way to answer."""
        ways = ("accept", "decline", "block")
        return self.requests[ways.index(path.rpartition("/")[2]) if path.endswith(ways) else -1]


def _subject_of(path: str) -> str:
    """A person that the request is about."""
    if path.endswith("/reinstate"):
        return "sam"
    return "xia" if "/staff/" in path else "zoe"


def _signed(claims: dict[str, Any], key: bytes | str, algorithm: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {jwt.encode(claims, key, algorithm=algorithm)}"}


async def populate(world: ApiWorld) -> PopulatedWorld:
    for name in ("bob", "lea", "pia", "tom", "sam", *_STRANGERS, *_WHO_ASK_TOO):
        await world.join(name)
    populated = PopulatedWorld(world)
    await _create_talk(populated)
    await _create_requests(populated)
    await _create_block(populated)
    await suspend(world.contexts[People], UserId(world.ids["sam"]), None, "")
    await _create_held(populated)
    await _create_scheduled(populated)
    await _create_files(populated)
    await _create_pictures(populated)
    await _create_waiting(populated)
    await _create_set_aside_timers(populated)
    await _create_deal(populated)
    report = {"reason": "scam", "threadId": populated.threads["talk"]}
    ok_json(await world.ask("ana", "POST", "/reports", report), 201)
    cases = (await world.get("mod", "/moderation/queue"))["cases"]
    [case] = [case for case in cases if case["subject"]["kind"] == "thread"]
    populated.case = case["caseId"]
    world.clock.advance(seconds=5)  # a suspension takes effect within seconds
    return populated


async def _create_talk(populated: PopulatedWorld) -> None:
    world = populated.world
    thread = (await world.open("ana", "ben", "lea", "sam", kind="booking"))["threadId"]
    for name in ("ben", "lea", "sam"):
        await world.accept(name, thread)
    message = await world.say("ben", thread, "Shall we say Friday?")
    own = f"/threads/{thread}/participants/{world.ids['lea']}"
    ok_json(await world.ask("lea", "DELETE", own), 204)
    populated.threads["talk"], populated.messages["talk"] = thread, message["messageId"]


async def _create_requests(populated: PopulatedWorld) -> None:
    world = populated.world
    for sender in (*_WHO_ASK_TOO, "pia"):
        thread = await world.open(sender, "tom", message={"body": "Hello Tom!"})
        seen = await world.get("tom", f"/threads/{thread['threadId']}")
        populated.requests.append(seen["requests"][0]["requestId"])
        populated.threads["gate"] = thread["threadId"]
    page = await world.get("pia", f"/threads/{populated.threads['gate']}/messages")
    populated.messages["gate"] = page["messages"][0]["messageId"]


async def _create_block(populated: PopulatedWorld) -> None:
    world = populated.world
    thread = ok_json(await world.ask("bob", "PUT", f"/direct/{world.ids['ben']}"))["threadId"]
    await world.accept("ben", thread)
    message = await world.say("bob", thread, "Hello Ben!")
    ok_json(await world.ask("ben", "PUT", f"/blocks/{world.ids['bob']}"))
    populated.threads["apart"], populated.messages["apart"] = thread, message["messageId"]


async def _create_held(populated: PopulatedWorld) -> None:
    """Ben has a held message and a rejected one, with notices."""
    world, path = populated.world, f"/threads/{populated.threads['talk']}/messages"
    for client_id in ("rejected", HELD):
        body = {"body": f"{SCAM} {client_id}", "clientMessageId": client_id}
        ok_json(await world.ask("ben", "POST", path, body), 202)
    cases = (await world.get("mod", "/moderation/queue"))["cases"]
    [case] = [case for case in cases if case["text"].endswith("rejected")]
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "remove", "version": case["version"]}
    ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))
    [notice] = (await world.get("ben", "/me/notices"))["notices"]
    populated.notice = notice["noticeId"]


async def _create_scheduled(populated: PopulatedWorld) -> None:
    world, path = populated.world, f"/threads/{populated.threads['talk']}/scheduled-messages"
    for body in ("See you tomorrow.", "Good night."):
        new = {"body": body, "sendAt": SEND_AT}
        scheduled = ok_json(await world.ask("ben", "POST", path, new), 201)
        populated.scheduled.append(scheduled["scheduledMessageId"])


async def _create_files(populated: PopulatedWorld) -> None:
    world = populated.world
    for _ in range(2):
        made = ok_json(await world.ask("ben", "POST", "/files", NEW_FILE), 201)
        populated.files.append(made["file"]["fileId"])
    sent = await world.client.patch(
        f"/v1/uploads/{populated.files[0]}",
        headers=world.bearer("ben") | TUS,
        content=b"notes",
    )
    assert sent.status_code == 204


async def _create_pictures(populated: PopulatedWorld) -> None:
    world, thread = populated.world, populated.threads["talk"]
    ben = world.actors["ben"]
    blurred, avatar = picture(world.files, ben, band=1), picture(world.files, ben)
    await stored(world.files, blurred, avatar)
    populated.blurred, populated.avatar = blurred.id, avatar.id
    for moderator in ("mod", "adi"):
        sent = picture(world.files, ben, thread=ThreadId(thread))
        await stored(world.files, sent)
        message = await world.say("ben", thread, "", attachments=[{"fileId": sent.id}])
        report = {"reason": "nsfw", "threadId": thread, "messageId": message["messageId"]}
        ok_json(await world.ask("ana", "POST", "/reports", report), 201)
        case = case_id(SentMessage(ThreadId(thread), message["messageId"]))
        ok_json(await world.ask(moderator, "POST", f"/moderation/cases/{case}/claim"))
        populated.pictures[moderator] = sent.id, case


async def _create_waiting(populated: PopulatedWorld) -> None:
    """A message of Ben's waits for its file."""
    world, thread = populated.world, populated.threads["talk"]
    ben = Actor(UserId(world.ids["ben"]))
    new = NewFile(name="a.jpg", size=1000, sha256="ab" * 32, thread=ThreadId(thread))
    file = await create_file(world.contexts[Files], ben, new)
    body = {"clientMessageId": WAITING, "attachments": [{"fileId": file.id}]}
    ok_json(await world.ask("ben", "POST", f"/threads/{thread}/messages", body), 202)


async def _create_set_aside_timers(populated: PopulatedWorld) -> None:
    store = populated.world.contexts[Background].store
    for id in ("replayed", "dropped"):
        row = TimerRow(Timer("alarm", id, 1), next_ms=1)
        await store.write(schedule(row.timer))
        await store.write(retry_timer(row, 1, "it failed", is_last=True))


async def _create_deal(populated: PopulatedWorld) -> None:
    """Lea has left this conversation too."""
    async with deals_in(populated.world, "ben", "lea") as deals:
        booking = await deals.booked()
        populated.threads["deal"], populated.leg = deals.thread, booking["legs"][0]["legId"]
        shown = await populated.world.get("ben", f"/threads/{deals.thread}/documents")
        populated.document = shown["documents"][0]["documentId"]
        contract = await populated.world.get("ben", f"/documents/{populated.document}")
        populated.content_sha256 = contract["versions"][0]["contentSha256"]
        safety = {"type": "safety", "measures": ["A second person is on the set."]}
        made = ok_json(await deals.propose("ben", safety), 201)
        populated.card = made["card"]["cardId"]
        own = f"/threads/{deals.thread}/participants/{populated.world.ids['lea']}"
        ok_json(await populated.world.ask("lea", "DELETE", own), 204)


Body = Callable[[PopulatedWorld, str], object]


def bodies() -> dict[str, Body]:
    """Request bodies by route."""

    def text(populated: PopulatedWorld, caller: str) -> object:
        return {"body": "Good morning."}

    def new_thread(populated: PopulatedWorld, caller: str) -> object:
        return {"kind": "inquiry", "participants": [{"userId": populated.world.ids["yan"]}]}

    return {
        "POST /v1/people": lambda populated, caller: {"username": f"new.{populated.place(caller)}"},
        "PATCH /v1/people/{userId}": lambda populated, caller: {"metadata": {"plan": "studio"}},
        "PUT /v1/me": lambda populated, caller: {"username": "somebody.else"},
        "PATCH /v1/me": lambda populated, caller: {"displayName": "Me"},
        "POST /v1/threads": new_thread,
        "PATCH /v1/threads/{threadId}": lambda populated, caller: {"subject": "A new name"},
        "PATCH /v1/threads/{threadId}/participants/{userId}": (
            lambda populated, caller: {"role": "host"}
        ),
        "PUT /v1/threads/{threadId}/picture": lambda populated, caller: {"fileId": populated.sent},
        "PUT /v1/me/avatar": lambda populated, caller: {"fileId": populated.avatar},
        "POST /v1/threads/{threadId}/system-messages": text,
        "POST /v1/threads/{threadId}/participants": (
            lambda populated, caller: {"userId": populated.world.ids["xia"]}
        ),
        "POST /v1/threads/{threadId}/messages": (
            lambda populated, caller: {"body": "Good morning.", "clientMessageId": "once"}
        ),
        "POST /v1/threads/{threadId}/scheduled-messages": (
            lambda populated, caller: {"body": "Good morning.", "sendAt": SEND_AT}
        ),
        "PATCH /v1/scheduled-messages/{scheduledMessageId}": text,
        "PATCH /v1/threads/{threadId}/messages/{messageId}": text,
        "PUT /v1/threads/{threadId}/read": lambda populated, caller: {"seq": 1},
        "PUT /v1/threads/{threadId}/delivered": lambda populated, caller: {"seq": 1},
        "PUT /v1/threads/{threadId}/unread": lambda populated, caller: {"seq": 1},
        "PATCH /v1/threads/{threadId}/mine": lambda populated, caller: {"pinned": True},
        "PUT /v1/threads/{threadId}/draft": text,
        "PUT /v1/me/file-preferences": lambda populated, caller: {"safeMode": "hide"},
        "POST /v1/file-urls": lambda populated, caller: {"fileIds": [populated.sent]},
        "POST /v1/files/{fileId}/appeals": lambda populated, caller: {"note": "It is art."},
        "PUT /v1/moderation/files/{fileId}/band": lambda populated, caller: {
            "caseId": populated.picture_for(caller)[1],
            "band": 1,
        },
        "POST /v1/moderation/files/{fileId}/urls": lambda populated, caller: {
            "caseId": populated.picture_for(caller)[1]
        },
        "POST /v1/threads/{threadId}/manifests": lambda populated, caller: {
            "name": "final.zip",
            "size": 5,
            "sha256": NEW_FILE["sha256"],
            "url": "https://files.example.com/final.zip",
            "clientMessageId": "manifest-1",
        },
        "POST /v1/threads/{threadId}/panel/{tab}/edits": lambda populated, caller: {
            "clientId": "edit-1",
            "edit": {"action": "add", "kind": "section", "fields": {"title": "Light"}},
        },
        "POST /v1/threads/{threadId}/cards": lambda populated, caller: {
            "content": {
                "type": "extras",
                "items": [{"title": "Prints", "price": {"minor": 2000, "currency": "EUR"}}],
            }
        },
        "POST /v1/cards/{cardId}/steps": lambda populated, caller: {
            "transition": "withdraw",
            "version": 1,
        },
        "POST /v1/documents/{documentId}/signatures": lambda populated, caller: {
            "version": 1,
            "contentSha256": populated.content_sha256,
            "consent": True,
        },
        "POST /v1/inbox/read": lambda populated, caller: {},
        "POST /v1/preview": lambda populated, caller: {
            "body": "Good morning.",
            "threadId": populated.threads[populated.place(caller)],
        },
        "POST /v1/files": lambda populated, caller: dict(NEW_FILE),
        "POST /v1/reports": lambda populated, caller: {
            "reason": "spam",
            "threadId": populated.threads[populated.place(caller)],
        },
        "POST /v1/moderation/people/{userId}/reinstate": lambda populated, caller: {
            "reason": "Sorry."
        },
        "PUT /v1/staff/{userId}": lambda populated, caller: {"role": "moderator"},
        "POST /v1/background/timers/replay": (
            lambda populated, caller: {"kind": "alarm", "timerId": "replayed"}
        ),
        "POST /v1/background/timers/drop": (
            lambda populated, caller: {"kind": "alarm", "timerId": "dropped"}
        ),
        "POST /v1/moderation/cases/{caseId}/decide": (
            lambda populated, caller: {"decision": "dismiss", "version": 1}
        ),
    }
