"""All access patterns, from the modules that the contexts register."""

from collections.abc import Iterator
from importlib import import_module

from greenroom.api.registry import Registry
from greenroom.app import REGISTRY
from greenroom.cost.pattern import Pattern


def groups_of(registry: Registry) -> Iterator[tuple[str, tuple[Pattern, ...]]]:
    """Each module's title and patterns, in the order in which they are shown."""
    for name in registry.costs:
        module = import_module(name)
        yield module.TITLE, module.PATTERNS


GROUPS = tuple(groups_of(REGISTRY))
PATTERNS = tuple(pattern for _, patterns in GROUPS for pattern in patterns)
