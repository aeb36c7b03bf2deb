"""Answers of a tracker."""

from __future__ import annotations

from typing import Any

import httpx


class LinearError(Exception):
    """A GraphQL call that the tracker rejected."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__("; ".join(str(error.get("message")) for error in errors))
        self.errors = errors
        """The errors of the answer."""

    @classmethod
    def check(cls, response: httpx.Response) -> dict[str, Any]:
        """The `data` of an answer without errors. Raises LinearError."""
        try:
            answer: dict[str, Any] = dict(response.json())
        except (ValueError, TypeError):
            answer = {}
        if answer.get("errors"):
            raise cls(answer["errors"])
        if not isinstance(answer.get("data"), dict):
            raise cls([{"message": f"the answer has no data: {response.status_code} {response.text[:200]}"}])
        return answer["data"]
