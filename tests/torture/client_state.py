"""The state of one client, built from events and resumes alone.

A message is identified by its id, and the higher version wins; a read position only moves forward.
Careful: a thread is complete only up to its first gap.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.sync_pages import inbox_in

Message: TypeAlias = dict[str, Any]
_OF_THE_VIEWER = ("seenBy", "policyHints")


def plain(message: Message) -> Message:
    """Without the fields that depend on the viewer or the time."""
    return {name: value for name, value in message.items() if name not in _OF_THE_VIEWER}


@dataclass
class ThreadState:
    """One thread."""

    messages: dict[int, Message] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    delivered: dict[str, int] = field(default_factory=dict)
    up_to: int = 0
    """No gap up to here."""
    last: int = 0

    def receipt(self, user: str, read: int, delivered: int) -> None:
        self.read[user] = max(self.read.get(user, 0), read)
        self.delivered[user] = max(self.delivered.get(user, 0), delivered)

    def receipts(self) -> dict[str, tuple[int, int]]:
        """Sending implies reading, and reading implies delivery."""
        found = {}
        for user, told in self.read.items():
            sent = (seq for seq, one in self.messages.items() if one["authorUserId"] == user)
            read = max(told, *sent, 0)
            found[user] = read, max(read, self.delivered[user])
        return found


class ClientState:
    def __init__(self) -> None:
        self.threads: dict[str, ThreadState] = {}
        self.truncated: set[str] = set()
        """Threads to read over REST, because a resume had too much for them."""
        self.contradictions: list[str] = []
        self.wrong_unread: list[str] = []

    def have(self) -> dict[str, int]:
        return {thread: seen.up_to for thread, seen in self.threads.items()}

    def gaps(self) -> frozenset[tuple[str, int]]:
        """Threads with a gap, and the seq before it."""
        threads = self.threads.items()
        return frozenset((thread, seen.up_to) for thread, seen in threads if seen.up_to < seen.last)

    def apply_message(self, told: Message) -> None:
        message = plain(told)
        seen = self.threads.setdefault(message["threadId"], ThreadState())
        seq, version = message["seq"], message["version"]
        known = seen.messages.get(seq)
        if known is not None and known["messageId"] != message["messageId"]:
            self.contradictions.append(f"two messages at {seq}: {known} and {message}")
        elif known is not None and known["version"] == version and known != message:
            self.contradictions.append(f"one version, two contents: {known} and {message}")
        elif known is None or known["version"] < version:
            seen.messages[seq] = message
        seen.last = max(seen.last, seq)
        while seen.up_to + 1 in seen.messages:
            seen.up_to += 1

    def apply_receipt(self, thread: str, user: str, read: int, delivered: int) -> None:
        self.threads.setdefault(thread, ThreadState()).receipt(user, read, delivered)

    def apply_thread(self, thread: dict[str, Any]) -> None:
        seen = self.threads.setdefault(thread["threadId"], ThreadState())
        for one in thread["participants"]:
            seen.receipt(one["userId"], one["lastReadSeq"], one["lastDeliveredSeq"])
        mine = thread["mine"]
        if mine["unread"] != thread["lastSeq"] - mine["lastReadSeq"]:
            self.wrong_unread.append(f"{mine} where the last is {thread['lastSeq']}")

    def apply_changes(self, changes: dict[str, Any]) -> None:
        for changed in inbox_in(changes)["threads"]:
            self.apply_thread(changed["thread"])
            for message in changed["messages"]:
                self.apply_message(message)
            if changed["truncated"]:
                self.truncated.add(changed["thread"]["threadId"])
