/** Google's own clients for Node, `WHOLE` being the one of all services: an address with a path for each call, or only a host. Prints the number of calls. */
import assert from "node:assert/strict";

const { URL: url, ROOT: root, TOKEN: token, WHOLE: whole } = process.env;
const { auth, calendar } = whole
  ? (await import(whole)).google
  : await import("@googleapis/calendar");
const credentials = new auth.OAuth2();
credentials.setCredentials({ access_token: token });
let calls = 0;

async function scenario(
  { events, calendarList, calendars, acl, settings, colors, freebusy },
  options,
) {
  const call = async (resource, method, params = {}) => {
    calls += 1;
    return (await resource[method](params, options)).data;
  };
  const rejected = async (resource, method, params) => {
    calls += 1;
    try {
      await resource[method](params, { ...options, retry: false });
    } catch (error) {
      return [error.status ?? error.code, error.response.data.error.errors[0].reason];
    }
    throw new Error("the call is not rejected");
  };
  const calendarId = "primary";
  const at = (time) => ({ dateTime: `2026-01-12T${time}:00`, timeZone: "Europe/Berlin" });

  const lists = await call(calendarList, "list");
  assert.ok(lists.items.some(({ primary, id }) => primary && id === "agent@acme.test"));
  assert.equal((await call(calendars, "get", { calendarId })).id, "agent@acme.test");
  assert.equal((await call(settings, "get", { setting: "timezone" })).kind, "calendar#setting");
  assert.equal(Object.keys((await call(colors, "get")).event).length, 11);

  const { nextSyncToken } = await call(events, "list", { calendarId });
  const page = await call(events, "list", {
    ...{ calendarId, maxResults: 2, singleEvents: true, orderBy: "startTime" },
    ...{ timeMin: "2026-01-05T00:00:00Z", timeMax: "2026-01-12T00:00:00Z" },
  });
  assert.equal(page.items.length, 2);
  const created = await call(events, "insert", {
    calendarId,
    requestBody: { summary: "From Node", start: at("10:00"), end: at("11:00") },
    sendUpdates: "none",
  });
  const { id: eventId, etag } = created;
  assert.equal(created.start.dateTime, "2026-01-12T09:00:00Z");
  const attendees = [{ email: "john@acme.test" }];
  const invited = await call(events, "patch", { calendarId, eventId, requestBody: { attendees } });
  assert.equal(invited.attendees[0].responseStatus, "needsAction");
  assert.notEqual(invited.etag, etag);
  const summary = "Changed";
  const whole = { ...invited, summary };
  assert.equal(
    (await call(events, "update", { calendarId, eventId, requestBody: whole })).summary,
    summary,
  );
  const series = await call(events, "insert", {
    calendarId,
    requestBody: { start: at("12:00"), end: at("12:30"), recurrence: ["RRULE:FREQ=DAILY;COUNT=3"] },
  });
  const instances = await call(events, "instances", { calendarId, eventId: series.id });
  assert.equal(instances.items.length, 3);
  await call(events, "delete", { calendarId, eventId: instances.items[1].id });
  const quick = await call(events, "quickAdd", { calendarId, text: "Lunch tomorrow at noon" });
  assert.equal(quick.summary, "Lunch");

  const secondary = await call(calendars, "insert", { requestBody: { summary: "Node" } });
  const scope = { type: "user", value: "john@acme.test" };
  const shared = { calendarId: secondary.id, requestBody: { role: "reader", scope } };
  assert.equal((await call(acl, "insert", shared)).role, "reader");
  await call(events, "move", { calendarId, eventId: quick.id, destination: secondary.id });
  const busy = await call(freebusy, "query", {
    requestBody: {
      ...{ timeMin: "2026-01-12T00:00:00Z", timeMax: "2026-01-13T00:00:00Z" },
      items: [{ id: "agent@acme.test" }, { id: "nobody@acme.test" }],
    },
  });
  assert.equal(busy.calendars["agent@acme.test"].busy.length > 0, true);
  assert.equal(busy.calendars["nobody@acme.test"].errors[0].reason, "notFound");
  const changed = await call(events, "list", { calendarId, syncToken: nextSyncToken });
  assert.ok(changed.items.some(({ id }) => id === eventId));
  await call(events, "delete", { calendarId, eventId });
  await call(calendars, "delete", { calendarId: secondary.id });

  const missing = { calendarId, eventId: "nothinghere" };
  assert.deepEqual(await rejected(events, "get", missing), [404, "notFound"]);
  assert.deepEqual(await rejected(events, "delete", { calendarId, eventId }), [410, "deleted"]);
  const empty = { calendarId, requestBody: {} };
  assert.deepEqual(await rejected(events, "insert", empty), [400, "required"]);
}

const clientOf = (rootUrl) =>
  calendar({ version: "v3", auth: credentials, ...(rootUrl && { rootUrl }) });
await scenario(clientOf(), { rootUrl: `${url}/` });
await scenario(clientOf(`${root}/`), { rootUrl: `${root}/` });
console.log(calls);
