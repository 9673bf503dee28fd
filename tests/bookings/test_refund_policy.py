"""The refund policy in the policy file: which rule applies, and what a file may not say."""

import tomllib

import pytest

from greenroom.bookings.policy import SECTIONS, RefundRule, RefundRules, RefundStep
from greenroom.policy import PolicySchema
from greenroom.policy_file import InvalidPolicy, parse, to_toml

SCHEMA = PolicySchema(SECTIONS, ())
FILE = """
[refunds]
default = [{ days = 3, percent = 90 }]
fee = "none"

[[refunds.rules]]
city = "Berlin"
steps = [{ days = 10, percent = 80 }, { days = 5, percent = 40 }]

[[refunds.rules]]
category = "Wedding"
steps = [{ days = 60, percent = 50 }]

[[refunds.rules]]
city = "Berlin"
category = "Wedding"
steps = []
"""


def read(text: str) -> RefundRules:
    return parse(SCHEMA, tomllib.loads(text))[RefundRules]


@pytest.mark.parametrize(
    ("city", "category", "rule"),
    [
        ("Paris", "portrait", "default"),
        ("", "", "default"),
        ("berlin", "portrait", "Berlin"),
        ("Paris", "WEDDING", "Wedding"),
        (" Berlin ", "wedding", "Wedding in Berlin"),
    ],
)
def test_the_most_specific_rule_applies(city: str, category: str, rule: str) -> None:
    assert read(FILE).steps_for(city, category)[0] == rule


def test_a_policy_is_printed_as_it_is_read() -> None:
    policy = parse(SCHEMA, tomllib.loads(FILE))
    printed = to_toml(policy)
    assert parse(SCHEMA, tomllib.loads(printed)) == policy
    assert policy[RefundRules].rules[2] == RefundRule(city="Berlin", category="Wedding", steps=())
    assert SCHEMA.default[RefundRules].default[0] == RefundStep(14, 100)
    assert parse(SCHEMA, tomllib.loads(to_toml(SCHEMA.default))) == SCHEMA.default


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("default = [{ days = 1, percent = 101 }]", "default"),
        ("default = [{ days = 366, percent = 1 }]", "default"),
        ("default = [{ days = 1 }]", "default"),
        ("default = [{ days = 1, percent = 50.5 }]", "default"),
        ("default = [{ days = 1, percent = 5, hours = 3 }]", "default"),
        ("default = [{ days = 1, percent = 5 }, { days = 2, percent = 4 }]", "default"),
        ("default = [{ days = 2, percent = 5 }, { days = 1, percent = 6 }]", "default"),
        ("rules = [{ steps = [] }]", "rules"),
        ("rules = [{ city = ' ', steps = [] }]", "rules"),
        ("rules = [{ city = 'Bonn' }]", "rules"),
        ("rules = [{ city = 'Bonn', town = 'x', steps = [] }]", "rules"),
        ("rules = [{ city = 'Bonn', steps = [] }, { city = 'BONN', steps = [] }]", "rules"),
        ("rules = [{ city = 'a', steps = [{days=1,percent=2},{days=1,percent=1}] }]", "rules"),
        ("fee = 'half'", "fee"),
    ],
)
def test_an_invalid_policy_is_refused_by_name(text: str, key: str) -> None:
    with pytest.raises(InvalidPolicy) as refusal:
        read(f"[refunds]\n{text}")
    assert refusal.value.name == f"refunds.{key}"
