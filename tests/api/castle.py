"""Everybody who may come to the door, and something for each to ask for: for test_nobody_else.py.

Ana and Ben talk (with Lea, who has left, and Sam, who is suspended); Pia waits at Tom's gate; Ben
has blocked Bob, with whom he has a conversation of two; Cleo knows nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jwt
from httpx import Response

from greenroom.ids import UserId
from greenroom.people.actor import Scope
from greenroom.people.suspend import suspend
from tests.api.hall import SECRET, Hall, told

HELD = "held-1"
SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
TOKENLESS = ("nobody", "expired", "other algorithm", "no algorithm")
CALLERS = (
    "stranger",
    "blocked",
    "left",
    "sender",
    "target",
    "member",
    "moderator",
    "admin",
    "service",
    "bare service",
)
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
"""Whoever has asked Tom does not ask him twice, and each way to answer needs a request."""
_STRANGERS = ("zoe", "yan", "xia")
"""One for each way to turn to somebody: directly, by opening, by adding."""
MISSING = {
    "threadId": "thr_01k75q8h3c0000000000000000",
    "messageId": "msg_01k75q8j5d0000000000000000",
    "requestId": "rqt_01k75q8h3d0000000000000000",
    "caseId": "cas_aaaaaaaaaaaaaaaaaaaaaaaa",
    "noticeId": "ntc_01k75q8h3d0000000000000000",
    "clientMessageId": "never-sent",
}


@dataclass
class Castle:
    hall: Hall
    threads: dict[str, str] = field(default_factory=dict)
    """By name: `talk`, `gate`, `apart`."""
    messages: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    case: str = ""
    notice: str = ""
    """One for Ben."""

    def headers(self, caller: str) -> dict[str, str]:
        now = self.hall.clock.now_ms() // 1000
        claims = {"sub": self.hall.ids["ben"], "exp": now + 3600}
        match caller:
            case "nobody":
                return {}
            case "expired":
                return self.hall.token("ben", exp=now - 60)
            case "other algorithm":
                return _signed(claims, SECRET * 2, "HS512")
            case "no algorithm":
                return _signed(claims, "", "none")
            case "service":
                return self.hall.service_for("ben")
            case "bare service":
                return self.hall.token("shop", Scope.SERVICE)
            case _:
                return self.hall.token(_WHO[caller])

    def own_id(self, caller: str) -> str:
        return self.hall.ids[_WHO.get(caller, "ben")]

    def place(self, caller: str) -> str:
        """The thread that a caller asks about."""
        if caller in ("sender", "target"):
            return "gate"
        return "apart" if caller == "blocked" else "talk"

    async def ask(
        self, caller: str, route: str, body: object = None, *, missing: bool = False
    ) -> Response:
        method, _, path = route.partition(" ")
        return await self.hall.client.request(
            method,
            self.filled(caller, path, missing=missing),
            headers=self.headers(caller),
            json=body,
        )

    def filled(self, caller: str, path: str, *, missing: bool) -> str:
        place = self.place(caller)
        in_thread = path.endswith("/participants/{userId}")
        names = {
            "threadId": self.threads[place],
            "messageId": self.messages[place],
            "requestId": self.request_for(path),
            "caseId": self.case,
            "noticeId": self.notice,
            "clientMessageId": HELD,
            "userId": self.own_id(caller) if in_thread else self.hall.ids[_subject_of(path)],
            "emoji": "👍",
            "legId": "leg_1",
            "lbgId": "lbg_1",
            "code": "person-not-found",
        }
        names |= MISSING if missing else {}
        for name, value in names.items():
            path = path.replace(f"{{{name}}}", value)
        return path + ("?name=ma" if path == "/v1/people" else "")

    def request_for(self, path: str) -> str:
        """One for each way to answer."""
        ways = ("accept", "decline", "block")
        return self.requests[ways.index(path.rpartition("/")[2]) if path.endswith(ways) else -1]


def _subject_of(path: str) -> str:
    """A person to whom it applies."""
    if path.endswith("/reinstate"):
        return "sam"
    return "xia" if "/staff/" in path else "zoe"


def _signed(claims: dict[str, Any], key: bytes | str, algorithm: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {jwt.encode(claims, key, algorithm=algorithm)}"}


async def furnished(hall: Hall) -> Castle:
    for name in ("bob", "lea", "pia", "tom", "sam", *_STRANGERS, *_WHO_ASK_TOO):
        await hall.join(name)
    castle = Castle(hall)
    await _talk(castle)
    await _gates(castle)
    await _apart(castle)
    await suspend(hall.contexts.people, UserId(hall.ids["sam"]), None, "")
    await _held(castle)
    report = {"reason": "scam", "threadId": castle.threads["talk"]}
    told(await hall.ask("ana", "POST", "/reports", report), 201)
    cases = (await hall.get("mod", "/moderation/queue"))["cases"]
    [case] = [case for case in cases if case["subject"]["kind"] == "thread"]
    castle.case = case["caseId"]
    hall.clock.advance(seconds=5)  # a suspension is noticed within seconds
    return castle


async def _talk(castle: Castle) -> None:
    hall = castle.hall
    thread = (await hall.open("ana", "ben", "lea", "sam", kind="booking"))["threadId"]
    for name in ("ben", "lea", "sam"):
        await hall.accept(name, thread)
    message = await hall.say("ben", thread, "Shall we say Friday?")
    own = f"/threads/{thread}/participants/{hall.ids['lea']}"
    told(await hall.ask("lea", "DELETE", own), 204)
    castle.threads["talk"], castle.messages["talk"] = thread, message["messageId"]


async def _gates(castle: Castle) -> None:
    hall = castle.hall
    for sender in (*_WHO_ASK_TOO, "pia"):
        thread = await hall.open(sender, "tom", message={"body": "Hello Tom!"})
        seen = await hall.get("tom", f"/threads/{thread['threadId']}")
        castle.requests.append(seen["requests"][0]["requestId"])
        castle.threads["gate"] = thread["threadId"]
    page = await hall.get("pia", f"/threads/{castle.threads['gate']}/messages")
    castle.messages["gate"] = page["messages"][0]["messageId"]


async def _apart(castle: Castle) -> None:
    hall = castle.hall
    thread = told(await hall.ask("bob", "PUT", f"/direct/{hall.ids['ben']}"))["threadId"]
    await hall.accept("ben", thread)
    message = await hall.say("bob", thread, "Hello Ben!")
    told(await hall.ask("ben", "PUT", f"/blocks/{hall.ids['bob']}"))
    castle.threads["apart"], castle.messages["apart"] = thread, message["messageId"]


async def _held(castle: Castle) -> None:
    """Ben has a message held, and another one rejected: he is told."""
    hall, path = castle.hall, f"/threads/{castle.threads['talk']}/messages"
    for client_id in ("rejected", HELD):
        body = {"body": f"{SCAM} {client_id}", "clientMessageId": client_id}
        told(await hall.ask("ben", "POST", path, body), 202)
    cases = (await hall.get("mod", "/moderation/queue"))["cases"]
    [case] = [case for case in cases if case["text"].endswith("rejected")]
    place = f"/moderation/cases/{case['caseId']}"
    told(await hall.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "remove", "version": case["version"]}
    told(await hall.ask("mod", "POST", f"{place}/decide", decision))
    [notice] = (await hall.get("ben", "/me/notices"))["notices"]
    castle.notice = notice["noticeId"]


Body = Callable[[Castle, str], object]


def bodies() -> dict[str, Body]:
    """What is sent to the routes that take something."""

    def text(castle: Castle, caller: str) -> object:
        return {"body": "Good morning."}

    def new_thread(castle: Castle, caller: str) -> object:
        return {"kind": "inquiry", "participants": [{"userId": castle.hall.ids["yan"]}]}

    return {
        "POST /v1/people": lambda castle, caller: {"username": f"new.{castle.place(caller)}"},
        "PATCH /v1/people/{userId}": lambda castle, caller: {"metadata": {"plan": "studio"}},
        "PUT /v1/me": lambda castle, caller: {"username": "somebody.else"},
        "PATCH /v1/me": lambda castle, caller: {"displayName": "Me"},
        "POST /v1/threads": new_thread,
        "PATCH /v1/threads/{threadId}": lambda castle, caller: {"subject": "A new name"},
        "PATCH /v1/threads/{threadId}/participants/{userId}": (
            lambda castle, caller: {"role": "host"}
        ),
        "POST /v1/threads/{threadId}/system-messages": text,
        "POST /v1/threads/{threadId}/participants": (
            lambda castle, caller: {"userId": castle.hall.ids["xia"]}
        ),
        "POST /v1/threads/{threadId}/messages": (
            lambda castle, caller: {"body": "Good morning.", "clientMessageId": "once"}
        ),
        "PATCH /v1/threads/{threadId}/messages/{messageId}": text,
        "PUT /v1/threads/{threadId}/read": lambda castle, caller: {"seq": 1},
        "PUT /v1/threads/{threadId}/delivered": lambda castle, caller: {"seq": 1},
        "PUT /v1/threads/{threadId}/unread": lambda castle, caller: {"seq": 1},
        "PATCH /v1/threads/{threadId}/mine": lambda castle, caller: {"pinned": True},
        "PUT /v1/threads/{threadId}/draft": text,
        "POST /v1/inbox/read": lambda castle, caller: {},
        "POST /v1/preview": lambda castle, caller: {
            "body": "Good morning.",
            "threadId": castle.threads[castle.place(caller)],
        },
        "POST /v1/reports": lambda castle, caller: {
            "reason": "spam",
            "threadId": castle.threads[castle.place(caller)],
        },
        "POST /v1/moderation/people/{userId}/reinstate": lambda castle, caller: {
            "reason": "Sorry."
        },
        "PUT /v1/staff/{userId}": lambda castle, caller: {"role": "moderator"},
        "POST /v1/moderation/cases/{caseId}/decide": (
            lambda castle, caller: {"decision": "dismiss", "version": 1}
        ),
    }
