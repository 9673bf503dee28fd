"""The policy: what operators can change. Each context declares its sections and rate limits.

A section is a Struct, and each value a field with a default, a range and a description. A context
registers its sections and limits; reading, checking, `greenroom policy` and
docs/reference/policy.md follow. `policy_file.py` reads and prints the file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar

import msgspec
import msgspec.structs
from msgspec import Meta, Struct

from greenroom.field_descriptions import description_of, kind_of

MINUTE, HOUR, DAY = 60, 3600, 86_400
LIMITS = "limits"
"""The section with the rate limits of all contexts."""
_MOST = 1_000_000_000
_LONGEST_SECONDS = 31 * DAY


class Allowance(Struct, frozen=True):
    """How often one user may do something: at most `most` times in any `seconds`."""

    most: Annotated[int, Meta(ge=1, le=_MOST, description="Times within the window.")]
    seconds: Annotated[
        int, Meta(ge=1, le=_LONGEST_SECONDS, description="Length of the window, in seconds.")
    ]


class Limit(Struct, frozen=True, eq=False):
    """A rate limit, per user and over all nodes together. It is compared by identity, which makes
    looking it up cheap."""

    name: str
    """Its key in the section `limits`."""
    default: Allowance
    description: str

    @property
    def code(self) -> str:
        """Its name in problems and in the store."""
        return self.name.replace("_", "-")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """Litestar copies the options of a route."""
        return self


class Section(Struct, frozen=True):
    """A section of the policy file. Every field has a default."""

    section: ClassVar[str]
    """Its name in the file."""

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """What the types cannot check: keys with an invalid value, and the reasons."""
        return iter(())


S = TypeVar("S", bound=Section)


class PolicySchema:
    """The sections and rate limits of all contexts together."""

    def __init__(self, sections: Sequence[type[Section]], limits: Sequence[Limit]) -> None:
        self.limits = tuple(limits)
        rates = [
            (one.name, Annotated[Allowance, Meta(description=one.description)], one.default)
            for one in limits
        ]
        named = [(LIMITS, msgspec.defstruct("RateLimits", rates, frozen=True))]
        named += [(one.section, one) for one in sections]
        _check_unique([name for name, *_ in rates])
        _check_unique([name for name, _ in named])
        fields = [(name, kind, kind()) for name, kind in named]
        self.shape: type[Struct] = msgspec.defstruct("PolicyValues", fields, frozen=True)
        """A field for each section."""
        self.default = Policy(self.shape(), self)

    def values(self) -> Iterator[tuple[str, Any, str, str]]:
        """Every value: its name, its default, what it takes and what it means."""
        for section in msgspec.structs.fields(self.shape):
            for field in msgspec.structs.fields(section.default):
                name = f"{section.name}.{field.name}"
                yield name, field.default, kind_of(field.type), description_of(field.type)


@dataclass(frozen=True)
class Policy:
    """The values of all sections. `policy[RequestGate]` is one section."""

    values: Struct
    schema: PolicySchema

    def __getitem__(self, kind: type[S]) -> S:
        found: S = getattr(self.values, kind.section)
        return found

    @property
    def limits(self) -> dict[Limit, Allowance]:
        allowed = getattr(self.values, LIMITS)
        return {limit: getattr(allowed, limit.name) for limit in self.schema.limits}


def _check_unique(names: Sequence[str]) -> None:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"declared twice in the policy: {', '.join(sorted(twice))}")
