"""A context that registers itself works from end to end, and nothing shared knows of it."""

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from greenroom import cost, demo, policy_file
from greenroom.api.access import CALLERS, rows
from greenroom.api.asyncapi.document import AsyncApi
from greenroom.api.composition import Contexts
from greenroom.api.openapi.document import document_of
from greenroom.api.registry import Registry
from greenroom.api.sync import Sync
from greenroom.app import CONTEXTS, compose
from greenroom.clock import Clock, ManualClock
from greenroom.cost.fixture import BEGIN_MS
from greenroom.people.actor import Actor
from greenroom.policy_file import InvalidPolicy
from greenroom.serve import worker_on
from greenroom.settings import InvalidSetting, read_settings
from greenroom.store.describe import markdown
from scripts.policy_page import policy_page
from scripts.reference_pages import settings_page
from scripts.socket_types import server_events, socket_types
from tests.api.access_matrix import AccessMatrix
from tests.api.populated import TOKENLESS, PopulatedWorld, populate
from tests.api.world import api_world_on
from tests.example_context.registration import API, ROUTES
from tests.example_context.reminders import Reminders, listed
from tests.socket.node import Node, serving
from tests.stores import SECRET, SQLITE, fresh_store
from tests.world import http_app_on

REGISTRY = Registry((*CONTEXTS, API))
ROOT = Path(__file__).parents[2]
REMINDER = {"text": "Call Maya", "inSeconds": 60}


@asynccontextmanager
async def node_with_reminders(folder: Path, **wishes: Any) -> AsyncIterator[Node]:
    async with serving(folder, registry=REGISTRY, **wishes) as node:
        await node.join("ana", "ben")
        async with worker_on(node.store, node.clock, node.contexts):
            yield node


async def test_a_killed_server_takes_its_work_up_at_once_when_it_is_restarted(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, registry=REGISTRY) as node:
        killed = worker_on(node.store, node.clock, node.contexts)
        await killed._leases.renew()
        async with worker_on(node.store, node.clock, node.contexts) as worker:
            async with asyncio.timeout(3):
                while not worker.followers:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            assert worker._leases.holds("timers/0")


async def test_rest_socket_timer_event_and_follower_work_together(tmp_path: Path) -> None:
    async with node_with_reminders(tmp_path) as node:
        body = {"text": "Call Maya", "inSeconds": 3600}
        made = await node.call("ana", "POST", "/reminders", body)
        async with await node.connect("ana") as ana, await node.connect("ben") as ben:
            ack = await ana.ask("remind", text="Book a studio", inSeconds=1)
            assert ack["reminder"]["text"] == "Book a studio"
            event = await ana.event("reminder.due")
            assert event["reminder"] == ack["reminder"]
            assert await ben.events_so_far() == []
        listed = await node.call("ana", "GET", "/reminders")
        assert listed["reminders"] == [made]
        for _ in range(100):
            listed = await node.call("ana", "GET", "/reminders")
            if listed["total"] == 2:
                break
        assert listed["total"] == 2, "the follower has counted both"


async def test_a_refusal_has_the_status_that_was_registered(tmp_path: Path) -> None:
    async with node_with_reminders(tmp_path) as node:
        status, body = await node.rest("ana", "POST", "/reminders", {"text": "", "inSeconds": 1})
        assert (status, body["type"]) == (422, "/problems/invalid-reminder")
        async with await node.connect("ana") as ana:
            refused = await ana.ask("remind", text="", inSeconds=1)
            assert refused["problem"]["type"] == "/problems/invalid-reminder"
            invalid = await ana.ask("remind", text="a", inSeconds=-1)
            assert invalid["problem"]["type"] == "/problems/invalid-frame"


async def test_a_setting_a_policy_value_and_a_limit_come_from_outside(tmp_path: Path) -> None:
    settings = read_settings({"GREENROOM_REMINDERS_PAGE": "2"}, REGISTRY.settings)
    file = tmp_path / "policy.toml"
    file.write_text("[reminders]\ncharacters = 10\n[limits]\nreminders = { most = 5 }\n")
    policy = policy_file.read(REGISTRY.policy, str(file))
    async with node_with_reminders(tmp_path, settings=settings, policy=policy) as node:
        body = {"text": "Call Maya", "inSeconds": 3600}
        _, refused = await node.rest("ana", "POST", "/reminders", {**body, "text": "x" * 11})
        assert refused["detail"] == "A reminder needs a text of 1 to 10 characters."
        answers = [await node.rest("ana", "POST", "/reminders", body) for _ in range(5)]
        assert [status for status, _ in answers] == [201] * 4 + [429], "the refused one counts"
        assert answers[-1][1]["limit"] == "reminders"
        async with await node.connect("ana") as ana:
            throttled = await ana.ask("remind", text="Call Maya", inSeconds=1)
            assert throttled["problem"]["type"] == "/problems/too-many"
        listed = await node.call("ana", "GET", "/reminders")
        assert len(listed["reminders"]) == 2


def test_an_invalid_setting_or_policy_value_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="GREENROOM_REMINDERS_PAGE"):
        read_settings({"GREENROOM_REMINDERS_PAGE": "0"}, REGISTRY.settings)
    file = tmp_path / "policy.toml"
    file.write_text("[reminders]\n\ncharacters = 9\n")
    with pytest.raises(InvalidPolicy, match=r"line 3, .* reminders.characters: it must be a whole"):
        policy_file.read(REGISTRY.policy, str(file))


def test_the_reference_pages_and_the_printed_policy_have_its_values() -> None:
    assert "| `GREENROOM_REMINDERS_PAGE` | `20` | a whole number" in settings_page(REGISTRY)
    page = policy_page(REGISTRY)
    assert "| `reminders.characters` | `200` | a whole number from 10 to 200 |" in page
    assert "| `limits.reminders` | 60 in 1 hour |" in page
    printed = policy_file.to_toml(REGISTRY.policy.default)
    assert "[reminders]\ncharacters = 200\n" in printed
    assert "reminders = { most = 60, seconds = 3600 }\n" in printed


async def test_its_demo_sample_is_written_once(tmp_path: Path) -> None:
    now_ms = 4_102_444_800_000
    url = f"{SQLITE}{tmp_path}/demo.db"
    async with fresh_store(url, REGISTRY.tables, ManualClock(now_ms)) as store:

        def contexts_at(clock: Clock) -> Contexts:
            return compose(store, clock, SECRET, registry=REGISTRY)

        assert API.demo in REGISTRY.demos
        for _ in range(2):
            people = await demo.seed(contexts_at, now_ms, [str(API.demo)])
            [maya] = [one.person for one in people if one.sample.username == "maya"]
            found = await listed(contexts_at(ManualClock(now_ms))[Reminders], Actor(maya.id))
            assert [one.text for one in found.waiting] == ["Send Jonas the moodboard"]


async def test_resume_and_sync_bring_what_was_missed_once(tmp_path: Path) -> None:
    async with node_with_reminders(tmp_path) as node:
        async with await node.connect("ana") as ana:
            cursor = ana.hello["cursor"]
        async with await node.connect("ana") as ana:
            await ana.ask("remind", text="Missed", inSeconds=0)
            await ana.event("reminder.due")
        async with await node.connect("ana") as ana:
            ack = await ana.ask("resume", cursor=cursor)
            synced = await ana.event("synced")
            assert [one["text"] for one in synced["changes"]["reminders"]["due"]] == ["Missed"]
            assert "inbox" not in synced["changes"]
        page = await node.call("ana", "GET", f"/sync?cursor={ack['cursor']}")
        assert "reminders" not in page
        page = await node.call("ana", "GET", f"/sync?cursor={cursor}")
        assert [one["text"] for one in page["reminders"]["due"]] == ["Missed"]


async def test_a_cursor_from_before_the_context_resets_it_alone(tmp_path: Path) -> None:
    async with node_with_reminders(tmp_path) as node:
        before = compose(node.store, node.clock, SECRET)
        cursor = before[Sync].cursor_now(node.user("ana"))
        page = await node.call("ana", "GET", f"/sync?cursor={cursor}")
        assert page["reset"] == ["reminders"]


async def test_the_openapi_document_has_its_routes_with_descriptions(tmp_path: Path) -> None:
    async with node_with_reminders(tmp_path) as node:
        document = document_of(http_app_on(node.contexts))
    operation: dict[str, Any] = document["paths"]["/v1/reminders"]["post"]
    assert operation["operationId"] == "createReminder"
    assert operation["responses"]["201"]["content"]["application/json"]["examples"]
    assert "422" in operation["responses"]
    schema = document["components"]["schemas"]["Reminder"]["properties"]
    assert all(one["description"] for one in schema.values())
    assert "reminders" in document["components"]["schemas"]["Changes"]["properties"]


def test_the_asyncapi_document_has_its_frames_with_examples() -> None:
    messages = AsyncApi(REGISTRY).document["components"]["messages"]
    for name in ("remind", "ack.remind", "reminder.due"):
        assert messages[name]["examples"], name


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_the_typescript_types_have_its_frames_and_compile(tmp_path: Path) -> None:
    types, events = socket_types(REGISTRY), server_events(REGISTRY)
    assert "export interface ReminderDue {" in types
    assert '  "remind": RemindAck;' in types
    (tmp_path / "socket.d.ts").write_text(types)
    (tmp_path / "serverEvents.ts").write_text(events)
    (tmp_path / "use.ts").write_text(
        'import type { Acks, ServerEvent } from "./socket";\n'
        "export function text(event: ServerEvent): string {\n"
        '  return event.type === "reminder.due" ? event.reminder.text : "";\n'
        "}\n"
        'export const due = (ack: Acks["remind"]): string => ack.reminder.dueAt;\n'
    )
    compiler = ROOT / "web/node_modules/.bin/tsc"
    files = [str(tmp_path / name) for name in ("serverEvents.ts", "use.ts")]
    flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext"]
    done = subprocess.run(
        [str(compiler), *flags, "--moduleResolution", "bundler", *files],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout


MATRIX = AccessMatrix(
    dict(rows(API.access)), {"POST /v1/reminders": lambda populated, caller: REMINDER}
)


@pytest.fixture
async def populated(store_url: str) -> AsyncIterator[PopulatedWorld]:
    async with api_world_on(store_url, registry=REGISTRY) as world:
        yield await populate(world)


def test_all_its_routes_are_in_the_access_matrix() -> None:
    methods = {f"{method} {ROUTES.path}" for route in ROUTES.routes for method in route.methods}
    assert set(MATRIX.rows) == {route for route in methods if not route.startswith("OPTIONS")}
    assert MATRIX.rows.items() <= dict(rows(REGISTRY.access)).items()


@pytest.mark.parametrize("caller", CALLERS)
async def test_every_caller_gets_the_status_in_the_access_matrix(
    populated: PopulatedWorld, caller: str
) -> None:
    assert await MATRIX.wrong_statuses(populated, caller) == []


@pytest.mark.parametrize("caller", TOKENLESS)
async def test_without_a_valid_token_its_routes_are_refused(
    populated: PopulatedWorld, caller: str
) -> None:
    await MATRIX.check_refused_without_token(populated, caller)


async def test_a_suspended_user_is_refused(populated: PopulatedWorld) -> None:
    await MATRIX.check_refused_if_suspended(populated)


async def test_its_tables_and_prices_are_listed(tmp_path: Path) -> None:
    assert "Reminders" in markdown(REGISTRY.tables)
    groups = dict(cost.groups_of(REGISTRY))
    url = f"{SQLITE}{tmp_path}/cost.db"
    async with fresh_store(url, REGISTRY.tables, ManualClock(BEGIN_MS)) as store:
        [price] = await cost.measured(store, groups["Reminders"])
    assert price.write > 0


def test_no_shared_file_knows_of_it() -> None:
    folders = ("greenroom", "web/src", "scripts", "bench")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    sources = [path for path in files if path.suffix in {".py", ".ts", ".svelte"}]
    assert len(sources) > 400
    knowing = [
        path
        for path in sources
        if re.search(r"example_context|ReminderDue|reminder\.due|/reminders", path.read_text())
    ]
    assert knowing == []
