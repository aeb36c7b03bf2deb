from .client import @CLASS@

__all__ = ["@CLASS@"]
