"""Manifests: one chain for each conversation, never changed, and checked by anybody."""

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from greenroom.api.files.manifest_shapes import manifest_shape, record_shape
from greenroom.api.files.rest.manifests import verify_html
from greenroom.clock import iso
from greenroom.files.manifest_hash import (
    PublicManifest,
    first_wrong,
    hash_of,
    hashed,
    public_manifest,
)
from greenroom.files.manifests import manifests_of_thread, public_manifest as read_public
from greenroom.files.models import Manifest, NewManifest
from greenroom.files.problems import InvalidFile, ManifestNotFound
from greenroom.ids import ManifestId, ThreadId
from greenroom.messaging import access, open as opening, participants
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.delete import delete
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Kind, MessageKind
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.participants import leave
from greenroom.messaging.problems import (
    ClientIdReused,
    ConversationLocked,
    DeliverableNeedsReview,
    PlainTextOnly,
    ThreadNotFound,
)
from greenroom.messaging.rules import MAX_MISSED
from greenroom.messaging.send import send
from greenroom.messaging.send_manifest import SentManifest, send_manifest
from greenroom.messaging.thread_manifests import thread_manifests
from greenroom.people.actor import system
from greenroom.safety.access import find as find_case
from greenroom.safety.decide import decide
from greenroom.safety.models import Case, Decision, SentMessage, case_id
from tests.files.requests import pending_request
from tests.files.world import FilesWorld

NEW = NewManifest(
    name="final.zip", size=123_456, sha256="AB" * 32, url="https://drive.example.com/x?y=1"
)


async def _record(
    world: FilesWorld, thread: ThreadId, client_id: str = "m1", new: NewManifest = NEW
) -> SentManifest:
    return await send_manifest(world.messaging, world.ana, thread, client_id, new, "Here it is.")


async def _chain(world: FilesWorld, thread: ThreadId) -> tuple[Manifest, ...]:
    return (await manifests_of_thread(world.files, thread)).manifests


async def test_a_deliverable_is_recorded_and_shown_as_a_message(world: FilesWorld) -> None:
    thread = await world.inquiry()
    recorded = await _record(world, thread.id)
    manifest, message = recorded.manifest, recorded.message
    assert (manifest.number, manifest.previous, manifest.sha256) == (1, "", "ab" * 32)
    assert (message.kind, message.body) == (MessageKind.ASSET, "Here it is.")
    [attachment] = message.attachments
    assert (attachment.kind, attachment.manifest) == ("manifest", manifest.id)
    assert (attachment.name, attachment.url) == ("final.zip", NEW.url)
    assert await _chain(world, thread.id) == (manifest,)
    assert recorded.reached is None
    view = await access.thread(world.messaging, world.ben, thread.id)
    assert await access.message(world.messaging, view, message.id) == message


async def test_a_retry_returns_the_first_record(world: FilesWorld) -> None:
    thread = await world.inquiry()
    first = await _record(world, thread.id)
    again = await _record(world, thread.id)
    assert (again.manifest, again.message, again.again) == (first.manifest, first.message, True)
    assert len(await _chain(world, thread.id)) == 1
    with pytest.raises(ClientIdReused):
        await _record(world, thread.id, new=replace(NEW, size=1))


async def test_a_client_id_of_a_message_is_not_one_of_a_record(world: FilesWorld) -> None:
    thread = await world.inquiry()
    await send(world.messaging, world.ana, thread.id, Outgoing("m1", "Here it is."))
    with pytest.raises(ClientIdReused):
        await _record(world, thread.id)
    assert await _chain(world, thread.id) == ()


async def test_records_at_once_are_all_in_the_chain_in_order(world: FilesWorld) -> None:
    thread = await world.inquiry()
    nodes = [world.messaging, world.another_node().messaging]
    recorded = await asyncio.gather(
        *(
            send_manifest(nodes[n % 2], world.ana, thread.id, f"m{n}", replace(NEW, size=n + 1))
            for n in range(6)
        )
    )
    chain = await _chain(world, thread.id)
    assert [one.number for one in chain] == [1, 2, 3, 4, 5, 6]
    assert first_wrong(chain) is None
    assert {one.id for one in chain} == {one.manifest.id for one in recorded}


async def test_deleting_the_message_leaves_the_record(world: FilesWorld) -> None:
    thread = await world.inquiry()
    recorded = await _record(world, thread.id)
    await delete(world.messaging, world.ana, thread.id, recorded.message.id)
    assert await _chain(world, thread.id) == (recorded.manifest,)
    assert (await read_public(world.files, recorded.manifest.id)).hash == recorded.manifest.hash
    again = await _record(world, thread.id)
    assert (again.again, again.manifest) == (True, recorded.manifest)


async def test_a_retry_by_somebody_who_has_left_shows_no_later_change(world: FilesWorld) -> None:
    thread = await world.inquiry()
    first = await send_manifest(world.messaging, world.ana, thread.id, "m1", NEW, " Done ")
    await leave(world.messaging, world.ana, thread.id)
    subject = SentMessage(thread.id, first.message.id)
    case = Case(id=case_id(subject), subject=subject, opened_ms=world.clock.now_ms())
    await Enforcement(world.messaging).remove(case)
    again = await send_manifest(world.messaging, world.ana, thread.id, "m1", NEW, " Done ")
    assert (again.manifest, again.message) == (first.manifest, first.message)


async def test_every_change_of_a_recorded_field_is_found(world: FilesWorld) -> None:
    thread = await world.inquiry()
    for n in range(3):
        await _record(world, thread.id, f"m{n}")
    chain = await _chain(world, thread.id)
    assert first_wrong(chain) is None
    for name in set(Manifest.__struct_fields__) - {"withheld"}:
        value = getattr(chain[1], name)
        other = value + 1 if isinstance(value, int) else value + "x"
        forged = (chain[0], replace(chain[1], **{name: other}), chain[2])
        assert first_wrong(forged) == 2, name
    assert first_wrong((chain[0], chain[2])) == 2
    assert first_wrong((chain[1], chain[0], chain[2])) == 1


async def test_anybody_can_compute_the_hash_from_what_is_public(world: FilesWorld) -> None:
    thread = await world.inquiry()
    new = replace(NEW, name='Prüfung "A" 写真 \\ 😀.zip')
    made = (await _record(world, thread.id, new=new)).manifest
    fields = [
        "greenroom-manifest-1",
        made.id,
        made.number,
        made.name,
        made.size,
        made.sha256,
        iso(made.created_ms),
        made.sealed,
        made.previous,
    ]
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == made.hash == hash_of(public_manifest(made))


async def test_the_public_record_has_neither_the_url_nor_the_people(world: FilesWorld) -> None:
    thread = await world.inquiry()
    made = (await _record(world, thread.id)).manifest
    with world.store.counting() as cost:
        public = await read_public(world.files, made.id)
    assert cost.read_units == 1
    shown = str(public)
    for secret in (made.url, made.by, made.thread, made.salt):
        assert secret not in shown


@pytest.mark.parametrize(
    "id", ["", "mnf_", "fil_01k75q8m9h0000000000000000", "mnf_01k75q8m9h0000000000000000", "../x"]
)
async def test_an_unknown_record_is_not_found(world: FilesWorld, id: str) -> None:
    with pytest.raises(ManifestNotFound):
        await read_public(world.files, ManifestId(id))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.com/x",
        "javascript:alert(1)",
        "https://user:password@example.com/",
        "https://user@example.com/",
        "https://",
        "//example.com/x",
        "https://example.com/a b",
        "https://example.com/\r\nHost: x",
        "https://example.com/ü",
        "https://example.com\\@evil.example/",
        "https://[::1",
        "https://example.com:port/",
        "https://example.com/" + "x" * 2048,
    ],
)
async def test_a_url_that_is_not_plainly_http_is_refused(world: FilesWorld, url: str) -> None:
    thread = await world.inquiry()
    with pytest.raises(InvalidFile):
        await _record(world, thread.id, new=replace(NEW, url=url))
    assert await _chain(world, thread.id) == ()


@pytest.mark.parametrize(
    "fields", [{"size": 0}, {"size": 2**53}, {"sha256": "ab"}, {"sha256": "xy" * 32}, {"name": ""}]
)
async def test_what_cannot_be_a_file_is_refused(
    world: FilesWorld, fields: dict[str, object]
) -> None:
    thread = await world.inquiry()
    with pytest.raises(InvalidFile):
        await _record(world, thread.id, new=replace(NEW, **fields))


async def test_only_members_who_may_send_record(world: FilesWorld) -> None:
    thread = await world.inquiry()
    with pytest.raises(ThreadNotFound):
        await send_manifest(world.messaging, world.cleo, thread.id, "m1", NEW)
    await lock(world.messaging, system(), thread.id)
    with pytest.raises(ConversationLocked):
        await _record(world, thread.id)
    assert await _chain(world, thread.id) == ()


async def test_nothing_is_recorded_into_a_request(world: FilesWorld) -> None:
    thread = await pending_request(world, world.ana, world.cleo)
    with pytest.raises(PlainTextOnly):
        await send_manifest(world.messaging, world.ana, thread, "m1", NEW)
    with pytest.raises(ThreadNotFound):
        await thread_manifests(world.messaging, world.cleo, thread)


async def test_a_caption_that_would_be_held_is_refused(world: FilesWorld) -> None:
    thread = await world.inquiry()
    scam = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
    with pytest.raises(DeliverableNeedsReview):
        await send_manifest(world.messaging, world.ana, thread.id, "m1", NEW, scam)
    assert await _chain(world, thread.id) == ()


async def test_a_name_or_url_that_would_be_held_is_refused(world: FilesWorld) -> None:
    thread = await world.inquiry()
    url = "https://drive.example.com/i-will-kill-you"
    for new in (replace(NEW, name="I_will_kill_you.zip"), replace(NEW, url=url)):
        with pytest.raises(DeliverableNeedsReview):
            await send_manifest(world.messaging, world.ana, thread.id, "m1", new)
    assert await _chain(world, thread.id) == ()
    await _record(world, thread.id)


async def _removed_by_moderator(
    world: FilesWorld, recorded: SentManifest, *, is_deleted: bool = False
) -> Case:
    case_id = await world.reported("ben", recorded.message)
    if is_deleted:
        await delete(world.messaging, world.ana, recorded.message.thread, recorded.message.id)
    await world.claimed(world.mod, case_id)
    await decide(world.safety, world.mod, case_id, Decision.REMOVE, version=1)
    case = await find_case(world.safety, case_id)
    assert case is not None
    return case


@pytest.mark.parametrize("is_deleted", [False, True], ids=["", "deleted by its author before"])
async def test_a_removal_withholds_name_and_url_and_keeps_the_chain(
    world: FilesWorld, is_deleted: bool
) -> None:
    thread = await world.inquiry()
    _, bad, _ = made = [await _record(world, thread.id, f"m{n}") for n in range(3)]
    case = await _removed_by_moderator(world, bad, is_deleted=is_deleted)
    assert case.text == f"Here it is.\nfinal.zip\n{NEW.url}"
    chain = (await thread_manifests(world.messaging, world.ben, thread.id)).manifests
    hidden = replace(bad.manifest, name="", url="", withheld=True)
    assert chain == (made[0].manifest, hidden, made[2].manifest)
    assert await read_public(world.files, hidden.id) == public_manifest(hidden)
    assert first_wrong(await _chain(world, thread.id)) is None
    retried = await _record(world, thread.id, "m1")
    assert (retried.again, retried.manifest) == (True, hidden)
    shapes = [json.loads(msgspec.json.encode(manifest_shape(one))) for one in chain]
    assert [shapes[1][name] for name in ("name", "url", "salt")] == [None, None, None]
    program: dict[str, Any] = {}
    exec(_program_in_guide(), program)  # the guide's own text
    assert program["first_wrong"](shapes) is None
    assert program["first_wrong"]([shapes[0], shapes[2]]) == 2
    assert (await _record(world, thread.id, "m3")).manifest.number == 4


async def test_the_page_of_a_withheld_record_says_so(world: FilesWorld) -> None:
    thread = await world.inquiry()
    recorded = await _record(world, thread.id, new=replace(NEW, name="You are <b>bad.zip"))
    record = record_shape(await read_public(world.files, recorded.manifest.id))
    assert "You are &lt;b&gt;bad.zip" in verify_html(record)
    await _removed_by_moderator(world, recorded)
    html = verify_html(record_shape(await read_public(world.files, recorded.manifest.id)))
    assert "bad" not in html
    assert "A moderator has withheld the name" in html
    assert recorded.manifest.sha256 in html


async def test_outsiders_see_no_chain(world: FilesWorld) -> None:
    thread = await world.inquiry()
    made = (await _record(world, thread.id)).manifest
    page = await thread_manifests(world.messaging, world.ben, thread.id)
    assert page.manifests == (made,)
    with pytest.raises(ThreadNotFound):
        await thread_manifests(world.messaging, world.cleo, thread.id)


async def test_who_joins_later_sees_neither_url_nor_people_of_earlier_records(
    world: FilesWorld,
) -> None:
    for name in ("ben", "cleo"):
        await world.inquiry("ana", name)
    asks = opening.Opening(kind=Kind.GROUP, others=(opening.Invited(world.ben.user),))
    group = await opening.open_thread(world.messaging, world.ana, asks)
    early = (await _record(world, group.id, "early")).manifest
    await participants.add(world.messaging, world.ana, group.id, opening.Invited(world.cleo.user))
    late = (await _record(world, group.id, "late")).manifest
    assert await _shown(world, "cleo", group.id) == (public_manifest(early), late)
    assert await _shown(world, "ben", group.id) == (early, late)


async def test_who_comes_back_sees_neither_url_nor_people_of_what_they_missed(
    world: FilesWorld,
) -> None:
    """However often they were away, and however much happens within a millisecond."""
    await world.inquiry()
    direct = await opening.open_direct(world.messaging, world.ben, world.ana.user)
    missed = set[ManifestId]()
    for n in range(MAX_MISSED + 2):
        await _record(world, direct.id, f"there{n}")
        await block_person(world.messaging, world.ben, world.ana.user)
        missed.add((await _record(world, direct.id, f"away{n}")).manifest.id)
        await unblock_person(world.messaging, world.ben, world.ana.user)
        seen = await _shown(world, "ben", direct.id)
        assert {one.id for one in seen if isinstance(one, PublicManifest)} >= missed
    last = (await _record(world, direct.id, "last")).manifest
    seen = await _shown(world, "ben", direct.id)
    assert (seen[-1], seen[-2].id in missed, isinstance(seen[-3], Manifest)) == (last, True, True)
    assert await _shown(world, "ana", direct.id) == await _chain(world, direct.id)


async def _shown(
    world: FilesWorld, name: str, thread: ThreadId
) -> tuple[Manifest | PublicManifest, ...]:
    node = world.another_node()
    return (await thread_manifests(node.messaging, node.actors[name], thread)).manifests


async def test_the_same_recorded_twice_has_another_salt_and_another_hash(
    world: FilesWorld,
) -> None:
    """Or else who guesses the URL could make sure of it on the public page."""
    thread = await world.inquiry()
    one, other = [(await _record(world, thread.id, f"m{n}")).manifest for n in range(2)]
    assert len(one.salt) == len(other.salt) == 32
    assert one.salt != other.salt
    assert one.sealed != other.sealed
    same = replace(other, id=one.id, number=one.number, previous=one.previous)
    assert hashed(same).hash != one.hash


async def test_the_program_in_the_guide_verifies_a_chain(world: FilesWorld) -> None:
    thread = await world.inquiry()
    for n in range(3):
        await _record(world, thread.id, f"m{n}", replace(NEW, name=f"Prüfung {n}.zip"))
    chain = await _chain(world, thread.id)
    program: dict[str, Any] = {}
    exec(_program_in_guide(), program)  # the guide's own text
    shapes = [json.loads(msgspec.json.encode(manifest_shape(one))) for one in chain]
    assert program["first_wrong"](shapes) is None
    assert program["first_wrong"](shapes[1:]) == 1
    public = [json.loads(msgspec.json.encode(manifest_shape(public_manifest(o)))) for o in chain]
    assert program["first_wrong"](public) is None
    for name in ("name", "size", "sha256", "createdAt", "url", "recordedByUserId", "sealed"):
        forged = [dict(one) for one in shapes]
        forged[1][name] = "forged"
        assert program["first_wrong"](forged) == 2, name


def _program_in_guide() -> str:
    guide = (Path(__file__).parents[2] / "docs/guides/manifests.md").read_text()
    return guide.split("```python\n")[1].split("```")[0]
