"""Names of regions, and the domain of their services."""

import re

_REGION = re.compile(r"[a-z0-9-]{2,30}")


def is_region(name: str) -> bool:
    return _REGION.fullmatch(name) is not None


def domain_of(region: str) -> str:
    return "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
