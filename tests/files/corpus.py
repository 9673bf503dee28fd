"""Files that people and attackers upload, each with what becomes of it. Nothing is stored: each is
made when it is needed."""

import random
import zipfile
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from PIL import Image

from greenroom.files.models import FileState, Media, Variant
from tests.files import documents, hostile_recordings, pictures, recordings
from tests.files.pictures import saved, scene

_UNKNOWN = "application/octet-stream"
_SIZES = frozenset({Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED})


class Expected(Struct, frozen=True, kw_only=True):
    state: FileState = FileState.READY
    media: Media = Media.OTHER
    type: str = _UNKNOWN
    problem: str = ""
    variants: frozenset[Variant] = frozenset()
    facts: dict[str, Any] = {}
    """Other fields of the file."""


def picture(type: str, width: int = 400, height: int = 300, **facts: Any) -> Expected:
    size = {"width": width, "height": height} | facts
    return Expected(media=Media.PICTURE, type=type, variants=_SIZES, facts=size)


def video(type: str, width: int = 320, height: int = 240, *more: Variant) -> Expected:
    variants = _SIZES | {Variant.CLIP, *more}
    size = {"width": width, "height": height}
    return Expected(media=Media.VIDEO, type=type, variants=variants, facts=size)


def small_video(type: str, *more: Variant, **facts: Any) -> Expected:
    expected = video(type, 160, 120, *more)
    return replace(expected, facts=expected.facts | facts)


def sound(type: str, *variants: Variant) -> Expected:
    return Expected(media=Media.SOUND, type=type, variants=frozenset(variants))


def pdf(pages: int, *, has_preview: bool = True) -> Expected:
    variants = _SIZES if has_preview else frozenset[Variant]()
    return Expected(
        media=Media.PDF, type="application/pdf", variants=variants, facts={"pages": pages}
    )


def other(type: str) -> Expected:
    return Expected(type=type)


def refused(problem: str) -> Expected:
    return Expected(state=FileState.REFUSED, type="", problem=problem)


DAMAGED = other(_UNKNOWN)
TOO_LARGE = refused("too-many-pixels")


def noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def _first_half(content: bytes) -> bytes:
    return content[: len(content) // 2]


CORPUS: dict[str, tuple[Callable[[], bytes], Expected]] = {
    # pictures
    "a JPEG": (lambda: saved(scene(), "JPEG"), picture("image/jpeg")),
    "a progressive JPEG": (
        lambda: saved(scene(), "JPEG", progressive=True),
        picture("image/jpeg"),
    ),
    "a grey JPEG": (lambda: saved(scene().convert("L"), "JPEG"), picture("image/jpeg")),
    "a CMYK JPEG": (lambda: saved(scene().convert("CMYK"), "JPEG"), picture("image/jpeg")),
    "a JPEG with a place": (pictures.jpeg_with_place, picture("image/jpeg")),
    "a JPEG of several pictures": (
        lambda: saved(scene(), "MPO", save_all=True, append_images=[scene(seed=2)]),
        picture("image/jpeg"),
    ),
    "a PNG": (lambda: saved(scene(), "PNG"), picture("image/png")),
    "a PNG with transparency": (
        lambda: saved(scene().convert("RGBA"), "PNG"),
        picture("image/png"),
    ),
    "a PNG with a palette and transparency": (
        pictures.palette_with_transparency,
        picture("image/png"),
    ),
    "a PNG of 16 bits": (pictures.png_of_16_bits, picture("image/png", 200, 100)),
    "a PNG of one bit": (lambda: saved(scene().convert("1"), "PNG"), picture("image/png")),
    "a PNG of one pixel": (
        lambda: saved(Image.new("RGB", (1, 1)), "PNG"),
        picture("image/png", 1, 1),
    ),
    "a PNG of one row": (
        lambda: saved(Image.new("RGB", (9000, 1)), "PNG"),
        picture("image/png", 9000, 1),
    ),
    "a moving PNG": (lambda: pictures.animation("PNG"), picture("image/png", 120, 120)),
    "a GIF": (lambda: saved(scene().quantize(), "GIF"), picture("image/gif")),
    "a moving GIF": (lambda: pictures.animation("GIF"), picture("image/gif", 120, 120)),
    "a WebP": (lambda: saved(scene(), "WEBP"), picture("image/webp")),
    "a lossless WebP": (lambda: saved(scene(), "WEBP", lossless=True), picture("image/webp")),
    "a moving WebP": (lambda: pictures.animation("WEBP"), picture("image/webp", 120, 120)),
    "an AVIF": (lambda: saved(scene(), "AVIF", speed=9), picture("image/avif")),
    "a TIFF": (lambda: saved(scene(), "TIFF"), picture("image/tiff")),
    "a compressed TIFF": (
        lambda: saved(scene(), "TIFF", compression="tiff_lzw"),
        picture("image/tiff"),
    ),
    "a TIFF of floating point numbers": (
        lambda: saved(scene().convert("L").convert("F"), "TIFF"),
        picture("image/tiff"),
    ),
    "a BMP": (lambda: saved(scene(), "BMP"), picture("image/bmp")),
    "a HEIC": (lambda: recordings.heic(saved(scene(), "JPEG")), picture("image/heic")),
    # bombs
    "a PNG of 900 megapixels": (pictures.png_bomb, TOO_LARGE),
    "a PNG of one column": (pictures.png_of_one_column, DAMAGED),
    "a PNG with a bomb in its metadata": (pictures.png_with_metadata_bomb, picture("image/png")),
    "a GIF of 4,000 megapixels": (pictures.gif_bomb, TOO_LARGE),
    "a GIF of 10,000 pictures": (lambda: pictures.gif_bomb(1000, 1000, 10_000), TOO_LARGE),
    "a GIF whose picture exceeds its canvas": (
        pictures.gif_whose_frame_exceeds_its_canvas,
        TOO_LARGE,
    ),
    "a WebP of 256 megapixels": (pictures.webp_bomb, TOO_LARGE),
    "a WebP of 1,000 pictures": (lambda: pictures.webp_bomb(1000, 1000, 1000), TOO_LARGE),
    "a zip of a gigabyte of nothing": (documents.zip_bomb, other("application/zip")),
    # damaged
    "half a JPEG": (lambda: _first_half(saved(scene(), "JPEG")), picture("image/jpeg")),
    "half a PNG": (lambda: _first_half(saved(scene(), "PNG")), picture("image/png")),
    "half a WebP": (lambda: _first_half(saved(scene(), "WEBP")), DAMAGED),
    "half a GIF": (lambda: saved(scene().quantize(), "GIF")[:30], DAMAGED),
    "half a PDF": (lambda: documents.pdf()[:60], DAMAGED),
    "half an MP4": (lambda: _first_half(recordings.video()), DAMAGED),
    "an MP4 with noise in it": (
        lambda: recordings.video()[:100] + noise(50_000),
        DAMAGED,
    ),
    "noise": (lambda: noise(100_000), other(_UNKNOWN)),
    "noise that begins like a JPEG": (lambda: b"\xff\xd8\xff\xe0" + noise(9_999), DAMAGED),
    "noise that begins like a PNG": (lambda: b"\x89PNG\r\n\x1a\n" + noise(9_999), DAMAGED),
    "noise that begins like a TIFF": (lambda: b"II*\0" + noise(9_999), DAMAGED),
    "noise that begins like a BMP": (lambda: b"BM" + noise(9_999), DAMAGED),
    "noise that begins like a WebM": (lambda: b"\x1a\x45\xdf\xa3" + noise(9_999), DAMAGED),
    "noise that begins like an Ogg": (lambda: b"OggS" + noise(9_999), DAMAGED),
    "noise that begins like a PDF": (lambda: b"%PDF-1.7\n" + noise(9_999), DAMAGED),
    "noise that begins like a HEIC": (lambda: b"\0\0\0\x18ftypheic" + noise(9_999), DAMAGED),
    "noise that begins like an AVIF": (lambda: b"\0\0\0\x18ftypavif" + noise(9_999), DAMAGED),
    "noise that begins like a zip": (
        lambda: b"PK\x03\x04" + noise(9_999),
        other("application/zip"),
    ),
    "one byte": (lambda: b"\0", other(_UNKNOWN)),
    # two things at once
    "a GIF that is also a script": (
        pictures.gif_that_is_a_script,
        picture("image/gif", 64, 64),
    ),
    "a script that begins like a GIF": (
        lambda: b"GIF89a/*" + b"x" * 99 + b"*/=1;alert(1)",
        DAMAGED,
    ),
    "a PDF that is also a zip": (
        lambda: documents.pdf() + documents.archive(("a.txt", b"x")),
        pdf(1),
    ),
    "a zip that is also a PDF": (
        lambda: documents.archive(("a.txt", b"x")) + documents.pdf(),
        other("application/zip"),
    ),
    # what browsers would run
    "an SVG with a script": (lambda: documents.SVG, other("image/svg+xml")),
    "an SVG after much else": (
        lambda: b"<!--" + b" " * 5000 + b"--><svg onload='alert(1)'/>",
        other("image/svg+xml"),
    ),
    "HTML": (lambda: documents.HTML, other("text/html")),
    "HTML in UTF-16": (
        lambda: b"\xff\xfe" + documents.HTML.decode().encode("utf-16-le"),
        other("text/html"),
    ),
    "XML": (lambda: documents.XML, other("application/xml")),
    "XHTML": (lambda: documents.XHTML, other("application/xhtml+xml")),
    # documents
    "text": (lambda: "Grüße, 世界\n".encode(), other("text/plain")),
    "a PDF": (documents.pdf, pdf(1)),
    "a PDF of 10,000 pages": (documents.pdf_with_pages, pdf(10_000)),
    "a PDF of a huge page": (lambda: documents.pdf(b"0 0 99999 99999"), pdf(1)),
    "a PDF of a page without size": (lambda: documents.pdf(b"0 0 0 0"), pdf(1)),
    "an encrypted PDF": (documents.encrypted_pdf, pdf(0, has_preview=False)),
    "a zip": (lambda: documents.archive(("a.txt", b"x")), other("application/zip")),
    "an encrypted zip": (documents.encrypted_zip, other("application/zip")),
    **{
        f"a zip whose kind cannot be unpacked ({name})": (
            partial(documents.zip_with_broken_kind, compression),
            other("application/zip"),
        )
        for name, compression in (
            ("deflate", zipfile.ZIP_DEFLATED),
            ("bzip2", zipfile.ZIP_BZIP2),
            ("LZMA", zipfile.ZIP_LZMA),
        )
    },
    "a zip of many names that says it has few": (
        partial(documents.zip_that_hides_its_size, 100_000),
        other("application/zip"),
    ),
    "a zip64": (
        partial(documents.zip_that_hides_its_size, 10),
        other("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ),
    "a Word document": (
        documents.word_document,
        other("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ),
    "an OpenDocument text": (
        documents.open_document,
        other("application/vnd.oasis.opendocument.text"),
    ),
    "a program": (
        lambda: b"\x7fELF\x02\x01\x01" + bytes(100),
        other(_UNKNOWN),
    ),
    # videos and sounds
    "an MP4": (recordings.video, video("video/mp4")),
    "a silent MP4": (recordings.silent_video, video("video/mp4")),
    "a sideways MP4": (recordings.sideways_video, video("video/mp4", 240, 320)),
    "an MP4 with a place": (
        recordings.video_with_place,
        video("video/mp4", 320, 240, Variant.STRIPPED),
    ),
    "a Matroska video with a place": (
        lambda: recordings.video_with_place("v.mkv"),
        video("video/x-matroska", 320, 240, Variant.STRIPPED),
    ),
    "a QuickTime video with a place": (
        lambda: recordings.video_with_place("v.mov"),
        video("video/quicktime", 320, 240, Variant.STRIPPED),
    ),
    "a video of a browser": (recordings.browser_video, video("video/webm")),
    "a voice note of a browser": (recordings.voice_note, sound("audio/webm")),
    "an MP3": (lambda: recordings.sound("s.mp3"), sound("audio/mpeg")),
    "an MP3 with a cover": (
        recordings.song_with_cover,
        sound("audio/mpeg", Variant.STRIPPED),
    ),
    "an M4A": (lambda: recordings.sound("s.m4a"), sound("audio/mp4")),
    "a WAV": (lambda: recordings.sound("s.wav"), sound("audio/wav")),
    "an Ogg": (lambda: recordings.sound("s.ogg"), sound("audio/ogg")),
    "a FLAC": (lambda: recordings.sound("s.flac"), sound("audio/flac")),
    # videos that look harmless
    "an MP4 that says it is shorter": (
        lambda: hostile_recordings.too_short("v.mp4"),
        small_video("video/mp4", duration_ms=22_000, band=0),
    ),
    "a WebM that says it is shorter": (
        lambda: hostile_recordings.too_short("v.webm"),
        small_video("video/webm", duration_ms=22_000),
    ),
    "a WebM with a wrong index": (
        hostile_recordings.with_wrong_index,
        small_video("video/webm", duration_ms=22_000),
    ),
    "an MP4 of which little can be read": (
        hostile_recordings.partly_damaged,
        Expected(media=Media.VIDEO, type="video/mp4", variants=_SIZES, facts={"band": 1}),
    ),
    "an MP4 with pictures that are left out": (
        hostile_recordings.cut,
        small_video("video/mp4", Variant.STRIPPED),
    ),
    "an MP4 whose pictures are its chapters": (
        hostile_recordings.video_as_chapters,
        small_video("video/mp4"),
    ),
    "an MP4 with a cover before its video": (
        hostile_recordings.with_cover_first,
        small_video("video/mp4", Variant.STRIPPED),
    ),
    "an MP4 with two videos": (
        lambda: hostile_recordings.with_two_tracks("v.mp4"),
        small_video("video/mp4", Variant.STRIPPED),
    ),
    "a WebM with two videos": (
        lambda: hostile_recordings.with_two_tracks("v.webm"),
        small_video("video/webm", Variant.STRIPPED),
    ),
    # what ffmpeg would follow
    **{
        f"a playlist ({kind}) of {name}": (
            partial(recordings.playlist, kind, target),
            other({"dash": "application/xml"}.get(kind, "text/plain")),
        )
        for kind in recordings.PLAYLISTS
        for name, target in (
            ("a file", "file:///etc/passwd"),
            ("an address", "http://127.0.0.1:9/x.ts"),
        )
    },
    "a playlist in an MP4": (
        lambda: recordings.playlist_in_disguise("file:///etc/passwd"),
        DAMAGED,
    ),
}
