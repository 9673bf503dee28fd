"""Parses the URL of a bucket: its name, endpoint, region, prefix and credentials.

    s3://bucket?region=eu-central-1                      AWS, with the machine's credentials
    s3://bucket?region=eu-central-1&prefix=prod/         other blobs may be in the same bucket
    s3://key:secret@bucket?endpoint=http://127.0.0.1:9000
    s3://bucket?endpoint=http://minio:9000&public=https://files.example.com

`prefix` is put before every key. `public` is the endpoint that browsers use, where it differs from
the server's. On AWS the bucket is part of the host (`https://bucket.s3.…`); elsewhere, and if its
name has a dot, which no certificate covers, it is part of the path.
"""

import re
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from aiodynamo.credentials import Credentials, Key, StaticCredentials
from msgspec import Struct

from greenroom.aws.regions import domain_of, is_region
from greenroom.blobs.base import BlobKey
from greenroom.blobs.keys import check

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"([A-Za-z0-9_~-][A-Za-z0-9_.~-]*/)*([A-Za-z0-9_~-][A-Za-z0-9_.~-]*)?")
_MAX_PREFIX = 100
_OPTIONS = ("region", "endpoint", "prefix", "public")
_DEFAULT_REGION = "us-east-1"
"""What servers other than AWS expect unless they are told otherwise."""


class InvalidLocation(ValueError):
    """The URL is not valid; the message says why, without the secret."""


class Location(Struct, frozen=True):
    bucket: str
    region: str
    prefix: str
    endpoint: str
    """Scheme and host, for requests of this server. Has the bucket if `in_host`."""
    public: str
    """As `endpoint`, for requests of clients: their origin."""
    in_host: bool
    credentials: Credentials

    def path(self, key: BlobKey) -> str:
        """Of a URL. No character of it needs escaping."""
        name = self.prefix + check(key)
        return f"/{name}" if self.in_host else f"/{self.bucket}/{name}"


def parse_location(url: str) -> Location:
    try:
        parts = urlsplit(url)
    except ValueError as reason:
        raise InvalidLocation(f"the URL does not parse: {reason}") from None
    if parts.scheme != "s3" or parts.path not in ("", "/") or parts.fragment:
        raise InvalidLocation("it must have the form s3://bucket?region=…&prefix=…")
    user, _, bucket = parts.netloc.rpartition("@")
    if not _BUCKET.fullmatch(bucket):
        raise InvalidLocation(f"{bucket!r} is not the name of a bucket")
    options = _options(parts.query)
    region, prefix = _region(options), _prefix(options)
    credentials = _credentials(user)
    if "endpoint" in options:
        endpoint = _endpoint("endpoint", options["endpoint"])
        public = _endpoint("public", options.get("public", endpoint))
        return Location(bucket, region, prefix, endpoint, public, False, credentials)
    if "public" in options:
        raise InvalidLocation("`public` is for a server that is named by `endpoint`")
    host, in_host = f"s3.{region}.{domain_of(region)}", "." not in bucket
    aws = f"https://{bucket}.{host}" if in_host else f"https://{host}"
    return Location(bucket, region, prefix, aws, aws, in_host, credentials)


def below(url: str, folder: str) -> str:
    """The URL of the same bucket, with the folder added to the prefix."""
    base, _, query = url.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    above = options.get("prefix", "").rstrip("/")
    options["prefix"] = f"{above}/{folder}/".removeprefix("/")
    return f"{base}?{urlencode(options, safe='/:')}"


def _options(query: str) -> dict[str, str]:
    pairs = parse_qsl(query, keep_blank_values=True)
    options = dict(pairs)
    if unknown := options.keys() - set(_OPTIONS):
        raise InvalidLocation(f"there is no option called {', '.join(sorted(unknown))}")
    if len(options) < len(pairs):
        raise InvalidLocation("every option must be given once only")
    return options


def _region(options: dict[str, str]) -> str:
    if "region" not in options and "endpoint" not in options:
        raise InvalidLocation("the region is missing: s3://bucket?region=eu-central-1")
    region = options.get("region", _DEFAULT_REGION)
    if not is_region(region):
        raise InvalidLocation(f"{region!r} is not the name of a region")
    return region


def _prefix(options: dict[str, str]) -> str:
    prefix = options.get("prefix", "")
    if len(prefix) > _MAX_PREFIX or not _PREFIX.fullmatch(prefix):
        raise InvalidLocation(
            f"the prefix must have at most {_MAX_PREFIX} of a-z, A-Z, 0-9, _, -, ., ~ and single "
            "slashes between them, such as greenroom/"
        )
    return prefix


def _endpoint(name: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidLocation(f"`{name}` is not a URL") from None
    is_plain = parts.path in ("", "/") and not parts.query and "@" not in parts.netloc
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise InvalidLocation(f"`{name}` must have the form https://host:port")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    default = 443 if parts.scheme == "https" else 80
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, default) else "")


def _credentials(user: str) -> Credentials:
    if not user:
        return Credentials.auto()
    key, _, secret = user.partition(":")
    if not key or not secret:
        raise InvalidLocation("the credentials must have the form key:secret@")
    return StaticCredentials(Key(unquote(key), unquote(secret)))
