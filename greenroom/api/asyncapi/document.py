"""The AsyncAPI 3.0 document of the socket, built from the registered requests and events.

It describes the server, so an operation with the action `receive` is a frame that clients send. A
message is named after the frame's `type`, a schema after its class.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias, get_args

import msgspec
from litestar import MediaType, Request, Response, get
from litestar.handlers import HTTPRouteHandler

from greenroom import __version__
from greenroom.api import auth, cached_document
from greenroom.api.asyncapi.descriptions import CLOSE_CODES, about, about_fields
from greenroom.api.openapi.limits import limited
from greenroom.api.problem_table import ProblemDocument
from greenroom.api.registry import Example, Registry
from greenroom.api.ws import frames
from greenroom.api.ws.encode import encode
from greenroom.api.ws.frames import Ack, Frame
from greenroom.api.ws.transport import MOST_BYTES, PATH, PROTOCOL
from greenroom.people.access import NoAccount

Kind: TypeAlias = type[Frame]
Json: TypeAlias = dict[str, Any]

_SCHEMAS = "#/components/schemas/"
_CHANNEL = {"$ref": "#/channels/socket"}

_ABOUT = f"""\
Client and server exchange JSON text frames of at most {MOST_BYTES} bytes. Every frame has a `type`.

Send the token in the first frame, `auth`, or in the handshake as the subprotocol `bearer.` followed
by the token, together with `{PROTOCOL}`, which the server selects. Never put it into the URL. The
server answers a token in the handshake with the `ack` of request 0.

Each request with an `id` gets one answer, an `ack` or a `problem` with the same `id`. Answers come
in the order in which requests complete. All other frames are events. After a lost connection, send
`resume` with the last cursor: the server sends what you missed in one or more `synced` frames, then
the `ack`, then live events."""

_TOKEN = (
    "In the first frame, `auth`, or in the handshake's `Sec-WebSocket-Protocol` as `bearer.` "
    "followed by the token. The socket ignores the header `Authorization`."
)


class AsyncApi:
    """The document and its parts."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.requests: tuple[Kind, ...] = tuple(registry.requests)
        acks: list[Kind] = [Ack, *(one.ack for one in registry.requests.values())]
        self.answers: tuple[Kind, ...] = (*dict.fromkeys(acks), frames.Problem)
        self.events: tuple[Kind, ...] = (*registry.events, frames.Synced)
        self.frames = (*self.requests, *self.answers, *self.events)
        self._narrower: Mapping[tuple[Kind, str], type] = {
            (frames.Problem, "problem"): ProblemDocument,
            (frames.Synced, "changes"): registry.changes,
        }
        """Fields whose declared type is wider than their real one."""

    @cached_property
    def examples(self) -> Mapping[Kind, tuple[Example, ...]]:
        found: dict[Kind, tuple[Example, ...]] = {Ack: (Example("done", Ack(9)),)}
        for request in self._registry.requests.values():
            found[request.frame] = request.examples
            if request.ack is not Ack:
                found[request.ack] = found.get(request.ack, ()) + request.ack_examples
        for event in self._registry.events.values():
            found[event.frame] = event.examples
        table = self._registry.problems
        problem = table.document_of(table.example_of(NoAccount))
        found[frames.Problem] = (Example("refused", frames.Problem(problem, 2)),)
        synced = frames.Synced(11, self._registry.changes_example)
        found[frames.Synced] = (Example("a page", synced),)
        return found

    @cached_property
    def schemas(self) -> Json:
        """The schemas of all frames and nested structs, by class name."""
        kinds = [*self.frames, *self._narrower.values()]
        refs, found = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS + "{name}")
        for kind, ref in zip(kinds, refs, strict=True):
            found[ref["$ref"].removeprefix(_SCHEMAS)].setdefault("description", about(kind))
        for (kind, field), shape in self._narrower.items():
            found[kind.__name__]["properties"][field] = {"$ref": _SCHEMAS + shape.__name__}
        for kind in _structs(kinds):
            for field, text in about_fields(kind).items():
                _describe(found[kind.__name__]["properties"], field, text)
        for name, schema in found.items():
            for field, value in schema.get("properties", {}).items():
                known = self._registry.property_of(name, field)
                if known is not None:
                    limited(value, known)
                if known is not None and "description" not in value:
                    _describe(schema["properties"], field, known.description)
        return found

    @cached_property
    def document(self) -> Json:
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
                    "description": "The same host as REST; `ws` without a TLS proxy.",
                    "variables": {"host": {"default": "127.0.0.1:8080"}},
                    "security": [{"$ref": "#/components/securitySchemes/bearer"}],
                }
            },
            "channels": {"socket": self._channel()},
            "operations": self._operations(),
            "components": {
                "schemas": self.schemas,
                "messages": {name_of(kind): self._message(kind) for kind in self.frames},
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

    @cached_property
    def json(self) -> bytes:
        return msgspec.json.encode(self.document)

    def _channel(self) -> Json:
        return {
            "address": PATH,
            "title": "The socket",
            "description": "The handshake fails with `404` at another path, and with `503` and "
            "`Retry-After` while the server is full. `x-close-codes` lists what each code means "
            "and what to do.",
            "messages": {name_of(kind): _ref("messages", name_of(kind)) for kind in self.frames},
            "bindings": {
                "ws": {
                    "method": "GET",
                    "headers": {
                        "type": "object",
                        "properties": {
                            "Sec-WebSocket-Protocol": {
                                "type": "string",
                                "description": f"`{PROTOCOL}`, and `bearer.` plus the token.",
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

    def _operations(self) -> Json:
        taken = {f"on{kind.__name__}": self._taken(kind) for kind in self.requests}
        # The server sends `synced` only before the ack of `resume`.
        events: tuple[Kind, ...] = (*self.events, frames.Problem)
        unasked = [kind for kind in events if kind is not frames.Synced]
        return taken | {f"tell{kind.__name__}": _operation("send", kind) for kind in unasked}

    def _taken(self, kind: Kind) -> Json:
        operation = _operation("receive", kind)
        if is_numbered(kind):
            messages = _on_channel(self.answers_to(kind))
            operation["reply"] = {"channel": _CHANNEL, "messages": messages}
        return operation

    def answers_to(self, kind: Kind) -> tuple[Kind, ...]:
        answers: tuple[Kind, ...] = (self._registry.requests[kind].ack, frames.Problem)
        return (*answers, frames.Synced) if kind is frames.Resume else answers

    def _message(self, kind: Kind) -> Json:
        message: Json = {
            "name": name_of(kind),
            "title": kind.__name__,
            "summary": about(kind),
            "contentType": "application/json",
            "payload": {"$ref": _SCHEMAS + kind.__name__},
            "examples": [
                {"name": example.name, "payload": msgspec.json.decode(encode(example.frame))}
                for example in self.examples[kind]
            ],
        }
        if is_numbered(kind):
            message["correlationId"] = _ref("correlationIds", "id")
        return message


def asyncapi_route(registry: Registry) -> HTTPRouteHandler:
    rendered: list[cached_document.CachedDocument] = []

    @get("/schema/asyncapi.json", include_in_schema=False, sync_to_thread=False)
    def asyncapi_json(request: Request[Any, Any, Any]) -> Response[bytes]:
        if not rendered:
            body = AsyncApi(registry).json
            rendered.append(cached_document.document(body, MediaType.JSON))
        return rendered[0].answer(request)

    return asyncapi_json


def tag_of(kind: Kind) -> str:
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def name_of(kind: Kind) -> str:
    """The frame's `type`; for an ack with its own fields, `ack.send` and so on."""
    if issubclass(kind, Ack) and kind is not Ack:
        return f"ack.{kind.__name__.removesuffix('Ack').lower()}"
    return tag_of(kind)


def is_numbered(kind: Kind) -> bool:
    return "id" in kind.__struct_fields__


def _operation(action: str, kind: Kind) -> Json:
    return {
        "action": action,
        "channel": _CHANNEL,
        "summary": about(kind),
        "messages": _on_channel([kind]),
    }


def _on_channel(kinds: Iterable[Kind]) -> list[Json]:
    return [{"$ref": f"#/channels/socket/messages/{name_of(kind)}"} for kind in kinds]


def _ref(place: str, name: str) -> Json:
    return {"$ref": f"#/components/{place}/{name}"}


def _structs(kinds: Iterable[type]) -> list[type]:
    """These structs and all structs nested in them."""
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
    """Wraps a `$ref`, because tools ignore keys beside it."""
    schema = properties[field]
    properties[field] = (
        {"allOf": [schema], "description": text}
        if "$ref" in schema
        else schema | {"description": text}
    )
