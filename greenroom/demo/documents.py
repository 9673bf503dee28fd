"""Makes the other files of the demo: a PDF, a table, a voice note and a clip."""

import math
import shutil
import subprocess
import tempfile
import wave
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image

from greenroom.demo.pictures import COAST

_RATE = 16_000
_CLIP_SECONDS, _CLIP_RATE = 5, 12
_CLIP_SIZE = 640, 360
_FFMPEG_SECONDS = 30

CALL_TIMES = (
    b"who,day,call,place\r\nMaya,Thursday,16:30,Terrace\r\nLena,Thursday,15:30,Terrace\r\n"
    b"Mateo,Thursday,16:00,Terrace\r\nMaya,Friday,10:00,Studio Nord\r\n"
)

_SHOTS = (
    ("Thursday, from 16:30", ()),
    ("1", ("Terrace, wide", "linen coat, wind from the left")),
    ("2", ("Terrace, close", "boots and hem, low camera")),
    ("3", ("Lake path", "walking, back light, three takes")),
    ("Friday, from 10:00", ()),
    ("4", ("Studio, window", "portrait, daylight only")),
    ("5", ("Studio, paper", "full length, knitwear")),
    ("6", ("Studio, window", "close-up, hands and sleeve")),
)


def shot_list() -> bytes:
    """A PDF of one page, with text that can be selected."""
    lines = [_text(64, 760, 26, "Shot list", bold=True), _text(64, 734, 12, "Editorial in Lisbon")]
    y = 690
    for label, cells in _SHOTS:
        if not cells:
            lines.append(_text(64, y - 8, 13, label, bold=True))
            lines.append(f"0.75 w 64 {y - 18} m 531 {y - 18} l S")
        else:
            place, note = cells
            lines += [_text(64, y, 12, label), _text(96, y, 12, place), _text(250, y, 12, note)]
        y -= 34
    return _pdf("\n".join(lines).encode("latin-1"))


def _text(x: int, y: int, size: int, text: str, *, bold: bool = False) -> str:
    return f"BT /{'B' if bold else 'R'} {size} Tf {x} {y} Td ({text}) Tj ET"


def _pdf(content: bytes) -> bytes:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s >>"
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /R 5 0 R /B 6 0 R >> >> >>"
    )
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        font % b"",
        font % b"-Bold",
    )
    return _with_table(objects)


def _with_table(objects: Sequence[bytes]) -> bytes:
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start, count = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % count
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, start)
    return bytes(out)


def voice_note(seconds: int = 7) -> bytes:
    """A hummed melody, as WAV."""
    notes = (196.0, 220.0, 247.0, 294.0, 262.0, 220.0, 196.0)
    samples = bytearray()
    for at in range(_RATE * seconds):
        second = at / _RATE
        place = second / seconds * len(notes)
        envelope = math.sin(math.pi * (place % 1)) ** 0.6 * (0.55 + 0.45 * math.sin(second * 2.1))
        tone = math.sin(math.tau * notes[int(place)] * second)
        overtone = 0.3 * math.sin(math.tau * 2 * notes[int(place)] * second)
        samples += int(9000 * envelope * (tone + overtone)).to_bytes(2, "little", signed=True)
    out = BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_RATE)
        sound.writeframes(bytes(samples))
    return out.getvalue()


def clip() -> bytes | None:
    """A slow pan along the coast, as MP4. None where ffmpeg is not installed, or cannot do it."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        return None
    width, height = _CLIP_SIZE
    source = (*("-f", "rawvideo", "-pix_fmt", "rgb24"), *("-s", f"{width}x{height}"))
    rate = ("-r", str(_CLIP_RATE))
    target = ("-pix_fmt", "yuv420p", "-movflags", "+faststart", "-loglevel", "error", "-y")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        argv = [ffmpeg, *source, *rate, "-i", "pipe:0", *target, str(path)]
        try:
            subprocess.run(argv, input=_frames(), check=True, timeout=_FFMPEG_SECONDS)
        except (subprocess.SubprocessError, OSError):
            return None
        return path.read_bytes()


def _frames() -> bytes:
    wide = Image.open(BytesIO(COAST())).convert("RGB").resize((960, 540))
    width, height = _CLIP_SIZE
    count = _CLIP_SECONDS * _CLIP_RATE
    frames = []
    for number in range(count):
        left = int((960 - width) * (0.5 - 0.5 * math.cos(math.pi * number / count)))
        frames.append(wide.crop((left, 120, left + width, 120 + height)).tobytes())
    return b"".join(frames)
