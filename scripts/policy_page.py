"""Writes docs/reference/policy.md from the sections and limits that contexts register."""

from greenroom.api.registry import Registry
from greenroom.app import REGISTRY
from greenroom.policy import Allowance
from greenroom.policy_file import in_toml


def policy_page(registry: Registry = REGISTRY) -> str:
    rows = "".join(
        f"| `{name}` | {_policy_default(default)} | {kind} | {means} |\n"
        for name, default, kind, means in registry.policy.values()
    )
    return (
        "# Policy\n\n"
        "The policy has what operators can change: rate limits, requests, checks of texts, names, "
        "retention. Greenroom reads it\nonce, at the start, from the TOML file in "
        "`GREENROOM_POLICY`; without a file the defaults below apply. An unknown key\nor an "
        "invalid value stops the start, with file, line, key and reason. A value `section.name` is "
        "written as\n\n"
        "```toml\n[limits]\nmessages = { most = 60, seconds = 60 }\n```\n\n"
        "`greenroom policy` checks the file and prints the policy in force, with a comment at each "
        "value that differs from its\ndefault. All nodes must have the same file.\n\n"
        "A limit applies per user over all nodes together. Beyond it the answer is `429` with "
        "`Retry-After`.\n\n"
        "- With SQLite a user who was quiet before gets the whole limit, and no window ever holds "
        "more. A restart forgets\n  at most 4/15 of what was spent.\n"
        "- With DynamoDB a node leaves another node's local share to it: one node alone grants "
        "11/15 of the\n  limit (220 of 300), two or more together all of it.\n"
        "- A user who stays near the limit for several windows gets at least three fifths of it in "
        "each (two fifths through one\n  node with DynamoDB): a node reserves calls in small "
        "batches, and loses a batch that is not used soon.\n\n"
        f"| name | default | takes | means |\n| --- | --- | --- | --- |\n{rows}"
    )


def _policy_default(default: object) -> str:
    match default:
        case Allowance(most, seconds):
            return f"{most} in {_span(seconds)}"
        case tuple() | list():
            return (
                ", ".join(f"`{one if isinstance(one, str) else in_toml(one)}`" for one in default)
                or "none"
            )
        case bool():
            return f"`{str(default).lower()}`"
        case "":
            return "empty"
        case _:
            return f"`{default}`"


def _span(seconds: int) -> str:
    for name, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds % length == 0:
            count = seconds // length
            return f"1 {name}" if count == 1 else f"{count} {name}s"
    return f"{seconds} seconds"
