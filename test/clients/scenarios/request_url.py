"""An app with a Request URL, by Bolt: `python3 request_url.py PORT`. Answers each mention in its thread."""

import os
import sys

from slack_bolt import App
from slack_sdk import WebClient

url, token = f"{os.environ['URL']}/", f"xoxb-{os.environ['TOKEN']}"
app = App(signing_secret=os.environ["SIGNING_SECRET"], client=WebClient(token=token, base_url=url))


@app.event("app_mention")
def mentioned(event, say):
    say(text="pong", thread_ts=event["ts"])


app.start(int(sys.argv[1]))
