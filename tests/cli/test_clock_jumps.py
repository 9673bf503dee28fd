"""The system clock is changed while the server runs and between two runs, with libfaketime."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt
import pytest

from scripts.engines import Unavailable
from scripts.engines.faketime import FakeClock
from tests.sync_pages import inbox_in

SECRET = "a secret for a server with a wrong clock"
_DAY_S = 86_400


@pytest.fixture
def clock(tmp_path: Path) -> FakeClock:
    try:
        return FakeClock(tmp_path / "clock")
    except Unavailable as reason:
        pytest.skip(str(reason))


@contextmanager
def server(data: Path, clock: FakeClock) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "greenroom", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        env={
            "PATH": "/usr/bin:/bin",
            "GREENROOM_DATA": str(data),
            "GREENROOM_PORT": "0",
            "GREENROOM_SECRET": SECRET,
            **clock.environment,
        },
    )
    assert process.stdout is not None
    said = ""
    try:
        while not (found := re.search(r"http://\S+", said)):
            line = process.stdout.readline()
            assert line, "the server does not start"
            said += line
        yield found.group()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == 0
    finally:
        process.kill()
        process.wait()


class Person:
    def __init__(self, name: str) -> None:
        self.user = f"usr_{name}"
        claims = {"sub": self.user, "exp": int(time.time()) + 10 * _DAY_S, "scope": "user"}
        self._token = jwt.encode(claims, SECRET, "HS256")
        self.address = ""
        self.sent = 0
        self.cursor: str | None = None
        self.given: list[str] = []
        self.resets = 0

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"{self.address}/v1{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    def say(self, thread: str, body: str) -> dict[str, Any]:
        self.sent += 1
        message = {"clientMessageId": f"c{self.sent}", "body": body}
        said: dict[str, Any] = self.ask("POST", f"/threads/{thread}/messages", message)["message"]
        return said

    def sync(self) -> None:
        """Syncs. After a reset, reads the inbox and the threads."""
        found = self.ask("GET", f"/sync?cursor={self.cursor}" if self.cursor else "/sync")
        self.cursor = found["cursor"]
        assert not found["more"]
        if "inbox" in found["reset"]:
            self.resets += 1
            for thread in self.inbox():
                page = self.ask("GET", f"/threads/{thread}/messages")["messages"]
                self.given += [one["body"] for one in page if one["body"] not in self.given]
        for changed in inbox_in(found)["threads"]:
            self.given += [message["body"] for message in changed["messages"]]

    def inbox(self) -> list[str]:
        return [row["threadId"] for row in self.ask("GET", "/inbox")["threads"]]

    def unread(self) -> int:
        badge: int = self.ask("GET", "/inbox")["counts"]["badge"]
        return badge


def talk(asks: Person, asked: Person) -> str:
    for person in (asks, asked):
        person.ask("PUT", "/me", {"username": person.user.removeprefix("usr_")})
    invited = [{"userId": asked.user, "role": "seller"}]
    opened = asks.ask("POST", "/threads", {"kind": "inquiry", "participants": invited})
    thread: str = opened["thread"]["threadId"] if "thread" in opened else opened["threadId"]
    asks.say(thread, "May I?")
    seen = asked.ask("GET", f"/threads/{thread}")
    [request] = [one for one in seen["requests"] if one["requestId"] is not None]
    asked.ask("POST", f"/requests/{request['requestId']}/accept")
    return thread


def at(address: str, *people: Person) -> None:
    for person in people:
        person.address = address


def seconds_from_now(message: dict[str, Any]) -> float:
    sent = datetime.fromisoformat(message["createdAt"])
    return abs((datetime.now(UTC) - sent).total_seconds())


@pytest.mark.parametrize("offset", ["+1d", "-1d", "+5m", "-5m"])
def test_setting_the_clock_ahead_and_back_loses_nothing(
    tmp_path: Path, clock: FakeClock, offset: str
) -> None:
    ana, ben, cleo = (Person(name) for name in ("ana", "ben", "cleo"))
    with server(tmp_path / "data", clock) as address:
        at(address, ana, ben, cleo)
        first, second = talk(ben, ana), talk(cleo, ana)
        ana.sync()
        ana.sync()  # events a few seconds old are returned again after a start
        before = len(ana.given)
        said: list[str] = []
        for number, wrong in enumerate([offset, "+0", offset, "+0"]):
            clock.set(wrong)
            for person, thread in ((ben, first), (cleo, second), (ben, first)):
                message = person.say(thread, f"{person.user} {len(said)}")
                said.append(message["body"])
                assert seconds_from_now(message) < 30
                assert ana.inbox()[0] == thread
            ana.sync()
            assert ana.unread() == 2 + 3 * (number + 1)
        ana.sync()
        assert (sorted(ana.given[before:]), ana.resets) == (sorted(said), 1)


@pytest.mark.parametrize("offset", ["+1d", "+5m"])
def test_a_clock_ahead_before_a_restart_loses_nothing_and_keeps_the_inbox_order(
    tmp_path: Path, clock: FakeClock, offset: str
) -> None:
    ana, ben, cleo = (Person(name) for name in ("ana", "ben", "cleo"))
    with server(tmp_path / "data", clock) as address:
        at(address, ana, ben, cleo)
        first, second = talk(ben, ana), talk(cleo, ana)
        ana.sync()
        ana.sync()  # events a few seconds old are returned again after a start
        before = len(ana.given)
    clock.set(offset)
    with server(tmp_path / "data", clock) as address:
        at(address, ana, ben, cleo)
        cleo.say(second, "before")
        ben.say(first, "while the clock is ahead")
        ana.sync()
        assert sorted(ana.given[before:]) == ["before", "while the clock is ahead"]
        assert ana.resets == 1
    clock.set("+0")
    with server(tmp_path / "data", clock) as address:
        at(address, ana, ben, cleo)
        for number in range(3):
            for person, thread in ((cleo, second), (ben, first)):
                message = person.say(thread, f"{person.user} {number}")
                assert seconds_from_now(message) < 30
                assert ana.inbox()[0] == thread
                ana.sync()
                assert message["body"] in ana.given
        assert ana.resets == 2, "once, because times of another epoch are not comparable"
        assert ana.unread() == 2 + 2 + 6
        assert len({*ana.given[before:]} - {"May I?"}) == 8
