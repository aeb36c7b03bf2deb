"""Google's own client for Python, built from the discovery document of an environment. Prints the number of its calls."""

import base64
import io
import os
from email.message import EmailMessage

from google.oauth2.credentials import Credentials
from google_calls import call, count, counted, expect, rejection
from googleapiclient.discovery import build
from googleapiclient.http import MediaIoBaseUpload

URL = os.environ["URL"]


def rejected(request):
    error = rejection(request)
    return error.resp.status, error.reason


def message(subject, to="john@acme.test", attachment=None):
    mail = EmailMessage()
    mail["To"], mail["Subject"] = to, subject
    mail.set_content("Hello from Python")
    if attachment:
        mail.add_attachment(attachment, maintype="text", subtype="csv", filename="rows.csv")
    return mail.as_bytes()


def raw(*args, **kwargs):
    return {"raw": base64.urlsafe_b64encode(message(*args, **kwargs)).decode()}


def media(content, **kwargs):
    return MediaIoBaseUpload(io.BytesIO(content), mimetype="message/rfc822", **kwargs)


gmail = build(
    "gmail",
    "v1",
    credentials=Credentials(os.environ["TOKEN"]),
    discoveryServiceUrl=f"{URL}/$discovery/rest?version=v1",
    static_discovery=False,
)
users = gmail.users()
messages, threads, drafts, labels = users.messages(), users.threads(), users.drafts(), users.labels()

profile = call(users.getProfile(userId="me"))
expect(profile["emailAddress"], "agent@acme.test")
since = profile["historyId"]

# Lists, in pages.
first = messages.list(userId="me", maxResults=2)
found, request = [], first
while request is not None:
    answer = call(request)
    found += answer.get("messages", [])
    request = messages.list_next(request, answer)
expect(len(found), len({each["id"] for each in found}))
assert len(found) >= 5
expect(len(call(threads.list(userId="me"))["threads"]) > 2, True)
expect(call(messages.list(userId="me", q="subject:nothinglikethis")), {"resultSizeEstimate": 0})
expect(len(call(messages.list(userId="me", labelIds=["INBOX", "UNREAD"], includeSpamTrash=True))) > 0, True)
long = " OR ".join(f"subject:word{n}" for n in range(300))
expect(call(messages.list(userId="me", q=long)), {"resultSizeEstimate": 0})

# Reading, in each format.
one = call(messages.get(userId="me", id=found[0]["id"]))
expect(one["payload"]["partId"], "")
expect(call(messages.get(userId="me", id=one["id"], format="minimal")).get("payload"), None)
subject = call(messages.get(userId="me", id=one["id"], format="metadata", metadataHeaders=["Subject"]))
expect([header["name"] for header in subject["payload"]["headers"]], ["Subject"])
assert call(messages.get(userId="me", id=one["id"], format="raw"))["raw"]
expect(call(messages.get(userId="me", id=one["id"], fields="id")), {"id": one["id"]})
expect(call(threads.get(userId="me", id=one["threadId"]))["id"], one["threadId"])

# Sending: as JSON, as media, and as media in several parts.
sent = call(messages.send(userId="me", body=raw("From Python")))
expect(sent["labelIds"], ["SENT"])
large = message("With rows", attachment=b"a,b\r\n" * 20_000)
uploaded = call(messages.send(userId="me", media_body=media(large)))
both = call(messages.send(userId="me", body={"threadId": sent["threadId"]}, media_body=media(message("Re: From Python"))))
expect(both["threadId"], sent["threadId"])

# In pieces: 2 MB in pieces of 512 kB, and in one request.
big = bytes(2 * 2**20)
content = message("In pieces", to="someone@example.org", attachment=big)
request = messages.send(userId="me", body={}, media_body=media(content, resumable=True, chunksize=2**19))
progress, answer = [], None
while answer is None:
    status, answer = request.next_chunk()
    progress += [status.resumable_progress] if status else []
count(len(progress) + 2)
expect(progress, [n * 2**19 for n in range(1, len(progress) + 1)])
assert len(progress) >= 4
whole = call(messages.get(userId="me", id=answer["id"], format="minimal"))
assert whole["sizeEstimate"] > len(content)
again = call(drafts.create(userId="me", body={"message": {}}, media_body=media(content, resumable=True)))
call(drafts.delete(userId="me", id=again["id"]))

# Attachments.
parts = call(messages.get(userId="me", id=uploaded["id"]))["payload"]["parts"]
attached = next(part for part in parts if part["filename"] == "rows.csv")
fetched = call(messages.attachments().get(userId="me", messageId=uploaded["id"], id=attached["body"]["attachmentId"]))
expect(base64.urlsafe_b64decode(fetched["data"]), b"a,b\r\n" * 20_000)

# Labels.
label = call(labels.create(userId="me", body={"name": "Python"}))
expect(call(labels.patch(userId="me", id=label["id"], body={"name": "Snake"}))["name"], "Snake")
assert "Snake" in [each["name"] for each in call(labels.list(userId="me"))["labels"]]
changed = call(messages.modify(userId="me", id=sent["id"], body={"addLabelIds": [label["id"], "STARRED"]}))
expect(sorted(changed["labelIds"]), sorted(["SENT", "STARRED", label["id"]]))
expect(call(messages.batchModify(userId="me", body={"ids": [sent["id"]], "removeLabelIds": ["STARRED"]})), "")
expect("TRASH" in call(messages.trash(userId="me", id=sent["id"]))["labelIds"], True)
expect("TRASH" in call(messages.untrash(userId="me", id=sent["id"]))["labelIds"], False)

# Drafts.
draft = call(drafts.create(userId="me", body={"message": raw("A draft")}))
call(drafts.update(userId="me", id=draft["id"], body={"message": raw("A better draft")}))
expect(draft["id"] in [each["id"] for each in call(drafts.list(userId="me"))["drafts"]], True)
expect(call(drafts.send(userId="me", body={"id": draft["id"]}))["labelIds"], ["SENT"])
expect(rejected(drafts.get(userId="me", id=draft["id"])), (404, "Requested entity was not found."))

# History, and settings.
history = call(users.history().list(userId="me", startHistoryId=since, historyTypes=["messageAdded"]))
added = [each["message"]["id"] for record in history["history"] for each in record.get("messagesAdded", [])]
assert sent["id"] in added
filters = users.settings().filters()
made = call(filters.create(userId="me", body={"criteria": {"from": "x@acme.test"}, "action": {"addLabelIds": [label["id"]]}}))
expect(call(filters.get(userId="me", id=made["id"]))["criteria"], {"from": "x@acme.test"})
expect(call(filters.delete(userId="me", id=made["id"])), "")
expect(call(users.settings().sendAs().list(userId="me"))["sendAs"][0]["isPrimary"], True)

# A batch, each call with an answer of its own.
answers = {}


def note(key, response, exception):
    answers[key] = exception.resp.status if exception else response.get("id", response)


batch = gmail.new_batch_http_request(callback=note)
batch.add(messages.get(userId="me", id=sent["id"], format="minimal"), request_id="get")
batch.add(messages.get(userId="me", id="ffffffffffffffff"), request_id="missing")
batch.add(messages.send(userId="me", body=raw("In a batch")), request_id="send")
batch.add(labels.get(userId="me", id="INBOX"), request_id="label")
batch.execute()
count(4)
expect(answers["get"], sent["id"])
expect(answers["missing"], 404)
expect(answers["label"], "INBOX")
expect(call(messages.list(userId="me", q='subject:"in a batch" in:sent'))["messages"][0]["id"], answers["send"])
full = gmail.new_batch_http_request(callback=lambda *_: None)
for _ in range(100):
    full.add(users.getProfile(userId="me"))
full.execute()
count(100)

# Errors.
expect(rejected(messages.get(userId="me", id="x")), (400, "Invalid id value"))
expect(rejected(users.getProfile(userId="john@acme.test")), (403, "Delegation denied for john@acme.test"))
expect(rejected(messages.send(userId="me", body={"raw": "VG86IG5vYm9keQ=="})), (400, "Invalid To header"))
expect(call(labels.delete(userId="me", id=label["id"])), "")

print(counted())
