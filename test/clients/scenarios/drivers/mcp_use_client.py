"""The client of mcp-use."""

import asyncio

from mcp_use import MCPClient
from turns import HEADERS, URLS, take_turns


async def main():
    servers = {service: {"url": url, "headers": HEADERS[service]} for service, url in URLS.items()}
    client = MCPClient({"mcpServers": servers})
    sessions = await client.create_all_sessions()

    async def list_tools(service):
        return [tool.name for tool in await sessions[service].list_tools()]

    async def call_tool(service, name, arguments):
        result = await sessions[service].call_tool(name, arguments)
        return result.content[0].text, result.isError

    await take_turns(list_tools, call_tool)
    await client.close_all_sessions()


asyncio.run(main())
