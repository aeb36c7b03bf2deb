"""
The pytest plugin: the fixture `diorama`, an environment in which a run has begun, and a report of what happened there.

Tests choose the environment with `@pytest.mark.diorama(template=…, as_=…)`; the arguments are those of `Diorama.env`.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator
from contextlib import suppress
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import pytest

from ._error import DioramaError

if TYPE_CHECKING:
    from ._recorded import RecordedEnvironment
    from ._sync.client import Diorama
    from ._sync.local import LocalDiorama

# Of no interest in the traceback of a test.
__tracebackhide__ = True

# A test that was killed leaves its environment for this long at most.
TTL_SECONDS = 900
# Characters of a label.
LABEL_MAX = 256
HELP = "address of the Diorama server; default: DIORAMA_URL, else http://127.0.0.1:3000"
HELP_LOCAL = "start a Diorama server for the tests: `diorama`, or the given command"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("diorama")
    group.addoption("--diorama-url", metavar="URL", help=HELP)
    group.addoption("--diorama-local", nargs="?", const="diorama", metavar="COMMAND", help=HELP_LOCAL)


def pytest_configure(config: pytest.Config) -> None:
    line = "diorama(template, as_, **options): the environment of the fixture `diorama`; arguments as of `Diorama.env`"
    config.addinivalue_line("markers", line)
    config.pluginmanager.register(Environments(config), "diorama-environments")


class Environments:
    """
    The environments of a session. Each process notes them in a folder of the controlling process, which deletes those
    that are left in the end: a worker of pytest-xdist may be killed.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._folder: TemporaryDirectory[str] | None = None
        self._local: LocalDiorama | None = None
        self._client: Diorama | None = None
        self._url: str | None = config.getoption("--diorama-url")
        self._command: str | None = config.getoption("--diorama-local")

    @property
    def client(self) -> Diorama:
        if self._client is None:
            # Here, because most sessions of pytest have no use for it.
            from ._sync.client import Diorama
            from ._sync.local import local

            if self._worker is not None:
                self._client = Diorama(self._worker["diorama_url"])
            elif self._command is not None:
                self._client = self._local = local(shlex.split(self._command))
            else:
                self._client = Diorama(self._url)
        return self._client

    @property
    def _notes(self) -> Path:
        if self._worker is not None:
            return Path(self._worker["diorama_notes"])
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="diorama-pytest-")
        return Path(self._folder.name)

    def note(self, id: str) -> None:
        (self._notes / id).touch()

    def forget(self, id: str) -> None:
        (self._notes / id).unlink(missing_ok=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called by pytest-xdist before it starts a worker."""
        node.workerinput["diorama_url"] = self.client.url if self._command is not None else self._url
        node.workerinput["diorama_notes"] = str(self._notes)

    def pytest_unconfigure(self) -> None:
        if self._worker is None and self._folder is not None:
            for note in self._notes.iterdir():
                # It expires by itself if this fails.
                with suppress(DioramaError):
                    self.client.call("DELETE", f"/env/{note.name}")
            self._folder.cleanup()
        if self._local is not None:
            self._local.stop()
        elif self._client is not None:
            self._client.close()


@pytest.fixture
def diorama(request: pytest.FixtureRequest) -> Generator[RecordedEnvironment, None, None]:
    """An environment in which a run has begun, deleted after the test."""
    marker = request.node.get_closest_marker("diorama")
    if marker is None:
        near = get_close_matches("diorama", [each.name for each in request.node.iter_markers()], 1)
        instead = f"instead of @pytest.mark.{near[0]}, " if near else ""
        raise pytest.UsageError(f"{instead}mark the test with @pytest.mark.diorama(template=…, as_=…)")
    from ._recorded import RecordedEnvironment
    from ._sync.client import Diorama

    environments = cast("Environments", request.config.pluginmanager.get_plugin("diorama-environments"))
    options: dict[str, Any] = {"ttl_seconds": TTL_SECONDS, **marker.kwargs}
    arguments = signature(Diorama.env)
    try:
        arguments.bind(None, *marker.args, **options)
    except TypeError as error:
        names = ", ".join(list(arguments.parameters)[1:])
        raise pytest.UsageError(f"@pytest.mark.diorama: {error}; it takes {names}") from None
    with environments.client.env(*marker.args, **options) as environment:
        environments.note(environment.id)
        # For agents that the test starts as processes.
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DIORAMA_NOW", environment.now.isoformat())
            yield RecordedEnvironment(environment, {"test": request.node.nodeid[-LABEL_MAX:]})
    environments.forget(environment.id)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the run, the diff and the last calls to the report of a failed test."""
    report = yield
    given: dict[str, Any] = getattr(item, "funcargs", {})
    environment = given.get("diorama")
    if call.when == "call" and report.failed and environment is not None:
        report.sections += environment.report()
    return report
