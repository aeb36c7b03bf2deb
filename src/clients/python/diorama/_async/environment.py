"""An environment, its official clients, and its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from .._clients import Mcp, google, missing, without_none
from .._entering import entering
from .._error import DioramaError
from ..models import Clock, CreatedEnvironment, EnvironmentDetail, FaultList, MovedClock, Snapshot, StartedRun
from .http import AsyncHttp, Method
from .linear import AsyncLinear
from .run import AsyncRun

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

# Of no interest in the traceback of a test.
__tracebackhide__ = True

# The environment is deleted or expired.
GONE = {"environment_not_found", "environment_already_deleted"}


class AsyncEnvironment:
    """A disposable copy of a service, or of several in a world. `async with` deletes it at the end of the block."""

    def __init__(self, http: AsyncHttp, created: CreatedEnvironment) -> None:
        self._http = http
        self._created = created
        self.id = created.environment_id
        self.service = created.service
        self.template = created.template_schema
        """The template that it is a copy of."""
        self.url = f"{http.url}{created.environment_url}"
        """Base address of the service's API, without a trailing slash. Of a world: above those of its services."""
        self.services = {name: f"{http.url}{service.url}" for name, service in created.services.items()}
        """Base address of the API of each service."""
        self._mcp_url = f"{http.url}{created.mcp_url}"
        self.token = created.token
        """For the agent: opens this environment's API only."""
        self.expires_at = created.expires_at
        self.now = created.clock.now
        """The time that it showed when it was created: tell it to your agent."""
        self.prompt = created.prompt
        """The prompt of its test, with the time in place of `{{now}}`; None without a test."""

    @property
    def mcp(self) -> Mcp:
        """Address and headers of the environment's MCP server, which has the tools of all its services."""
        return Mcp(url=self._mcp_url, headers={"Authorization": f"Bearer {self.token}"})

    def slack(self, **options: Any) -> AsyncWebClient:
        """The official chat client (`slack_sdk`, if it is installed), without its retries."""
        url = self._require_service("chat")
        try:
            from slack_sdk.web.async_client import AsyncWebClient
        except ImportError as error:
            raise missing(error, "slack-async") from error
        settings: dict[str, Any] = {"retry_handlers": [], **options}
        return AsyncWebClient(token=self.token, base_url=f"{url}/", **settings)

    def linear(self) -> AsyncLinear:
        """GraphQL calls of a tracker."""
        url = self._require_service("tracker")
        return AsyncLinear(self._http.client, f"{url}/graphql", self.token)

    async def mail(self) -> Any:
        """Google's client for mail (`google-api-python-client`, if it is installed).

        `await asyncio.to_thread(call.execute)` makes a call.
        """
        url = self._require_service("mail")
        return await asyncio.to_thread(google, "gmail", url, self.token)

    async def calendar(self) -> Any:
        """Google's client for calendars (`google-api-python-client`, if it is installed).

        `await asyncio.to_thread(call.execute)` makes a call.
        """
        url = self._require_service("calendar")
        return await asyncio.to_thread(google, "calendar", url, self.token)

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

    async def reset(self) -> None:
        """As its template again. An active run ends as failed."""
        await self._control("POST", "/reset", {})

    async def snapshot(self, name: str | None = None) -> Snapshot:
        """Stores the present state, to which `restore` and forks return."""
        return Snapshot.model_validate(await self._control("POST", "/snapshots", without_none(name=name)))

    async def restore(self, snapshot_id: str) -> None:
        """Returns to a snapshot of this environment or its family. An active run ends as failed."""
        await self._control("POST", "/reset", {"snapshotId": snapshot_id})

    async def fork(
        self,
        count: int = 1,
        *,
        snapshot_id: str | None = None,
        start_run: bool | None = None,
        ttl_seconds: int | None = None,
        token_style: str | None = None,
    ) -> list[AsyncForked]:
        """Creates environments that equal this one row for row, or one of its snapshots: all or none."""
        body = without_none(
            count=count,
            snapshotId=snapshot_id,
            startRun=start_run,
            ttlSeconds=ttl_seconds,
            tokenStyle=token_style,
        )
        answer = await self._control("POST", "/fork", body)
        return [AsyncForked(self._http, fork) for fork in answer["environments"]]

    async def clock(self) -> Clock:
        """What the next call sees."""
        return Clock.model_validate(await self._control("GET", "/clock"))

    async def move_clock(self, *, advance: str | None = None, to: str | None = None) -> MovedClock:
        """Forward, by a duration such as `P1D` or to a time. Does what is due until then."""
        return MovedClock.model_validate(await self._control("POST", "/clock", without_none(advance=advance, to=to)))

    async def faults(self, faults: Sequence[Mapping[str, Any]] | None = None) -> FaultList:
        """The faults, with the calls that got them. With a list: replaces them first, counted from zero."""
        body = None if faults is None else {"faults": [*faults]}
        return FaultList.model_validate(await self._control("PUT" if body else "GET", "/faults", body))

    async def extend(self, ttl_seconds: int) -> EnvironmentDetail:
        """Lives for at least so long from now, seven days altogether at most."""
        return EnvironmentDetail.model_validate(await self._control("PATCH", "", {"ttlSeconds": ttl_seconds}))

    async def _control(self, method: Method, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return await self._http.call(method, f"/env/{self.id}{path}", body=body, has_key=method == "POST")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.template} {self.id} {self.url}>"

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

    def _require_service(self, service: str) -> str:
        url = self.services.get(service)
        if url is None:
            raise TypeError(f"This is an environment of the service {' and '.join(self.services)}, not {service}")
        return url


class AsyncForked:
    """An environment that equals another one."""

    def __init__(self, http: AsyncHttp, fork: Mapping[str, Any]) -> None:
        self.environment = AsyncEnvironment(http, CreatedEnvironment.model_validate(fork))
        run_id = fork.get("runId")
        self.run = AsyncRun(http, run_id) if run_id else None
        """The run that was started in it, with `start_run`."""
