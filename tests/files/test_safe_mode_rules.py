"""The rules of safe mode, case by case: every combination of what decides has its row."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from greenroom.files import rules
from greenroom.files.models import (
    File,
    FileState,
    Media,
    Preview,
    SafeMode,
    Shown,
    Variant,
    Viewer,
)
from greenroom.ids import FileId, UserId

# C clear, B blurred until asked for, H hidden.
TABLE = """
band  rated  knows owner  safe mode required   show blur hide
0     yes    yes          no                   C    C    C
0     yes    yes          yes                  C    C    C
0     yes    no           no                   C    C    C
0     yes    no           yes                  C    C    C
0     no     yes          no                   C    C    C
0     no     yes          yes                  C    C    C
0     no     no           no                   C    B    H
0     no     no           yes                  B    B    H
1     yes    yes          no                   C    B    H
1     yes    yes          yes                  B    B    H
1     yes    no           no                   C    B    H
1     yes    no           yes                  B    B    H
1     no     yes          no                   C    B    H
1     no     yes          yes                  B    B    H
1     no     no           no                   C    B    H
1     no     no           yes                  B    B    H
2     yes    yes          no                   B    H    H
2     yes    yes          yes                  H    H    H
2     yes    no           no                   B    H    H
2     yes    no           yes                  H    H    H
2     no     yes          no                   B    H    H
2     no     yes          yes                  H    H    H
2     no     no           no                   B    H    H
2     no     no           yes                  H    H    H
"""
_SHOWN = {"C": Shown.CLEAR, "B": Shown.BLURRED, "H": Shown.HIDDEN}
_MADE = (Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED)
CLEAR = {Variant.SMALL, Variant.MEDIUM, Variant.LARGE}


def _picture(**fields: Any) -> File:
    known: dict[str, Any] = {
        "id": FileId("fil_1"),
        "owner": UserId("usr_1"),
        "name": "a.jpg",
        "size": 1,
        "sha256": "",
        "created_ms": 1,
        "changed_ms": 1,
        "state": FileState.READY,
        "type": "image/jpeg",
        "media": Media.PICTURE,
        "thumbhash": "x",
        "previews": tuple(Preview(variant, "image/webp", 1) for variant in _MADE),
    }
    return File(**(known | fields))


def _cases() -> Iterator[tuple[int, bool, Viewer, SafeMode, Shown]]:
    for line in TABLE.strip().splitlines()[1:]:
        band, rated, knows, required, *shown = line.split()
        viewer = Viewer(safe_mode_required=required == "yes", knows_owner=knows == "yes")
        for preference, one in zip(SafeMode, shown, strict=True):
            yield int(band), rated == "yes", viewer, preference, _SHOWN[one]


CASES = tuple(_cases())


def test_the_table_has_every_combination() -> None:
    assert len(set(map(str, (case[:4] for case in CASES)))) == 3 * 2 * 2 * 2 * 3


@pytest.mark.parametrize(("band", "rated", "viewer", "preference", "shown"), CASES)
def test_a_picture_is_shown_as_the_table_says(
    band: int, rated: bool, viewer: Viewer, preference: SafeMode, shown: Shown
) -> None:
    file = _picture(band=band, labels={"neutral": 0.9} if rated else {})
    assert rules.shown_to(file, viewer, preference) is shown
    expected = {
        Shown.CLEAR: (CLEAR, CLEAR),
        Shown.BLURRED: ({Variant.BLURRED}, CLEAR),
        Shown.HIDDEN: (set(), set()),
    }[shown]
    given = [set(rules.variants_for(file, shown, reveal=reveal)) for reveal in (False, True)]
    assert tuple(given) == expected
    assert rules.can_reveal(file, shown) is (shown is Shown.BLURRED)


@pytest.mark.parametrize("viewer", [Viewer(False, False), Viewer(True, True)])
@pytest.mark.parametrize("preference", SafeMode)
def test_a_file_without_anything_to_see_is_never_hidden(
    viewer: Viewer, preference: SafeMode
) -> None:
    sound = _picture(media=Media.SOUND, thumbhash="", previews=(), band=2)
    assert rules.shown_to(sound, viewer, preference) is Shown.CLEAR
    assert rules.variants_for(sound, Shown.CLEAR, reveal=False) == (Variant.ORIGINAL,)


def test_a_moderators_band_counts_as_a_rating() -> None:
    file = _picture(banded_by=UserId("usr_mod"))
    assert rules.shown_to(file, Viewer(knows_owner=False), SafeMode.HIDE) is Shown.CLEAR


def test_a_blurred_picture_without_a_blurred_version_gives_nothing() -> None:
    file = _picture(previews=(Preview(Variant.LARGE, "image/webp", 1),))
    assert rules.variants_for(file, Shown.BLURRED, reveal=False) == ()


@pytest.mark.parametrize("state", [state for state in FileState if state is not FileState.READY])
@pytest.mark.parametrize("shown", Shown)
def test_nobody_but_the_owner_gets_a_file_that_is_not_ready(state: FileState, shown: Shown) -> None:
    file = _picture(state=state, keep_original=True)
    assert rules.variants_for(file, shown, reveal=True) == ()
    assert not rules.can_reveal(file, shown)


@pytest.mark.parametrize("state", FileState)
def test_the_owner_gets_a_file_once_all_bytes_are_there_unless_it_ended_badly(
    state: FileState,
) -> None:
    given = rules.variants_for_owner(_picture(state=state))
    expected: dict[FileState, tuple[Variant, ...]] = {
        FileState.CHECKING: (Variant.ORIGINAL,),
        FileState.READY: (Variant.ORIGINAL, *_MADE),
    }
    assert given == expected.get(state, ())


def test_others_get_the_original_of_a_picture_only_if_its_owner_says_so() -> None:
    file = _picture()
    assert Variant.ORIGINAL not in rules.variants_for(file, Shown.CLEAR, reveal=False)
    kept = replace(file, keep_original=True)
    assert Variant.ORIGINAL in rules.variants_for(kept, Shown.CLEAR, reveal=False)
    assert rules.variants_for(kept, Shown.BLURRED, reveal=False) == (Variant.BLURRED,)


def test_others_get_no_original_of_a_video_that_says_where_it_was_recorded() -> None:
    stripped = Preview(Variant.STRIPPED, "video/mp4", 1)
    file = _picture(media=Media.VIDEO, type="video/mp4", previews=(stripped,))
    assert rules.variants_for(file, Shown.CLEAR, reveal=False) == (Variant.STRIPPED,)
    plain = replace(file, previews=())
    assert rules.variants_for(plain, Shown.CLEAR, reveal=False) == (Variant.ORIGINAL,)


SCRIPTABLE = (
    "image/svg+xml",
    "text/html",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "application/pdf",
    "text/javascript",
    "application/octet-stream",
    "multipart/related",
    "",
)


@pytest.mark.parametrize("type", SCRIPTABLE)
def test_a_type_that_can_contain_a_script_is_never_told_to_a_browser(type: str) -> None:
    file = _picture(type=type, media=Media.OTHER, previews=(Preview(Variant.STRIPPED, type, 1),))
    for variant in (Variant.ORIGINAL, Variant.STRIPPED):
        assert rules.type_of(file, variant) == rules.OPAQUE
    assert rules.OPAQUE not in rules.INLINE


@pytest.mark.parametrize(
    ("name", "variant", "saved_as"),
    [
        ("holiday.jpg", Variant.ORIGINAL, "holiday.jpg"),
        ("holiday.jpg", Variant.LARGE, "holiday.webp"),
        ("holiday", Variant.LARGE, "holiday.webp"),
        (".hidden", Variant.LARGE, ".hidden.webp"),
        ("a.b.tiff", Variant.SMALL, "a.b.webp"),
    ],
)
def test_a_version_is_saved_under_the_name_of_its_file(
    name: str, variant: Variant, saved_as: str
) -> None:
    assert rules.name_of(_picture(name=name), variant) == saved_as
