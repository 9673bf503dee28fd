"""The policy file: every value can be set and is documented, and unknown names are refused."""

import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from greenroom import policy_file
from greenroom.app import REGISTRY
from greenroom.messaging.policy import MESSAGES
from greenroom.people.policy import Moderation, Usernames
from greenroom.policy import Allowance, Limit, Policy, PolicySchema
from greenroom.policy_file import InvalidPolicy, PolicyUnreadable, UnknownPolicy
from greenroom.safety.limits import rates_of
from greenroom.safety.policy import BLOCKS

ROOT = Path(__file__).parents[2]
SCHEMA = REGISTRY.policy
NAMES = [name for name, *_ in SCHEMA.values()]
parse = partial(policy_file.parse, SCHEMA)
read = partial(policy_file.read, SCHEMA)


def test_without_a_file_the_defaults_hold() -> None:
    assert read("") == SCHEMA.default
    assert len(NAMES) >= 10


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("[limits]\nmessages = { most = 7 }\n[names]\nreserved = ['boss']\n")
    given = read(str(file))
    assert given.limits[MESSAGES] == Allowance(7, MESSAGES.default.seconds)
    assert given.limits[BLOCKS] == BLOCKS.default
    assert given[Usernames].is_reserved("BO.SS_")
    assert not given[Usernames].is_reserved("admin")


@pytest.mark.parametrize("name", NAMES)
def test_every_value_can_be_given(name: str) -> None:
    [default] = [value for one, value, *_ in SCHEMA.values() if one == name]
    section, _, key = name.partition(".")
    assert parse({section: {key: msgspec.to_builtins(default)}}) == SCHEMA.default


@pytest.mark.parametrize("name", NAMES)
def test_every_value_is_documented(name: str) -> None:
    page = (ROOT / "docs/reference/policy.md").read_text()
    line = re.search(rf"^\| `{re.escape(name)}` \|.*\| (.+) \|$", page, re.MULTILINE)
    assert line
    assert line.group(1).endswith(".")


_BOUNDED = re.compile(
    r"true or false"
    r"|one of .+"
    r"|a (whole )?number from [\d.]+ to [\d.]+"
    r"|text of (at most \d+|\d+ to \d+) characters"
    r"|a list of at most \d+ values, each text of \d+ to \d+ characters"
    r"|a list of at most \d+ values, each `\{ .+ \}`"
)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_has_a_range_or_the_allowed_values_of_every_value(name: str) -> None:
    page = (ROOT / "docs/reference/policy.md").read_text()
    [row] = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
    takes = row.split(" | ")[2]
    _, *parts = takes.split("; ")
    named = [one.partition(" is ") for part in parts for one in part.split(", `")]
    assert all(_BOUNDED.fullmatch(kind) for *_, kind in named or [("", "", takes)]), takes
    assert [part.strip("`") for part, *_ in named] == re.findall(r"(\w+) = …", takes)


@pytest.mark.parametrize(
    ("given", "name", "hint"),
    [
        ({"limit": {}}, "limit", "perhaps limits is meant"),
        ({"limits": {"mesages": {}}}, "limits.mesages", "perhaps limits.messages is meant"),
        ({"limits": {"burst": {"mots": 1}}}, "limits.burst.mots", "perhaps limits.burst.most"),
        ({"zzz": 1}, "zzz", "the keys are limits, sockets"),
    ],
)
def test_a_misspelt_name_stops_the_start(given: dict[str, Any], name: str, hint: str) -> None:
    with pytest.raises(UnknownPolicy, match=hint) as refusal:
        parse(given)
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
        parse(given)
    assert refusal.value.name == name


@pytest.mark.parametrize("content", [b"[limits", b"\xff", None])
def test_an_unreadable_file_is_reported(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "policy.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PolicyUnreadable):
        read(str(file))


@pytest.mark.parametrize("limit", SCHEMA.limits, ids=lambda limit: limit.name)
def test_every_limit_is_policy(limit: Limit) -> None:
    chosen = {"limits": {limit.name: {"most": 3, "seconds": 7}}}
    rate = rates_of(parse(chosen).limits)[limit]
    assert (rate.most, rate.window_ms) == (3, 7000)
    assert f"limits.{limit.name}" in NAMES


def test_two_contexts_cannot_declare_the_same_name() -> None:
    again = Limit("messages", Allowance(1, 1), "Messages again.")
    with pytest.raises(ValueError, match="messages"):
        PolicySchema([], [MESSAGES, again])
    with pytest.raises(ValueError, match="names"):
        PolicySchema([Usernames, Usernames], [])


def test_the_policy_has_what_operators_differ_in() -> None:
    """Rate limits, size and expiry of requests, phrases and thresholds, names, retention."""
    asked = {
        *("limits.messages", "limits.requests", "limits.lookups", "limits.reports"),
        *("gate.messages", "gate.expires_days", "safety.hold_phrases", "safety.hold_at"),
        *("names.reserved", "retention.sync_days"),
    }
    assert asked <= set(NAMES)


@pytest.mark.parametrize(
    "contact",
    ["", "help@example.com", "https://example.com", "https://example.com/help?x=1#y"],
)
def test_a_contact_is_an_address(contact: str) -> None:
    assert parse({"moderation": {"contact": contact}})[Moderation].contact == contact


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
        parse({"moderation": {"contact": contact}})
    assert refusal.value.name == "moderation.contact"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[limits]\n\nmesages = { most = 1 }\n", "line 3, has an unknown key, limits.mesages"),
        ("[limits]\nburst = { most = 0 }\n", "line 2, has an invalid value for limits.burst.most"),
        ("\nlimits.burst.most = 0\n", "line 2, has an invalid value for limits.burst.most"),
        (
            "[limits.burst]\nseconds = 9\nmost = 0\n",
            "line 3, has an invalid value for limits.burst",
        ),
        ("[safety]\nspam = 1\n", "safety.spam: it must be true or false"),
        ("[safety]\nhold_at = 7\n", "safety.hold_at: it must be a number from 0.01 to 1"),
        ("[safety]\nhold_at = 0.2\n", "line 2, .*hold_at: it must be at least safety.nudge_at"),
        ("[safety]\nhold_phrases = ['x']\n", "each element must be text of 2 to 100 characters"),
        ("[safety]\n#\nhint_phrases = ['!!']\n", "line 3, .*'!!' must contain a letter"),
        (
            f"[names]\n\nreserved = ['{'a' * 31}']\n",
            "line 3, .*names.reserved: each element must be text of 1 to 30 characters",
        ),
        (
            f"[names]\nreserved = {['a'] * 1001}\n",
            "line 2, .*names.reserved: it must be a list of at most 1000 values",
        ),
        ("[limits]\nburst = 3\n", "line 2, .*`most` is a whole number from 1 to 1000000000"),
        ("[gate]\nmessages = 0\n", "gate.messages: it must be a whole number from 1 to 20"),
        ("[retention]\nsync_days = 1\n", "sync_days: it must be a whole number from 2 to 365"),
        ("[limits]\nburst = \n", "cannot be read: Invalid value .at line 2, column 9"),
        ("names = 3\n", "line 1, has an invalid value for names: it must be a table"),
    ],
)
def test_a_wrong_file_is_refused_with_file_line_key_and_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises((InvalidPolicy, UnknownPolicy, PolicyUnreadable), match=message) as refusal:
        read(str(file))
    assert str(file) in str(refusal.value)


def test_bytes_that_are_not_text_are_refused_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(b"[limits]\n# \xff\n")
    with pytest.raises(PolicyUnreadable, match="line 2"):
        read(str(file))


CHANGED = parse(
    {
        "limits": {"burst": {"most": 7}},
        "gate": {"messages": 5, "expires_days": 3},
        "safety": {"hold_phrases": ['a "quoted" phrase', "été\t\\ \x7f ok"], "hold_at": 0.6},
        "names": {"reserved": []},
        "moderation": {"contact": "help@example.com"},
    }
)


@pytest.mark.parametrize("given", [SCHEMA.default, CHANGED], ids=["default", "changed"])
def test_the_printed_policy_is_a_file_with_the_same_values(given: Policy) -> None:
    assert parse(tomllib.loads(policy_file.to_toml(given))) == given


def test_values_that_differ_from_the_default_are_marked() -> None:
    marked = [
        line.partition(" = ")[0]
        for line in policy_file.to_toml(CHANGED).splitlines()
        if "# changed, default: " in line
    ]
    assert marked == [
        *("burst", "reserved", "contact", "hold_phrases", "hold_at", "messages", "expires_days"),
    ]
    assert "# changed" not in policy_file.to_toml(SCHEMA.default)
