"""Files for the browser tests: a picture, a clip, a PDF. Made once, small and recognisable."""

import shutil
import subprocess
from pathlib import Path

from PIL import Image, ImageDraw


def picture(path: Path, *, size: tuple[int, int] = (900, 600), tone: str = "#c96f4a") -> Path:
    image = Image.new("RGB", size, tone)
    draw = ImageDraw.Draw(image)
    width, height = size
    draw.ellipse((width * 0.6, height * 0.1, width * 0.8, height * 0.4), fill="#ffe9c2")
    draw.polygon([(0, height), (width * 0.4, height * 0.45), (width, height)], fill="#2e4a62")
    image.save(path)
    return path


def pdf(path: Path) -> Path:
    page = Image.new("RGB", (600, 800), "white")
    ImageDraw.Draw(page).rectangle((60, 60, 540, 120), fill="#24221e")
    page.save(path, "PDF")
    return path


def has_ffmpeg() -> bool:
    return shutil.which("ffmpeg") is not None


def clip(path: Path, *, seconds: int = 2) -> Path:
    sources = ("-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=12:duration={seconds}")
    options = ("-pix_fmt", "yuv420p", "-loglevel", "error", "-y")
    subprocess.run(["ffmpeg", *sources, *options, str(path)], check=True, timeout=60)
    return path
