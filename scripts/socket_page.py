"""Writes docs/reference/socket.md: every frame with its fields, from the AsyncAPI document."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from greenroom.api.asyncapi.descriptions import CLOSE_CODES, about
from greenroom.api.asyncapi.document import AsyncApi, Json, Kind, is_numbered, name_of
from greenroom.app import REGISTRY

_SCHEMAS = "#/components/schemas/"
_API = AsyncApi(REGISTRY)


def socket_page() -> str:
    return "\n".join(_page())


def asyncapi_file() -> str:
    return json.dumps(_API.document, indent=2, ensure_ascii=False) + "\n"


def _page() -> Iterator[str]:
    yield "# The socket\n"
    yield f"{_API.document['info']['description']}\n"
    yield "[The guide](../guides/socket.md) shows how to use it. The same for programs, as AsyncAPI"
    yield "3.0, is [socket.json](socket.json), and `/schema/asyncapi.json` of a running server.\n"
    yield "Times are ISO 8601 in UTC. More fields, and more events, may come with any version: what"
    yield "a client does not know it passes over.\n"
    yield from _part("What a client sends", _API.requests)
    yield from _part("What the server answers", _API.answers)
    yield from _part("What the server tells", _API.events)
    yield "## What is in them\n"
    for name, schema in _others():
        yield f"### {name}\n"
        yield from _words(schema.get("description"))
        yield from _fields(schema)
    yield "## Why a socket is closed\n"
    yield "| code | because | then |\n| --- | --- | --- |"
    for code, (why, then) in sorted(CLOSE_CODES.items()):
        yield f"| {code} | {why} | {then} |"
    yield ""


def _part(title: str, kinds: Iterable[Kind]) -> Iterator[str]:
    yield f"## {title}\n"
    for kind in kinds:
        yield f"### {name_of(kind)}\n"
        yield from _words(about(kind))
        yield from _fields(_API.schemas[kind.__name__])
        if kind in _API.requests:
            yield f"{_answered(kind)}\n"
        yield "```json"
        for example in _API.document["components"]["messages"][name_of(kind)]["examples"]:
            yield json.dumps(example["payload"], ensure_ascii=False)
        yield "```\n"


def _answered(kind: Kind) -> str:
    if not is_numbered(kind):
        return "Not answered; where it is refused, a `problem` without `id` says so."
    first, *others = (f"`{name_of(answer)}`" for answer in _API.answers_to(kind))
    return (
        f"Answered with {first} or {others[0]}" + "".join(f", after {o}" for o in others[1:]) + "."
    )


def _others() -> Iterator[tuple[str, Json]]:
    frames = {kind.__name__ for kind in (*_API.requests, *_API.answers, *_API.events)}
    return ((name, schema) for name, schema in sorted(_API.schemas.items()) if name not in frames)


def _words(text: str | None) -> Iterator[str]:
    if text:
        yield f"{text}\n"


def _fields(schema: Json) -> Iterator[str]:
    if "enum" in schema:
        yield f"{_kind(schema)}\n"
        return
    properties = schema["properties"].items()
    fields = {name: field for name, field in properties if not _is_tag(name, field)}
    if fields:
        yield "| field | is | means |\n| --- | --- | --- |"
        for name, field in fields.items():
            shown = _kind(field) + _default(field, name in schema.get("required", ()))
            yield f"| `{name}` | {shown} | {field.get('description', '')} |"
        yield ""


def _is_tag(name: str, field: Json) -> bool:
    return name == "type" and len(field.get("enum", ())) == 1


def _kind(schema: Json) -> str:
    match schema:
        case {"$ref": ref}:
            return _link(ref.removeprefix(_SCHEMAS))
        case {"allOf": [one]}:
            return _kind(one)
        case {"anyOf": several}:
            return ", or ".join(_kind(one) for one in several)
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"type": "array", "items": items}:
            return f"a list{_at_most(schema, 'maxItems')} of: {_kind(items)}"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"an object{_at_most(schema, 'maxProperties')}, by name: {_kind(values)}"
        case {"type": "object"}:
            return "an object"
        case {"type": "string"}:
            return _text(schema)
        case {"type": "integer"}:
            return "whole number"
        case {"type": "number"}:
            return "number"
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "null"}:
            return "null"
        case _:
            raise ValueError(f"no words for {schema}")


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _text(schema: Json) -> str:
    match schema.get("minLength"), schema.get("maxLength"):
        case None, None:
            return "text"
        case None, most:
            return f"text of at most {most} characters"
        case least, most:
            return f"text of {least} to {most} characters"


def _at_most(schema: Json, limit: str) -> str:
    return f" of at most {schema[limit]}" if limit in schema else ""


def _default(field: Any, required: bool) -> str:
    if required:
        return ""
    if field.get("default") in (None, "", [], {}):
        return "; may be left out"
    return f"; `{json.dumps(field['default'])}` where it is left out"
