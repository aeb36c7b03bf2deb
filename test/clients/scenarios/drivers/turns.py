"""The test's side of a driver: lines of JSON on standard input and output (see test/clients/mcp/driver.ts)."""

import asyncio
import json
import os
import sys

URLS = {"chat": os.environ["CHAT_URL"], "tracker": os.environ["TRACKER_URL"]}
HEADERS = {
    "chat": {"Authorization": f"Bearer {os.environ['CHAT_TOKEN']}"},
    "tracker": {"Authorization": f"Bearer {os.environ['TRACKER_TOKEN']}"},
}
IS_MODERN = os.environ["REVISION"] == "2026-07-28"


def report(answer):
    print(json.dumps(answer), flush=True)


async def next_call():
    """The call that the test wants; None at the end."""
    line = await asyncio.to_thread(sys.stdin.readline)
    return json.loads(line) if line else None


async def take_turns(list_tools, call_tool):
    """`list_tools`: the names of a service's tools. `call_tool`: the text of a result, and whether it is an error."""
    report({"tools": [name for service in URLS for name in await list_tools(service)]})
    while call := await next_call():
        text, is_error = await call_tool(call["service"], call["name"], call["arguments"])
        report({"text": text, "isError": is_error})
