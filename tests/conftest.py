"""Starts the engines once per test run, and fails a CI run that skips tests.

Under pytest-xdist the controller starts them and passes their URLs to the workers: a worker may end
before the others, so none may own an engine. `GREENROOM_TEST_DYNAMODB` and so on name an engine
that is already running. All workers share one of each: in DynamoDB Local they have databases of
their own, and a second Java would have to warm up too.
"""

import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

from scripts import engines
from scripts.engines.media_programs import install_media_programs
from scripts.vision.build import build
from tests.stores import SQLITE

_CI = os.environ.get("CI") == "true"
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g"
"""For a Java process that lives a few minutes and shares two cores: a fifth less CPU in all.
Benchmarks start it without.
"""
_RUN = pytest.StashKey["EnginesOfTheRun"]()


class EnginesOfTheRun:
    """By name: a URL, or the reason why the engine is missing."""

    def __init__(self, given: dict[str, Any] | None = None) -> None:
        self.known: dict[str, dict[str, str]] = given or {}
        self._started: list[engines.Engine] = []

    def find(self, name: str) -> dict[str, str]:
        if name not in self.known:
            self.known[name] = self._start(name)
        return self.known[name]

    def _start(self, name: str) -> dict[str, str]:
        if url := os.environ.get(f"GREENROOM_TEST_{name.upper()}"):
            return {"url": url}
        os.environ.setdefault("JDK_JAVA_OPTIONS", _JAVA)
        try:
            engine = engines.start(name)
        except engines.Unavailable as reason:
            return {"missing": str(reason)}
        self._started.append(engine)
        return {"url": engine.url}

    def stop(self) -> None:
        while self._started:
            self._started.pop().stop()


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {}).get("engines")
    config.stash[_RUN] = EnginesOfTheRun(given)
    if given is None:
        install_media_programs()  # the demo and the corpus are other ones without them


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    run = node.config.stash[_RUN]
    for name in ("dynamodb", "nats", "clamd", "seaweedfs", "postgresql"):
        run.find(name)
    node.workerinput["engines"] = run.known


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_RUN].stop()


@pytest.fixture(scope="session")
def dynamodb_url(request: pytest.FixtureRequest) -> str:
    return _url(request.config, "dynamodb")


@pytest.fixture(scope="session")
def nats_url(request: pytest.FixtureRequest) -> str:
    return _url(request.config, "nats")


@pytest.fixture(scope="session")
def vision_model() -> Path:
    """The model that rates pictures, which is built once."""
    try:
        return build()
    except engines.Unavailable as reason:
        _miss("model for pictures", str(reason))


@pytest.fixture(scope="session")
def clamd_url(request: pytest.FixtureRequest) -> str:
    return _url(request.config, "clamd")


@pytest.fixture(scope="session")
def s3_url(request: pytest.FixtureRequest) -> str:
    """As in GREENROOM_BLOBS."""
    return _url(request.config, "seaweedfs")


@pytest.fixture(scope="session")
def postgresql_url(request: pytest.FixtureRequest) -> str:
    """Of a database that all tests share: each has a schema of its own."""
    return _url(request.config, "postgresql")


@pytest.fixture(params=["sqlite", "dynamodb"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Each engine in turn, for `fresh_store`."""
    if request.param == "sqlite":
        return f"{SQLITE}{tmp_path}/store.db"
    return _url(request.config, "dynamodb")


def _url(config: pytest.Config, name: str) -> str:
    found = config.stash[_RUN].find(name)
    if reason := found.get("missing"):
        _miss(name, reason)
    return found["url"]


def _miss(name: str, reason: str) -> NoReturn:
    if _CI:
        pytest.fail(f"no {name} on this machine: {reason}", pytrace=False)
    pytest.skip(f"no {name} on this machine: {reason}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _CI and _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _CI and (skipped := _skipped(config)):
        terminalreporter.section("skipped on CI, where nothing may be skipped", red=True)
        terminalreporter.line(f"{skipped} skipped; the reasons are listed below.", red=True)


def _skipped(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return 0 if reporter is None else len(reporter.stats.get("skipped", ()))
