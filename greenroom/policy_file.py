"""Reads, checks and prints the policy file (TOML).

A misspelt key or an invalid value is refused with file, line, key and reason, never ignored.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import msgspec.structs
from msgspec import Struct

from greenroom.errors import Problem
from greenroom.field_descriptions import element_of, kind_of
from greenroom.policy import Policy, PolicySchema, Section

_TABLE = re.compile(r"\s*\[{1,2}\s*([\w.\s\"'-]+?)\s*\]")
_KEY = re.compile(r"\s*([\w\"'-]+(?:\s*\.\s*[\w\"'-]+)*)\s*=")
_WIDTH = 100


class PolicyUnreadable(Problem):
    """The policy file {path} cannot be read: {reason}."""

    path: str
    reason: str


class UnknownPolicy(Problem):
    """{where} has an unknown key, {name}; {hint}."""

    where: str
    """The file and the line."""
    name: str
    hint: str


class InvalidPolicy(Problem):
    """{where} has an invalid value for {name}: {reason}."""

    where: str
    """The file and the line."""
    name: str
    reason: str


def read(schema: PolicySchema, path: str) -> Policy:
    """Without a path, the defaults."""
    if not path:
        return schema.default
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise PolicyUnreadable(path, error.strerror or str(error)) from error
    try:
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark
        given = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise PolicyUnreadable(path, f"it must be UTF-8 text (at line {line})") from None
    except tomllib.TOMLDecodeError as error:
        raise PolicyUnreadable(path, str(error)) from None
    except RecursionError:
        raise PolicyUnreadable(path, "its values are nested too deeply") from None
    return parse(schema, given, lambda name: f"{path}, line {line_of(text, name)},")


def parse(
    schema: PolicySchema,
    given: dict[str, Any],
    where: Callable[[str], str] = lambda name: "The policy",
) -> Policy:
    """Keys that are not given keep their defaults, also within a value with several parts."""
    defaults = schema.default.values
    whole = _merged(defaults, given, "", where)
    try:
        values = msgspec.convert(whole, schema.shape)
    except msgspec.ValidationError as error:
        name, is_element = _path_in(str(error))
        reason = _reason(_field(defaults, name), is_element)
        raise InvalidPolicy(where(name), name, reason) from None
    for name, reason in _conflicts(values):
        raise InvalidPolicy(where(name), name, reason)
    return Policy(values, schema)


def line_of(text: str, name: str) -> int:
    """The line that sets a key, or the last one that sets a part of it; 1 if there is none."""
    wanted, table = name.split("."), list[str]()
    best, found = 0, 1
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            path = table = _parts(header[1])
        elif key := _KEY.match(line):
            path = table + _parts(key[1])
        else:
            continue
        if path == wanted[: len(path)] and len(path) > best:
            best, found = len(path), number
    return found


def to_toml(policy: Policy) -> str:
    """All values, with a comment at those that differ from the default."""
    return "\n".join(_lines(policy))


def _lines(policy: Policy) -> Iterator[str]:
    for section in policy.values.__struct_fields__:
        yield f"[{section}]"
        values = getattr(policy.values, section)
        defaults = getattr(policy.schema.default.values, section)
        for key in values.__struct_fields__:
            value, default = getattr(values, key), getattr(defaults, key)
            line = f"{key} = {in_toml(value)}"
            yield line if value == default else f"{line}  # changed, default: {in_toml(default, 0)}"
        yield ""


def in_toml(value: object, width: int = _WIDTH) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple():
            return _list(value, width)
        case Struct():
            parts = (f"{key} = {in_toml(getattr(value, key))}" for key in value.__struct_fields__)
            return f"{{ {', '.join(parts)} }}"
        case _:
            return str(value)


def _list(values: tuple[object, ...], width: int) -> str:
    items = [in_toml(value) for value in values]
    line = f"[{', '.join(items)}]"
    if not width or len(line) <= width:
        return line
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def _merged(
    defaults: Struct, given: dict[str, Any], path: str, where: Callable[[str], str]
) -> dict[str, Any]:
    merged = {name: getattr(defaults, name) for name in defaults.__struct_fields__}
    for key, value in given.items():
        name = f"{path}{key}"
        if key not in merged:
            raise UnknownPolicy(where(name), name, _hint(key, path, list(merged)))
        if isinstance(merged[key], Struct):
            if not isinstance(value, dict):
                expected = kind_of(_field(defaults, key).type) if path else "a table"
                raise InvalidPolicy(where(name), name, f"it must be {expected}")
            value = _merged(merged[key], value, f"{name}.", where)
        merged[key] = value
    return {
        name: msgspec.to_builtins(value) if isinstance(value, Struct) else value
        for name, value in merged.items()
    }


def _hint(key: str, path: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    if close:
        return f"perhaps {path}{close[0]} is meant"
    return f"the keys are {', '.join(path + name for name in known)}"


def _path_in(error: str) -> tuple[str, bool]:
    """The key in a message of msgspec, and whether it is about an element of a list."""
    path = error.rpartition(" - at `$.")[2].rstrip("`")
    name, bracket, _ = path.partition("[")
    return name, bool(bracket)


def _reason(field: msgspec.structs.FieldInfo, is_element: bool) -> str:
    if is_element:
        return f"each element must be {element_of(field.type)}"
    return f"it must be {kind_of(field.type)}"


def _field(struct: Struct, name: str) -> msgspec.structs.FieldInfo:
    *sections, key = name.split(".")
    for section in sections:
        struct = getattr(struct, section)
    return next(one for one in msgspec.structs.fields(struct) if one.name == key)


def _conflicts(values: Struct) -> Iterator[tuple[str, str]]:
    for name in values.__struct_fields__:
        section = getattr(values, name)
        if isinstance(section, Section):
            for key, reason in section.conflicts():
                yield f"{name}.{key}", reason


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
