"""One frozen Policy, read once from the TOML file that GREENROOM_POLICY names.

A section is a Struct, a value is a field with a default and a description. To add a section,
declare a Struct and add it to `Policy`: reading, checking and docs/reference/policy.md follow.
A key that is misspelt or a value that does not fit is refused, never ignored.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import msgspec.inspect
import msgspec.structs
from msgspec import Meta, Struct

from greenroom.errors import Problem

_MOST = 1_000_000_000
MAX_CONTACT = 200
_CONTACT = re.compile(
    r"[^\s@<>()\",:;\\]+@[^\s@/?#<>()\",:;\\]+|https://[^\s@/?#<>\"\\]+([/?#][^\s<>\"\\]*)?"
)
_LONGEST_SECONDS = 31 * 86_400


class PolicyUnreadable(Problem):
    """The policy file {path} cannot be read: {reason}."""

    path: str
    reason: str


class UnknownPolicy(Problem):
    """There is no policy {name}; {hint}."""

    name: str
    hint: str


class InvalidPolicy(Problem):
    """The policy {name} is not valid: {reason}."""

    name: str
    reason: str


class Allowance(Struct, frozen=True):
    """How often one user may do something: at most `most` times in any `seconds`."""

    most: Annotated[int, Meta(ge=1, le=_MOST, description="Times within the window.")]
    seconds: Annotated[
        int, Meta(ge=1, le=_LONGEST_SECONDS, description="Length of the window, in seconds.")
    ]


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


class Limits(Struct, frozen=True):
    """Rate limits, each per user and over all nodes together."""

    thread_starts: Annotated[Allowance, Meta(description="Opening conversations.")] = Allowance(
        30, _HOUR
    )
    requests: Annotated[Allowance, Meta(description="First contacts with strangers.")] = Allowance(
        40, _DAY
    )
    messages: Annotated[Allowance, Meta(description="Sending messages.")] = Allowance(90, _MINUTE)
    burst: Annotated[Allowance, Meta(description="Sending messages within a few seconds.")] = (
        Allowance(30, 10)
    )
    reactions: Annotated[Allowance, Meta(description="Adding and removing reactions.")] = Allowance(
        120, _MINUTE
    )
    participants: Annotated[
        Allowance,
        Meta(description="Adding and removing people. A stranger spends `requests` as well."),
    ] = Allowance(120, _HOUR)
    blocks: Annotated[Allowance, Meta(description="Blocking people.")] = Allowance(60, _HOUR)
    reports: Annotated[Allowance, Meta(description="Reporting.")] = Allowance(20, _HOUR)
    previews: Annotated[
        Allowance, Meta(description="Asking how a text would be judged before it is sent.")
    ] = Allowance(120, _MINUTE)
    openings: Annotated[
        Allowance,
        Meta(
            description="Attempts to open a conversation, also those that are refused or find one "
            "that is there."
        ),
    ] = Allowance(60, _MINUTE)
    changes: Annotated[
        Allowance, Meta(description="Every change that has no line of its own here, and sending.")
    ] = Allowance(300, _MINUTE)
    receipts: Annotated[
        Allowance,
        Meta(description="Read and delivery marks, typing, and which threads are on screen."),
    ] = Allowance(1200, _MINUTE)
    reads: Annotated[
        Allowance, Meta(description="Reading: inbox, history, sync, and everything else.")
    ] = Allowance(1200, _MINUTE)
    lookups: Annotated[Allowance, Meta(description="Finding people by id, username or name.")] = (
        Allowance(240, _MINUTE)
    )
    sign_ins: Annotated[
        Allowance, Meta(description="Opening sockets, and renewing the token on one.")
    ] = Allowance(120, _MINUTE)
    service_calls: Annotated[
        Allowance,
        Meta(
            description="Whatever a service does on its own behalf. Acting for a user, it spends "
            "the user's limits."
        ),
    ] = Allowance(6000, _MINUTE)


class Names(Struct, frozen=True):
    """Usernames."""

    reserved: Annotated[
        tuple[str, ...],
        Meta(
            description="Usernames that only staff and services may take. Case, dots and "
            "underscores make no difference: `admin` reserves `ad.min_` too."
        ),
    ] = (
        "abuse",
        "account",
        "accounts",
        "admin",
        "administrator",
        "api",
        "billing",
        "contact",
        "everyone",
        "greenroom",
        "help",
        "helpdesk",
        "info",
        "legal",
        "mod",
        "moderation",
        "moderator",
        "moderators",
        "mods",
        "noreply",
        "nobody",
        "official",
        "owner",
        "payments",
        "postmaster",
        "privacy",
        "root",
        "safety",
        "security",
        "service",
        "staff",
        "support",
        "system",
        "team",
        "trust",
        "webmaster",
    )

    def is_reserved(self, username: str) -> bool:
        return _bare(username) in {_bare(name) for name in self.reserved}


class Moderation(Struct, frozen=True):
    """What people are told about decisions."""

    contact: Annotated[
        str,
        Meta(
            max_length=MAX_CONTACT,
            description="Where people turn to about a decision: an e-mail address or an https "
            "URL. It is shown to those who are warned or suspended.",
        ),
    ] = ""


class Sockets(Struct, frozen=True):
    """Connections of the socket."""

    per_user: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Sockets that one user may have open on a node. One more closes the "
            "oldest of them, with close code 4429.",
        ),
    ] = 20


class Policy(Struct, frozen=True):
    limits: Limits = Limits()
    names: Names = Names()
    moderation: Moderation = Moderation()
    sockets: Sockets = Sockets()


DEFAULT = Policy()


def read(path: str) -> Policy:
    """The defaults where no file is named."""
    if not path:
        return DEFAULT
    try:
        given = tomllib.loads(Path(path).read_bytes().decode())
    except OSError as error:
        raise PolicyUnreadable(path, error.strerror or str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyUnreadable(path, str(error)) from None
    return parse(given)


def parse(given: dict[str, Any]) -> Policy:
    """What is not given keeps its default, also within a value that has several parts."""
    whole = _merged(DEFAULT, given, "")
    try:
        policy = msgspec.convert(whole, Policy)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).rpartition(" - at `$.")
        name = place.rstrip("`").partition("[")[0]
        raise InvalidPolicy(name, reason[:1].lower() + reason[1:]) from None
    contact = policy.moderation.contact
    if contact and not (_CONTACT.fullmatch(contact) and contact.isprintable()):
        raise InvalidPolicy(
            "moderation.contact", "it must be an e-mail address or an address with https://"
        )
    return policy


def values() -> Iterator[tuple[str, Any, str, str]]:
    """Every value: its name, its default, what it takes and what it means."""
    for section in msgspec.structs.fields(Policy):
        for field in msgspec.structs.fields(section.default):
            name = f"{section.name}.{field.name}"
            yield name, field.default, kind_of(field.type), _described(field.type)


def kind_of(annotation: Any) -> str:
    """What a value takes, in words."""
    kind = _type_of(annotation)
    match kind:
        case msgspec.inspect.StructType(cls=cls) if cls is Allowance:
            return "`{ most = …, seconds = … }`"
        case msgspec.inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case msgspec.inspect.FloatType(ge=low, le=high):
            return f"a number from {low} to {high}"
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.LiteralType(values=choices):
            return f"one of {', '.join(map(str, choices))}"
        case msgspec.inspect.VarTupleType() | msgspec.inspect.ListType():
            return "a list"
        case msgspec.inspect.DictType():
            return "a table"
        case _:
            return "text"


def _merged(defaults: Struct, given: dict[str, Any], path: str) -> dict[str, Any]:
    merged = {name: getattr(defaults, name) for name in defaults.__struct_fields__}
    for key, value in given.items():
        if key not in merged:
            raise UnknownPolicy(f"{path}{key}", _hint(key, path, list(merged)))
        if isinstance(merged[key], Struct):
            if not isinstance(value, dict):
                raise InvalidPolicy(f"{path}{key}", "it must be a table")
            value = _merged(merged[key], value, f"{path}{key}.")
        merged[key] = value
    return {
        name: msgspec.to_builtins(value) if isinstance(value, Struct) else value
        for name, value in merged.items()
    }


def _hint(key: str, path: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    if close:
        return f"perhaps {path}{close[0]} is meant"
    return f"there are {', '.join(path + name for name in known)}"


def _type_of(annotation: Any) -> msgspec.inspect.Type:
    kind = msgspec.inspect.type_info(annotation)
    return kind.type if isinstance(kind, msgspec.inspect.Metadata) else kind


def _described(annotation: Any) -> str:
    kind = msgspec.inspect.type_info(annotation)
    extra = kind.extra_json_schema if isinstance(kind, msgspec.inspect.Metadata) else None
    return str((extra or {}).get("description", ""))


def _bare(username: str) -> str:
    return username.lower().replace(".", "").replace("_", "")
