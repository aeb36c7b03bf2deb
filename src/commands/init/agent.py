"""
The agent under test. This one knows two sentences: put your own agent in the place of `act`.

`diorama suites run` starts it once for each test, with the prompt and the address of an environment.
"""

import json
import os
import re
import urllib.request


def call(method: str, **arguments: object) -> dict:
    """One call of the chat's API. An official client works as well, with the same address and token."""
    request = urllib.request.Request(
        f"{os.environ['DIORAMA_SERVICE_URL']}/{method}",
        data=json.dumps(arguments).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['DIORAMA_TOKEN']}",
            "Content-Type": "application/json; charset=utf-8",
        },
    )
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    if not answer["ok"]:
        raise RuntimeError(f"{method}: {answer['error']}")
    return answer


def act(prompt: str) -> None:
    if found := re.search(r'the text "(.+)" in the channel named (\w+)', prompt):
        text, name = found.groups()
        channels = call("conversations.list", limit=200)["channels"]
        channel = next(channel["id"] for channel in channels if channel["name"] == name)
        call("chat.postMessage", channel=channel, text=text)
    elif found := re.search(r"a public channel named (\w+)", prompt):
        call("conversations.create", name=found.group(1))


if __name__ == "__main__":
    act(os.environ["DIORAMA_PROMPT"])
