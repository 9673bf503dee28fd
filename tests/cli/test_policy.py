"""`greenroom policy` prints the policy in force, and names what is wrong with a file."""

import tomllib
from pathlib import Path

from greenroom.app import REGISTRY
from greenroom.policy_file import parse
from tests.cli.test_commands import greenroom, refused


def test_without_a_file_the_defaults_are_printed() -> None:
    done = greenroom("policy")
    assert done.returncode == 0
    assert parse(REGISTRY.policy, tomllib.loads(done.stdout)) == REGISTRY.policy.default
    assert "# changed" not in done.stdout


def test_values_of_the_file_are_printed_and_marked(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("[gate]\nmessages = 5\n")
    done = greenroom("policy", GREENROOM_POLICY=str(file))
    assert "messages = 5  # changed, default: 3\n" in done.stdout
    assert done.stdout.count("# changed") == 1


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(b"\xef\xbb\xbf[gate]\nmessages = 5\n")
    assert "messages = 5  # changed" in greenroom("policy", GREENROOM_POLICY=str(file)).stdout


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("x = " + "[" * 5000)
    said = refused(greenroom("policy", GREENROOM_POLICY=str(file)))
    assert f"The policy file {file} cannot be read: its values are nested too deeply" in said


def test_a_wrong_file_prints_one_sentence_with_file_line_key_and_reason(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("[gate]\nmessages = 5\nexpires_days = 0\n")
    said = refused(greenroom("policy", GREENROOM_POLICY=str(file)))
    assert f"{file}, line 3, has an invalid value for gate.expires_days" in said
    assert "it must be a whole number from 1 to 365" in said
