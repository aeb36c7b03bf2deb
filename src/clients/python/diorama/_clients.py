"""Small parts that both kinds of client use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

# Packages whose name is not that of their module.
PACKAGES = {"googleapiclient": "google-api-python-client", "google": "google-auth"}


@dataclass(frozen=True)
class Mcp:
    """Address and headers of an MCP server."""

    url: str
    headers: dict[str, str]


def without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def missing(error: ImportError, extra: str) -> ImportError:
    """The reason why an official client cannot be imported: the package that is missing, which may be one that it needs."""
    module = (error.name or "slack_sdk").partition(".")[0]
    package = PACKAGES.get(module, module)
    why = f'{package} is not installed: pip install {package}; the extra "{extra}" of diorama has it ({error})'
    return ImportError(why, name=error.name)


def google(api: Literal["gmail", "calendar"], url: str, token: str) -> Any:
    """Google's client for mail or calendars, built from the discovery document of an environment."""
    version, extra = {"gmail": ("v1", "mail"), "calendar": ("v3", "calendar")}[api]
    try:
        discovery = import_module("googleapiclient.discovery")
        credentials = import_module("google.oauth2.credentials")
    except ImportError as error:
        raise missing(error, extra) from error
    return discovery.build(
        api,
        version,
        credentials=credentials.Credentials(token),
        discoveryServiceUrl=f"{url}/$discovery/rest?version={version}",
        static_discovery=False,
    )


def user(as_: str | None) -> dict[str, str]:
    """The user that the agent acts as, by id or email."""
    if as_ is None:
        return {}
    return {"impersonateEmail" if "@" in as_ else "impersonateUserId": as_}
