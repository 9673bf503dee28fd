"""Decodes what a client says in a card or in a transition: the types that its card type declares.

A refusal names the place of the fault, as in `content.legs[0].price.minor`. Pure.
"""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from greenroom.bookings.cards.payloads import Input, Nothing, Payload
from greenroom.bookings.cards.permissions import not_open
from greenroom.bookings.cards.problems import InvalidCard, UnknownCardType
from greenroom.bookings.cards.transitions import declared_transitions
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import Card, CardType
from greenroom.errors import Problem, quoted

T = TypeVar("T", bound=Struct)
_MOST_NAME = 40
_FAULT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>.*)`)?", re.DOTALL)


def content_of(raw: Mapping[str, Any]) -> Payload:
    """The content of a new card. Its `type` says which one it is."""
    return _decoded(raw, DECLARATIONS[_type_in(raw)].payload, "content")  # type: ignore[return-value]


def input_of(card: Card, transition: str, raw: Mapping[str, Any] | None) -> Input:
    """What goes with a transition of this card. New content may leave its `type` out."""
    declared = declared_transitions(DECLARATIONS[card.type])
    found = [one for one in declared if one.name == transition]
    if not found:
        possible = tuple(one.name for one in declared if card.state in one.sources)
        raise not_open(card, _word(transition), possible)
    here = next((one for one in found if card.state in one.sources), found[0])
    if raw and here.input is Nothing:
        raise InvalidCard(f"{here.name} takes no input; leave it out")
    return _decoded(raw or {}, here.input, "input")  # type: ignore[return-value]


def _type_in(raw: Mapping[str, Any]) -> CardType:
    known = tuple(one.value for one in CardType)
    name = raw.get("type")
    if not isinstance(name, str):
        raise InvalidCard(f"content.type: give one of {', '.join(known)}")
    if name not in known:
        raise UnknownCardType(_word(name), known)
    return CardType(name)


def _word(name: str) -> str:
    """The name as part of a refusal: one word, printable and short."""
    shown = "".join(one if one.isprintable() and not one.isspace() else "_" for one in name)
    return quoted(shown, _MOST_NAME) or "(nothing)"


def _decoded(raw: Mapping[str, Any], kind: type[T], name: str) -> T:
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault), name) from None


def _refusal(fault: str, name: str) -> Problem:
    found = _FAULT.fullmatch(fault)
    assert found is not None, "the pattern matches every text"
    what, where = found["what"], found["where"]
    place = f"{name}.{where}" if where else name
    return InvalidCard(f"{place}: {what[:1].lower()}{what[1:]}")
