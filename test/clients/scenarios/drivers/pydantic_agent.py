"""An agent of pydantic-ai. Its model makes the calls that the test wants, and reports the results that it sees."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from turns import HEADERS, URLS, next_call, report


async def respond(messages, info):
    if len(messages) == 1:
        report({"tools": [tool.name for tool in info.function_tools]})
    else:
        [result] = messages[-1].parts
        is_error = result.outcome != "success"
        report({"text": result.model_response_str(), "isError": is_error})
    call = await next_call()
    if not call:
        return ModelResponse(parts=[TextPart("done")])
    return ModelResponse(parts=[ToolCallPart(call["name"], call["arguments"])])


async def main():
    toolsets = [MCPToolset(url, headers=HEADERS[service]) for service, url in URLS.items()]
    await Agent(FunctionModel(respond), toolsets=toolsets).run("Do what is next.")


asyncio.run(main())
