# Written from _async/http.py by scripts/clients/synchronous.ts.
"""Calls of the platform API, with retries where they are safe."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, TypeVar

import httpx

from .._error import DioramaError
from .._model import Model
from .._waiting import sleep

# Of no interest in the traceback of a test.
__tracebackhide__ = True

Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
Answer = TypeVar("Answer", bound=Model)

# diffRun may wait this long for the log, and a little for the way.
TIMEOUT_SECONDS = 120.0
ATTEMPTS_MAX = 4
DELAY_SECONDS = 0.2
# Of a server that says how long it needs.
DELAY_SECONDS_MAX = 60.0
# Of the server, or of a balancer whose server is gone.
UNAVAILABLE = frozenset((502, 503, 504))
# In the answer of a cell that an id does not belong to: its own one. A balancer finds it by this header.
CELL = "X-Diorama-Cell"


class Http:
    def __init__(self, url: str | None, key: str | None) -> None:
        self._url = url
        self._key = key

    @cached_property
    def url(self) -> str:
        url = self._url or os.environ.get("DIORAMA_URL") or "http://127.0.0.1:3000"
        return url.rstrip("/")

    @cached_property
    def client(self) -> httpx.Client:
        return httpx.Client(timeout=TIMEOUT_SECONDS)

    def close(self) -> None:
        """Closes the connections, if there are any."""
        if "client" in self.__dict__:
            self.client.close()
            del self.client

    def get(self, model: type[Answer], path: str, query: Mapping[str, Any] | None = None) -> Answer:
        return model.model_validate(self.call("GET", path, query=query))

    def call(
        self,
        method: Method,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        has_key: bool = False,
        is_repeatable: bool = False,
    ) -> Any:
        """
        Calls `/api/platform<path>` and returns the JSON of its answer. Repeats a call that got no answer or 502 to 504, if
        repeating it has no second effect: a POST only with `has_key`, which sends an `Idempotency-Key`, or
        `is_repeatable`. Repeats one that has reached another cell. Raises DioramaError.
        """
        headers: dict[str, str] = {}
        key = self._key or os.environ.get("DIORAMA_API_KEY")
        if key is not None:
            headers["X-API-Key"] = key
        if has_key:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        can_repeat = method != "POST" or has_key or is_repeatable
        address = f"{self.url}/api/platform{path}"
        attempt = 0
        while True:
            attempt += 1
            again = can_repeat and attempt < ATTEMPTS_MAX
            try:
                response = self.client.request(method, address, json=body, params=query, headers=headers)
            except httpx.TransportError as error:
                if not again:
                    message = f"Nothing answers at {self.url}: {error}"
                    # The message has the reason: the frames of httpx would fill a screen.
                    raise DioramaError(message, code="unreachable", status=0) from None
                sleep(delay_seconds(None, attempt))
                continue
            if response.is_success:
                return response.json()
            if CELL in response.headers and CELL not in headers:
                headers[CELL] = response.headers[CELL]
                continue
            if response.status_code not in UNAVAILABLE or not again:
                raise error_of(response)
            sleep(delay_seconds(response.headers.get("Retry-After"), attempt))


def delay_seconds(retry_after: str | None, attempt: int) -> float:
    is_stated = retry_after is not None and retry_after.isdecimal() and int(retry_after) > 0
    wanted = float(retry_after or 0) if is_stated else DELAY_SECONDS * 2 ** (attempt - 1)
    return min(wanted, DELAY_SECONDS_MAX)


def error_of(response: httpx.Response) -> DioramaError:
    try:
        answer: dict[str, Any] = dict(response.json())
    except (ValueError, TypeError):
        answer = {}
    status = response.status_code
    code = str(answer.get("error") or ("limit_exceeded" if status == 429 else f"http_{status}"))
    words = answer.get("detail") or answer.get("reason")
    return DioramaError(
        f"{code}: {words}" if words else code,
        code=code,
        status=status,
        request_id=response.headers.get("X-Request-Id"),
    )
