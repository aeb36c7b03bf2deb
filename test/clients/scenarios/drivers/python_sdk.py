"""The official SDK of Python, version 2."""

import asyncio
from contextlib import AsyncExitStack

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from turns import HEADERS, IS_MODERN, URLS, take_turns


async def main():
    async with AsyncExitStack() as stack:
        clients = {}
        for service, url in URLS.items():
            http = await stack.enter_async_context(create_mcp_http_client(headers=HEADERS[service]))
            client = Client(
                streamable_http_client(url, http_client=http),
                mode="auto" if IS_MODERN else "legacy",
            )
            clients[service] = await stack.enter_async_context(client)

        async def list_tools(service):
            return [tool.name for tool in (await clients[service].list_tools()).tools]

        async def call_tool(service, name, arguments):
            result = await clients[service].call_tool(name, arguments)
            return result.content[0].text, result.is_error

        await take_turns(list_tools, call_tool)


asyncio.run(main())
