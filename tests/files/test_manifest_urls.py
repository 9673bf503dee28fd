"""Whether the server asks the URL of a manifest: only if the policy says so, and only members who
may record can make it ask. What it may ask is in test_public_fetch.py."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from greenroom import policy_file
from greenroom.app import REGISTRY
from greenroom.files import public_fetch
from greenroom.files.models import NewManifest
from greenroom.files.policy import FileRules
from greenroom.files.problems import InvalidFile
from greenroom.files.public_fetch import UNREACHABLE, Reached
from greenroom.ids import ThreadId
from greenroom.messaging.problems import PlainTextOnly, ThreadNotFound
from greenroom.messaging.send_manifest import SentManifest, send_manifest
from greenroom.people.actor import Actor
from tests.files.network import OK, PUBLIC, Network, answering
from tests.files.requests import pending_request
from tests.files.world import FilesWorld
from tests.socket.node import CAST, serving

NEW = NewManifest(
    name="final.zip", size=123_456, sha256="ab" * 32, url="http://files.example.com/a.zip"
)
_MOVED = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n"


async def _record(
    world: FilesWorld,
    network: Network,
    thread: ThreadId,
    *,
    by: Actor | None = None,
    allowed: bool = True,
    new: NewManifest = NEW,
) -> SentManifest:
    """In a world whose names and connections are those of the network."""
    files = dataclasses.replace(
        world.messaging.files, policy=FileRules(check_manifest_urls=allowed), ask_url=network.ask
    )
    messaging = dataclasses.replace(world.messaging, files=files)
    return await send_manifest(messaging, by or world.ana, thread, "m1", new)


async def test_the_url_is_asked_where_the_policy_allows_it(world: FilesWorld) -> None:
    thread = await world.inquiry()
    asked: list[bytes] = []
    async with answering(OK, asked) as port:
        network = Network(port, [PUBLIC])
        recorded = await _record(world, network, thread.id)
        again = await _record(world, network, thread.id)
    assert recorded.reached == Reached(True, 123_456)
    assert network.connected[0] == PUBLIC
    assert asked[0].startswith(b"HEAD /a.zip HTTP/1.1\r\nHost: files.example.com\r\n")
    assert again.again
    assert again.manifest == recorded.manifest


async def test_nothing_is_resolved_where_the_policy_does_not(world: FilesWorld) -> None:
    assert not FileRules().check_manifest_urls, "the default"
    thread = await world.inquiry()
    network = Network(1, [PUBLIC])
    assert (await _record(world, network, thread.id, allowed=False)).reached is None
    assert (network.resolved, network.connected) == (0, [])


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
    ],
)
async def test_an_address_that_is_not_public_is_not_asked_and_the_record_is_made(
    world: FilesWorld, addresses: Sequence[str]
) -> None:
    thread = await world.inquiry()
    asked: list[bytes] = []
    async with answering(OK, asked) as port:
        network = Network(port, addresses)
        recorded = await _record(world, network, thread.id)
    assert recorded.reached == UNREACHABLE
    assert (network.resolved, network.connected, asked) == (1, [], [])
    assert recorded.manifest.url == NEW.url


class _RealNames(Network):
    """With the real resolver, which reads addresses without asking anybody."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        return await public_fetch.resolve(host, port)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::1]/", "http://2130706433/", "http://0x7f.1/"]
)
async def test_an_address_in_the_url_itself_is_checked_too(world: FilesWorld, url: str) -> None:
    thread = await world.inquiry()
    asked: list[bytes] = []
    async with answering(OK, asked) as port:
        network = _RealNames(port)
        recorded = await _record(world, network, thread.id, new=replace(NEW, url=url))
    assert recorded.reached == UNREACHABLE
    assert (network.connected, asked) == ([], [])


async def test_a_redirect_is_not_followed(world: FilesWorld) -> None:
    thread = await world.inquiry()
    async with answering(_MOVED) as port:
        network = Network(port, [PUBLIC])
        recorded = await _record(world, network, thread.id)
    assert recorded.reached == UNREACHABLE
    assert (network.resolved, network.connected) == (1, [PUBLIC])


async def test_a_name_that_changes_its_address_is_asked_at_the_checked_one(
    world: FilesWorld,
) -> None:
    thread = await world.inquiry()
    async with answering(OK) as port:
        network = Network(port, [PUBLIC], ["127.0.0.1"])
        recorded = await _record(world, network, thread.id)
    assert recorded.reached == Reached(True, 123_456)
    assert (network.resolved, network.connected) == (1, [PUBLIC])


async def test_only_those_who_may_record_can_make_the_server_ask(world: FilesWorld) -> None:
    network = Network(1, [PUBLIC])
    thread = await world.inquiry()
    with pytest.raises(ThreadNotFound):
        await _record(world, network, thread.id, by=world.cleo)
    with pytest.raises(InvalidFile):
        await _record(world, network, thread.id, new=replace(NEW, size=0))
    gate = await pending_request(world, world.ana, world.cleo)
    with pytest.raises(PlainTextOnly):
        await _record(world, network, gate)
    assert (network.resolved, network.connected) == (0, [])


@pytest.mark.parametrize(
    ("policy", "checked"),
    [("", None), ("[files]\ncheck_manifest_urls = true", {"reachable": False, "size": None})],
)
async def test_the_policy_file_decides_and_the_answer_says_what_was_found(
    tmp_path: Path, policy: str, checked: object
) -> None:
    """A whole server with its real resolver. The address is its own machine, so it is not asked."""
    file = tmp_path / "policy.toml"
    file.write_text(policy)
    read = policy_file.read(REGISTRY.policy, str(file))
    async with serving(tmp_path, policy=read) as node:
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        body = {"name": "a.zip", "size": 9, "sha256": "ab" * 32, "clientMessageId": "m1"}
        path = f"/threads/{thread}/manifests"
        made = await node.call("ana", "POST", path, body | {"url": "http://127.0.0.1/a.zip"})
        assert made["urlCheck"] == checked
