"""The demo: its sample data, and signing in as one of the sample people."""

from itertools import pairwise

import pytest
from httpx import ASGITransport, AsyncClient, Response
from litestar import Litestar
from litestar.datastructures import State

from greenroom.api import errors
from greenroom.api.composition import Contexts
from greenroom.api.demo import Sign, demo_routes
from greenroom.app import REGISTRY, compose
from greenroom.demo import SAMPLE_PEOPLE, join_sample_people, seed
from greenroom.demo.models import SampleThread
from greenroom.demo.sample_threads import BOOKING, LONG, SAMPLE_THREADS
from greenroom.errors import Problem
from greenroom.messaging import Messaging
from greenroom.messaging.history import history
from greenroom.messaging.inbox import Inbox, Row, inbox
from greenroom.messaging.models import Folder, Kind
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.metrics import Metrics
from greenroom.people import People, directory
from greenroom.people.actor import Actor, Scope
from greenroom.safety import Safety
from greenroom.safety.audit import audit_of_person
from greenroom.safety.models import Decision
from greenroom.safety.queue import queue
from greenroom.serve import samples_of
from tests.api.world import ApiWorld
from tests.stores import SECRET
from tests.world import RATES

HERE = "http://127.0.0.1:8080"

STAFF = {"moderator", "admin"}

OTHERS = ("greenroom.demo.files", "greenroom.demo.bookings")
"""They have their own tests: they take longer."""


async def _told(world: ApiWorld) -> Contexts:
    store = world.contexts[People].store
    await seed(
        lambda clock: compose(store, clock, SECRET, rates=RATES),
        world.clock.now_ms(),
        [one for one in REGISTRY.demos if one not in OTHERS],
    )
    return world.contexts


async def test_every_sample_message_is_in_its_conversation_in_order(
    sqlite_world: ApiWorld,
) -> None:
    contexts = await _told(sqlite_world)
    now_ms = sqlite_world.clock.now_ms()
    rows: dict[tuple[str, str | None], Row] = {}
    for sample in SAMPLE_PEOPLE:
        for folder in (Folder.ALL, Folder.ARCHIVED):
            found = await inbox(
                contexts[Messaging], await _actor(contexts, sample.username), folder
            )
            rows |= {(row.thread.opened_by, row.thread.subject): row for row in found.rows}
    for scene in SAMPLE_THREADS:
        if not scene.last_seq:
            continue
        opener = await _actor(contexts, scene.opener)
        row = rows[opener.user, scene.subject]
        page = await history(contexts[Messaging], opener, row.thread.id, limit=100)
        assert row.thread.last_seq == scene.last_seq
        assert [message.body for message in page.messages] == _bodies(scene)[-100:]
        times = [message.ms for message in page.messages]
        assert times == sorted(times)
        assert now_ms - row.thread.last_ms == scene.ended * 60_000


def _bodies(scene: SampleThread) -> list[str]:
    taken = {report.line for report in scene.reports if report.decision is Decision.REMOVE}
    return [
        "" if number in taken else line.edited_to or line.text
        for number, line in enumerate(scene.messages)
    ]


async def test_maya_has_threads_in_every_folder(sqlite_world: ApiWorld) -> None:
    contexts = await _told(sqlite_world)
    maya = await _actor(contexts, "maya")
    shown = await inbox(contexts[Messaging], maya)
    assert shown.counts is not None
    unread = sum(row.state.unread for row in shown.rows)
    assert unread > shown.counts.unread[Folder.ALL] == shown.counts.badge > 0, "one is muted"
    assert [row.mine.pinned for row in shown.rows][:2] == [True, False]
    assert any(row.mine.has_draft for row in shown.rows)
    assert shown.rows[0].thread.subject == BOOKING.subject
    for folder in (Folder.REQUESTS, Folder.ARCHIVED):
        assert (await inbox(contexts[Messaging], maya, folder)).rows


async def test_the_moderator_has_what_is_held_and_reported_and_a_record(
    sqlite_world: ApiWorld,
) -> None:
    contexts = await _told(sqlite_world)
    ada = Actor((await _actor(contexts, "ada")).user, frozenset({Scope.MODERATOR}))
    cases = (await queue(contexts[Safety], ada)).cases
    assert [case.subject.__class__.__name__ for case in cases] == [
        "HeldMessage",
        "HeldMessage",
        "SentMessage",
    ]
    assert cases[0].text == cases[1].text
    oskar = await _actor(contexts, "oskar")
    [entry] = (await audit_of_person(contexts[Safety], ada, oskar.user)).entries
    assert (entry.decision, entry.by) == (Decision.DISMISS, ada.user)


async def test_the_long_conversation_repeats_nothing_within_a_page(
    sqlite_world: ApiWorld,
) -> None:
    texts = [line.text for line in LONG.messages]
    assert len(texts) > 400
    assert len(set(texts)) > 220
    assert all(one != other for one, other in pairwise(texts))


async def test_seeding_again_changes_nothing(sqlite_world: ApiWorld) -> None:
    contexts = await _told(sqlite_world)
    before = await _inboxes(contexts)
    sqlite_world.clock.advance(days=1)
    await _told(sqlite_world)
    assert await _inboxes(contexts) == before
    assert all(found.rows for found in before)


async def test_older_sample_data_stays_and_does_not_stop_the_start(
    sqlite_world: ApiWorld,
) -> None:
    contexts = sqlite_world.contexts
    await join_sample_people(contexts[People])
    jonas, maya = await _actor(contexts, "jonas"), await _actor(contexts, "maya")
    older = Opening(kind=Kind.BOOKING, others=(Invited(maya.user),), subject="An older story")
    await open_thread(contexts[Messaging], jonas, older, key=BOOKING.key)
    await _told(sqlite_world)
    found = await inbox(contexts[Messaging], maya, Folder.ALL)
    subjects = {row.thread.subject for row in found.rows}
    assert BOOKING.subject not in subjects
    assert "Knitwear lookbook, autumn" in subjects


async def _inboxes(contexts: Contexts) -> list[Inbox]:
    names = [sample.username for sample in SAMPLE_PEOPLE]
    return [await inbox(contexts[Messaging], await _actor(contexts, name)) for name in names]


async def _actor(contexts: Contexts, username: str) -> Actor:
    person = await directory.by_username(contexts[People], username)
    assert person is not None
    return Actor(person.id)


async def test_sample_people_can_sign_in(anonymous: AsyncClient) -> None:
    people = (await anonymous.get(f"{HERE}/demo/people")).json()["people"]
    assert [one["username"] for one in people] == [
        one.username for one in SAMPLE_PEOPLE if one.sees
    ]
    for one in people:
        signed = await _sign_in(anonymous, username=one["username"])
        assert signed.status_code == 200
        token = {"Authorization": f"Bearer {signed.json()['token']}"}
        me = (await anonymous.get(f"{HERE}/v1/me", headers=token)).json()
        assert (me["userId"], me["displayName"]) == (one["userId"], one["displayName"])
        queue = await anonymous.get(f"{HERE}/v1/moderation/queue", headers=token)
        assert queue.status_code == (200 if STAFF & {*one["scopes"]} else 403)
    assert sum("moderator" in one["scopes"] for one in people) == 1


@pytest.mark.parametrize("username", ["lena", "nobody", "MAYA"])
async def test_other_people_cannot_sign_in(anonymous: AsyncClient, username: str) -> None:
    assert (await _sign_in(anonymous, username=username)).status_code == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "greenroom", "127.0.0.1.evil.example", "localhost.evil.example", ""]
)
async def test_a_host_name_is_refused(anonymous: AsyncClient, host: str) -> None:
    for asked in (
        await _sign_in(anonymous, Host=host),
        await anonymous.get(f"{HERE}/demo/people", headers={"Host": host}),
    ):
        assert (asked.status_code, asked.json()["type"]) == (403, "/problems/host-not-allowed")


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "demo.localhost"])
async def test_an_ip_address_and_localhost_are_accepted(anonymous: AsyncClient, host: str) -> None:
    assert (await _sign_in(anonymous, Host=host)).status_code == 200


async def test_another_origin_is_refused(anonymous: AsyncClient) -> None:
    other = await _sign_in(anonymous, Origin="http://evil.example")
    assert other.status_code == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert (await _sign_in(anonymous, **{"Content-Type": kind})).status_code == 400
    asked = await anonymous.options(
        f"{HERE}/demo/sign-in",
        headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert not [name for name in asked.headers if name.startswith("access-control-allow")]


@pytest.mark.parametrize(
    ("origins", "status"),
    [((), 403), (("*",), 403), (("http://shop.example",), 200), (("http://other.example",), 403)],
)
async def test_only_configured_origins_may_sign_in(
    contexts: Contexts, sign: Sign, origins: tuple[str, ...], status: int
) -> None:
    samples = samples_of(await join_sample_people(contexts[People]))
    routes = demo_routes(samples, sign, contexts[People].clock, origins)
    app = Litestar(
        [routes],
        exception_handlers={Problem: errors.on_problem},
        state=State({"problems": REGISTRY.problems, "metrics": Metrics()}),
        openapi_config=None,
        logging_config=None,
    )
    transport = ASGITransport(app)  # type: ignore[arg-type]
    async with AsyncClient(transport=transport) as client:
        asked = await _sign_in(client, Origin="http://shop.example")
    assert asked.status_code == status


async def test_sign_in_exists_only_in_the_demo(sqlite_world: ApiWorld) -> None:
    assert (await sqlite_world.client.get(f"{HERE}/demo/people")).status_code == 404
    assert (await _sign_in(sqlite_world.client)).status_code == 404


async def _sign_in(client: AsyncClient, username: str = "maya", **headers: str) -> Response:
    return await client.post(
        f"{HERE}/demo/sign-in",
        content=f'{{"username": "{username}"}}',
        headers={"Content-Type": "application/json"} | headers,
    )
