"""The tools that langchain-mcp-adapters makes."""

import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient
from turns import HEADERS, URLS, take_turns


async def main():
    client = MultiServerMCPClient(
        {
            service: {"transport": "streamable_http", "url": url, "headers": HEADERS[service]}
            for service, url in URLS.items()
        }
    )
    tools = {}

    async def list_tools(service):
        listed = await client.get_tools(server_name=service)
        tools.update({tool.name: tool for tool in listed})
        return [tool.name for tool in listed]

    async def call_tool(_service, name, arguments):
        # As an agent calls it: the result is the message for the model.
        call = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
        message = await tools[name].ainvoke(call)
        return message.content[0]["text"], message.status == "error"

    await take_turns(list_tools, call_tool)


asyncio.run(main())
