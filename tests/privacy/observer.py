"""Records everything that one user can see: responses, headers, events and their order.

It calls every GET route of the OpenAPI document, with parameters from what the observer knows, so a
new route is compared as soon as it exists. A parameter without a value is an error.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from urllib.parse import quote, urlencode

from greenroom.bookings import Bookings
from tests.privacy.world import PrivacyWorld, RecordedEvents

_IGNORED = {"date", "x-request-id", "content-length", "server"}
_OPAQUE = {"cursor", "next", "url", "salt", "sealed", "hash", "previous"}
_ID = re.compile(
    r"\b(?:(?:usr|thr|msg|rqt|rpt|cas|ntc|sch|fil|mnf|crd|lbg|leg|doc)_[0-9a-z]{20,32}|first:[0-9a-f]{32})\b"
)
_ETAG = re.compile(r'"[0-9a-f]{8,}"')
_MESSAGES = 2
_DRAWN = ("/card.pdf", "/receipts.pdf")
"""They print what other routes tell, and each takes a process of its own to draw."""


@dataclass
class Observer:
    """Ana, who looks for differences."""

    node: PrivacyWorld
    events: RecordedEvents
    threads: list[str]
    others: tuple[str, ...]
    cursor: str = ""
    seen: list[Any] = field(default_factory=list)
    messages: dict[str, list[str]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    done: int = 0
    """How many writes succeeded."""
    client_ids: list[str] = field(default_factory=list)
    scheduled: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    """Files of others, whether she may see them or not."""
    _routes: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    _enums: dict[str, list[str]] = field(default_factory=dict)

    async def learn_routes(self) -> None:
        document = await self.node.schema()
        schemas = document["components"]["schemas"]
        self._enums = {name: one["enum"] for name, one in schemas.items() if "enum" in one}
        self._routes = [
            (path, operations["get"].get("parameters", []))
            for path, operations in sorted(document["paths"].items())
            if "get" in operations and path.startswith("/v1/") and not path.endswith(_DRAWN)
        ]
        assert len(self._routes) > 20

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        """Records the response and the events until then."""
        answer = await self.node.ask("ana", method, path, body)
        text, status = answer.text, answer.status_code
        shown = {name.lower(): value for name, value in answer.headers.items()}
        told = json.loads(text) if text.startswith(("{", "[")) else text
        kept = sorted((name, value) for name, value in shown.items() if name not in _IGNORED)
        shown_path = path.partition("cursor=")[0]
        self.seen.append([f"{method} {shown_path}", body, status, kept, _without_opaque(told)])
        if method != "GET":
            self.done += status < 400
            await self.node.contexts[Bookings].tasks.finish()
            self.node.clock.advance(seconds=1)  # nothing happens at the same millisecond
            self.hear()
        self._learn(told)
        return told

    async def look(self) -> None:
        """Calls every GET route."""
        for path, parameters in self._routes:
            for filled in self._filled(path, parameters):
                await self.ask("GET", filled)

    def hear(self) -> None:
        self.seen.append(["events", _without_opaque(self.events.take())])

    def report(self) -> list[str]:
        """One line for each observation, with ids numbered by first appearance."""
        names = {self.node.id(name): name for name in ("ana", *self.others)}
        tags: dict[str, str] = {}

        def named(match: re.Match[str]) -> str:
            found = match.group()
            kind = re.split("[_:]", found)[0]
            return names.setdefault(found, f"{kind}-{len(names)}")

        def tagged(match: re.Match[str]) -> str:
            return tags.setdefault(match.group(), f"etag-{len(tags)}")

        lines = [json.dumps(one, ensure_ascii=False).replace('\\"', '"') for one in self.seen]
        return [_ETAG.sub(tagged, _ID.sub(named, line)) for line in lines]

    def _learn(self, told: Any) -> None:
        if isinstance(told, list):
            for one in told:
                self._learn(one)
        if not isinstance(told, dict):
            return
        thread, message = told.get("threadId"), told.get("messageId")
        if isinstance(thread, str) and thread not in self.threads:
            self.threads.append(thread)
        if isinstance(thread, str) and isinstance(message, str):
            known = self.messages.setdefault(thread, [])
            known += [] if message in known else [message]
        request = told.get("requestId")
        if isinstance(request, str) and request not in self.requests:
            self.requests.append(request)
        scheduled = told.get("scheduledMessageId")
        if isinstance(scheduled, str) and scheduled not in self.scheduled:
            self.scheduled.append(scheduled)
        card = told.get("cardId")
        if isinstance(card, str) and card not in self.cards:
            self.cards.append(card)
        file = told.get("fileId")
        if isinstance(file, str) and file not in self.files:
            self.files.append(file)
        for one in told.values():
            self._learn(one)

    def _filled(self, path: str, parameters: list[dict[str, Any]]) -> list[str]:
        if "{messageId}" in path:
            pairs = [
                (thread, message)
                for thread in self.threads
                for message in self.messages.get(thread, [])[-_MESSAGES:]
            ]
            paths = [
                path.replace("{threadId}", thread).replace("{messageId}", message)
                for thread, message in pairs
            ]
        else:
            paths = [path]
            for parameter in parameters:
                if parameter["in"] == "path":
                    name = "{" + parameter["name"] + "}"
                    values = self._values(parameter["name"])
                    paths = [one.replace(name, quote(v)) for one in paths for v in values]
        queries = self._queries(path, parameters)
        return [one + query for one in paths for query in queries]

    def _values(self, name: str) -> list[str]:
        return {
            "threadId": self.threads,
            "userId": [self.node.id(other) for other in self.others],
            "clientMessageId": self.client_ids[-2:] or ["none"],
            "caseId": ["cas_aaaaaaaaaaaaaaaaaaaaaaaa"],
            "scheduledMessageId": self.scheduled[-2:] or ["sch_01k75q8h3e0000000000000000"],
            "requestId": self.requests or ["rqt_01k75q8h3d0000000000000000"],
            "fileId": self.files[-2:] or ["fil_01k75q8h3f0000000000000000"],
            "manifestId": ["mnf_01k75q8h3g0000000000000000"],
            "cardId": self.cards[-2:] or ["crd_01k75q8h3g0000000000000000"],
            "tab": ["brief"],
            "documentId": ["doc_01k75q8h3g0000000000000000"],
            "versionFile": ["1.pdf"],
            "sha256": ["ab" * 32],
            "legId": ["leg_1"],
            "lbgId": ["lbg_1"],
        }[name]

    def _queries(self, path: str, parameters: list[dict[str, Any]]) -> list[str]:
        if path == "/v1/people":
            known = [self.node.id(other) for other in self.others]
            return [
                "?" + urlencode([("id", one) for one in known]),
                *(f"?username={other}" for other in self.others),
                *(f"?name={other[:2]}" for other in self.others),
            ]
        if path == "/v1/sync":
            return [f"?cursor={self.cursor}"]
        enums = [
            [(parameter["name"], value) for value in self._enums[name]]
            for parameter in parameters
            if parameter["in"] == "query"
            for name in [str(parameter["schema"].get("$ref", "")).rpartition("/")[2]]
            if name in self._enums
        ]
        return ["?" + urlencode(some) if some else "" for some in product(*enums)]


def _without_opaque(told: Any) -> Any:
    if isinstance(told, list):
        return [_without_opaque(one) for one in told]
    if isinstance(told, dict):
        return {
            name: _hidden(value) if name in _OPAQUE else _without_opaque(value)
            for name, value in told.items()
        }
    if isinstance(told, str) and "signature=" in told:
        return "signed URL"
    return told


def _hidden(value: Any) -> bool:
    """What is random. Of a hash it tells whether there is one."""
    return value not in (None, "")
