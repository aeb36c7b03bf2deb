"""The chat through slack_sdk: `sync` with WebClient, `async` with AsyncWebClient. Prints the number of calls."""

import asyncio
import inspect
import os
import sys

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

calls = 0


async def call(method, **arguments):
    global calls
    calls += 1
    answer = method(**arguments)
    return await answer if inspect.isawaitable(answer) else answer


async def gather(answer, field):
    """The items of all pages. The client reuses one object for them."""
    if hasattr(answer, "__aiter__"):
        return [item async for page in answer for item in page[field]]
    return [item for page in answer for item in page[field]]


async def scenario(chat, name):
    me = await call(chat.auth_test)
    assert me["user_id"] == "U01AGENTONE", me
    assert (await call(chat.team_info))["team"]["id"] == me["team_id"]
    listed = await call(chat.users_list, limit=1)
    members = [user["id"] for user in await gather(listed, "members")]
    assert {"U01AGENTONE", "U02JOHNADOE"} <= set(members), members
    john = (await call(chat.users_info, user="U02JOHNADOE"))["user"]
    found = await call(chat.users_lookupByEmail, email=john["profile"]["email"])
    assert found["user"]["id"] == "U02JOHNADOE"

    channel = (await call(chat.conversations_create, name=name))["channel"]["id"]
    await call(chat.conversations_invite, channel=channel, users=["U02JOHNADOE"])
    await call(chat.conversations_setTopic, channel=channel, topic="Clients")
    await call(chat.conversations_setPurpose, channel=channel, purpose="To be tried")
    info = (await call(chat.conversations_info, channel=channel))["channel"]
    assert (info["topic"]["value"], info["purpose"]["value"]) == ("Clients", "To be tried")
    assert set((await call(chat.conversations_members, channel=channel))["members"]) == {
        "U01AGENTONE",
        "U02JOHNADOE",
    }
    mine = await call(chat.users_conversations, types="public_channel")
    assert channel in [one["id"] for one in mine["channels"]]

    posted = [
        (await call(chat.chat_postMessage, channel=channel, text=f"Message {n}"))["ts"]
        for n in range(5)
    ]
    assert posted == sorted(posted)
    reply = await call(chat.chat_postMessage, channel=channel, text="Reply", thread_ts=posted[0])
    assert reply["message"]["thread_ts"] == posted[0]
    replies = await call(chat.conversations_replies, channel=channel, ts=posted[0])
    assert [one["text"] for one in replies["messages"]] == ["Message 0", "Reply"]
    await call(chat.chat_update, channel=channel, ts=posted[1], text="Changed & <b>")
    read = await call(chat.conversations_history, channel=channel, limit=2)
    texts = [one["text"] for one in await gather(read, "messages")]
    assert texts[:4] == ["Message 4", "Message 3", "Message 2", "Changed &amp; &lt;b&gt;"], texts
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Bold*"}}]
    with_blocks = await call(chat.chat_postMessage, channel=channel, text="b", blocks=blocks)
    assert with_blocks["message"]["blocks"][0]["text"]["text"] == "*Bold*"

    await call(chat.reactions_add, channel=channel, timestamp=posted[2], name="tada")
    reacted = await call(chat.reactions_get, channel=channel, timestamp=posted[2])
    assert reacted["message"]["reactions"][0]["users"] == ["U01AGENTONE"]
    await call(chat.reactions_remove, channel=channel, timestamp=posted[2], name="tada")
    await call(chat.pins_add, channel=channel, timestamp=posted[3])
    pins = await call(chat.pins_list, channel=channel)
    assert [item["message"]["ts"] for item in pins["items"]] == [posted[3]]
    link = await call(chat.chat_getPermalink, channel=channel, message_ts=posted[3])
    assert channel in link["permalink"]
    await call(chat.conversations_mark, channel=channel, ts=posted[3])
    bookmark = await call(
        chat.bookmarks_add, channel_id=channel, title="Docs", type="link", link="https://a.test"
    )
    marks = await call(chat.bookmarks_list, channel_id=channel)
    assert [one["id"] for one in marks["bookmarks"]] == [bookmark["bookmark"]["id"]]

    uploaded = await call(
        chat.files_upload_v2, channel=channel, content="hello", filename="a.txt", title="A"
    )
    file = (await call(chat.files_info, file=uploaded["file"]["id"]))["file"]
    assert (file["size"], file["title"]) == (5, "A"), file
    files = await call(chat.files_list, channel=channel)
    assert [one["id"] for one in files["files"]] == [file["id"]]
    hits = await call(chat.search_messages, query=f"Message in:#{name}")
    assert hits["messages"]["total"] >= 4, hits["messages"]["total"]
    group = await call(chat.conversations_open, users=["U02JOHNADOE"])
    direct = await call(chat.chat_postMessage, channel=group["channel"]["id"], text="Hi")
    assert direct["message"]["user"] == "U01AGENTONE"
    await call(chat.chat_delete, channel=channel, ts=posted[4])
    for method, arguments, error in [
        (chat.chat_postMessage, {"channel": "C0NOWHERE", "text": "x"}, "channel_not_found"),
        (chat.conversations_create, {"name": name}, "name_taken"),
        (chat.chat_delete, {"channel": channel, "ts": posted[4]}, "message_not_found"),
    ]:
        try:
            await call(method, **arguments)
            raise AssertionError(f"{error} was expected")
        except SlackApiError as refused:
            assert refused.response["error"] == error, refused.response
    await call(chat.conversations_archive, channel=channel)
    archived = (await call(chat.conversations_info, channel=channel))["channel"]
    assert archived["is_archived"] is True


kind = sys.argv[1]
client = {"sync": WebClient, "async": AsyncWebClient}[kind]
asyncio.run(scenario(client(token=os.environ["TOKEN"], base_url=os.environ["URL"]), f"py-{kind}"))
print(calls)
