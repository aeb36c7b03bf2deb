# Written from _async/__init__.py by scripts/clients/synchronous.ts.
"""The client without asyncio."""
