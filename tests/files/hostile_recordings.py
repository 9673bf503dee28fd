"""Videos and sounds that look harmless to a careless server, or hold more than their tracks."""

import re
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.files.pictures import jpeg_with_place
from tests.files.recordings import made, pictures, tone

GREEN, RED = "lime", "red"
SAID_PLACE = b"GPS(13.2411,52.4975)"
_VP9 = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "10")
_H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "10")


def colors(name: str, *parts: tuple[str, float], more: tuple[str, ...] = ()) -> bytes:
    """One after the other, each for some seconds, in ten pictures a second."""
    shown = [f"color={color}:160x120:rate=10:d={seconds}" for color, seconds in parts]
    joined = "".join(f"{one}[p{at}];" for at, one in enumerate(shown))
    joined += "".join(f"[p{at}]" for at in range(len(shown))) + f"concat=n={len(shown)}"
    codec = ("-c:v", "libvpx", "-deadline", "realtime", "-g", "10")
    return made(
        name, "-filter_complex", joined, *(codec if name.endswith("webm") else _H264), *more
    )


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The kind and content of each."""
    at = 0
    while at < len(content):
        [size] = struct.unpack_from(">I", content, at)
        yield content[at + 4 : at + 8], content[at + 8 : at + size]
        at += size


def _with_moov(video: bytes, moov: list[tuple[bytes, bytes]]) -> bytes:
    """Careful: the box must be the last one, or nothing may be found after it."""
    rest = [(kind, content) for kind, content in boxes(video) if kind != b"moov"]
    changed = (b"moov", b"".join(box(kind, content) for kind, content in moov))
    return b"".join(box(kind, content) for kind, content in (*rest, changed))


def _moov(video: bytes) -> list[tuple[bytes, bytes]]:
    return list(boxes(dict(boxes(video))[b"moov"]))


def with_box(kind: bytes, content: bytes, *, inside: bytes = b"") -> bytes:
    """A video with one more box in its `moov`."""
    video, more = colors("v.mp4", (GREEN, 1)), (kind, content)
    if inside:
        more = (inside, box(*more))
    return _with_moov(video, [*_moov(video), more])


def too_short(name: str) -> bytes:
    """Green for 2 seconds and red for 20. Its header says that it lasts 1.5."""
    video = bytearray(colors(name, (GREEN, 2), (RED, 20)))
    if name.endswith("webm"):
        at = video.index(b"\x44\x89\x88") + 3
        video[at : at + 8] = struct.pack(">d", 1500)
        return bytes(video)
    at = video.index(b"mvhd")
    [whole_scale] = struct.unpack_from(">I", video, at + 16)
    for kind, offset in ((b"mvhd", 20), (b"tkhd", 24), (b"mdhd", 20)):
        at = video.index(kind)
        [scale] = struct.unpack_from(">I", video, at + 16)
        scale = whole_scale if kind == b"tkhd" else scale
        struct.pack_into(">I", video, at + offset, int(scale * 1.5))
    return bytes(video)


def with_wrong_index() -> bytes:
    """Red for 18 of 22 seconds. Its index leads from anywhere to the end."""
    limit = ("-cluster_time_limit", "1000")
    video = colors("v.webm", (GREEN, 2), (RED, 18), (GREEN, 2), more=limit)
    start = video.index(b"\x1c\x53\xbb\x6b")
    positions = re.findall(rb"\xf1\x82..", video[start:], re.DOTALL)
    index = re.sub(rb"\xf1\x82..", lambda _: positions[-1], video[start:], flags=re.DOTALL)
    assert len(set(positions)) > 5
    return video[:start] + index


def almost_still() -> bytes:
    """Of three pictures: the red one is shown for all but the first and the last moment."""
    chosen = "[v]select='eq(n,0)+eq(n,1)+eq(n,199)'"
    shown = f"color={GREEN}:160x120:rate=10:d=0.1[a];color={RED}:160x120:rate=10:d=19.8[b];"
    shown += f"color={GREEN}:160x120:rate=10:d=0.1[c];[a][b][c]concat=n=3[v];{chosen}"
    return made("v.webm", "-filter_complex", shown, "-vsync", "vfr", "-c:v", "libvpx")


def partly_damaged() -> bytes:
    """Nothing after the first 2 of 22 seconds can be read."""
    video = made("v.mp4", *pictures("320x240", 22), *_VP9)
    at = video.index(b"mdat") + 4
    end = at + len(dict(boxes(video))[b"mdat"])
    start = at + (end - at) // 9
    return video[:start] + bytes(end - start) + video[end:]


def cut() -> bytes:
    """Green for 4 seconds. Before that it is red, which an edit list leaves out."""
    video = bytearray(colors("v.mp4", (RED, 4), (GREEN, 4)))
    at, header = video.index(b"elst"), video.index(b"mdhd")
    [scale] = struct.unpack_from(">I", video, header + 16)
    [whole_scale] = struct.unpack_from(">I", video, video.index(b"mvhd") + 16)
    struct.pack_into(">II", video, at + 12, 4 * whole_scale, 4 * scale)
    return bytes(video)


def video_as_chapters() -> bytes:
    """Red. Its sound says that the pictures are those of its chapters."""
    shown = ("-f", "lavfi", "-i", f"color={RED}:160x120:rate=10:d=2", *tone(2))
    video = made("v.mp4", *shown, *_H264, "-c:a", "aac")
    return _with_moov(video, [_with_chapters(kind, one) for kind, one in _moov(video)])


def _with_chapters(kind: bytes, content: bytes) -> tuple[bytes, bytes]:
    if kind != b"trak" or b"soun" not in content:
        return kind, content
    reference = box(b"tref", box(b"chap", struct.pack(">I", 1)))
    return kind, content + reference


@cache
def with_cover_first() -> bytes:
    """Red, with a green cover as its first stream."""
    shown = ("-f", "lavfi", "-i", f"color={RED}:160x120:rate=10:d=2")
    cover = ("-f", "lavfi", "-i", f"color={GREEN}:320x240:rate=1:d=1")
    both = ("-map", "0", "-map", "1", *_H264, "-c:v:1", "mjpeg", "-frames:v:1", "1")
    video = made("v.mp4", *shown, *cover, *both, "-disposition:v:1", "attached_pic")
    order = {b"mvhd": 0, b"udta": 1}
    return _with_moov(video, sorted(_moov(video), key=lambda one: order.get(one[0], 2)))


def with_two_tracks(name: str) -> bytes:
    """Green, and red, which players choose."""
    both = [("-f", "lavfi", "-i", f"color={one}:160x120:rate=10:d=2") for one in (GREEN, RED)]
    chosen = ("-disposition:v:0", "0", "-disposition:v:1", "default")
    codec = ("-c:v", "libvpx") if name.endswith("webm") else _H264
    return made(name, *both[0], *both[1], "-map", "0", "-map", "1", *codec, *chosen)


def _with_file(name: str, content: bytes, file: str, *arguments: str) -> bytes:
    """`FILE` in the arguments is the path of a file with this content."""
    with TemporaryDirectory() as folder:
        path = Path(folder, file)
        path.write_bytes(content)
        return made.__wrapped__(name, *(str(path) if one == "FILE" else one for one in arguments))


def with_places_in_subtitles(name: str, *more: str, inputs: tuple[str, ...] = ()) -> bytes:
    """As drones write them."""
    said = b"1\n00:00:00,000 --> 00:00:01,000\n" + SAID_PLACE + b"\n"
    codec = "mov_text" if name.endswith("mp4") else "srt"
    arguments = (*pictures(), "-i", "FILE", *inputs, *_H264, "-c:s", codec, *more)
    return _with_file(name, said, "s.srt", *arguments)


def that_cannot_be_copied() -> bytes:
    """With subtitles, and with a sound that ffmpeg writes to QuickTime but to no MP4."""
    more = ("-map", "0", "-map", "1", "-map", "2", "-c:a", "pcm_s16le", "-f", "mov")
    video = with_places_in_subtitles("v.mp4", *more, inputs=tone())
    return video.replace(b"ftypqt  ", b"ftypisom", 1)


def song_with_photo(name: str) -> bytes:
    both = ("-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic")
    return _with_file(name, jpeg_with_place(), "p.jpg", *tone(), "-i", "FILE", *both)


def video_with_attachment() -> bytes:
    attached = ("-attach", "FILE", "-metadata:s:t", "mimetype=image/jpeg")
    return _with_file("v.mkv", jpeg_with_place(), "p.jpg", *pictures(), *_H264, *attached)


def wav_with_chunk(kind: bytes) -> bytes:
    content = b"<LOCATION>" + SAID_PLACE + b"</LOCATION>"
    content += b" " * (len(content) % 2)
    wav = made("s.wav", *tone()) + kind + struct.pack("<I", len(content)) + content
    return wav[:4] + struct.pack("<I", len(wav) - 8) + wav[8:]


def song_with_xmp() -> bytes:
    """In a private frame of its ID3."""
    content = b"XMP\0<x:xmpmeta><exif:GPSLatitude>" + SAID_PLACE + b"</exif:GPSLatitude>"
    frame = b"PRIV" + struct.pack(">I", len(content)) + b"\0\0" + content
    size = bytes(len(frame) >> bits & 127 for bits in (21, 14, 7, 0))
    bare = made("s.mp3", *tone(), "-id3v2_version", "0", "-write_xing", "0")
    return b"ID3\x03\0\0" + size + frame + bare
