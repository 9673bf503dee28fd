"""Pictures and videos that cannot be decoded: others never get the place where they were taken."""

import io
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from greenroom.files import rules
from greenroom.files.decoder.content_type import Guess, guess
from greenroom.files.decoder.metadata import has_metadata
from greenroom.files.models import FileState, Media, Shown, Variant
from tests.files import documents, hostile_recordings as hostile, recordings
from tests.files.checks import CheckWorld
from tests.files.corpus import noise
from tests.files.pictures import SECRET_PLACE, jpeg_with_place, saved, scene


def _box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def _heic_with_place() -> bytes:
    """As far as a server reads it that has no decoder for it."""
    brands = _box(b"ftyp", b"heic\0\0\0\0mif1heic")
    return (
        brands + _box(b"meta", bytes(40) + b"Exif\0\0" + b"52.4975N") + _box(b"mdat", bytes(3000))
    )


def _in(format: str) -> bytes:
    exif = Image.Exif()
    exif[0x010F] = "a camera"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 29.0, 51.0)})
    return saved(scene(), format, exif=exif)


def _first_bytes(content: bytes, share: float) -> bytes:
    return content[: int(len(content) * share)]


def _broken_header(content: bytes) -> bytes:
    """Its first picture cannot be read, its EXIF can."""
    at = content.index(b"\xff\xc0")
    return content[:at] + b"\xff\xc1\0\0" + content[at + 4 :]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda one: one[:-2], id="without its end"),
        pytest.param(lambda one: one[:-400], id="cut off"),
        pytest.param(lambda one: _first_bytes(one, 0.6), id="half of it"),
        pytest.param(lambda one: one + b"junk", id="with junk after it"),
    ],
)
async def test_what_is_left_of_a_damaged_photo_is_shown(
    checks: CheckWorld, damage: Callable[[bytes], bytes]
) -> None:
    content = damage(jpeg_with_place())
    with Image.open(io.BytesIO(content)) as image:
        assert 0x8825 in image.getexif(), "it says where it was taken"
    file = await checks.checked(content)
    assert (file.state, file.media, file.type) == (FileState.READY, Media.PICTURE, "image/jpeg")
    assert (file.width, file.height) == (400, 300)
    assert file.perceptual_hash
    assert Variant.ORIGINAL not in rules.variants_for(file, Shown.CLEAR, reveal=False)
    assert Variant.LARGE in rules.variants_for(file, Shown.CLEAR, reveal=False)


_UNREADABLE: dict[str, Callable[[], bytes]] = {
    "a photo after a byte": lambda: b"\0" + jpeg_with_place(),
    "a photo without a header": lambda: _broken_header(jpeg_with_place()),
    "half a PNG with EXIF": lambda: _in("PNG")[:33] + b"\0\0\0\x08eXIfMM\0*" + noise(999),
    "a WebP without pixels": lambda: b"RIFF\xff\0\0\0WEBPVP8X" + noise(200) + b"EXIF" + bytes(9),
    "half an AVIF": lambda: _first_bytes(_in("AVIF"), 0.5),
    "a TIFF with a place and no pixels": lambda: b"II*\0" + noise(9) + b"\x25\x88\4\0\1\0\0\0",
    "half an MP4 with a place": lambda: _box(b"ftyp", b"isom") + b"\0\0\0\x22\xa9xyz\0\x1252.49",
    "a JPEG 2000 with a place": lambda: b"\0\0\0\x0cjP  \r\n\x87\n" + b"<exif:GPSLatitude>52",
    "an icon": lambda: b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + jpeg_with_place(),
    "a JPEG XL with packed EXIF": lambda: (
        b"\0\0\0\x0cJXL \r\n\x87\n" + noise(99) + b"\0\0\0\x40brobExif" + noise(56)
    ),
    "a layout with a place": lambda: b"8BPS\0\x01" + noise(99) + b"<exif:GPSLatitude>52",
    "a TIFF of 64 bits": lambda: b"II+\0\x08\0\0\0" + noise(99) + b"\x25\x88\4\0\1\0\0\0",
}


@pytest.mark.parametrize("name", _UNREADABLE)
async def test_what_cannot_be_read_and_has_metadata_is_refused(
    checks: CheckWorld, name: str
) -> None:
    content = _UNREADABLE[name]()
    file = await checks.checked(content, name)
    assert (file.state, file.problem) == (FileState.REFUSED, "metadata-not-removable")
    assert "another format" in file.detail
    kept = await checks.checked(content, name, keep_original=True)
    assert (kept.state, kept.media) == (FileState.READY, Media.OTHER)
    assert rules.may_have_original(kept), "its owner asked for it"


_MORE_THAN_TRACKS: dict[str, Callable[[], bytes]] = {
    "subtitles of an MP4": lambda: hostile.with_places_in_subtitles("v.mp4"),
    "subtitles of a Matroska": lambda: hostile.with_places_in_subtitles("v.mkv"),
    "subtitles and a place": lambda: hostile.with_places_in_subtitles(
        "v.mp4", "-metadata", f"location={recordings.PLACE}"
    ),
    "a cover of an MP3": lambda: hostile.song_with_photo("s.mp3"),
    "a cover of an M4A": lambda: hostile.song_with_photo("s.m4a"),
    "a cover of a FLAC": lambda: hostile.song_with_photo("s.flac"),
    "an attachment": hostile.video_with_attachment,
    "a box of a dash camera": lambda: hostile.with_box(b"gps ", hostile.SAID_PLACE),
    "a box of an action camera": lambda: hostile.with_box(
        b"GPMF", hostile.SAID_PLACE, inside=b"udta"
    ),
    "a photo after the end": lambda: recordings.silent_video() + jpeg_with_place(),
    "a chunk about a recording": lambda: hostile.wav_with_chunk(b"iXML"),
    "a chunk of XMP": lambda: hostile.wav_with_chunk(b"_PMX"),
    "XMP in an ID3": hostile.song_with_xmp,
}


@pytest.mark.parametrize("name", _MORE_THAN_TRACKS)
async def test_others_get_only_the_tracks_of_videos_and_sounds(
    checks: CheckWorld, name: str
) -> None:
    content = _MORE_THAN_TRACKS[name]()
    places = (hostile.SAID_PLACE, SECRET_PLACE.encode(), recordings.PLACE.encode())
    assert any(place in content for place in places)
    file = await checks.checked(content)
    assert file.media in (Media.VIDEO, Media.SOUND)
    variants = rules.variants_for(file, Shown.CLEAR, reveal=False)
    assert Variant.STRIPPED in variants
    assert Variant.ORIGINAL not in variants
    for variant in variants:
        given = await checks.bytes_of(file, variant)
        assert given is not None
        assert not any(place in given for place in (*places, b"Exif\0"))
    stripped = await checks.bytes_of(file, Variant.STRIPPED)
    assert stripped is not None
    again = await checks.checked(stripped)
    assert (again.media, again.type) == (file.media, file.type)
    assert abs(again.duration_ms - file.duration_ms) < 50
    assert rules.may_have_original(again), "nothing is left to remove"


@pytest.mark.parametrize(
    "make", [recordings.video, recordings.browser_video, recordings.voice_note]
)
async def test_others_get_the_original_of_what_holds_only_tracks(
    checks: CheckWorld, make: Callable[[], bytes]
) -> None:
    file = await checks.checked(make())
    variants = rules.variants_for(file, Shown.CLEAR, reveal=False)
    assert Variant.ORIGINAL in variants
    assert Variant.STRIPPED not in variants


async def test_a_video_stays_upright_without_its_place(checks: CheckWorld, tmp_path: Path) -> None:
    turned = tmp_path / "v.mp4"
    turned.write_bytes(recordings.sideways_video())
    place = ("-c", "copy", "-metadata", f"location={recordings.PLACE}")
    file = await checks.checked(recordings.made.__wrapped__("v.mp4", "-i", str(turned), *place))
    stripped = await checks.bytes_of(file, Variant.STRIPPED)
    assert stripped is not None
    again = await checks.checked(stripped)
    assert (again.width, again.height) == (file.width, file.height) == (240, 320)


async def test_a_video_with_more_than_tracks_is_refused_where_it_cannot_be_copied(
    checks: CheckWorld,
) -> None:
    content = hostile.that_cannot_be_copied()
    file = await checks.checked(content)
    assert (file.state, file.problem) == (FileState.REFUSED, "metadata-not-removable")
    kept = await checks.checked(content, keep_original=True)
    assert (kept.state, kept.media) == (FileState.READY, Media.OTHER)


async def test_a_heic_is_refused_where_it_cannot_be_read(
    checks: CheckWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = await checks.checked(_heic_with_place(), "IMG_1.HEIC")
    assert (file.state, file.problem) == (FileState.REFUSED, "metadata-not-removable")


async def test_a_video_is_refused_without_ffmpeg_only_if_it_says_where(
    checks: CheckWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    videos = [recordings.video_with_place(), recordings.video_with_place("v.mov")]
    plain = recordings.video()
    monkeypatch.setenv("PATH", str(tmp_path))
    for video in videos:
        file = await checks.checked(video)
        assert (file.state, file.problem) == (FileState.REFUSED, "metadata-not-removable")
    assert (await checks.checked(plain)).state is FileState.READY


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(lambda: b"BMW, 3 doors\n" * 50 + noise(9), id="begins like a BMP by chance"),
        pytest.param(lambda: documents.tar(("a.jpg", jpeg_with_place())), id="a tar of photos"),
        pytest.param(lambda: documents.archive(("a.jpg", jpeg_with_place())), id="a zip of photos"),
        pytest.param(lambda: b"8BPS\0\x01" + b"<?xpacket begin=''?>" + noise(99), id="a layout"),
        pytest.param(lambda: b"What is Exif\0? GPSLatitude\n".replace(b"\0", b""), id="text"),
        pytest.param(lambda: b"\xff\xd8\xff\xe0" + noise(9_999), id="noise"),
    ],
)
async def test_what_has_no_place_and_is_no_picture_is_delivered(
    checks: CheckWorld, content: Callable[[], bytes]
) -> None:
    file = await checks.checked(content())
    assert (file.state, file.media) == (FileState.READY, Media.OTHER)


def test_metadata_is_found_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    seems = Guess("image/jpeg", Media.PICTURE, "JPEG")
    for at in (0, 3_999_998, 4_000_000, 7_999_999):
        path.write_bytes(bytes(at) + b"Exif\0\0" + bytes(50_000))
        assert has_metadata(path, seems), at
    with path.open("wb") as file:
        file.truncate(3_000_000_000)
        file.seek(-20_000_000, 2)
        file.write(b"Exif\0\0")
    assert has_metadata(path, seems), "near the end of a large one"
    path.write_bytes(bytes(5_000_000))
    assert not has_metadata(path, seems)
    assert not has_metadata(path, guess(path))
