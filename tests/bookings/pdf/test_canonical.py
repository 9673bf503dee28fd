"""Tests of content hashes."""

import json
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from greenroom.bookings.pdf.canonical import NotCanonical, canonical_json
from greenroom.bookings.pdf.contract import contract_hash
from tests.bookings.pdf.samples import CONTRACT, SIGNATURES

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_keys_are_sorted_by_their_utf_16_units() -> None:
    """The example of RFC 8785, section 3.2.3."""
    keys = ("\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6")
    written = canonical_json(dict.fromkeys(keys, 0)).decode()
    assert list(json.loads(written)) == ["\r", "1", "\x80", "ö", "€", "\U0001f600", "\ufb33"]


def test_only_what_must_be_escaped_is_escaped() -> None:
    assert canonical_json({"a": '\x0f\n"\\/é😀', "b": [1, None, True]}) == (
        '{"a":"\\u000f\\n\\"\\\\/é😀","b":[1,null,true]}'.encode()
    )


@given(_VALUES)
def test_reading_and_writing_again_changes_nothing(value: object) -> None:
    written = canonical_json(value)
    assert canonical_json(json.loads(written)) == written


@pytest.mark.parametrize("value", [1.0, float("nan"), 2**53, "\ud800", {1: 2}, b"a", {"\ud800": 1}])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical_json([value])


def test_the_hash_of_a_contract_never_changes() -> None:
    """Contracts are signed with it: a new release must compute the same."""
    assert (
        contract_hash(CONTRACT)
        == "29abe5e2bdf96ba96999aade31c4182ee07443e4bbffbf3dc2e5fd369223e2ce"
    )


def test_signing_does_not_change_the_hash() -> None:
    signed = replace(CONTRACT, signatures=SIGNATURES, verify_url="https://a.example/verify")
    assert contract_hash(signed) == contract_hash(CONTRACT)


def test_the_recipe_in_the_guide_gives_the_same_hash() -> None:
    content = msgspec.to_builtins(CONTRACT)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == contract_hash(CONTRACT)


def test_what_a_contract_does_not_have_is_not_hashed() -> None:
    """So a later release can add fields."""
    fields = json.loads(canonical_json(msgspec.to_builtins(replace(CONTRACT, deposit=None))))
    assert not fields.keys() & {"deposit", "signatures", "verify_url"}


def test_every_change_of_what_is_agreed_changes_the_hash() -> None:
    changed = [
        replace(CONTRACT, terms=CONTRACT.terms + " "),
        replace(CONTRACT, version=3),
        replace(CONTRACT, deposit=None),
        replace(CONTRACT, extras=CONTRACT.extras[::-1]),
    ]
    assert len({contract_hash(one) for one in (CONTRACT, *changed)}) == len(changed) + 1
