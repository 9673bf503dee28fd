"""Cost patterns: announce a file, upload it, list own files, download, delete."""

from collections.abc import AsyncIterator
from functools import partial
from hashlib import sha256

from greenroom.background.models import Timer
from greenroom.cost.fixture import Fixture
from greenroom.cost.fixture_files import ready_photo, send_parts
from greenroom.cost.pattern import Act, Pattern
from greenroom.files import Files, access
from greenroom.files.append_upload import append_upload
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import EXPIRY, create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.expire_file import expire_due
from greenroom.files.file_urls import Wanted, file_urls
from greenroom.files.models import File, NewFile, SafeMode, Variant
from greenroom.files.own_files import own_files
from greenroom.files.preferences import safe_mode
from greenroom.files.release import REMOVAL
from greenroom.files.remove_bytes import remove_due
from greenroom.files.set_preferences import set_safe_mode
from greenroom.files.storage import storage
from greenroom.files.sync_files import file_cursor_now, sync_files
from greenroom.files.upload_state import InParts, state_of, upload_state
from greenroom.ids import FileId
from greenroom.people.actor import Actor

TITLE = "Files"
_CONTENT = b"What we agreed on: three looks, natural light, two retouched pictures each. "
_NEW = NewFile(
    name="what we agreed on.txt", size=len(_CONTENT), sha256=sha256(_CONTENT).hexdigest()
)


async def _announced(fixture: Fixture) -> tuple[Actor, File]:
    ana = await fixture.person("ana")
    return ana, await create_file(fixture.files, ana, _NEW)


async def _uploaded(fixture: Fixture) -> tuple[Actor, File]:
    ana, file = await _announced(fixture)
    await send_parts(fixture, file, _CONTENT)
    return ana, await complete_upload(fixture.files, ana, file.id)


async def _photos(fixture: Fixture, number: int = 1) -> tuple[Files, Actor, list[FileId]]:
    """Ready, and not used yet."""
    files, ana = fixture.files, await fixture.person("ana")
    return files, ana, [await ready_photo(fixture, ana) for _ in range(number)]


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
    await send_parts(fixture, file, _CONTENT)

    async def act() -> None:
        await state_of(fixture.files, await access.own_file(fixture.files, ana, file.id))

    return act


async def _complete(fixture: Fixture) -> Act:
    ana, file = await _announced(fixture)
    await send_parts(fixture, file, _CONTENT)
    return partial(complete_upload, fixture.files, ana, file.id)


async def _upload_all(fixture: Fixture) -> Act:
    """Of zeros: in three parts."""
    ana, content = await fixture.person("ana"), bytes(20 * 1024 * 1024)
    new = NewFile(name="roof.tif", size=len(content), sha256=sha256(content).hexdigest())

    async def act() -> None:
        file = await create_file(fixture.files, ana, new)
        await send_parts(fixture, file, content)
        await complete_upload(fixture.files, ana, file.id)

    return act


async def _tus(fixture: Fixture) -> tuple[Files, Actor, File]:
    """On a folder, where the bytes come in order."""
    files, ana = fixture.files_on_a_folder, await fixture.person("ana")
    return files, ana, await create_file(files, ana, _NEW)


async def _tus_create(fixture: Fixture) -> Act:
    files, ana, _ = await _tus(fixture)
    return partial(create_file, files, ana, _NEW)


async def _tus_offset(fixture: Fixture) -> Act:
    files, ana, file = await _tus(fixture)
    await append_upload(files, ana, file.id, 0, _pieces(_CONTENT[:9]))
    return partial(upload_state, files, ana, file.id)


async def _tus_append(fixture: Fixture) -> Act:
    files, ana, file = await _tus(fixture)
    return partial(append_upload, files, ana, file.id, 0, _pieces(_CONTENT[:9]))


async def _tus_last(fixture: Fixture) -> Act:
    files, ana, file = await _tus(fixture)
    await append_upload(files, ana, file.id, 0, _pieces(_CONTENT[:9]))
    return partial(append_upload, files, ana, file.id, 9, _pieces(_CONTENT[9:]))


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _delete(fixture: Fixture) -> Act:
    files, ana, [photo] = await _photos(fixture)
    return partial(delete_file, files, ana, photo)


async def _expire(fixture: Fixture) -> Act:
    files, _, [photo] = await _photos(fixture)

    async def act() -> None:
        await fixture.store.write(*await expire_due(files, Timer(EXPIRY, photo, 0)))

    return act


async def _cancel(fixture: Fixture) -> Act:
    ana, file = await _announced(fixture)
    await send_parts(fixture, file, _CONTENT)
    return partial(delete_file, fixture.files, ana, file.id)


async def _remove_parts(fixture: Fixture) -> Act:
    cancel = await _cancel(fixture)
    ana = await fixture.person("ana")
    [file] = (await own_files(fixture.files, ana)).files
    await cancel()
    return partial(remove_due, fixture.files, Timer(REMOVAL, file.id, 0))


async def _remove(fixture: Fixture) -> Act:
    ana, file = await _uploaded(fixture)
    await delete_file(fixture.files, ana, file.id)
    return partial(remove_due, fixture.files, Timer(REMOVAL, file.id, 0))


async def _list(fixture: Fixture) -> Act:
    files, ana, _ = await _photos(fixture, 20)
    return partial(own_files, files, ana, limit=20)


async def _storage(fixture: Fixture) -> Act:
    ana, _ = await _announced(fixture)
    return partial(storage, fixture.files, ana)


async def _urls(fixture: Fixture, count: int) -> Act:
    """Of the viewer's own files. What others cost to see is priced with messages."""
    files, ana, photos = await _photos(fixture, count)
    return partial(file_urls, files, ana, Wanted(files=tuple(photos)))


async def _download(fixture: Fixture) -> Act:
    ana, file = await _uploaded(fixture)
    wanted = Wanted(files=(file.id,), variants=frozenset({Variant.ORIGINAL}))
    [found] = await file_urls(fixture.files, ana, wanted)
    assert fixture.blobs is not None
    return partial(fixture.blobs.download, found.urls[Variant.ORIGINAL])


async def _read_preferences(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    await set_safe_mode(fixture.files, ana, SafeMode.HIDE)
    return partial(safe_mode, fixture.files, ana)


async def _set_preferences(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    await set_safe_mode(fixture.files, ana, SafeMode.HIDE)
    return partial(set_safe_mode, fixture.files, ana, SafeMode.SHOW)


async def _unchanged(fixture: Fixture) -> Act:
    ana, _ = await _announced(fixture)
    fixture.clock.advance(seconds=3600)
    return partial(sync_files, fixture.files, ana.user, file_cursor_now(fixture.files))


PATTERNS: tuple[Pattern, ...] = (
    Pattern("announce_file", "announce a file, and say where to send it", _announce),
    Pattern("upload_part", "send a part of it, of 8 MiB or less", _upload),
    Pattern("resume_upload", "ask where an upload goes on", _resume),
    Pattern("complete_upload", "complete an upload", _complete),
    Pattern("upload_20_mib", "all of that for a file of 20 MiB, in three parts", _upload_all),
    Pattern("tus_create", "announce a file, where files are in a folder", _tus_create),
    Pattern("tus_offset", "ask where its upload goes on", _tus_offset),
    Pattern("tus_append", "send some of its bytes", _tus_append),
    Pattern("tus_last", "send the last of its bytes, which completes the upload", _tus_last),
    Pattern("file_urls", "ask for the URLs of an own file", partial(_urls, count=1)),
    Pattern("file_urls_10", "ask for the URLs of 10 own files", partial(_urls, count=10)),
    Pattern("download", "download a file, or one of its previews", _download),
    Pattern("delete_own_file", "delete a photo that nothing uses", _delete),
    Pattern("cancel_upload", "cancel an upload that has parts", _cancel),
    Pattern("expire_file", "delete a photo that nothing uses, by its timer", _expire),
    Pattern("remove_bytes", "remove the bytes of a deleted file, by its timer", _remove),
    Pattern("remove_parts", "remove the parts of a cancelled upload, by its timer", _remove_parts),
    Pattern("list_files", "list 20 photos", _list),
    Pattern("storage", "read how much room is used", _storage),
    Pattern("read_preferences", "read how sensitive pictures are shown", _read_preferences),
    Pattern("set_preferences", "change it", _set_preferences),
    Pattern("sync_files", "sync when no file has changed", _unchanged),
)
