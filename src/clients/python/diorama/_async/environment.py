"""An environment, its official clients, and its runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from .._clients import Mcp, missing, without_none
from .._entering import entering
from .._error import DioramaError
from ..models import CreatedEnvironment, StartedRun
from .http import AsyncHttp
from .linear import AsyncLinear
from .run import AsyncRun

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

# The environment is deleted or expired.
GONE = {"environment_not_found", "environment_already_deleted"}


class AsyncEnvironment:
    """A disposable copy of a service. `async with` deletes it at the end of the block."""

    def __init__(self, http: AsyncHttp, created: CreatedEnvironment) -> None:
        self._http = http
        self._created = created
        self.id = created.environment_id
        self.service = created.service
        self.template = created.template_schema
        """The template that it is a copy of."""
        self.url = f"{http.url}{created.environment_url}"
        """Base address of the service's API, without a trailing slash."""
        self.token = created.token
        """For the agent: opens this environment's API only."""
        self.expires_at = created.expires_at
        self.now = created.clock.now
        """The time that it showed when it was created: tell it to your agent."""
        self.prompt = created.prompt
        """The prompt of its test, with the time in place of `{{now}}`; None without a test."""

    @property
    def mcp(self) -> Mcp:
        """Address and headers of the environment's MCP server."""
        return Mcp(url=f"{self.url}/mcp", headers={"Authorization": f"Bearer {self.token}"})

    def slack(self, **options: Any) -> AsyncWebClient:
        """The official chat client (`slack_sdk`, if it is installed), without its retries."""
        self._require_service("chat")
        try:
            from slack_sdk.web.async_client import AsyncWebClient
        except ImportError as error:
            raise missing(error, "slack-async") from error
        settings: dict[str, Any] = {"retry_handlers": [], **options}
        return AsyncWebClient(token=self.token, base_url=f"{self.url}/", **settings)

    def linear(self) -> AsyncLinear:
        """GraphQL calls of a tracker."""
        self._require_service("tracker")
        return AsyncLinear(self._http.client, f"{self.url}/graphql", self.token)

    @entering
    async def run(
        self,
        *,
        test_id: str | None = None,
        test_suite_id: str | None = None,
        labels: Mapping[str, str] | None = None,
        journal: Literal["off", "calls", "full"] | None = None,
    ) -> AsyncRun:
        """Starts a run: from here on, changes are captured. `async with` ends it."""
        body = without_none(envId=self.id, testId=test_id, testSuiteId=test_suite_id, labels=labels, journal=journal)
        answer = await self._http.call("POST", "/startRun", body=body, has_key=True)
        return AsyncRun(self._http, StartedRun.model_validate(answer).run_id)

    async def delete(self) -> None:
        """Deletes the environment now rather than when it expires."""
        await self._http.call("DELETE", f"/env/{self.id}")

    async def __aenter__(self) -> AsyncEnvironment:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.delete()
        except DioramaError as failure:
            if failure.code not in GONE:
                raise

    def _require_service(self, service: str) -> None:
        if self.service != service:
            raise TypeError(f"This is an environment of the service {self.service}, not {service}")
