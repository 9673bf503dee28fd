"""The policy file: every value can be set and is documented, and unknown names are refused."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from greenroom import policy
from greenroom.policy import Allowance, InvalidPolicy, Policy, PolicyUnreadable, UnknownPolicy
from greenroom.safety.limits import Limit, rates_of

ROOT = Path(__file__).parents[2]
NAMES = [name for name, *_ in policy.values()]


def test_without_a_file_the_defaults_hold() -> None:
    assert policy.read("") == Policy()
    assert len(NAMES) >= 10


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("[limits]\nmessages = { most = 7 }\n[names]\nreserved = ['boss']\n")
    given = policy.read(str(file))
    assert given.limits.messages == Allowance(7, Policy().limits.messages.seconds)
    assert given.limits.blocks == Policy().limits.blocks
    assert given.names.is_reserved("BO.SS_")
    assert not given.names.is_reserved("admin")


@pytest.mark.parametrize("name", NAMES)
def test_every_value_can_be_given(name: str) -> None:
    [default] = [value for one, value, *_ in policy.values() if one == name]
    section, _, key = name.partition(".")
    assert policy.parse({section: {key: msgspec.to_builtins(default)}}) == Policy()


@pytest.mark.parametrize("name", NAMES)
def test_every_value_is_documented(name: str) -> None:
    page = (ROOT / "docs/reference/policy.md").read_text()
    line = re.search(rf"^\| `{re.escape(name)}` \|.*\| (.+) \|$", page, re.MULTILINE)
    assert line
    assert line.group(1).endswith(".")


@pytest.mark.parametrize(
    ("given", "name", "hint"),
    [
        ({"limit": {}}, "limit", "perhaps limits is meant"),
        ({"limits": {"mesages": {}}}, "limits.mesages", "perhaps limits.messages is meant"),
        ({"limits": {"burst": {"mots": 1}}}, "limits.burst.mots", "perhaps limits.burst.most"),
        ({"zzz": 1}, "zzz", "there are limits, names"),
    ],
)
def test_a_misspelt_name_stops_the_start(given: dict[str, Any], name: str, hint: str) -> None:
    with pytest.raises(UnknownPolicy, match=hint) as refusal:
        policy.parse(given)
    assert refusal.value.name == name


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"limits": 3}, "limits"),
        ({"limits": {"burst": 3}}, "limits.burst"),
        ({"limits": {"burst": {"most": 0}}}, "limits.burst.most"),
        ({"limits": {"burst": {"most": "9"}}}, "limits.burst.most"),
        ({"limits": {"burst": {"seconds": 1.5}}}, "limits.burst.seconds"),
        ({"names": {"reserved": "admin"}}, "names.reserved"),
        ({"names": {"reserved": [1]}}, "names.reserved"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(given: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidPolicy) as refusal:
        policy.parse(given)
    assert refusal.value.name == name


@pytest.mark.parametrize("content", [b"[limits", b"\xff", None])
def test_an_unreadable_file_is_reported(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "policy.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PolicyUnreadable):
        policy.read(str(file))


@pytest.mark.parametrize("limit", Limit)
def test_every_limit_is_policy(limit: Limit) -> None:
    chosen = {"limits": {limit.name.lower(): {"most": 3, "seconds": 7}}}
    rate = rates_of(policy.parse(chosen).limits)[limit]
    assert (rate.most, rate.window_ms) == (3, 7000)
    assert f"limits.{limit.name.lower()}" in NAMES


def test_every_allowance_is_a_limit() -> None:
    limits = {name.partition(".")[2] for name in NAMES if name.startswith("limits.")}
    assert limits == {limit.name.lower() for limit in Limit}


@pytest.mark.parametrize(
    "contact",
    ["", "help@example.com", "https://example.com", "https://example.com/help?x=1#y"],
)
def test_a_contact_is_an_address(contact: str) -> None:
    assert policy.parse({"moderation": {"contact": contact}}).moderation.contact == contact


@pytest.mark.parametrize(
    "contact",
    [
        "javascript:alert(1)",
        "javascript:alert(1)@example.com",
        "http://example.com",
        "https://",
        "https://user@example.com",
        "help@example.com\n",
        "help@exam\u202eple.com",
        "a\nb@example.com",
        "https://example.com/\nx",
        "mailto:help@example.com",
        "Help",
        "@",
        " ",
    ],
)
def test_another_contact_stops_the_start(contact: str) -> None:
    with pytest.raises(InvalidPolicy, match="https://") as refusal:
        policy.parse({"moderation": {"contact": contact}})
    assert refusal.value.name == "moderation.contact"
