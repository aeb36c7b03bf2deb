# Written from _async/linear.py by scripts/clients/synchronous.ts.
"""GraphQL calls of a tracker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from .._linear import LinearError

# Of no interest in the traceback of a test.
__tracebackhide__ = True


class Linear:
    """The tracker's API. Linear has no official client for Python."""

    def __init__(self, client: httpx.Client, url: str, token: str) -> None:
        self.url = url
        self._client = client
        self._headers = {"Authorization": token}

    def execute(self, query: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Runs a query or a mutation and returns its `data`. Raises LinearError if the answer has errors."""
        response = self._client.post(
            self.url, json={"query": query, "variables": variables or {}}, headers=self._headers
        )
        return LinearError.check(response)
