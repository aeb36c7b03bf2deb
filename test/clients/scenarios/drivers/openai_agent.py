"""An agent of the OpenAI Agents SDK. Its model makes the calls that the test wants, and reports the results that it sees."""

import asyncio
import json
from contextlib import AsyncExitStack

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from turns import HEADERS, URLS, next_call, report


class Scripted(Model):
    turn = 0

    async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
        if self.turn == 0:
            report({"tools": [tool.name for tool in tools]})
        else:
            # The result has no sign of an error but its text.
            [content] = input[-1]["output"]
            report({"text": content["text"]})
        self.turn += 1
        call = await next_call()
        return ModelResponse([self.output(call)], Usage(), response_id=None)

    def output(self, call):
        if not call:
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            return ResponseOutputMessage(
                id="end", content=[text], role="assistant", status="completed", type="message"
            )
        return ResponseFunctionToolCall(
            name=call["name"],
            arguments=json.dumps(call["arguments"]),
            call_id=f"call_{self.turn}",
            type="function_call",
        )

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main():
    async with AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(
                MCPServerStreamableHttp({"url": url, "headers": HEADERS[service]})
            )
            for service, url in URLS.items()
        ]
        agent = Agent("scripted", model=Scripted(), mcp_servers=servers)
        config = RunConfig(tracing_disabled=True)
        await Runner.run(agent, "Do what is next.", run_config=config, max_turns=100)


asyncio.run(main())
