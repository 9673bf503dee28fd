"""`greenroom background`: on a store without a server, beside one, and on DynamoDB."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from greenroom import server_address
from greenroom.api.composition import Contexts
from greenroom.api.registry import ContextApi, Registry
from greenroom.app import CONTEXTS
from greenroom.background.follower import Follower
from greenroom.background.models import Timer
from greenroom.background.repair import Background
from greenroom.background.schedule import schedule
from greenroom.cli import main
from greenroom.clock import SystemClock
from greenroom.serve import worker_on
from greenroom.store.base import Delete, Key, Put, Store
from greenroom.store.dynamo import DynamoStore
from greenroom.store.sqlite import SqliteStore
from greenroom.store.values import Item
from tests.background.fixtures import (
    JOURNAL,
    NOTES,
    Alarms,
    Copies,
    Notes,
    follower_runner,
    note,
    run_due,
    timer_runner,
)
from tests.cli.test_commands import greenroom, refused
from tests.cli.test_serving import server
from tests.socket.node import node_on
from tests.stores import SECRET, SQLITE, fresh_prefix

ENGINES = ("alone", "beside a server", "DynamoDB beside a server")


@dataclass
class Stuck:
    """Followers and timers that have failed, and the commands to repair them."""

    url: str
    notes: Notes = field(default_factory=lambda: Notes("the notes"))
    copies: Copies = field(default_factory=lambda: Copies("copies"))
    alarms: Alarms = field(default_factory=Alarms)
    captured: pytest.CaptureFixture[str] | None = None
    of_server: Store | None = None
    """The store of the running server, which no other can open."""

    @property
    def registry(self) -> Registry:
        api = ContextApi(
            name="notes",
            tables=(NOTES, JOURNAL),
            followers=self._followers,
            timers=lambda _: {"alarms": self.alarms.handler(max_tries=1)},
        )
        others = [one for one in CONTEXTS if one.name != "webhooks"]  # which has a follower
        return Registry((*others, api))

    def _followers(self, contexts: Contexts) -> Sequence[Follower]:
        store = contexts[Background].store

        async def compare(items: Sequence[Item]) -> list[str]:
            found = await self.copies.result(store)
            return [
                f"{item['pk']} is {found.get(str(item['pk']))}, not {item['n']}"
                for item in items
                if found.get(str(item["pk"])) != item["n"]
            ]

        return self.notes.follower(), self.copies.follower(compare=compare)

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """The exit code, and what was printed to stdout and stderr."""
        assert self.captured is not None
        self.captured.readouterr()
        umask = os.umask(0o077)
        try:
            code = await asyncio.to_thread(main, ["background", *arguments], self.registry)
        except SystemExit as ended:
            code = int(str(ended.code))
        finally:
            os.umask(umask)
        return code, *self.captured.readouterr()

    async def ok(self, *arguments: str) -> str:
        code, said, complaints = await self.run(*arguments)
        assert (code, complaints) == (0, "")
        return said

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        if self.of_server is not None:
            yield self.of_server
            return
        async with AsyncExitStack() as stack:
            opened: Store
            if self.url.startswith(SQLITE):
                path = Path(self.url.removeprefix(SQLITE))
                opened = await stack.enter_async_context(
                    await SqliteStore.open(
                        path, self.registry.tables, clock=SystemClock(), cursor_secret=SECRET
                    )
                )
            else:
                opened = await stack.enter_async_context(
                    await DynamoStore.open(
                        self.url,
                        self.registry.tables,
                        clock=SystemClock(),
                        cursor_secret=SECRET,
                        create=True,
                    )
                )
            yield opened

    async def get_stuck(self, store: Store) -> None:
        """Notes a1, a2, a3 and b1; a2 fails. Two alarms that fail."""
        clock = SystemClock()
        self.notes.poisoned = {("a", 2)}
        self.alarms.failing = {"x": 99, "y": 99}
        for pk, n in (("a", 1), ("a", 2), ("a", 3), ("b", 1)):
            await store.write(note(pk, n))
        for id in self.alarms.failing:
            await store.write(schedule(Timer("alarms", id, clock.now_ms(), {"secret": "abc"})))
        for follower in (self.notes.follower(), self.copies.follower()):
            await follower_runner(store, clock, follower).catch_up()
        handlers = {"alarms": self.alarms.handler(max_tries=1)}
        await run_due(timer_runner(store, clock, handlers))


@pytest.fixture(params=ENGINES)
async def stuck(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> AsyncIterator[Stuck]:
    async with AsyncExitStack() as stack:
        url = f"{SQLITE}{tmp_path}/greenroom.db"
        if "DynamoDB" in request.param:
            local = request.getfixturevalue("dynamodb_url")
            tables = Stuck("").registry.tables
            url = await stack.enter_async_context(fresh_prefix(local, tables))
        made = Stuck(url, captured=capsys)
        monkeypatch.setenv("GREENROOM_STORE", url)
        monkeypatch.setenv("GREENROOM_DATA", str(tmp_path))
        monkeypatch.setenv("GREENROOM_SECRET", SECRET.decode())
        async with made.store() as store:
            await made.get_stuck(store)
        if "server" in request.param:
            store = await stack.enter_async_context(made.store())
            node = await stack.enter_async_context(
                node_on(store, SystemClock(), registry=made.registry)
            )
            path = Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None
            stack.enter_context(server_address.announced(path, node.url))
            worker = worker_on(store, SystemClock(), node.contexts)
            await stack.enter_async_context(worker)
            made.of_server = store
        yield made


async def test_the_status_shows_followers_timers_and_nodes(stuck: Stuck) -> None:
    said = await stuck.ok()
    assert re.search(r"^the notes +following +0 s +2 ", said, re.MULTILINE)
    assert re.search(r"^alarms +0 +0 +2$", said, re.MULTILINE)
    for _ in range(100):
        found = json.loads(await stuck.ok("--json"))
        [notes] = [one for one in found["followers"] if one["name"] == "the notes"]
        if found["nodes"] and notes["node"]:
            break
        if stuck.of_server is None:
            assert found["nodes"] == []
            return
        await asyncio.sleep(0.1)
    [node] = found["nodes"]
    assert {"followers/the notes", "timers/0"} <= set(node["leases"])
    assert notes == {
        "name": "the notes",
        "node": node["name"],
        "stage": "following",
        "lagMs": notes["lagMs"],
        "setAside": 2,
        "needsRebuild": False,
    }


async def test_what_is_set_aside_is_listed_without_its_content(stuck: Stuck) -> None:
    said = await stuck.ok("set-aside")
    assert re.search(r"^1 +\d{4}-\S+ +Notes a / note +ValueError: a 2 is poison", said, re.M)
    assert re.search(r"^2 +\S+ +Notes a / note +stands behind an earlier", said, re.M)
    assert re.search(r"^alarms +x +\S+ +1 +ValueError: x fails$", said, re.M)
    assert "abc" not in said
    assert "alarms" not in await stuck.ok("set-aside", "the notes")
    assert "poisoned" not in await stuck.ok("set-aside", "timers")
    found = json.loads(await stuck.ok("set-aside", "--json"))
    assert [one["number"] for one in found["followers"]["the notes"]] == [1, 2]
    assert found["followers"]["copies"] == []
    assert {one["timerId"] for one in found["timers"]} == {"x", "y"}


async def test_changes_are_replayed_by_number_and_all_together(stuck: Stuck) -> None:
    code, said, _ = await stuck.run("replay", "the notes", "1")
    assert (code, said.splitlines()[0]) == (1, "0 changes replayed.")
    assert "Still set aside: ValueError: a 2 is poisoned" in said
    stuck.notes.poisoned.clear()
    assert await stuck.ok("replay", "the notes", "2") == "2 changes replayed.\n"
    assert await stuck.ok("replay", "the notes", "--all") == "0 changes replayed.\n"
    found = json.loads(await stuck.ok("set-aside", "the notes", "--json"))
    assert found["followers"]["the notes"] == []


async def test_all_changes_are_replayed_in_order(stuck: Stuck) -> None:
    stuck.notes.poisoned.clear()
    assert await stuck.ok("replay", "the notes", "--all") == "2 changes replayed.\n"
    assert stuck.notes.calls[-2:] == [[2], [3]]


async def test_a_change_is_dropped_after_a_question(
    stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["no", "y"])
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr("builtins.input", answer)
    code, said, _ = await stuck.run("drop", "the notes", "1")
    assert (code, said) == (1, "Nothing was changed. --yes does it without asking.\n")
    assert asked == [
        "Change 1 of the notes (Notes a / note) will never be handled. Continue? [y/N] "
    ]
    assert await stuck.ok("drop", "the notes", "1") == "Dropped.\n"
    assert (await stuck.run("drop", "the notes", "1", "--yes"))[0] == 2
    assert await stuck.ok("drop", "the notes", "2", "--yes") == "Dropped.\n"
    assert await stuck.ok("replay", "the notes", "--all") == "0 changes replayed.\n"


async def test_timers_are_replayed_and_dropped(stuck: Stuck) -> None:
    stuck.alarms.failing.clear()
    assert "1 timer will run" in await stuck.ok("replay", "timers", "alarms", "x")
    code, _, complaint = await stuck.run("replay", "timers", "alarms", "x")
    assert (code, "No timer of the kind alarms with the id x is set aside" in complaint) == (
        2,
        True,
    )
    assert await stuck.ok("drop", "timers", "alarms", "y", "--yes") == "Dropped.\n"
    for kind in ((), ("alarms",)):
        assert "0 timers will run" in await stuck.ok("replay", "timers", *kind, "--all")
    if stuck.of_server is not None:
        async with asyncio.timeout(30):
            while stuck.alarms.runs.count("x") < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    assert stuck.alarms.runs.count("y") == 1


async def test_all_timers_are_replayed(stuck: Stuck) -> None:
    stuck.alarms.failing.clear()
    assert "2 timers will run" in await stuck.ok("replay", "timers", "alarms", "--all")
    assert "alarms" not in await stuck.ok("set-aside", "timers")


async def test_a_wrong_result_is_found_and_rebuilt(stuck: Stuck) -> None:
    assert "2 items compared, 0 different, 0 results without" in await stuck.ok("compare", "copies")
    orphan: Item = {"pk": "copies", "sk": "gone", "n": 1}
    async with stuck.store() as store:
        await store.write(Delete(JOURNAL, Key("copies", "b")), Put(JOURNAL, orphan))
    code, said, _ = await stuck.run("compare", "copies")
    assert code == 1
    assert "b is None, not 1\n" in said
    assert "2 items compared, 1 different, 1 result without a source." in said
    assert "`greenroom background rebuild copies` repairs them" in said
    told = await stuck.ok("rebuild", "copies")
    if stuck.of_server is None:
        assert "begins when one starts" in told
        assert re.search(r"^copies +clearing", await stuck.ok(), re.MULTILINE)
        async with stuck.store() as store:
            await follower_runner(store, SystemClock(), stuck.copies.follower()).catch_up()
    else:
        assert "running server begins" in told
    async with asyncio.timeout(30):
        while not re.search(r"^copies +following", await stuck.ok(), re.MULTILINE):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await stuck.ok("compare", "copies")


async def test_names_that_do_not_exist_are_refused_with_the_known_ones(stuck: Stuck) -> None:
    known = (
        "greenroom: There is no follower named likes. "
        "The known ones are: copies, the notes, waiting messages.\n"
    )
    unknown: tuple[tuple[str, ...], ...] = (
        ("set-aside", "likes"),
        ("replay", "likes", "--all"),
        ("drop", "likes", "1"),
        ("rebuild", "likes"),
        ("compare", "likes"),
    )
    for command in unknown:
        assert await stuck.run(*command) == (2, "", known)
    code, _, complaint = await stuck.run("replay", "timers", "bells", "--all")
    assert (code, complaint) == (
        2,
        "greenroom: There are no timers of the kind bells. The known ones are: alarms, "
        "card_deadline, card_reminder, file_banded, file_check, file_expiry, file_removal, "
        "large_file_check, leg_deadline, request_expiry, scheduled_message, waiting_message.\n",
    )
    for command in (("replay", "likes", "1"), ("drop", "timers", "bells", "x", "--yes")):
        code, _, complaint = await stuck.run(*command)
        assert code == 2
        assert "The known ones are: " in complaint
    code, _, complaint = await stuck.run("drop", "the notes", "77")
    assert (code, "No change with the number 77 is set aside" in complaint) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "the notes"),
        ("replay", "the notes", "1", "--all"),
        ("replay", "timers", "alarms"),
        ("replay", "timers", "alarms", "x", "--all"),
        ("drop", "the notes", "one"),
    ],
)
@pytest.mark.parametrize("stuck", ["alone"], indirect=True)
async def test_incomplete_commands_are_refused(stuck: Stuck, command: tuple[str, ...]) -> None:
    code, _, complaint = await stuck.run(*command)
    assert (code, "error: give " in complaint) == (2, True)


async def test_a_follower_without_a_comparison_says_so(stuck: Stuck) -> None:
    code, _, complaint = await stuck.run("compare", "the notes")
    assert (code, "does not say how its result is compared" in complaint) == (2, True)


async def test_a_follower_that_cannot_be_rebuilt_asks_first(
    stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_terminal(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", no_terminal)
    code, said, _ = await stuck.run("rebuild", "the notes")
    assert (code, "Nothing was changed" in said) == (1, True)
    await stuck.ok("rebuild", "the notes", "--yes")


def test_the_real_server_is_asked(tmp_path: Path) -> None:
    environment = {"GREENROOM_DATA": str(tmp_path)}
    missing = refused(greenroom("background", **environment))
    assert missing.endswith("greenroom.db yet. `greenroom serve` creates it.")
    for command in (("drop", "timers", "a", "b", "--yes"), ("replay", "timers", "a", "b")):
        assert refused(greenroom("background", *command, **environment)) == missing
    with server("demo", tmp_path):
        for options in (("--demo", "--json"), ("--json", "--demo")):
            status = greenroom("background", *options, **environment)
            assert json.loads(status.stdout).keys() == {"followers", "timers", "nodes"}
        listed = greenroom("background", "--demo", "set-aside", "timers", **environment)
        assert (listed.returncode, listed.stdout.splitlines()[0]) == (0, "timers")
        asked = greenroom(
            "background", "drop", "timers", "a", "b", "--yes", "--demo", **environment
        )
        assert "The running server refused this: There are no timers of the kind a." in asked.stderr
