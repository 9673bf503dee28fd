"""The rater process: reads pictures from its input, and writes what the model sees to its output.

It has one thread, so that it takes one core at most. It ends when its input ends, and with its
parent. Once it has the model it opens no other files and has no network, where the kernel can
forbid it (`isolation.py`).
"""

import signal
import sys
from typing import BinaryIO

import msgspec
import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from greenroom.files.decoder import isolation
from greenroom.files.rater import LABELS, PIXEL_BYTES, SIDE

_MEMORY_BYTES = 3_000_000_000
"""Of address space."""
_WITHOUT_END = 1_000_000_000
_ERRORS = 3


def main(parent: int, model: str) -> None:
    isolation.end_with_parent(parent)
    isolation.leave_network()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    isolation.limit(memory_bytes=_MEMORY_BYTES, cpu_seconds=_WITHOUT_END, file_bytes=0)
    session = _session(model)
    isolation.drop_privileges()
    answer_pictures(session, sys.stdin.buffer, sys.stdout.buffer)


def answer_pictures(
    session: onnxruntime.InferenceSession, pictures: BinaryIO, answers: BinaryIO
) -> None:
    while len(pixels := pictures.read(PIXEL_BYTES)) == PIXEL_BYTES:
        answers.write(msgspec.json.encode(_labels(session, pixels)) + b"\n")
        answers.flush()


def _session(model: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _labels(session: onnxruntime.InferenceSession, pixels: bytes) -> dict[str, float]:
    picture = np.frombuffer(pixels, np.uint8).reshape(1, SIDE, SIDE, 3)
    [[probabilities]] = session.run(None, {"pixels": picture})
    return {
        label: round(float(probability), 4)
        for label, probability in zip(LABELS, probabilities, strict=True)
    }
