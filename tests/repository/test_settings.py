"""Settings: every one can be set, unknown names are refused, and secrets stay private."""

import stat
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from msgspec import Meta

from greenroom import settings
from greenroom.settings import InvalidSetting, Settings, SettingsGroup, UnknownSetting


def test_an_empty_environment_is_enough() -> None:
    assert settings.read_settings({"PATH": "/bin"}) == Settings()
    assert Settings().store_url == "sqlite:///data/greenroom.db"


def test_every_setting_can_be_given() -> None:
    given = settings.read_settings(
        {
            "GREENROOM_HOST": "0.0.0.0",
            "GREENROOM_PORT": "9000",
            "GREENROOM_DATA": "/srv/greenroom",
            "GREENROOM_STORE": "dynamodb://eu-west-1",
            "GREENROOM_SECRET": "s" * 32,
            "GREENROOM_JWKS_URL": "https://provider/jwks.json",
            "GREENROOM_JWT_ALGORITHMS": "RS256,ES256",
            "GREENROOM_JWT_ISSUER": "https://provider",
            "GREENROOM_JWT_AUDIENCE": "web,app",
            "GREENROOM_CHECK": "false",
            "GREENROOM_LOG": "debug",
        }
    )
    assert given == Settings(
        host="0.0.0.0",
        port=9000,
        data=Path("/srv/greenroom"),
        store="dynamodb://eu-west-1",
        secret="s" * 32,
        jwks_url="https://provider/jwks.json",
        jwt_algorithms="RS256,ES256",
        jwt_issuer="https://provider",
        jwt_audience="web,app",
        check=False,
        log="debug",
    )


@pytest.mark.parametrize(
    "variable", ["GREENROOM_PROT", "GREENROOM_", "GREENROOM_port", "GREENROOM_X"]
)
def test_a_misspelt_setting_stops_the_start(variable: str) -> None:
    with pytest.raises(UnknownSetting, match=variable):
        settings.read_settings({variable: "1"})


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("GREENROOM_PORT", "http", "a whole number from 0 to 65535, not 'http'"),
        ("GREENROOM_PORT", "65536", "a whole number from 0 to 65535"),
        ("GREENROOM_PORT", "", "a whole number"),
        ("GREENROOM_CHECK", "maybe", "true or false"),
        ("GREENROOM_LOG", "loud", "one of debug"),
        ("GREENROOM_DATA", "", "a path"),
        ("GREENROOM_JWT_ALGORITHMS", "HS256", "one of ES256, RS256, RS256,ES256"),
        ("GREENROOM_JWT_ALGORITHMS", "none", "one of"),
        ("GREENROOM_JWKS_URL", "http://provider/jwks.json", "https://"),
    ],
)
def test_an_invalid_value_is_refused_with_a_reason(variable: str, value: str, reason: str) -> None:
    with pytest.raises(InvalidSetting, match=reason) as refusal:
        settings.read_settings({variable: value})
    assert refusal.value.name == variable


class Reading(SettingsGroup, frozen=True):
    """What a context may declare."""

    group: ClassVar = "reading"
    page: Annotated[int, Meta(ge=1, le=50, description="Rows of a page.")] = 20


def test_a_group_is_read_with_the_settings_of_the_server() -> None:
    given = settings.read_settings(
        {"GREENROOM_READING_PAGE": "7", "GREENROOM_PORT": "9"}, [Reading]
    )
    assert (given[Reading].page, given.port) == (7, 9)
    assert settings.read_settings({}, [Reading])[Reading] == Settings()[Reading] == Reading()


def test_an_unknown_or_invalid_variable_of_a_group_is_refused_with_a_reason() -> None:
    for refused in ("GREENROOM_READING_PAGES", "GREENROOM_PAGE", "GREENROOM_GROUPS"):
        with pytest.raises(UnknownSetting, match=refused):
            settings.read_settings({refused: "7"}, [Reading])
    with pytest.raises(UnknownSetting, match="you may mean GREENROOM_READING_PAGE"):
        settings.read_settings({"GREENROOM_READING_PAEG": "7"}, [Reading])
    with pytest.raises(InvalidSetting, match="a whole number from 1 to 50, not '99'") as invalid:
        settings.read_settings({"GREENROOM_READING_PAGE": "99"}, [Reading])
    assert invalid.value.name == "GREENROOM_READING_PAGE"


def test_a_variable_is_declared_once() -> None:
    with pytest.raises(ValueError, match="GREENROOM_READING_PAGE"):
        settings.every_setting([Reading, Reading])


@pytest.mark.parametrize("missing", ["GREENROOM_JWT_ISSUER", "GREENROOM_JWT_AUDIENCE"])
def test_an_identity_provider_is_trusted_for_named_tokens_only(missing: str) -> None:
    given = {
        "GREENROOM_JWKS_URL": "https://provider/jwks.json",
        "GREENROOM_JWT_ISSUER": "https://provider",
        "GREENROOM_JWT_AUDIENCE": "app",
    }
    with pytest.raises(InvalidSetting) as refusal:
        settings.read_settings(given | {missing: ""})
    assert refusal.value.name == missing


def _provider(url: str) -> dict[str, str]:
    named = {"GREENROOM_JWT_ISSUER": "https://provider", "GREENROOM_JWT_AUDIENCE": "app"}
    return {"GREENROOM_JWKS_URL": url} | named


@pytest.mark.parametrize(
    "url",
    [
        "http://provider/jwks.json",
        "http://localhost:x@host/",
        "http://localhost@host/",
        "http://127.0.0.1:80@host/jwks.json",
        "https://user:word@provider/",
        "https://user@provider/",
        "https://@provider/",
        "http://localhost.evil.example/",
        "http://127.0.0.1.evil.example/",
        "http://localhost\\@evil.example/",
        "https://provider:99999/",
        "https://provider:0/",
        "https://provider:x/",
        "https://provider:-1/",
        "https://provider:/",
        "https://:443/",
        "https://",
        "https:///jwks.json",
        "https:provider",
        "https://pro vider/",
        "https://provider/\n",
        "\thttps://provider/",
        "https://provider/#keys",
        "https://[::1/",
        "https://[nonsense]/",
        "file:///etc/passwd",
        "ftp://provider/",
        "//provider/",
    ],
)
def test_keys_are_fetched_from_the_configured_address(url: str) -> None:
    with pytest.raises(InvalidSetting) as refusal:
        settings.read_settings(_provider(url))
    assert refusal.value.name == "GREENROOM_JWKS_URL"


@pytest.mark.parametrize(
    "url",
    [
        "https://cognito-idp.eu-west-1.amazonaws.com/pool_1/.well-known/jwks.json",
        "HTTPS://provider:8443/keys?tenant=1",
        "https://[2001:db8::1]/keys",
        "http://localhost:8000/keys",
        "http://127.0.0.1/keys",
        "http://[::1]:8000/keys",
    ],
)
def test_the_addresses_of_identity_providers_are_taken(url: str) -> None:
    assert settings.read_settings(_provider(url)).jwks_url == url


def test_a_weak_secret_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidSetting) as refusal:
        settings.read_settings({"GREENROOM_SECRET": "hunter2"})
    assert "hunter2" not in str(refusal.value)


def test_the_secret_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    given = Settings(data=tmp_path / "new" / "folder")
    secret = settings.load_secret(given)
    assert len(secret) >= 32
    assert settings.load_secret(given) == secret
    kept = given.data / "secret"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert list(given.data.iterdir()) == [kept]


def test_a_configured_secret_is_not_stored(tmp_path: Path) -> None:
    assert settings.load_secret(Settings(data=tmp_path, secret="s" * 32)) == b"s" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_secret_is_refused_rather_than_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    with pytest.raises(settings.SecretUnreadable):
        settings.load_secret(Settings(data=tmp_path))


def test_a_file_in_place_of_the_data_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(settings.DataNotWritable):
        settings.load_secret(Settings(data=tmp_path / "data"))
