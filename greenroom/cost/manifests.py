"""Cost patterns: record a deliverable, list those of a thread, check one on its public page."""

from functools import partial

from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.files.manifests import public_manifest
from greenroom.files.models import NewManifest
from greenroom.messaging.models import Thread
from greenroom.messaging.send_manifest import SentManifest, send_manifest
from greenroom.messaging.thread_manifests import thread_manifests
from greenroom.people.actor import Actor

TITLE = "Manifests"
_NEW = NewManifest(
    name="Portraits in March, final selection.zip",
    size=2_481_235_467,
    sha256="ab" * 32,
    url="https://drive.example.com/drive/folders/1k9zq3v8xw5t7m2e4r6y8u0pa?usp=sharing",
)


async def _recorded(
    fixture: Fixture, count: int
) -> tuple[Actor, Actor, Thread, list[SentManifest]]:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    made = [await _record_one(fixture, ana, thread, number) for number in range(count)]
    return ana, ben, thread, made


async def _record_one(
    fixture: Fixture, by: Actor, thread: Thread, number: int, caption: str = ""
) -> SentManifest:
    client_id = fixture.outgoing(100 + number).client_id
    return await send_manifest(fixture.messaging, by, thread.id, client_id, _NEW, caption)


async def _record(fixture: Fixture) -> Act:
    ana, _, thread, _ = await _recorded(fixture, 1)
    return partial(_record_one, fixture, ana, thread, 99, TEXT)


async def _list(fixture: Fixture) -> Act:
    _, ben, thread, _ = await _recorded(fixture, 20)
    return partial(thread_manifests, fixture.messaging, ben, thread.id)


async def _public(fixture: Fixture) -> Act:
    *_, [made] = await _recorded(fixture, 1)
    return partial(public_manifest, fixture.files, made.manifest.id)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("record_manifest", "record a deliverable, with the message that shows it", _record),
    Pattern("list_manifests", "list the 20 manifests of a thread", _list),
    Pattern("public_manifest", "read one for its public page", _public, most_read=1),
)
