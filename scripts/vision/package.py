"""Reads the model out of the npm package nsfwjs: its layers, its weights and its licence."""

import base64
import json
import subprocess
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scripts.engines.requirements import Unavailable, command, npm_package

PACKAGE = "nsfwjs"
_MODEL = "dist/models/mobilenet_v2"
_PRINT = """
const [model, weights] = process.argv.slice(1).map((path) => require(path));
process.stdout.write(JSON.stringify({ model, weights }));
"""


class Layer(Struct, frozen=True):
    name: str
    kind: str
    config: dict[str, Any]
    inputs: tuple[str, ...]
    """The names of the layers before it."""


class Package(Struct, frozen=True):
    version: str
    license: str
    layers: tuple[Layer, ...]
    weights: dict[str, npt.NDArray[np.float32]]
    """By `layer/name`."""


def read_package() -> Package:
    node = command("node", debian="nodejs npm")
    folder = npm_package(PACKAGE)
    files = (folder / _MODEL / "model.min.js", folder / _MODEL / "group1-shard1of1.min.js")
    done = subprocess.run([node, "-e", _PRINT, *map(str, files)], capture_output=True, timeout=120)
    if done.returncode != 0:
        raise Unavailable(f"{PACKAGE} cannot be read: {done.stderr.decode()[-300:]}")
    printed = json.loads(done.stdout)
    topology = printed["model"]["modelTopology"]["model_config"]["config"]
    [manifest] = printed["model"]["weightsManifest"]
    return Package(
        version=json.loads((folder / "package.json").read_text())["version"],
        license=(folder / "LICENSE").read_text(),
        layers=tuple(map(_layer, topology["layers"])),
        weights=_weights(manifest["weights"], base64.b64decode(printed["weights"])),
    )


def _layer(shown: dict[str, Any]) -> Layer:
    nodes = shown["inbound_nodes"]
    inputs = tuple(name for name, *_ in nodes[0]) if nodes else ()
    return Layer(shown["name"], shown["class_name"], shown["config"], inputs)


def _weights(manifest: list[dict[str, Any]], data: bytes) -> dict[str, npt.NDArray[np.float32]]:
    """One byte for each weight: value = byte * scale + min."""
    found: dict[str, npt.NDArray[np.float32]] = {}
    at = 0
    for one in manifest:
        shape, quantization = one["shape"], one["quantization"]
        assert quantization["dtype"] == "uint8"
        size = int(np.prod(shape))
        values = np.frombuffer(data, np.uint8, size, at).astype(np.float64)
        values = values * quantization["scale"] + quantization["min"]
        found[one["name"]] = values.astype(np.float32).reshape(shape)
        at += size
    assert at == len(data)
    return found
