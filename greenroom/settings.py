"""Reads the settings from the environment: GREENROOM_PORT is `port`, and so on.

Every setting has a default that works on a laptop. An unknown or invalid variable is refused, never
ignored. `Settings` has those of the server; a context declares and registers a group of its own.
docs/reference/settings.md is generated from both.
"""

import difflib
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec
import msgspec.structs
from msgspec import Meta, Struct

from greenroom.durable_files import make_folder, sync_folder, write_new
from greenroom.errors import Problem
from greenroom.field_descriptions import description_of, kind_of

PREFIX = "GREENROOM_"
_FOR_TESTS = "GREENROOM_TEST_"
_URL_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
RESTORING = ".restoring"
"""The folder in the data folder while a backup is restored into it."""
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


class UnknownSetting(Problem):
    """There is no setting {name}; {hint}."""

    name: str
    hint: str


class InvalidSetting(Problem):
    """{name} is not valid: {reason}."""

    name: str
    reason: str


class DataNotWritable(Problem):
    """The data folder {folder} cannot be written: {reason}. GREENROOM_DATA names another."""

    folder: str
    reason: str


class RestoreUnfinished(Problem):
    """A backup was being restored into {folder}, and did not get to its end. Empty the folder and
    restore the backup again."""

    folder: str


class SecretUnreadable(Problem):
    """The secret in {path} cannot be used: {reason}. Restore the file from a backup, or delete it
    to create a new secret. Tokens signed with the old one then stop working."""

    path: str
    reason: str


class SettingsGroup(Struct, frozen=True):
    """A context's own settings. Every field has a default."""

    group: ClassVar[str]
    """The beginning of its variables: `size` of the group `cache` is GREENROOM_CACHE_SIZE."""


G = TypeVar("G", bound=SettingsGroup)
S = TypeVar("S", bound=Struct)


class Settings(Struct, frozen=True):
    host: Annotated[
        str,
        Meta(min_length=1, description="The address that the server listens on."),
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Meta(ge=0, le=65535, description="The port for everything; `0` picks a free one."),
    ] = 8080
    data: Annotated[
        Path,
        Meta(description="The folder for the server's own files. It is created if missing."),
    ] = Path("data")
    store: Annotated[
        str,
        Meta(
            description="The item store: `sqlite:///path/to/file.db` (four slashes for an absolute "
            "path: `sqlite:////var/lib/greenroom.db`), or "
            "`dynamodb://eu-central-1?prefix=greenroom-`, or "
            "`dynamodb+http://host:port?region=local` for DynamoDB Local and Alternator. "
            "Empty means `greenroom.db` in the data folder."
        ),
    ] = ""
    blobs: Annotated[
        str,
        Meta(
            description="Where the content of files is stored: a bucket of S3, such as "
            "`s3://bucket?region=eu-central-1&prefix=greenroom/`, or of another server with its "
            "API (`&endpoint=http://host:port`). Empty means the folder `files` in the data folder."
        ),
    ] = ""
    sql: Annotated[
        str,
        Meta(
            description="The SQL database, which has the contracts: "
            "`postgresql://user:password@host/database` (`?schema=greenroom` names a schema in it, "
            "`&pool=10` limits the connections of a node, `&ssl=verify-full` checks the server), "
            "or `sqlite:///path/to/file.db`. Empty means `sql.db` in the data folder."
        ),
    ] = ""
    scanner: Annotated[
        str,
        Meta(
            description="The virus scanner: `clamd://host:3310`, or `clamd:///path/to/socket` for "
            "a Unix socket. With one, nobody but its owner gets a file before it is scanned. Empty "
            "means that files are delivered unscanned."
        ),
    ] = ""
    bus: Annotated[
        str,
        Meta(
            description="The bus between nodes: `nats://host:4222` (several servers separated by "
            "commas). Empty means a single node."
        ),
    ] = ""
    policy: Annotated[
        str,
        Meta(
            description="The TOML file with the policy: rate limits, reserved names and other "
            "rules of the operator. Empty means the defaults in [policy.md](policy.md)."
        ),
    ] = ""
    most_connections: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Concurrent sockets; more are refused. The system must allow a process "
            "3,168 open files more than this (`ulimit -Hn`), otherwise the limit is lower.",
        ),
    ] = 20_000
    most_memory_mb: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="Resident memory, in MB, above which new sockets are refused; "
            "`0` means no limit.",
        ),
    ] = 0
    secret: Annotated[
        str,
        Meta(
            description="The secret that signs tokens and cursors: at least 32 characters, the "
            "same on all nodes. Empty means that one is created on the first start and stored in "
            "the data folder."
        ),
    ] = ""
    jwks_url: Annotated[
        str,
        Meta(
            description="The identity provider's JWKS URL, such as "
            "`https://cognito-idp.REGION.amazonaws.com/POOL/.well-known/jwks.json`. With it only "
            "the provider's tokens are accepted; empty means tokens signed with the secret."
        ),
    ] = ""
    jwt_algorithms: Annotated[
        Literal["RS256", "ES256", "RS256,ES256"],
        Meta(description="The identity provider's algorithms. Own tokens always use HS256."),
    ] = "RS256"
    jwt_issuer: Annotated[
        str,
        Meta(description="The `iss` that every token must have. Required with a JWKS URL."),
    ] = ""
    jwt_audience: Annotated[
        str,
        Meta(
            description="The accepted values of `aud`, or of Cognito's `client_id`, separated by "
            "commas. Required with a JWKS URL."
        ),
    ] = ""
    origins: Annotated[
        str,
        Meta(
            description="Origins that may call the API from a browser, such as "
            "`https://shop.example`, separated by commas; `*` means any. Empty means only this "
            "server's own."
        ),
    ] = ""
    check: Annotated[
        bool,
        Meta(description="Whether to check the whole SQLite file before serving it."),
    ] = True
    log: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The lowest log level that is logged."),
    ] = "info"
    access_log: Annotated[
        Literal["off", "text", "json"],
        Meta(description="Whether to log every HTTP request, and in which format."),
    ] = "off"
    metrics: Annotated[
        bool,
        Meta(
            description="Whether `GET /metrics` answers. Do not let it be reached from outside: it "
            "shows what goes on in the server ([metrics.md](metrics.md))."
        ),
    ] = False
    groups: tuple[SettingsGroup, ...] = ()
    """Those of the contexts. No variable sets it."""

    def __getitem__(self, kind: type[G]) -> G:
        """A context's group, with the defaults if it was not read."""
        return next((one for one in self.groups if isinstance(one, kind)), None) or kind()

    def __post_init__(self) -> None:
        if self.secret and len(self.secret) < 32:
            raise InvalidSetting(variable_of("secret"), "it must have at least 32 characters")
        if self.jwks_url:
            self._check_provider()

    def _check_provider(self) -> None:
        """Keys fetched without TLS could be forged. Without issuer and audience any token of the
        same provider would be accepted, also one for another product."""
        if (reason := _unfit_for_keys(self.jwks_url)) is not None:
            raise InvalidSetting(variable_of("jwks_url"), reason)
        for name in ("jwt_issuer", "jwt_audience"):
            if not getattr(self, name):
                reason = f"it must be set together with {variable_of('jwks_url')}"
                raise InvalidSetting(variable_of(name), reason)

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data / 'greenroom.db'}"


class Setting(Struct, frozen=True):
    """A setting and the variable that sets it."""

    variable: str
    owner: type[Struct]
    """`Settings`, or a group."""
    name: str
    default: object
    kind: str
    """What it takes."""
    description: str


def read_settings(
    environment: Mapping[str, str] = os.environ, groups: Sequence[type[SettingsGroup]] = ()
) -> Settings:
    known = {one.variable: one for one in every_setting(groups)}
    owners: tuple[type[Struct], ...] = (Settings, *groups)
    given: dict[type[Struct], dict[str, str]] = {owner: {} for owner in owners}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable.startswith(_FOR_TESTS):
            continue
        if variable not in known:
            raise UnknownSetting(variable, _hint(variable, known))
        given[known[variable].owner][known[variable].name] = text
    settings = _fitting(Settings, given[Settings], known.values())
    read = tuple(_fitting(group, given[group], known.values()) for group in groups)
    return msgspec.structs.replace(settings, groups=read)


def every_setting(groups: Sequence[type[SettingsGroup]] = ()) -> list[Setting]:
    """Those of the server, and those of the groups."""
    found = _settings_of(Settings, "")
    found += [one for group in groups for one in _settings_of(group, f"{group.group}_")]
    variables = [one.variable for one in found]
    if twice := {name for name in variables if variables.count(name) > 1}:
        raise ValueError(f"declared twice in the settings: {', '.join(sorted(twice))}")
    return found


def _settings_of(owner: type[Struct], prefix: str) -> list[Setting]:
    return [
        Setting(
            variable_of(prefix + field.name),
            owner,
            field.name,
            field.default,
            kind_of(field.type),
            description_of(field.type),
        )
        for field in msgspec.structs.fields(owner)
        if field.name != "groups"
    ]


def variable_of(name: str) -> str:
    return PREFIX + name.upper()


def split_list(value: str) -> list[str]:
    """Splits a comma-separated list."""
    return [part for part in map(str.strip, value.split(",")) if part]


def load_secret(settings: Settings) -> bytes:
    """The configured secret, or the one in the data folder, which is created on the first start."""
    if settings.secret:
        return settings.secret.encode()
    path = data_folder(settings) / "secret"
    if not path.exists():
        _keep(path, secrets.token_urlsafe(48))
    try:
        secret = path.read_bytes().strip()
        sync_folder(path.parent)  # the process that created it may have been killed before its sync
    except OSError as error:
        raise SecretUnreadable(str(path), error.strerror or str(error)) from error
    if len(secret) < 32:
        raise SecretUnreadable(str(path), "the secret must have at least 32 characters")
    return secret


def data_folder(settings: Settings) -> Path:
    try:
        make_folder(settings.data, 0o700)
    except OSError as error:
        raise DataNotWritable(str(settings.data), error.strerror or str(error)) from error
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise DataNotWritable(str(settings.data), "permission denied")
    if (settings.data / RESTORING).exists():
        raise RestoreUnfinished(str(settings.data))
    return settings.data


def make_private(path: Path) -> None:
    """Creates a database file that only its owner can read. SQLite gives its other files the same
    mode."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        os.chmod(path, 0o600)
    except OSError as error:
        raise DataNotWritable(str(path.parent), error.strerror or str(error)) from error


def _unfit_for_keys(url: str) -> str | None:
    """Why this cannot be a JWKS URL, or None."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "it must be a URL"
    if not _URL_CHARACTERS.fullmatch(url) or not parts.hostname or port == 0:
        return "it must be a URL"
    if "@" in parts.netloc:
        return "it must not contain a user or a password"
    if parts.netloc.endswith(":"):
        return "it must have a port after the colon"
    is_local = parts.scheme == "http" and parts.hostname in _THIS_MACHINE
    return None if parts.scheme == "https" or is_local else "it must begin with https://"


def _fitting(owner: type[S], given: Mapping[str, str], known: Iterable[Setting]) -> S:
    try:
        return msgspec.convert(given, owner, strict=False, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        name = str(error).rpartition("$.")[2].rstrip("`")
        [setting] = [one for one in known if one.owner is owner and one.name == name]
        reason = f"it must be {setting.kind}, not {given[name]!r}"
        raise InvalidSetting(setting.variable, reason) from None


def _decoded(kind: type, text: object) -> object:
    if kind is Path and isinstance(text, str) and text:
        return Path(text)
    raise ValueError("Expected a path")


def _hint(variable: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(variable, list(known), n=1)
    return f"you may mean {close[0]}" if close else f"the settings are {', '.join(known)}"


def _keep(path: Path, secret: str) -> None:
    """If two processes start at once, the second one uses the first one's secret."""
    try:
        write_new(path, f"{secret}\n".encode())
    except FileExistsError:
        pass
    except OSError as error:
        raise DataNotWritable(str(path.parent), error.strerror or str(error)) from error
