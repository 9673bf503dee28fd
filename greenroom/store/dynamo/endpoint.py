"""Parses the URL of a DynamoDB: endpoint, region, table prefix and credentials.

    dynamodb://eu-west-1?prefix=prod-                    AWS, with the machine's credentials
    dynamodb+https://dynamodb.eu-west-1.amazonaws.com?region=eu-west-1
    dynamodb+http://key:secret@127.0.0.1:8000?region=local&prefix=test-

`prefix` is added to every table's name. Without `key:secret@`, requests over http are signed with a
dummy key, which DynamoDB Local and Alternator accept, and over https with the machine's key.
"""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from aiodynamo.credentials import Credentials, Key, StaticCredentials
from msgspec import Struct

from greenroom.aws.regions import domain_of, is_region

_DUMMY = Key("greenroom", "greenroom")
_PREFIX = re.compile(r"[a-zA-Z0-9_.-]{0,100}")


class InvalidEndpoint(ValueError):
    """The URL is not valid; the message says why, without the secret."""


class Endpoint(Struct, frozen=True):
    url: str
    streams_url: str
    region: str
    prefix: str
    credentials: Credentials


def parse_endpoint(url: str) -> Endpoint:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as reason:
        raise InvalidEndpoint(f"the DynamoDB URL does not parse: {reason}") from None
    options = _options(parts.query)
    if parts.path not in ("", "/") or parts.fragment:
        raise InvalidEndpoint("a DynamoDB URL must not have a path or a fragment")
    if not parts.hostname:
        raise InvalidEndpoint("a DynamoDB URL must name a region or a host: dynamodb://eu-west-1")
    prefix = options.get("prefix", "")
    if parts.scheme == "dynamodb":
        if port is not None or parts.username is not None or "region" in options:
            raise InvalidEndpoint("dynamodb:// takes a region only; use dynamodb+https://")
        return _on_aws(_checked_region(parts.hostname), prefix)
    if parts.scheme not in ("dynamodb+http", "dynamodb+https"):
        raise InvalidEndpoint(f"{parts.scheme or 'no scheme'} is not dynamodb, +http or +https")
    plain = parts.scheme.removeprefix("dynamodb+")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    url = f"{plain}://{host}{'' if port is None else f':{port}'}/"
    region = _checked_region(options.get("region", "local"))
    credentials = _credentials(plain, parts.username, parts.password)
    return Endpoint(url, url, region, prefix, credentials)


def _options(query: str) -> dict[str, str]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := options.keys() - {"region", "prefix"}:
        raise InvalidEndpoint(
            f"there is no option for a DynamoDB URL called {', '.join(sorted(unknown))}"
        )
    if not _PREFIX.fullmatch(options.get("prefix", "")):
        raise InvalidEndpoint("a prefix must have at most 100 of a-z, A-Z, 0-9, _, - and .")
    return options


def _checked_region(region: str) -> str:
    if not is_region(region):
        raise InvalidEndpoint(f"{region!r} is not the name of a region")
    return region


def _on_aws(region: str, prefix: str) -> Endpoint:
    domain = domain_of(region)
    return Endpoint(
        f"https://dynamodb.{region}.{domain}/",
        f"https://streams.dynamodb.{region}.{domain}/",
        region,
        prefix,
        Credentials.auto(),
    )


def _credentials(scheme: str, user: str | None, password: str | None) -> Credentials:
    if user is not None and password:
        return StaticCredentials(Key(unquote(user), unquote(password)))
    if user is not None:
        raise InvalidEndpoint("the credentials in a DynamoDB URL must be key:secret@")
    return Credentials.auto() if scheme == "https" else StaticCredentials(_DUMMY)
