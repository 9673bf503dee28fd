"""Short-lived commands: what they print, and what they refuse in one line."""

import json
import subprocess
import sys
from pathlib import Path

import jwt
import pytest

from greenroom import __version__
from greenroom.app import TABLES


def greenroom(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "greenroom", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", **environment},
    )


def refused(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    return line


def test_the_version_is_printed() -> None:
    assert greenroom("--version").stdout == f"greenroom {__version__}\n"


def test_the_tables_are_printed_as_text_and_for_cloudformation() -> None:
    text = greenroom("tables").stdout
    template = json.loads(greenroom("tables", "--format", "cloudformation").stdout)
    assert len(TABLES) >= 10
    assert len(template["Resources"]) == len(TABLES)
    for table in TABLES:
        assert f"\n{table.name}\n" in f"\n{text}"
        assert template["Resources"][table.name]["Type"] == "AWS::DynamoDB::Table"


def test_a_closed_pipe_is_not_an_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m greenroom tables | head -1",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"{TABLES[0].name}\n"
    assert done.stderr == ""


def test_a_misspelt_setting_prints_one_sentence() -> None:
    line = refused(greenroom("serve", GREENROOM_PROT="1"))
    assert line == "greenroom: There is no setting GREENROOM_PROT; you may mean GREENROOM_PORT."


@pytest.mark.parametrize("store", ["mysql://db", "dynamodb://", "dynamodb+http://k:hunter2@h?x=1"])
def test_an_invalid_store_url_is_refused_without_its_password(tmp_path: Path, store: str) -> None:
    done = greenroom(
        "serve", GREENROOM_STORE=store, GREENROOM_DATA=str(tmp_path), GREENROOM_PORT="0"
    )
    line = refused(done)
    assert line.startswith("greenroom: GREENROOM_STORE is not valid")
    assert "hunter2" not in line


def test_an_unreachable_dynamodb_stops_the_start(tmp_path: Path) -> None:
    done = greenroom(
        "serve",
        GREENROOM_STORE="dynamodb+http://127.0.0.1:9?region=local",
        GREENROOM_DATA=str(tmp_path),
        GREENROOM_PORT="0",
    )
    assert refused(done).startswith("greenroom: The store cannot be reached")


def test_a_backup_of_a_missing_file_is_refused(tmp_path: Path) -> None:
    done = greenroom("backup", str(tmp_path / "copy.db"), GREENROOM_DATA=str(tmp_path / "none"))
    assert "does not exist" in refused(done)
    assert list(tmp_path.iterdir()) == []


def test_a_backup_of_dynamodb_is_refused(tmp_path: Path) -> None:
    done = greenroom("backup", str(tmp_path / "copy.db"), GREENROOM_STORE="dynamodb://eu-west-1")
    assert "DynamoDB's own backups" in refused(done)


def test_a_token_has_subject_scope_and_expiry(tmp_path: Path) -> None:
    asked = ("usr_1", "--scope", "service", "--scope", "user", "--hours", "2")
    done = greenroom("token", *asked, GREENROOM_SECRET="s" * 32, GREENROOM_JWT_AUDIENCE="a,b")
    claims = jwt.decode(done.stdout.strip(), "s" * 32, ["HS256"], audience="b")
    assert (claims["sub"], claims["scope"]) == ("usr_1", "service user")
    assert claims["exp"] - claims["iat"] == 2 * 3600


def test_a_token_for_an_unknown_username_is_refused(tmp_path: Path) -> None:
    line = refused(greenroom("token", "maya", GREENROOM_DATA=str(tmp_path)))
    assert "No user named 'maya'" in line
    assert "--demo" in line


def test_with_an_identity_provider_no_token_is_printed() -> None:
    done = greenroom(
        "token",
        "usr_1",
        GREENROOM_JWKS_URL="https://provider/jwks.json",
        GREENROOM_JWT_ISSUER="https://provider",
        GREENROOM_JWT_AUDIENCE="app",
    )
    assert "identity provider" in refused(done)


@pytest.mark.parametrize("hours", ["0", "-1", "x", "9000"])
def test_a_token_lasts_at_most_a_year(hours: str) -> None:
    done = greenroom("token", "usr_1", "--hours", hours)
    assert done.returncode == 2
    assert done.stdout == ""
