"""The network address that a request came from, and what a rate limit by address counts."""

from hashlib import blake2b
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from litestar import Request

from greenroom.ids import UserId


def client_address(request: Request[Any, Any, Any]) -> str:
    """Behind a proxy on this machine, or one that FORWARDED_ALLOW_IPS names, that of its client."""
    return "" if request.client is None else request.client.host


def counted_address(request: Request[Any, Any, Any]) -> UserId:
    """Stands for the address in a rate limit, and does not tell it: a hash. IPv6 counts by /64,
    because a single host has that many."""
    text = client_address(request)
    try:
        address = ip_address(text)
    except ValueError:
        network = text
    else:
        is_v6 = isinstance(address, IPv6Address) and address.ipv4_mapped is None
        network = str(ip_network((int(address), 64), strict=False)) if is_v6 else text
    return UserId("address_" + blake2b(network.encode(), digest_size=12).hexdigest())
