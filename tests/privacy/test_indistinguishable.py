"""Secret facts stay secret: the same scenario with and without one looks the same to others.

Every response (status, headers, body), every event and their order are compared. The observer calls
every GET route and tries every way to contact the other person.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from greenroom.clock import iso
from greenroom.files.models import FileState, Preview, Variant
from greenroom.ids import FileId, ThreadId, UserId
from greenroom.messaging import Messaging
from greenroom.messaging.rename_person import rename_and_announce
from greenroom.people.actor import Actor
from greenroom.people.rename import NewNames
from tests.messaging.file_steps import SHA256, follow_files, ready_file, settle
from tests.privacy.observer import Observer
from tests.privacy.stories import OTHERS, STORIES, Begin, Fact, blocks, known_pair, leaves, nothing
from tests.privacy.world import PrivacyWorld, privacy_world
from tests.stores import SQLITE

_DAY = 86_400
_PREVIEWS = tuple(
    Preview(variant=variant, type="image/webp", size=9)
    for variant in (Variant.SMALL, Variant.LARGE, Variant.BLURRED)
)
_MOST = 3
"""How many threads are written to; the first ones are those of the scenario."""


@asynccontextmanager
async def _observed(url: str, begin: Begin) -> AsyncIterator[Observer]:
    async with privacy_world(url) as world:
        for name in ("ana", *OTHERS):
            world.clock.advance(seconds=1)  # ids are in the order of joining
            await world.join(name)
        await world.talk("ana", "emil")
        threads = await begin(world)
        pictures = await _pictures_of_others(world, threads)
        cursor = (await world.call("ana", "GET", "/sync"))["cursor"]
        world.clock.advance(seconds=90)
        observer = Observer(world, world.listen("ana"), threads, OTHERS, cursor)
        observer.pictures = pictures
        await observer.learn_routes()
        yield observer


async def _pictures_of_others(world: PrivacyWorld, threads: list[str]) -> list[str]:
    """Everybody has a picture, and has sent one to the conversations where they may. Nobody has
    rated them: how they are shown depends on whether the viewer knows the owner."""
    pictures: list[str] = []
    for name in OTHERS:
        world.clock.advance(seconds=1)
        avatar = await ready_file(world, name, None, labels={}, previews=_PREVIEWS)
        await world.call(name, "PUT", "/me/avatar", {"fileId": avatar})
        pictures.append(avatar)
        for thread in threads:
            path = f"/v1/threads/{thread}/messages"
            if (await world.ask(name, "POST", "/v1/files", _file_for(thread))).status_code != 201:
                continue
            world.clock.advance(seconds=1)
            sent = await ready_file(world, name, ThreadId(thread), labels={}, previews=_PREVIEWS)
            body = {"clientMessageId": "picture", "attachments": [{"fileId": sent}]}
            await world.ask(name, "POST", path, body)
            pictures.append(sent)
    return pictures


async def _told(
    url: str, begin: Begin, who: str, fact: Fact, *, confirms: bool = False
) -> list[str]:
    async with _observed(url, begin) as ana:
        ana.node.clock.advance(seconds=60)
        await fact(ana.node, who, list(ana.threads[-2:] if begin is known_pair else ana.threads))
        ana.node.clock.advance(seconds=60)
        if confirms:
            await ana.node.confirm(ana.threads[0])
        ana.hear()
        await _is_renamed(ana, who, "Another")
        await ana.look()
        await _writes(ana, who)
        await _sends_files(ana)
        await _is_renamed(ana, who, "Yet another")
        await _turns_to(ana, who)
        await ana.look()
        await follow_files(ana.node)  # a day later the changes may be gone
        for days in (2.6, 12.4):  # cards remind and expire, then requests expire
            ana.node.clock.advance(seconds=int(days * _DAY))
            await ana.node.run_timers()
            await ana.node.relay_cards()
        ana.hear()
        await _writes(ana, who)
        await _sends_files(ana)
        await _turns_to(ana, who)
        await _is_renamed(ana, who, "The last")
        await ana.look()
        ana.node.clock.advance(seconds=45 * _DAY)
        await _is_renamed(ana, who, "Much later")
        assert ana.done > 10, "she has got something done"
        return ana.report()


async def _is_renamed(ana: Observer, who: str, name: str) -> None:
    """Through the use cases, because a suspended user cannot call the API."""
    contexts, user = ana.node.contexts, UserId(ana.node.id(who))
    names = NewNames(display_name=name)
    await rename_and_announce(contexts[Messaging], Actor(user), names)
    ana.hear()


async def _writes(ana: Observer, who: str) -> None:
    """In every thread that she knows: messages, a retry, an edit, a reaction, read positions, a
    name."""
    for number, thread in enumerate(ana.threads[:_MOST]):
        path, now = f"/v1/threads/{thread}", ana.node.clock.now_ms()
        for index, text in enumerate(("One more thing.", "See https://example.com/", "Hello?")):
            body = {"body": text, "clientMessageId": f"w-{now}-{number}-{index}"}
            ana.client_ids.append(body["clientMessageId"])
            await ana.ask("POST", f"{path}/messages", body)
            await ana.ask("POST", f"{path}/messages", body)
            ana.node.clock.advance(seconds=1)
        for message in ana.messages.get(thread, [])[-2:]:
            place = f"{path}/messages/{message}"
            await ana.ask("PATCH", place, {"body": "Something else."})
            await ana.ask("PUT", f"{place}/reactions/%F0%9F%91%8D")
        await ana.ask("PUT", f"{path}/read", {"seq": 1})
        await ana.ask("PATCH", path, {"subject": f"Friday {now}"})
        await ana.ask("POST", "/v1/preview", {"body": "Hello", "threadId": thread})
        await _proposes(ana, path, who)


async def _proposes(ana: Observer, path: str, who: str) -> None:
    """An offer to the person, which is withdrawn, and another one, which expires later."""
    now_ms = ana.node.clock.now_ms()
    terms = {
        "provider": ana.node.id(who),
        "title": "Portraits",
        "startsAt": iso(now_ms + 20 * _DAY * 1000),
        "endsAt": iso(now_ms + 21 * _DAY * 1000),
        "price": {"minor": 40_000, "currency": "EUR"},
    }
    body = {"content": {"type": "offer", "legs": [terms]}, "paymentMethod": "sandbox:ok"}
    await ana.ask("POST", f"{path}/cards?dryRun=true", body)
    for is_withdrawn in (True, False):
        made = await ana.ask("POST", f"{path}/cards", body)
        card = made.get("card", {"cardId": "crd_none"})["cardId"]
        await ana.ask("POST", f"/v1/cards/{card}/steps", {"transition": "accept", "version": 1})
        if is_withdrawn:
            withdrawn = {"transition": "withdraw", "version": 1}
            await ana.ask("POST", f"/v1/cards/{card}/steps", withdrawn)


async def _sends_files(ana: Observer) -> None:
    """In every thread that she knows: a picture that is ready, some that she does not wait for, a
    deliverable, and the picture of the thread. She looks at all pictures that she knows of."""
    node = ana.node
    for number, thread in enumerate(ana.threads[:_MOST]):
        path, now = f"/v1/threads/{thread}", node.clock.now_ms()
        await _sends_file(ana, path, f"r-{now}-{number}", FileState.READY, waits=False)
        await _sends_file(ana, path, f"l-{now}-{number}", FileState.READY)
        await _sends_file(ana, path, f"b-{now}-{number}", FileState.REFUSED)
        await _sends_file(ana, path, f"n-{now}-{number}", None)
        deliverable = {
            "name": "film.mov",
            "size": 9,
            "sha256": SHA256,
            "url": "https://a.example/f",
        }
        client_id = {"clientMessageId": f"m-{now}-{number}"}
        for _ in range(2):
            await ana.ask("POST", f"{path}/manifests", deliverable | client_id)
        file = await _announces(ana, thread)
        if file is not None:
            await settle(node, file)
            await ana.ask("PUT", f"{path}/picture", {"fileId": file})
        await ana.ask("PATCH", path, {"safeModeRequired": bool(number % 2)})
        for message in ana.messages.get(thread, [])[-1:]:
            await ana.ask("DELETE", f"{path}/messages/{message}")
        known = [*ana.pictures, *ana.files[-20:]]
        await ana.ask("POST", "/v1/file-urls", {"fileIds": known, "reveal": known})


async def _sends_file(
    ana: Observer, path: str, client_id: str, state: FileState | None, *, waits: bool = True
) -> None:
    """None for a message that is canceled while it waits."""
    file = await _announces(ana, path.rpartition("/")[2])
    if file is None:
        return
    if not waits:
        await settle(ana.node, file)
    body = {"clientMessageId": client_id, "attachments": [{"fileId": file}], "body": "Look"}
    ana.client_ids.append(client_id)
    await ana.ask("POST", f"{path}/messages", body)
    if waits and state is None:
        await ana.ask("DELETE", f"{path}/waiting-messages/{client_id}")
    elif waits and state is not None:
        await settle(ana.node, file, state, problem="too-many-pixels", detail="It is too big.")
        await follow_files(ana.node)
        ana.hear()
    await ana.ask("POST", f"{path}/messages", body)
    await ana.ask("GET", f"{path}/waiting-messages/{client_id}")


def _file_for(thread: str) -> dict[str, object]:
    return {"name": "roof.jpg", "size": 1000, "sha256": SHA256, "threadId": thread}


async def _announces(ana: Observer, thread: str) -> FileId | None:
    """None where she may send no files."""
    told = await ana.ask("POST", "/v1/files", _file_for(thread))
    return FileId(told["file"]["fileId"]) if "file" in told else None


async def _turns_to(ana: Observer, who: str) -> None:
    """Tries every way to contact somebody."""
    node, known = ana.node, list(ana.threads)
    user = node.id(who)
    invited = [{"userId": user, "role": "seller"}]
    more = [*invited, {"userId": node.id("emil"), "role": "member"}]
    words = {"message": {"body": "Are you there?"}}
    await ana.ask("PUT", f"/v1/direct/{user}")
    await ana.ask("POST", "/v1/threads", {"kind": "direct", "participants": invited} | words)
    await ana.ask("POST", "/v1/threads", {"kind": "inquiry", "participants": invited} | words)
    await ana.ask("POST", "/v1/threads", {"kind": "group", "participants": more} | words)
    for thread in known[:_MOST]:
        people = f"/v1/threads/{thread}/participants"
        await ana.ask("POST", people, {"userId": user, "role": "seller"})
        await ana.ask("POST", people, {"userId": node.id("emil"), "role": "member"})
        await ana.ask("POST", people, {"userId": user, "role": "seller"})
        body = {"body": "Welcome!", "clientMessageId": f"t-{node.clock.now_ms()}"}
        await ana.ask("POST", f"/v1/threads/{thread}/messages", body)
    await ana.ask("POST", "/v1/inbox/read", {})
    for request in ana.requests[:1]:
        await ana.ask("DELETE", f"/v1/requests/{request}")
    await ana.ask("PUT", f"/v1/direct/{user}")
    for thread in known[:1]:
        people = f"/v1/threads/{thread}/participants"
        await ana.ask("PATCH", f"{people}/{user}", {"role": "member"})
        await ana.ask("DELETE", f"{people}/{user}")
        await ana.ask("POST", people, {"userId": user, "role": "seller"})


def _cases() -> Iterator[tuple[str, str, str]]:
    for story, (_, people, facts) in STORIES.items():
        for who in people:
            yield from ((story, who, fact) for fact in facts)


def _differences(one: list[str], other: list[str]) -> list[str]:
    """The first few differences, each with some text around it."""
    found: list[str] = []
    for a, b in zip(one, other, strict=False):
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
            start = max(0, at - 60)
            found.append(f"{a[:80]} … {a[start : at + 60]} | {b[start : at + 60]}")
    return found[:3] + ([] if len(one) == len(other) else [f"{len(one)} and {len(other)} lines"])


@pytest.fixture(scope="module")
def told() -> dict[tuple[str, str], list[str]]:
    """What Ana sees without a secret fact, by scenario and person."""
    return {}


@pytest.fixture(scope="module")
def confirmed() -> dict[tuple[str, str], list[str]]:
    """The same, with a booking that a service confirms."""
    return {}


@pytest.mark.parametrize(("story", "who", "fact"), list(_cases()))
async def test_secret_facts_do_not_show(
    tmp_path: Path, told: dict[tuple[str, str], list[str]], story: str, who: str, fact: str
) -> None:
    begin, _, facts = STORIES[story]
    if (story, who) not in told:
        told[story, who] = await _told(f"{SQLITE}{tmp_path}/without.db", begin, who, nothing)
    secret = await _told(f"{SQLITE}{tmp_path}/with.db", begin, who, facts[fact])
    assert _differences(told[story, who], secret) == []


def _confirmed_cases() -> Iterator[tuple[str, str, str]]:
    """Accepting shows how far somebody has read, so reading is not secret here."""
    for story, who in (("asked pair", "ben"), ("asked group", "cleo")):
        yield from ((story, who, fact) for fact in STORIES[story][2] if fact != "reads")


@pytest.mark.parametrize(("story", "who", "fact"), list(_confirmed_cases()))
async def test_secret_facts_do_not_show_once_a_service_confirms(
    tmp_path: Path, confirmed: dict[tuple[str, str], list[str]], story: str, who: str, fact: str
) -> None:
    begin, _, facts = STORIES[story]
    if (story, who) not in confirmed:
        url = f"{SQLITE}{tmp_path}/without.db"
        confirmed[story, who] = await _told(url, begin, who, nothing, confirms=True)
    url = f"{SQLITE}{tmp_path}/with.db"
    secret = await _told(url, begin, who, facts[fact], confirms=True)
    assert _differences(confirmed[story, who], secret) == []


@pytest.mark.parametrize("fact", ["blocks", "leaves"])
async def test_secret_facts_do_not_show_on_dynamodb(dynamodb_url: str, fact: str) -> None:
    begin, _, facts = STORIES["known pair"]
    without = await _told(dynamodb_url, begin, "ben", nothing)
    secret = await _told(dynamodb_url, begin, "ben", facts[fact])
    assert _differences(without, secret) == []


async def _back(url: str, fact: Fact, undo: Fact) -> list[str]:
    """Ben leaves or blocks, Ana writes, and Ben comes back and answers."""
    async with _observed(url, known_pair) as ana:
        node, direct = ana.node, ana.threads[-1]
        await fact(node, "ben", [direct])
        for index, text in enumerate(("Hello?", "Anybody?")):
            body = {"body": text, "clientMessageId": f"c-{index}"}
            assert (await ana.ask("POST", f"/v1/threads/{direct}/messages", body))["message"]
        await undo(node, "ben", [direct])
        ana.hear()
        await ana.look()
        await node.say("ben", direct, "Here I am again.")
        await ana.look()
        bodies = [body for body in await node.bodies("ben", direct) if body]
        assert bodies == ["Good morning.", "And to you.", "Here I am again."]
        return ana.report()


async def _unblocks(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await node.call(name, "DELETE", f"/blocks/{node.id('ana')}")


async def _declines_and_comes_back(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    [request] = (await node.call(name, "GET", f"/threads/{threads[0]}"))["requests"]
    await node.call(name, "POST", f"/requests/{request['requestId']}/decline")
    await node.call(name, "PUT", f"/direct/{node.id('ana')}")


async def test_coming_back_after_a_leave_or_a_block_looks_the_same(
    tmp_path: Path,
) -> None:
    left = await _back(f"{SQLITE}{tmp_path}/left.db", leaves, _declines_and_comes_back)
    blocked = await _back(f"{SQLITE}{tmp_path}/blocked.db", blocks, _unblocks)
    assert _differences(left, blocked) == []


async def _added_back(url: str, fact: Fact) -> list[str]:
    """Ben is away while Ana adds somebody to their thread; she adds Ben again, and he answers."""
    async with _observed(url, known_pair) as ana:
        node, thread = ana.node, ana.threads[-2]
        people, ben = f"/v1/threads/{thread}/participants", node.id("ben")
        await fact(node, "ben", [thread])
        await ana.ask("POST", people, {"userId": node.id("emil"), "role": "member"})
        assert (await ana.ask("POST", people, {"userId": ben, "role": "seller"}))["threadId"]
        ana.hear()
        await ana.look()
        if fact is not nothing:
            await node.accept("ben", thread)
        await node.say("ben", thread, "Here I am again.")
        ana.hear()
        await ana.look()
        return ana.report()


async def test_adding_back_a_person_who_left_looks_like_adding_one_who_is_there(
    tmp_path: Path,
) -> None:
    there = await _added_back(f"{SQLITE}{tmp_path}/there.db", nothing)
    left = await _added_back(f"{SQLITE}{tmp_path}/left.db", leaves)
    assert _differences(there, left) == []
