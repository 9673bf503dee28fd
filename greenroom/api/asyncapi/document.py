"""The AsyncAPI 3.0 document of the socket, from the two unions in `ws/frames.py`.

It describes the server: an operation that it `receive`s is what a client sends. What one would get
wrong: a frame is known by its `type` on the wire, a schema by the name of its class.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias, get_args

import msgspec
from litestar import MediaType, Request, Response, get

from greenroom import __version__
from greenroom.api import auth, cached_document
from greenroom.api.asyncapi.descriptions import CLOSE_CODES, about, about_fields
from greenroom.api.asyncapi.examples import EXAMPLES
from greenroom.api.errors import ProblemDocument
from greenroom.api.messaging.rest.inbox import Changes
from greenroom.api.openapi.limits import limited
from greenroom.api.openapi.properties import property_of
from greenroom.api.ws import frames
from greenroom.api.ws.publish import encode
from greenroom.api.ws.transport import MOST_BYTES, PATH, PROTOCOL

Kind: TypeAlias = type[frames.Frame]
Json: TypeAlias = dict[str, Any]

REQUESTS: tuple[Kind, ...] = get_args(frames.Request)
ANSWERS: tuple[Kind, ...] = (frames.Ack, frames.Problem)
EVENTS: tuple[Kind, ...] = get_args(frames.Event)
FRAMES = (*REQUESTS, *ANSWERS, *EVENTS)

_SCHEMAS = "#/components/schemas/"
_CHANNEL = {"$ref": "#/channels/socket"}
_NARROWER: Mapping[tuple[Kind, str], type] = {
    (frames.Problem, "problem"): ProblemDocument,
    (frames.Synced, "changes"): Changes,
}
"""Fields that are declared wider than they are, since they were made elsewhere."""

_ABOUT = f"""\
One stream of JSON text frames each way, at most {MOST_BYTES} bytes each. Every frame has a `type`.

The token comes in the first frame, `auth`, or in the handshake as a subprotocol, `bearer.` and the
token, beside `{PROTOCOL}`, which is the one that the server chooses. It is never in the URL. A
token in the handshake is answered by the `ack` of request 0.

A request with an `id` is answered once, by an `ack` or a `problem` with the same `id`, in whatever
order they are done. Whatever else comes is an event. After a break, `resume` with the last cursor
brings what was missed: `synced` as often as it takes, then its `ack`, then everything live."""

_TOKEN = (
    "In the first frame, `auth`, or in the handshake's `Sec-WebSocket-Protocol` as `bearer.` and "
    "the token. No header `Authorization` is read here."
)


def tag_of(kind: Kind) -> str:
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


@cache
def schemas() -> Json:
    """Of every frame and of what is in them, by the name of the class."""
    kinds = [*FRAMES, *_NARROWER.values()]
    refs, found = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS + "{name}")
    for kind, ref in zip(kinds, refs, strict=True):
        found[ref["$ref"].removeprefix(_SCHEMAS)].setdefault("description", about(kind))
    for (kind, field), shape in _NARROWER.items():
        found[kind.__name__]["properties"][field] = {"$ref": _SCHEMAS + shape.__name__}
    for kind in _structs(kinds):
        for field, text in about_fields(kind).items():
            _describe(found[kind.__name__]["properties"], field, text)
    for name, schema in found.items():
        for field, value in schema.get("properties", {}).items():
            known = property_of(name, field)
            if known is not None:
                limited(value, known)
            if known is not None and "description" not in value:
                _describe(schema["properties"], field, known.description)
    return found


@cache
def document() -> Json:
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Greenroom: the socket",
            "version": __version__,
            "description": _ABOUT,
            "license": {
                "name": "Apache-2.0",
                "url": "https://www.apache.org/licenses/LICENSE-2.0",
            },
        },
        "defaultContentType": "application/json",
        "servers": {
            "greenroom": {
                "host": "{host}",
                "protocol": "wss",
                "description": "Wherever REST is; `ws` where nothing ends TLS in front of it.",
                "variables": {"host": {"default": "127.0.0.1:8080"}},
                "security": [{"$ref": "#/components/securitySchemes/bearer"}],
            }
        },
        "channels": {"socket": _channel()},
        "operations": _operations(),
        "components": {
            "schemas": schemas(),
            "messages": {tag_of(kind): _message(kind) for kind in FRAMES},
            "correlationIds": {
                "id": {
                    "description": "The number that the client gave to its request.",
                    "location": "$message.payload#/id",
                }
            },
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": auth.SCHEME.bearer_format,
                    "description": _TOKEN,
                }
            },
        },
    }


@cache
def document_json() -> bytes:
    return msgspec.json.encode(document())


@get("/schema/asyncapi.json", include_in_schema=False, sync_to_thread=False)
def asyncapi_json(request: Request[Any, Any, Any]) -> Response[bytes]:
    return _rendered().answer(request)


@cache
def _rendered() -> cached_document.CachedDocument:
    return cached_document.document(document_json(), MediaType.JSON)


def _channel() -> Json:
    return {
        "address": PATH,
        "title": "The socket",
        "description": "Refused in the handshake: `404` elsewhere, `503` with `Retry-After` while "
        "there is no room. `x-close-codes` says what each code means, and what to do then.",
        "messages": {tag_of(kind): _ref("messages", tag_of(kind)) for kind in FRAMES},
        "bindings": {
            "ws": {
                "method": "GET",
                "headers": {
                    "type": "object",
                    "properties": {
                        "Sec-WebSocket-Protocol": {
                            "type": "string",
                            "description": f"`{PROTOCOL}`, and `bearer.` with the token.",
                            "examples": [f"{PROTOCOL}, bearer.eyJhbGciOi…"],
                        }
                    },
                },
                "bindingVersion": "0.1.0",
            }
        },
        "x-close-codes": {
            str(code): f"{why} {then}" for code, (why, then) in sorted(CLOSE_CODES.items())
        },
    }


def _operations() -> Json:
    taken = {f"on{kind.__name__}": _taken(kind) for kind in REQUESTS}
    told = {f"tell{kind.__name__}": _operation("send", kind) for kind in _unasked()}
    return taken | told


def _unasked() -> list[Kind]:
    """What the server says by itself; `synced` only ever comes before the answer to `resume`."""
    told: tuple[Kind, ...] = (*EVENTS, frames.Problem)
    return [kind for kind in told if kind is not frames.Synced]


def _taken(kind: Kind) -> Json:
    operation = _operation("receive", kind)
    if is_numbered(kind):
        operation["reply"] = {"channel": _CHANNEL, "messages": _on_channel(answers_to(kind))}
    return operation


def _operation(action: str, kind: Kind) -> Json:
    return {
        "action": action,
        "channel": _CHANNEL,
        "summary": about(kind),
        "messages": _on_channel([kind]),
    }


def is_numbered(kind: Kind) -> bool:
    return "id" in kind.__struct_fields__


def answers_to(kind: Kind) -> tuple[Kind, ...]:
    return (*ANSWERS, frames.Synced) if kind is frames.Resume else ANSWERS


def _message(kind: Kind) -> Json:
    message: Json = {
        "name": tag_of(kind),
        "title": kind.__name__,
        "summary": about(kind),
        "contentType": "application/json",
        "payload": {"$ref": _SCHEMAS + kind.__name__},
        "examples": [
            {"name": example.name, "payload": msgspec.json.decode(encode(example.frame))}
            for example in EXAMPLES[kind]
        ],
    }
    if is_numbered(kind):
        message["correlationId"] = _ref("correlationIds", "id")
    return message


def _on_channel(kinds: Iterable[Kind]) -> list[Json]:
    return [{"$ref": f"#/channels/socket/messages/{tag_of(kind)}"} for kind in kinds]


def _ref(place: str, name: str) -> Json:
    return {"$ref": f"#/components/{place}/{name}"}


def _structs(kinds: Iterable[type]) -> list[type]:
    """These and all structs that are in them."""
    found: dict[type, None] = {}
    waiting: list[Any] = list(kinds)
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            if kind not in found:
                found[kind] = None
                waiting += [field.type for field in msgspec.structs.fields(kind)]
        else:
            waiting += get_args(kind)
    return list(found)


def _describe(properties: Json, field: str, text: str) -> None:
    """What stands beside a `$ref` is not read."""
    schema = properties[field]
    properties[field] = (
        {"allOf": [schema], "description": text}
        if "$ref" in schema
        else schema | {"description": text}
    )
