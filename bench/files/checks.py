"""How long it takes until a photo and a video are ready, from the first byte of the upload."""

import hashlib
import io
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
from PIL import Image

from bench.files.client import FilesClient

WIDTH, HEIGHT = 4000, 3000
"""12 megapixels."""
_EXIF_ORIENTATION = 0x0112


def photo(number: int) -> bytes:
    """A JPEG of about 4 MB with the texture of a photograph, taken with the phone on its side."""
    random = numpy.random.default_rng(number)
    small = random.integers(0, 256, (HEIGHT // 50, WIDTH // 50, 3), dtype=numpy.uint8)
    picture = Image.fromarray(small).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    grain = random.integers(-12, 13, (HEIGHT, WIDTH, 1), dtype=numpy.int16)
    pixels = numpy.clip(numpy.asarray(picture, dtype=numpy.int16) + grain, 0, 255)
    exif = Image.Exif()
    exif[_EXIF_ORIENTATION] = 6
    file = io.BytesIO()
    Image.fromarray(pixels.astype(numpy.uint8)).save(file, "JPEG", quality=85, exif=exif)
    return file.getvalue()


def video(seconds: int = 10) -> bytes | None:
    """A clip of 720p with sound; None without ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        subprocess.run(
            [
                *(ffmpeg, "-v", "error", "-f", "lavfi"),
                *("-i", f"testsrc2=size=1280x720:rate=30:duration={seconds}"),
                *("-f", "lavfi", "-i", f"sine=duration={seconds}"),
                *("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"),
                *("-c:a", "aac", "-shortest", str(path)),
            ],
            check=True,
        )
        return path.read_bytes()


def ready_seconds(client: FilesClient, name: str, content: bytes) -> float:
    """Uploads the file, and waits until it is ready."""
    digest = hashlib.sha256(content).hexdigest()
    begun = time.perf_counter()
    file = client.upload(name, content, digest)
    client.wait_until_ready(file)
    took = time.perf_counter() - begun
    client.delete(file)
    return took
