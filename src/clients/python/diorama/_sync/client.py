# Written from _async/client.py by scripts/clients/synchronous.ts.
"""A Diorama server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal
from urllib.parse import quote

from .._clients import user, without_none
from ..models import CreatedEnvironment, Template
from .environment import Environment
from .http import Http
from .suite import Suite

# Of no interest in the traceback of a test.
__tracebackhide__ = True


class Diorama:
    """
    A Diorama server: by default the one that `DIORAMA_URL` and `DIORAMA_API_KEY` name, or that of this machine.
    `with` closes its connections.
    """

    def __init__(self, url: str | None = None, key: str | None = None) -> None:
        self._http = Http(url, key)
        self.call = self._http.call
        """Any call of the platform API."""
        # The service of each template that was asked for: it never changes.
        self._services: dict[str, str] = {}

    @property
    def url(self) -> str:
        """Address of the server."""
        return self._http.url

    def env(
        self,
        template: str | None = None,
        *,
        as_: str | None = None,
        test_id: str | None = None,
        ttl_seconds: int | None = None,
        token_style: Literal["xoxp", "xoxb"] | None = None,
        allow_impersonation: bool | None = None,
        clock: Mapping[str, Any] | Literal["real"] | None = None,
        seed: int | None = None,
        faults: Sequence[Mapping[str, Any]] | None = None,
        services: Sequence[str] | None = None,
    ) -> Environment:
        """
        Creates an environment from a template, or for a test. `as_` is the id or email of the user that the agent acts
        as. The environment expires after `ttl_seconds`, 1800 by default. `clock`, `seed` and `faults` are those of
        initEnv; without `faults`, those of the test apply. `services` opens some of a world's only. `with` deletes
        it.
        """
        body = without_none(
            templateName=template,
            templateService=template and self._service_of(template),
            testId=test_id,
            ttlSeconds=ttl_seconds,
            tokenStyle=token_style,
            allowImpersonation=allow_impersonation,
            clock=clock,
            seed=seed,
            faults=faults,
            services=services,
            **user(as_),
        )
        answer = self._http.call("POST", "/initEnv", body=body, has_key=True)
        return Environment(self._http, CreatedEnvironment.model_validate(answer))

    def _service_of(self, template: str) -> str:
        if template not in self._services:
            found = self._http.get(Template, f"/templates/{quote(template, safe='')}")
            self._services[template] = found.service
        return self._services[template]

    def suite(self, reference: str) -> Suite:
        """A suite by its id; by its name or slug, if it is your own or built in; or as `owner/name`."""
        return Suite(self._http, self.env, reference)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Diorama:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
