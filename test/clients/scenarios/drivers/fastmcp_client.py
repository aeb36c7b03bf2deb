"""The client of FastMCP."""

import asyncio
from contextlib import AsyncExitStack

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from turns import HEADERS, IS_MODERN, URLS, take_turns


async def main():
    async with AsyncExitStack() as stack:
        clients = {
            service: await stack.enter_async_context(
                Client(
                    StreamableHttpTransport(url, headers=HEADERS[service]),
                    mode="auto" if IS_MODERN else "legacy",
                )
            )
            for service, url in URLS.items()
        }

        async def list_tools(service):
            return [tool.name for tool in await clients[service].list_tools()]

        async def call_tool(service, name, arguments):
            result = await clients[service].call_tool(name, arguments, raise_on_error=False)
            return result.content[0].text, result.is_error

        await take_turns(list_tools, call_tool)


asyncio.run(main())
