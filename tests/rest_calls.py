"""What tests do over REST in a few words: open a thread, accept, send a message."""

from abc import ABC, abstractmethod
from itertools import count
from typing import Any


class RestCalls(ABC):
    """A mixin for a `World` that can be called over REST; people are given by name."""

    _client_ids: "count[int]"

    @abstractmethod
    def id(self, name: str) -> str: ...

    @abstractmethod
    async def call(self, name: str, method: str, path: str, body: object = None) -> Any:
        """The body of the response, which must be a success."""

    async def open(self, name: str, *others: str, kind: str = "inquiry") -> str:
        """A thread that nobody has accepted yet: its id."""
        participants = [{"userId": self.id(other), "role": "seller"} for other in others]
        body = {"kind": kind, "participants": participants}
        return str((await self.call(name, "POST", "/threads", body))["thread"]["threadId"])

    async def accept(self, name: str, thread: str) -> None:
        for request in (await self.call(name, "GET", f"/threads/{thread}"))["requests"]:
            if request["requestId"]:
                await self.call(name, "POST", f"/requests/{request['requestId']}/accept")

    async def talk(self, one: str, other: str) -> str:
        """A thread of two people that both have accepted."""
        thread = await self.open(one, other)
        await self.say(one, thread, "hello")
        await self.accept(other, thread)
        return thread

    async def group(self, opener: str, *others: str, kind: str = "booking") -> str:
        """A thread of several people, all of them contacts of the opener."""
        for other in others:
            await self.talk(opener, other)
        return await self.open(opener, *others, kind=kind)

    async def say(self, name: str, thread: str, body: str, client_id: str | None = None) -> Any:
        sent = {"body": body, "clientMessageId": client_id or f"rest-{next(self._client_ids)}"}
        return (await self.call(name, "POST", f"/threads/{thread}/messages", sent))["message"]
