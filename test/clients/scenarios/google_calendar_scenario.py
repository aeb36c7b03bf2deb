"""Google's own client for Python, built from the discovery document of an environment. Prints the number of its calls."""

import os

from google.oauth2.credentials import Credentials
from google_calls import call, count, counted, expect, rejection
from googleapiclient.discovery import build

URL = os.environ["URL"]
PRIMARY = "primary"


def rejected(request):
    error = rejection(request)
    return error.resp.status, error.error_details[0]["reason"]


def at(time):
    return {"dateTime": f"2026-01-12T{time}:00", "timeZone": "Europe/Berlin"}


calendar = build(
    "calendar",
    "v3",
    credentials=Credentials(os.environ["TOKEN"]),
    discoveryServiceUrl=f"{URL}/$discovery/rest?version=v3",
    static_discovery=False,
)
events, calendars, lists, acl = calendar.events(), calendar.calendars(), calendar.calendarList(), calendar.acl()

# Calendars, settings and colours.
expect(call(calendars.get(calendarId=PRIMARY))["id"], "agent@acme.test")
expect([each["id"] for each in call(lists.list())["items"] if each.get("primary")], ["agent@acme.test"])
expect(call(lists.get(calendarId=PRIMARY))["accessRole"], "owner")
expect(call(calendar.settings().get(setting="defaultEventLength"))["value"], "60")
expect(len(call(calendar.settings().list(maxResults=5))["items"]), 5)
expect(len(call(calendar.colors().get())["calendar"]), 24)
own = call(calendars.insert(body={"summary": "Python", "timeZone": "Asia/Tokyo"}))
expect(call(calendars.patch(calendarId=own["id"], body={"location": "Kyoto"}))["location"], "Kyoto")
expect(call(lists.patch(calendarId=own["id"], body={"summaryOverride": "Mine"}))["summaryOverride"], "Mine")
rule = call(acl.insert(calendarId=own["id"], body={"role": "writer", "scope": {"type": "user", "value": "john@acme.test"}}))
expect(call(acl.get(calendarId=own["id"], ruleId=rule["id"]))["role"], "writer")
expect(len(call(acl.list(calendarId=own["id"]))["items"]), 2)
call(acl.delete(calendarId=own["id"], ruleId=rule["id"]))

# Events, by pages, and what changed since.
request, pages = events.list(calendarId=PRIMARY, maxResults=1), 0
while request is not None:
    page = call(request)
    pages += 1
    request = events.list_next(request, page)
assert pages > 1
token = page["nextSyncToken"]
event = call(events.insert(calendarId=PRIMARY, body={"summary": "From Python", "start": at("10:00"), "end": at("11:00")}))
expect(event["start"]["dateTime"], "2026-01-12T09:00:00Z")
expect(call(events.get(calendarId=PRIMARY, eventId=event["id"], timeZone="Asia/Tokyo"))["start"]["dateTime"][:16], "2026-01-12T18:00")
event["attendees"] = [{"email": "john@acme.test"}, {"email": "robin@acme.test", "optional": True}]
updated = call(events.update(calendarId=PRIMARY, eventId=event["id"], body=event, sendUpdates="all"))
expect([each["responseStatus"] for each in updated["attendees"]], ["needsAction"] * 2)
series = call(
    events.insert(
        calendarId=PRIMARY,
        body={"start": at("12:00"), "end": at("12:30"), "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE;TZID=Europe/Berlin:20260119T120000"]},
    )
)
instances = call(events.instances(calendarId=PRIMARY, eventId=series["id"]))["items"]
expect([each["start"]["dateTime"][:10] for each in instances], ["2026-01-12", "2026-01-26", "2026-02-02"])
moved = {"start": at("15:00"), "end": at("15:30")}
expect(call(events.patch(calendarId=PRIMARY, eventId=instances[1]["id"], body=moved))["recurringEventId"], series["id"])
quick = call(events.quickAdd(calendarId=own["id"], text="Lunch with Robin tomorrow at noon"))
expect((quick["summary"], quick["start"]["timeZone"]), ("Lunch with Robin", "Asia/Tokyo"))
changed = call(events.list(calendarId=PRIMARY, syncToken=token))["items"]
assert {event["id"], series["id"]} <= {each["id"] for each in changed}
copy = {"iCalUID": "copy@acme.test", "summary": "Copy", "start": at("16:00"), "end": at("17:00")}
expect(call(events.import_(calendarId=PRIMARY, body=copy))["iCalUID"], "copy@acme.test")
channel = {"id": "python", "type": "web_hook", "address": "https://acme.test/told"}
told = call(events.watch(calendarId=PRIMARY, body=channel))
call(calendar.channels().stop(body={"id": told["id"], "resourceId": told["resourceId"]}))
busy = call(calendar.freebusy().query(body={"timeMin": "2026-01-12T00:00:00Z", "timeMax": "2026-01-13T00:00:00Z", "items": [{"id": PRIMARY}]}))
assert busy["calendars"][PRIMARY]["busy"]

# Several calls in one request.
answers = {}
batch = calendar.new_batch_http_request(callback=lambda key, answer, error: answers.update({key: error.resp.status if error else answer["id"]}))
batch.add(events.get(calendarId=PRIMARY, eventId=event["id"]), request_id="get")
batch.add(events.get(calendarId=PRIMARY, eventId="nothinghere"), request_id="missing")
batch.add(calendars.get(calendarId=own["id"]), request_id="calendar")
batch.execute()
count(3)
expect(answers, {"get": event["id"], "missing": 404, "calendar": own["id"]})

# Errors.
call(events.delete(calendarId=PRIMARY, eventId=event["id"]))
expect(rejected(events.delete(calendarId=PRIMARY, eventId=event["id"])), (410, "deleted"))
expect(rejected(events.insert(calendarId=PRIMARY, body={})), (400, "required"))
expect(rejected(calendars.get(calendarId="nobody@acme.test")), (404, "notFound"))
call(calendars.delete(calendarId=own["id"]))

print(counted())
