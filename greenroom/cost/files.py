"""Cost patterns: announce a file, upload it, use the list of own files, delete it."""

from functools import partial
from hashlib import sha256

from greenroom.background.models import Timer
from greenroom.cost.fixture import Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.files import access, items
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import EXPIRY, create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.expire_file import expire_due
from greenroom.files.models import File, FileState, NewFile
from greenroom.files.own_files import own_files
from greenroom.files.release import REMOVAL, end_badly_ops
from greenroom.files.remove_bytes import remove_due
from greenroom.files.storage import storage
from greenroom.files.sync_files import file_cursor_now, sync_files
from greenroom.files.upload_state import InParts, state_of
from greenroom.people.actor import Actor

TITLE = "Files"
_CONTENT = b"What we agreed on: three looks, natural light, two retouched pictures each. "
_NEW = NewFile(
    name="what we agreed on.txt", size=len(_CONTENT), sha256=sha256(_CONTENT).hexdigest()
)


async def _announced(fixture: Fixture, number: int = 1) -> tuple[Actor, File]:
    ana = await fixture.person("ana")
    made = [await create_file(fixture.files, ana, _NEW) for _ in range(number)]
    return ana, made[0]


async def _send_parts(fixture: Fixture, file: File) -> None:
    """As a client does."""
    found = await state_of(fixture.files, file)
    assert isinstance(found.state, InParts)
    assert fixture.blobs is not None
    for part in found.state.missing:
        await fixture.blobs.send(part.request, _CONTENT)


async def _uploaded(fixture: Fixture) -> tuple[Actor, File]:
    ana, file = await _announced(fixture)
    await _send_parts(fixture, file)
    return ana, await complete_upload(fixture.files, ana, file.id)


async def _announce(fixture: Fixture) -> Act:
    ana, _ = await _announced(fixture)

    async def act() -> None:
        file = await create_file(fixture.files, ana, _NEW)
        await state_of(fixture.files, file)

    return act


async def _upload(fixture: Fixture) -> Act:
    _, file = await _announced(fixture)
    await state_of(fixture.files, file)
    begun = await access.existing(fixture.files, file.id)
    found = await state_of(fixture.files, begun)
    blobs = fixture.blobs
    assert isinstance(found.state, InParts)
    assert blobs is not None
    return partial(blobs.send, found.state.missing[0].request, _CONTENT)


async def _resume(fixture: Fixture) -> Act:
    ana, file = await _announced(fixture)
    await _send_parts(fixture, file)

    async def act() -> None:
        await state_of(fixture.files, await access.own_file(fixture.files, ana, file.id))

    return act


async def _complete(fixture: Fixture) -> Act:
    ana, file = await _announced(fixture)
    await _send_parts(fixture, file)
    return partial(complete_upload, fixture.files, ana, file.id)


async def _ready(fixture: Fixture) -> Act:
    _, file = await _uploaded(fixture)
    after = items.changed(file, fixture.clock.now_ms(), state=FileState.READY, type="text/plain")
    return partial(fixture.store.write, items.change_op(after))


async def _refused(fixture: Fixture) -> Act:
    _, file = await _uploaded(fixture)
    now_ms = fixture.clock.now_ms()
    after = items.changed(file, now_ms, state=FileState.REFUSED, problem="checksum-mismatch")
    return partial(fixture.store.write, *end_badly_ops(file, after, now_ms))


async def _delete(fixture: Fixture) -> Act:
    ana, file = await _uploaded(fixture)
    return partial(delete_file, fixture.files, ana, file.id)


async def _expire(fixture: Fixture) -> Act:
    _, file = await _announced(fixture)

    async def act() -> None:
        ops = await expire_due(fixture.files, Timer(EXPIRY, file.id, 0))
        await fixture.store.write(*ops)

    return act


async def _remove(fixture: Fixture) -> Act:
    ana, file = await _uploaded(fixture)
    await delete_file(fixture.files, ana, file.id)
    return partial(remove_due, fixture.files, Timer(REMOVAL, file.id, 0))


async def _list(fixture: Fixture) -> Act:
    ana, _ = await _announced(fixture, 20)
    return partial(own_files, fixture.files, ana, limit=20)


async def _storage(fixture: Fixture) -> Act:
    ana, _ = await _announced(fixture)
    return partial(storage, fixture.files, ana)


async def _unchanged(fixture: Fixture) -> Act:
    ana, _ = await _announced(fixture)
    fixture.clock.advance(seconds=3600)
    return partial(sync_files, fixture.files, ana.user, file_cursor_now(fixture.files))


PATTERNS: tuple[Pattern, ...] = (
    Pattern("announce_file", "announce a file, and say where to send it", _announce),
    Pattern("upload_part", "send a part of it, of 8 MiB or less", _upload),
    Pattern("resume_upload", "ask where an upload goes on", _resume),
    Pattern("complete_upload", "complete an upload", _complete),
    Pattern("file_ready", "write that a file is ready", _ready),
    Pattern("file_refused", "write that it is refused, and give back its room", _refused),
    Pattern("delete_own_file", "delete a file that nothing uses", _delete),
    Pattern("expire_file", "delete a file that nothing uses, by its timer", _expire),
    Pattern("remove_bytes", "remove the bytes of a deleted file, by its timer", _remove),
    Pattern("list_files", "list 20 files", _list),
    Pattern("storage", "read how much room is used", _storage),
    Pattern("sync_files", "sync when no file has changed", _unchanged),
)
