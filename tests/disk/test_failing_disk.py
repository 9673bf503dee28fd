"""Failing syncs: /readyz reports them, they are logged once, and the server recovers.

It stops if acknowledged data is lost.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest

from scripts.engines.requirements import Unavailable, command
from tests.disk.machine import Machine
from tests.disk.media import Kept

FAR_FUTURE = 4_102_444_800
SECONDS = 40
REFUSALS = 100


class Api:
    """Users who join (a write) and are looked up (a read)."""

    def __init__(self, url: str, data: Path) -> None:
        self._url = url
        self._secret = (data / "secret").read_bytes().strip()
        self.joined: list[str] = []
        self._tried = 0

    def ask(self, method: str, path: str, user: str = "", body: Any = None) -> tuple[int, Any]:
        claims = {"sub": user, "exp": FAR_FUTURE, "scope": "user"}
        request = urllib.request.Request(
            self._url + path,
            None if body is None else json.dumps(body).encode(),
            {
                "Authorization": f"Bearer {jwt.encode(claims, self._secret, 'HS256')}",
                "Content-Type": "application/json",
            },
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read())

    def join(self) -> int:
        self._tried += 1
        name = f"person{self._tried}"
        status, _ = self.ask("PUT", "/v1/me", f"usr_{name}", {"username": name})
        if status < 300:
            self.joined.append(name)
        return status

    def missing(self) -> list[str]:
        return [name for name in self.joined if self.ask("GET", "/v1/me", f"usr_{name}")[0] != 200]

    def ready(self) -> tuple[int, Any]:
        return self.ask("GET", "/readyz")


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def started(computer: Machine) -> Api:
    url = computer.start()
    assert url is not None, computer.said()
    api = Api(url, computer.data)
    for _ in range(5):
        assert api.join() < 300
    return api


@pytest.mark.timeout(200)
@pytest.mark.parametrize("how", ["error", "lose"])
def test_a_failing_disk_is_reported_and_the_store_recovers_with_it(
    computer: Machine, how: str
) -> None:
    api = started(computer)
    assert api.ready()[0] == 200
    computer.disk.fail(how)
    assert api.join() == 504, "the outcome is unknown"
    until(lambda: api.ready()[0] == 503)
    told = api.ready()[1]
    assert told["type"] == "/problems/store-failing"
    assert "a commit failed" in told["detail"]
    assert str(computer.data) not in json.dumps(told)
    said = len(computer.said())
    assert {api.join() for _ in range(REFUSALS)} == {503}
    more = computer.said()[said:]
    assert "Traceback" not in computer.said()
    assert more.count("\n") <= 3, more
    until(lambda: api.missing() == [])  # reads continue except during an attempt

    computer.disk.fail("")
    until(lambda: api.ready()[0] == 200)
    assert api.join() < 300
    assert computer.said().count("the store is read-only") == 1
    assert computer.said().count("recovered") == 1
    assert api.missing() == []

    computer.cut(Kept.NOTHING, "after it has recovered")
    url = computer.start()
    assert url is not None, computer.said()
    again = Api(url, computer.data)
    again.joined = api.joined
    assert len(again.joined) > 5
    assert again.missing() == []


@pytest.mark.timeout(200)
def test_the_server_stops_if_acknowledged_data_is_lost(computer: Machine) -> None:
    api = started(computer)
    computer.disk.fail("destroy")
    assert api.join() == 504
    until(lambda: computer.has_ended)
    assert "the store has lost acknowledged data" in computer.said()
    assert "the server does not start" in computer.said(), "a Problem, and exit code 2"


@pytest.mark.timeout(200)
def test_one_failed_sync_of_a_real_disk(tmp_path: Path) -> None:
    """Without FUSE: one fdatasync of a commit, long after the start, fails."""
    try:
        strace = command("strace", debian="strace")
    except Unavailable as reason:
        pytest.skip(str(reason))
    fault = "inject=fdatasync:error=EIO:when=40"
    traced = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", fault]
    data, log = tmp_path / "data", tmp_path / "log"
    with log.open("w") as said:
        server = subprocess.Popen(
            [*traced, sys.executable, "-m", "greenroom", "serve"],
            env={"GREENROOM_DATA": str(data), "GREENROOM_PORT": "0"},
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        try:
            assert server.stdout is not None
            url = server.stdout.readline().rpartition(" ")[2].strip()
            assert url, log.read_text()
            api = Api(url, data)
            statuses = []
            end = time.monotonic() + SECONDS
            while 504 not in statuses and time.monotonic() < end:
                statuses.append(api.join())
            assert statuses.count(504) == 1, statuses
            until(lambda: api.ready()[0] == 200)
            assert api.join() < 300
            assert api.missing() == []
        finally:
            # strace keeps signals to itself; the lock names the server.
            os.kill(int((data / "greenroom.db.lock").read_text()), signal.SIGTERM)
            server.wait(SECONDS)
    assert log.read_text().count("recovered") == 1
    assert "Traceback" not in log.read_text()
