"""Download URLs: who gets which, for how long, and at which price."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec.structs import replace

from greenroom.files.file_urls import FileUrls, Wanted, file_urls
from greenroom.files.models import (
    FileState,
    FileUse,
    Media,
    Preview,
    SafeMode,
    Shown,
    Variant,
    Viewer,
)
from greenroom.files.set_preferences import set_safe_mode
from greenroom.ids import FileId
from greenroom.messaging.edit_thread import edit_thread
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_status import ThreadChange
from greenroom.people.actor import Actor
from tests.files.ready_files import document, picture, stored, used_in
from tests.files.world import BOARD, FilesWorld

CLEAR = {Variant.SMALL, Variant.MEDIUM, Variant.LARGE}


async def _ask(world: FilesWorld, actor: Actor, *ids: FileId, **fields: Any) -> list[FileUrls]:
    return list(await file_urls(world.files, actor, Wanted(files=ids, **fields)))


async def _one(world: FilesWorld, actor: Actor, id: FileId, **fields: Any) -> FileUrls:
    [found] = await _ask(world, actor, id, **fields)
    return found


async def test_a_viewer_gets_the_servers_versions_and_the_owner_everything(
    world: FilesWorld,
) -> None:
    file = picture(world.files, world.ana, use=used_in(BOARD))
    await stored(world.files, file)
    seen = await _one(world, world.ben, file.id)
    assert (seen.shown, seen.can_reveal, set(seen.urls)) == (Shown.CLEAR, False, CLEAR)
    own = await _one(world, world.ana, file.id)
    assert set(own.urls) == {*CLEAR, Variant.ORIGINAL, Variant.BLURRED}


async def test_missing_and_forbidden_files_are_left_out(world: FilesWorld) -> None:
    shown, private = (
        picture(world.files, world.ana, use=used_in(BOARD)),
        picture(world.files, world.ana),
    )
    elsewhere = picture(world.files, world.ana, use=used_in("elsewhere"))
    unknown = picture(world.files, world.ana, use=FileUse(kind="unheard_of", target=BOARD))
    checking = picture(world.files, world.ana, use=used_in(BOARD), state=FileState.CHECKING)
    await stored(world.files, shown, private, elsewhere, unknown, checking)
    ids = [FileId("fil_nonsense"), FileId("../../etc/passwd"), world.files.ids.file()]
    ids += [file.id for file in (private, elsewhere, unknown, checking, shown)]
    assert [one.file for one in await _ask(world, world.ben, *ids)] == [shown.id]
    assert await _ask(world, world.cleo, *ids) == []


async def test_answers_come_in_the_order_of_the_question_and_once(world: FilesWorld) -> None:
    made = [picture(world.files, world.ana) for _ in range(3)]
    await stored(world.files, *made)
    ids = [made[2].id, made[0].id, made[2].id, made[1].id]
    found = await _ask(world, world.ana, *ids)
    assert [one.file for one in found] == [made[2].id, made[0].id, made[1].id]


async def test_a_deleted_file_has_no_urls_even_for_its_owner(world: FilesWorld) -> None:
    file = picture(world.files, world.ana, state=FileState.DELETED)
    await stored(world.files, file)
    assert await _ask(world, world.ana, file.id) == []


@pytest.mark.parametrize(
    "state", [FileState.INFECTED, FileState.UNSCANNABLE, FileState.REFUSED, FileState.FAILED]
)
async def test_nobody_downloads_a_file_that_ended_badly(
    world: FilesWorld, state: FileState
) -> None:
    file = picture(world.files, world.ana, state=state, use=used_in(BOARD))
    await stored(world.files, file)
    assert (await _one(world, world.ana, file.id)).urls == {}
    assert await _ask(world, world.ben, file.id, reveal=frozenset({file.id})) == []


async def test_a_blurred_picture_gives_only_its_blurred_version_until_it_is_revealed(
    world: FilesWorld,
) -> None:
    file = picture(world.files, world.ana, use=used_in(BOARD), band=1)
    await stored(world.files, file)
    seen = await _one(world, world.ben, file.id)
    assert (seen.shown, seen.can_reveal) == (Shown.BLURRED, True)
    assert set(seen.urls) == {Variant.BLURRED}
    revealed = await _one(world, world.ben, file.id, reveal=frozenset({file.id}))
    assert (revealed.shown, set(revealed.urls)) == (Shown.BLURRED, CLEAR)
    for variant in (*CLEAR, Variant.ORIGINAL):
        asked = await _one(world, world.ben, file.id, variants=frozenset({variant}))
        assert asked.urls == {}


async def test_revealing_one_picture_reveals_no_other(world: FilesWorld) -> None:
    one, other = (picture(world.files, world.ana, use=used_in(BOARD), band=1) for _ in range(2))
    await stored(world.files, one, other)
    found = await _ask(world, world.ben, one.id, other.id, reveal=frozenset({other.id}))
    assert [set(each.urls) for each in found] == [{Variant.BLURRED}, CLEAR]


async def test_a_hidden_picture_gives_nothing_even_when_it_is_revealed(world: FilesWorld) -> None:
    file = picture(world.files, world.ana, use=used_in(BOARD), band=2, keep_original=True)
    await stored(world.files, file)
    for reveal in (frozenset[FileId](), frozenset({file.id})):
        seen = await _one(world, world.ben, file.id, reveal=reveal)
        assert (seen.shown, seen.can_reveal, seen.urls) == (Shown.HIDDEN, False, {})


async def test_the_preference_of_the_viewer_decides(world: FilesWorld) -> None:
    file = picture(world.files, world.ana, use=used_in(BOARD), band=1)
    await stored(world.files, file)
    shown = []
    for preference in SafeMode:
        await set_safe_mode(world.files, world.ben, preference)
        shown.append((await _one(world, world.ben, file.id)).shown)
    assert shown == [Shown.CLEAR, Shown.BLURRED, Shown.HIDDEN]


async def test_a_board_that_requires_safe_mode_overrides_the_preference(
    world: FilesWorld,
) -> None:
    file = picture(world.files, world.ana, use=used_in("strict"), band=2)
    world.boards.show("strict", world.ben, Viewer(safe_mode_required=True))
    await stored(world.files, file)
    await set_safe_mode(world.files, world.ben, SafeMode.SHOW)
    assert (await _one(world, world.ben, file.id)).shown is Shown.HIDDEN


async def test_a_conversation_that_requires_safe_mode_overrides_the_preference(
    world: FilesWorld,
) -> None:
    thread = await world.inquiry()
    sent = [(await world.send_picture("ana", thread.id, band=band))[0].id for band in (0, 1, 2)]
    await set_safe_mode(world.files, world.ben, SafeMode.SHOW)
    assert await _shown(world, world.ben, *sent) == [Shown.CLEAR, Shown.CLEAR, Shown.BLURRED]
    await edit_thread(world.messaging, world.ana, thread.id, ThreadChange(safe_mode=True))
    assert await _shown(world, world.ben, *sent) == [Shown.CLEAR, Shown.BLURRED, Shown.HIDDEN]
    assert await _shown(world, world.ana, *sent) == [Shown.CLEAR] * 3
    await edit_thread(world.messaging, world.ana, thread.id, ThreadChange(safe_mode=False))
    assert await _shown(world, world.ben, *sent) == [Shown.CLEAR, Shown.CLEAR, Shown.BLURRED]


async def _shown(world: FilesWorld, actor: Actor, *ids: FileId) -> list[Shown]:
    return [one.shown for one in await _ask(world, actor, *ids)]


async def test_an_unrated_avatar_of_a_stranger_is_blurred(world: FilesWorld) -> None:
    file = picture(world.files, world.ana, labels={})
    await stored(world.files, file)
    await set_avatar(world.messaging, world.ana, file.id)
    assert await _shown(world, world.ben, file.id) == [Shown.BLURRED]
    await world.inquiry("ana", "ben")
    assert await _shown(world, world.ben, file.id) == [Shown.CLEAR]
    assert await _shown(world, world.cleo, file.id) == [Shown.BLURRED]


async def test_an_unrated_picture_of_a_stranger_is_blurred(world: FilesWorld) -> None:
    file = picture(world.files, world.ana, use=used_in("request"), labels={})
    world.boards.show("request", world.ben, Viewer(knows_owner=False))
    await stored(world.files, file)
    assert (await _one(world, world.ben, file.id)).shown is Shown.BLURRED
    assert (await _one(world, world.ana, file.id)).shown is Shown.CLEAR


async def test_only_what_a_browser_may_show_is_inline(world: FilesWorld) -> None:
    made = [
        document(world.files, world.ana, name="page.html", type="text/html"),
        document(world.files, world.ana, name="logo.svg", type="image/svg+xml"),
        document(world.files, world.ana, name="feed.xml", type="text/xml"),
        document(world.files, world.ana, name="contract.pdf", type="application/pdf"),
        document(world.files, world.ana, name="not-decoded.mp4", type="video/mp4"),
        replace(
            document(world.files, world.ana, name="clip.mp4", type="video/mp4"), media=Media.VIDEO
        ),
    ]
    await stored(world.files, *made)
    given = []
    for found in await _ask(world, world.ana, *(file.id for file in made)):
        query = parse_qs(urlsplit(found.urls[Variant.ORIGINAL]).query)
        given.append((query["type"][0], query.get("inline", ["0"])[0], query["name"][0]))
    opaque = "application/octet-stream"
    assert given == [
        (opaque, "0", "page.html"),
        (opaque, "0", "logo.svg"),
        (opaque, "0", "feed.xml"),
        (opaque, "0", "contract.pdf"),
        (opaque, "0", "not-decoded.mp4"),
        ("video/mp4", "1", "clip.mp4"),
    ]


async def test_a_download_is_never_inline(world: FilesWorld) -> None:
    file = picture(world.files, world.ana)
    await stored(world.files, file)
    for url in (await _one(world, world.ana, file.id, download=True)).urls.values():
        assert "inline" not in parse_qs(urlsplit(url).query)


async def test_fifty_pictures_of_one_board_cost_one_look_at_its_members(
    world: FilesWorld,
) -> None:
    made = [picture(world.files, world.ana, use=used_in(BOARD)) for _ in range(50)]
    await stored(world.files, *made)
    with world.store.counting() as cost:
        found = await _ask(world, world.ben, *(file.id for file in made))
    assert len(found) == 50
    assert world.boards.asked == 1
    assert cost.read_units == 50


async def test_the_preference_is_read_only_where_it_matters(world: FilesWorld) -> None:
    clear = picture(world.files, world.ana, use=used_in(BOARD))
    sensitive = picture(world.files, world.ana, use=used_in(BOARD), band=1)
    await stored(world.files, clear, sensitive)
    with world.store.counting() as cost:
        await _ask(world, world.ben, clear.id)
        await _ask(world, world.ana, sensitive.id)
    assert cost.read_units == 2
    with world.store.counting() as cost:
        await _ask(world, world.ben, sensitive.id)
    assert cost.read_units == 2


async def test_a_preview_of_another_type_is_saved_and_not_shown(world: FilesWorld) -> None:
    odd = Preview(Variant.LARGE, "image/svg+xml", 10)
    file = replace(picture(world.files, world.ana), previews=(odd,))
    await stored(world.files, file)
    query = parse_qs(urlsplit((await _one(world, world.ana, file.id)).urls[Variant.LARGE]).query)
    assert query["type"] == ["application/octet-stream"]
    assert "inline" not in query
