"""Events through slack_sdk: `builtin`, `websocket_client`, `aiohttp` or `websockets`. Prints a line of JSON for each
connection and event. Ends with its input."""

import asyncio
import importlib
import json
import os
import sys
import threading

from slack_sdk import WebClient
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

kind = sys.argv[1]
url = os.environ["URL"] + "/"
app_token = os.environ["APP_TOKEN"]
lock = threading.Lock()


def say(line):
    with lock:
        print(json.dumps(line), flush=True)


def report(payload):
    event = payload["event"]
    shown = {key: event.get(key) for key in ("type", "subtype", "text", "ts")}
    say({"event": shown, "id": payload["event_id"]})


module = importlib.import_module(f"slack_sdk.socket_mode.{kind}")


def run():
    client = module.SocketModeClient(app_token=app_token, web_client=WebClient(base_url=url))

    def listen(client, request):
        client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
        report(request.payload)

    connect = client.connect

    def connect_and_say():
        connect()
        say({"connected": True})

    client.connect = connect_and_say
    client.socket_mode_request_listeners.append(listen)
    client.connect()
    sys.stdin.read()
    client.close()
    os._exit(0)


async def run_async():
    client = module.SocketModeClient(
        app_token=app_token, web_client=AsyncWebClient(base_url=url)
    )

    async def listen(client, request):
        await client.send_socket_mode_response(
            SocketModeResponse(envelope_id=request.envelope_id)
        )
        report(request.payload)

    connect = client.connect

    async def connect_and_say():
        await connect()
        say({"connected": True})

    client.connect = connect_and_say
    client.socket_mode_request_listeners.append(listen)
    await client.connect()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


if kind in ("builtin", "websocket_client"):
    run()
else:
    asyncio.run(run_async())
