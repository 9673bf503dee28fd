"""Videos and sounds for the tests, made by ffmpeg when they are needed."""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from scripts.engines.media_programs import media_program
from scripts.engines.requirements import Unavailable

PLACE = "+52.4975+013.2411/"
_PICTURES = "testsrc2=size={size}:rate=25:duration={seconds}"
_TONE = "sine=frequency=440:duration={seconds}"


def ffmpeg() -> str:
    return _program("ffmpeg")


def _program(name: str) -> str:
    try:
        return media_program(name)
    except Unavailable as reason:
        pytest.skip(str(reason))


@cache
def made(name: str, *arguments: str) -> bytes:
    """What ffmpeg writes to a file of this name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        argv = (ffmpeg(), "-v", "error", "-y", *arguments, str(path))
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, timeout=120)
        return path.read_bytes()


def pictures(size: str = "320x240", seconds: float = 1) -> tuple[str, ...]:
    return ("-f", "lavfi", "-i", _PICTURES.format(size=size, seconds=seconds))


def tone(seconds: float = 1) -> tuple[str, ...]:
    return ("-f", "lavfi", "-i", _TONE.format(seconds=seconds))


def video(seconds: float = 1, size: str = "320x240", *more: str) -> bytes:
    codecs = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac")
    return made("v.mp4", *pictures(size, seconds), *tone(seconds), *codecs, *more)


def video_with_place(name: str = "v.mp4") -> bytes:
    codecs = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    return made(name, *pictures(), *codecs, "-metadata", f"location={PLACE}")


def silent_video() -> bytes:
    return made("v.mp4", *pictures(), "-c:v", "libx264", "-pix_fmt", "yuv420p", "-an")


def sideways_video() -> bytes:
    """320 x 240, to be shown turned by 90 degrees."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "v.mp4")
        source.write_bytes(silent_video())
        turned = ("-c", "copy", "-metadata:s:v:0", "rotate=90")
        return made("t.mp4", "-i", str(source), *turned)


def browser_video() -> bytes:
    """As MediaRecorder writes it: without saying how long it is."""
    codecs = ("-c:v", "libvpx", "-b:v", "300k", "-c:a", "libopus")
    return _live("webm", *pictures(), *tone(), *codecs)


def voice_note() -> bytes:
    """As MediaRecorder writes it."""
    return _live("webm", *tone(2), "-c:a", "libopus")


def _live(format: str, *arguments: str) -> bytes:
    argv = (ffmpeg(), "-v", "error", *arguments, "-f", format, "-live", "1", "pipe:1")
    done = subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return done.stdout


def sound(name: str, seconds: float = 2, *more: str) -> bytes:
    return made(name, *tone(seconds), *more)


def song_with_cover() -> bytes:
    cover = ("-f", "lavfi", "-i", "color=red:size=64x64:duration=0.04:rate=25")
    both = ("-map", "0:a", "-map", "1:v", "-frames:v", "1", "-c:v", "png")
    return made("s.mp3", *tone(), *cover, *both, "-disposition:v", "attached_pic")


def heic(picture: bytes) -> bytes:
    """From a JPEG."""
    program = _program("heif-enc")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "p.jpg"), Path(folder, "p.heic")
        source.write_bytes(picture)
        subprocess.run((program, "-o", str(target), str(source)), check=True, capture_output=True)
        return target.read_bytes()


PLAYLISTS = {
    "hls": b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10.0,\n{target}\n#EXT-X-ENDLIST\n",
    "ffconcat": b"ffconcat version 1.0\nfile '{target}'\n",
    "concat": b"file '{target}'\n",
    "sdp": b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n"
    b"m=video 5004 RTP/AVP 96\n",
    "dash": b'<?xml version="1.0"?><MPD><Period><BaseURL>{target}</BaseURL></Period></MPD>',
    "asx": b'<asx version="3.0"><entry><ref href="{target}"/></entry></asx>',
}


def playlist(kind: str, target: str) -> bytes:
    return PLAYLISTS[kind].replace(b"{target}", target.encode())


def playlist_in_disguise(target: str) -> bytes:
    """Begins like an MP4, and goes on as a playlist."""
    return b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\n" + playlist("hls", target)
