"""Builds the model once, also where several test runs want it at once."""

import fcntl
import hashlib
import os
from pathlib import Path

from greenroom.files.vision.model import MODEL
from scripts.engines.requirements import LOCK

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_VERSION = MODEL.with_name("version")


def build() -> Path:
    """The path of the model. Raises `Unavailable` where it cannot be built."""
    version = _version()
    if not _is_built(version):
        MODEL.parent.mkdir(parents=True, exist_ok=True)
        with MODEL.with_name("lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            if not _is_built(version):
                _write(version)
    return MODEL


def _version() -> str:
    """Of the package and of the code that converts it."""
    digest = hashlib.sha256(LOCK.read_bytes())
    for source in _SOURCES:
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _is_built(version: str) -> bool:
    return MODEL.exists() and _VERSION.exists() and _VERSION.read_text() == version


def _write(version: str) -> None:
    # Imported where they are used: what is built already needs no onnx.
    from scripts.vision.graph import onnx_model
    from scripts.vision.package import read_package

    unfinished = MODEL.with_suffix(".unfinished")
    unfinished.write_bytes(onnx_model(read_package()).SerializeToString(deterministic=True))
    os.replace(unfinished, MODEL)
    _VERSION.write_text(version)
