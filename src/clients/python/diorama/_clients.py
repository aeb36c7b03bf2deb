"""Small parts that both kinds of client use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mcp:
    """Address and headers of an MCP server."""

    url: str
    headers: dict[str, str]


def without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def missing(error: ImportError, extra: str) -> ImportError:
    """The reason why an official client cannot be imported: the package that is missing, which may be one that it needs."""
    package = (error.name or "slack_sdk").partition(".")[0]
    why = f'{package} is not installed: pip install {package}; the extra "{extra}" of diorama has it ({error})'
    return ImportError(why, name=error.name)


def user(as_: str | None) -> dict[str, str]:
    """The user that the agent acts as, by id or email."""
    if as_ is None:
        return {}
    return {"impersonateEmail" if "@" in as_ else "impersonateUserId": as_}
