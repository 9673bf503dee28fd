"""Invalid JSON is refused with a clear message over REST and the socket, never a 500."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from greenroom.api.ws import frames
from greenroom.app import REGISTRY
from tests.api.populated import populate
from tests.api.test_route_access import BODIES
from tests.api.world import api_world_on
from tests.socket.node import CAST, serving
from tests.socket.raw_client import TEXT
from tests.stores import SQLITE
from tests.world import UNLIMITED

_ODD = [
    "null",
    "true",
    "[]",
    "{}",
    '""',
    "0",
    "-1",
    "1e308",
    "1e999",
    "9" * 30,
    "9" * 5000,
    "[[1]]",
]
_WHOLE = [*_ODD, "", "{", "nonsense", '{"a"', "\ufeff{}", "[" * 5000 + "]" * 5000, "NaN"]


def _invalid_variants(fields: dict[str, Any]) -> dict[str, list[str]]:
    """Invalid variants of the JSON, by what is wrong with them."""
    if not fields:
        return {"an unknown field": ['{"nobodyKnows": 1}']}
    text = json.dumps(fields)
    first = json.dumps(next(iter(fields)))
    again = f"{{{first}: {json.dumps(next(iter(fields.values())))}, {text[1:]}"
    others = [_with(fields, name, odd) for name in fields for odd in _ODD]
    return {
        "a key twice": [again],
        "an unknown field": [f'{text[:-1]}, "nobodyKnows": 1}}'],
        "another value": others,
    }


def _with(fields: dict[str, Any], name: str, value: str) -> str:
    parts = (
        f"{json.dumps(key)}: {value if key == name else json.dumps(old)}"
        for key, old in fields.items()
    )
    return f"{{{', '.join(parts)}}}"


async def test_every_invalid_body_is_refused(tmp_path: Path) -> None:
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db", UNLIMITED) as world:
        populated = await populate(world)
        tried = 0
        for route, body in BODIES.items():
            for caller in ("moderator" if "moderation" in route else "member", "bare service"):
                method, _, path = route.partition(" ")
                fields: Any = body(populated, caller)
                texts = _invalid_variants(fields) | {"no object": _WHOLE}
                for wrong, bodies in texts.items():
                    for text in bodies:
                        answer = await world.client.request(
                            method,
                            populated.filled(caller, path, missing=False),
                            headers=populated.headers(caller)
                            | {"Content-Type": "application/json"},
                            content=text.encode(),
                        )
                        assert answer.status_code < 500, (route, wrong, text[:80], answer.text)
                        if wrong in ("a key twice", "an unknown field"):
                            assert answer.status_code in (400, 403), (route, wrong, answer.text)
                            tried += answer.status_code == 400
        assert tried > 20


@pytest.mark.parametrize("kind", REGISTRY.requests, ids=lambda kind: kind.__name__)
async def test_every_invalid_frame_is_refused(tmp_path: Path, kind: type[frames.Frame]) -> None:
    async with serving(tmp_path, most_invalid=10**6) as node:
        await node.join(*CAST)
        raw = await node.raw("ana")
        example = msgspec.json.decode(
            msgspec.json.encode(REGISTRY.requests[kind].examples[0].frame)
        )
        for wrong, texts in (_invalid_variants(example) | {"no object": _WHOLE}).items():
            for text in texts:
                raw.send(TEXT, text.encode())
                raw.text({"type": "ping", "id": 999})
                while (frame := await raw.frame()).get("id") != 999:
                    problem = frame.get("problem", {})
                    assert problem.get("status", 0) < 500, (wrong, text[:80], frame)
                    if wrong in ("a key twice", "an unknown field"):
                        assert problem["type"] == "/problems/invalid-frame", (wrong, frame)
                        wrong = f"{wrong}, and it was told"
                if wrong in ("a key twice", "an unknown field"):
                    pytest.fail(f"{kind.__name__} with {wrong} was taken: {text}")
        raw.abort()
