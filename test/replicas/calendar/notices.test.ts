/** Mails about events in a world of calendars and mail. */
import { describe, expect, test } from "bun:test";
import { restCall } from "../../support/rest";
import { JOHN, ROBIN, timed } from "./scene";
import { AGENT, useWorld } from "./world-scene";

const { program, environment, call } = useWorld("planners");
const EVENTS = "calendar/calendar/v3/calendars/primary/events";
const ALL = "?sendUpdates=all";

type Environment = Awaited<ReturnType<typeof environment>>;

/** All that `work` changes. */
async function changesOf({ environmentId: envId }: Environment, work: () => Promise<unknown>) {
  const { body: run } = await program.post("/startRun", { envId });
  await work();
  const { body } = await program.post("/diffRun", { runId: run.runId });
  return body.diff;
}

/** The new mails: mailbox, subject and labels, by mailbox. */
async function mailsOf(
  env: Environment,
  work: () => Promise<unknown>,
): Promise<[string, string][]> {
  const { inserts } = await changesOf(env, work);
  const mails = inserts.filter(({ __table__ }: any) => __table__ === "mail_messages");
  return mails.map(({ mailbox, subject }: any) => [mailbox, subject]).toSorted();
}

/** The invitations in a mailbox that a search finds, the newest first. */
async function calendarsOf(env: Environment, person: string, query: string): Promise<string[]> {
  const messages = "mail/gmail/v1/users/me/messages";
  const get = (path: string) => call(env, "GET", `${messages}${path}`, undefined, person);
  const { messages: found } = await get(`?q=${encodeURIComponent(query)}`);
  const texts: string[] = [];
  for (const { id } of found) {
    const { payload } = await get(`/${id}`);
    const parts = [payload, ...payload.parts];
    const all = [...parts, ...parts.flatMap((part: any) => part.parts ?? [])];
    const { body } = all.find(({ mimeType }: any) => mimeType === "text/calendar");
    const { data } = await get(`/${id}/attachments/${body.attachmentId}`);
    texts.push(Buffer.from(data, "base64url").toString());
  }
  return texts;
}

const NOON = { summary: "Lunch", ...timed("2026-01-08T12:00:00Z", "2026-01-08T13:30:00Z") };
const guests = (...emails: string[]) => ({ attendees: emails.map((email) => ({ email })) });
const create = (env: Environment, body: object, query = ALL, person = AGENT) =>
  call(env, "POST", `${EVENTS}${query}`, { ...NOON, ...body }, person);

describe("an event with guests", () => {
  test("invites each of them in the time of their zone, in the diff of the call", async () => {
    const env = await environment();
    const mails = await mailsOf(env, () => create(env, guests(JOHN, ROBIN, AGENT)));

    expect(mails).toEqual([
      [JOHN, `Invitation: Lunch @ Thu Jan 8, 2026 12pm - 1:30pm (GMT) (${JOHN})`],
      [ROBIN, `Invitation: Lunch @ Thu Jan 8, 2026 1pm - 2:30pm (GMT+1) (${ROBIN})`],
    ]);
  });

  test("is sent as an invitation that mail programs read", async () => {
    const env = await environment();
    const long = "Soups, salads; and a dessert that nobody in the company has ever finished alone";
    const { id } = await create(env, { ...guests(JOHN, ROBIN), location: long });
    const [text = ""] = await calendarsOf(env, JOHN, "lunch from:agent@acme.test");
    const lines = text.split("\r\n");
    expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    const calendar = lines.join("\n").replaceAll("\n ", "");
    for (const line of [
      "METHOD:REQUEST",
      "DTSTART:20260108T120000Z",
      "DTEND:20260108T133000Z",
      `UID:${id}@google.com`,
      'ORGANIZER;CN="agent@acme.test":mailto:agent@acme.test',
      `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN="${JOHN}":mailto:${JOHN}`,
      `LOCATION:${long.replaceAll(/[,;]/g, "\\$&")}`,
      "STATUS:CONFIRMED",
      "SUMMARY:Lunch",
    ])
      expect(calendar).toContain(`\n${line}\n`);
  });

  const london = (from: string, to: string) => ({
    start: { dateTime: from, timeZone: "Europe/London" },
    end: { dateTime: to, timeZone: "Europe/London" },
  });
  const noon = london("2026-01-08T12:00:00", "2026-01-08T13:30:00");
  const day = { start: { date: "2026-01-08" }, end: { date: "2026-01-09" } };
  test.each([
    ["FREQ=WEEKLY", noon, "Weekly from 12pm to 1:30pm on Thursday (GMT)"],
    ["FREQ=WEEKLY;BYDAY=TH,TU", noon, "Weekly from 12pm to 1:30pm on Tuesday, Thursday (GMT)"],
    [
      "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20260205",
      noon,
      "Weekly from 12pm to 1:30pm on weekdays from Thu Jan 8 to Thu Feb 5 (GMT)",
    ],
    [
      "FREQ=WEEKLY;INTERVAL=2;COUNT=27",
      noon,
      "Every 2 weeks from 12pm to 1:30pm on Thursday from Thu Jan 8 to Thu Jan 7, 2027 (GMT)",
    ],
    ["FREQ=DAILY", noon, "Daily from 12pm to 1:30pm (GMT)"],
    ["FREQ=MONTHLY;BYDAY=2TH", noon, "Monthly from 12pm to 1:30pm on the second Thursday (GMT)"],
    ["FREQ=MONTHLY", noon, "Monthly from 12pm to 1:30pm on day 8 (GMT)"],
    ["FREQ=YEARLY", day, "Annually on January 8"],
    ["FREQ=DAILY;COUNT=3", day, "Daily from Thu Jan 8 to Sat Jan 10"],
    ["FREQ=YEARLY;BYMONTH=1,6", noon, "Thu Jan 8, 2026 12pm - 1:30pm (GMT)"],
  ])("of a series says its times: %s", async (rule, times, when) => {
    const env = await environment();
    const series = { ...times, ...guests(JOHN), recurrence: [`RRULE:${rule}`] };
    const mails = await mailsOf(env, () => create(env, series));

    expect(mails).toEqual([[JOHN, `Invitation: Lunch @ ${when} (${JOHN})`]]);
  });

  test.each([
    [noon, "Weekly from 1pm to 2:30pm on Thursday (GMT+1)"],
    // It is Friday in Berlin by then: the days are those of the series' own zone.
    [
      london("2026-01-08T23:30:00", "2026-01-08T23:45:00"),
      "Weekly from 11:30pm to 11:45pm on Thursday (GMT)",
    ],
  ])(
    "of a series says its times in the zone of the guest, if the days are the same",
    async (times, when) => {
      const env = await environment();
      const series = { ...times, ...guests(ROBIN), recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=TH"] };
      const mails = await mailsOf(env, () => create(env, series));

      expect(mails).toContainEqual([ROBIN, `Invitation: Lunch @ ${when} (${ROBIN})`]);
    },
  );

  test.each([
    ["nothing", ""],
    ["none", "?sendUpdates=none"],
    ["externalOnly, for people of the company", "?sendUpdates=externalOnly"],
  ])("sends no mail with %s", async (_what, query) => {
    const env = await environment();

    expect(await mailsOf(env, () => create(env, guests(JOHN), query))).toEqual([]);
  });

  test("of a series of whole days in another zone ends on its last day", async () => {
    const env = await environment();
    const days = { ...day, recurrence: ["RRULE:FREQ=DAILY;COUNT=3"], ...guests(JOHN) };
    const mails = await mailsOf(env, () => create(env, days, ALL, ROBIN));

    expect(mails).toEqual([
      [JOHN, `Invitation: Lunch @ Daily from Thu Jan 8 to Sat Jan 10 (${JOHN})`],
    ]);
  });

  test("of a series has the zone of its times", async () => {
    const env = await environment();
    const { id } = await create(env, {
      ...noon,
      ...guests(JOHN),
      recurrence: ["RRULE:FREQ=DAILY"],
    });
    const [text = ""] = await calendarsOf(env, JOHN, "lunch from:agent@acme.test");

    expect(text).toContain("\r\nTZID:Europe/London\r\nBEGIN:DAYLIGHT\r\n");
    expect(text).toContain("\r\nDTSTART;TZID=Europe/London:20260108T120000\r\n");
    expect(text).toContain(`\r\nUID:${id}@google.com\r\n`);
  });

  test("sends no mail where there is none", async () => {
    const env = await environment({ services: ["calendar"] });
    const { inserts } = await changesOf(env, () => create(env, guests(JOHN)));

    expect(inserts.map(({ __table__ }: any) => __table__)).toEqual([
      ...["calendar_events", "calendar_event_attendees"],
    ]);
  });
});

test("an absence declines a new invitation, and its organizer hears of it", async () => {
  const away = timed("2026-01-09T12:00:00Z", "2026-01-09T13:00:00Z");

  const env = await environment();
  const mails = await mailsOf(env, () => create(env, { ...guests(ROBIN), ...away }));

  const when = "Fri Jan 9, 2026 12pm - 1pm (GMT)";
  expect(mails).toEqual([
    [AGENT, `Declined: Lunch @ ${when} (${ROBIN})`],
    [ROBIN, "Invitation: Lunch @ Fri Jan 9, 2026 1pm - 2pm (GMT+1) (robin@acme.test)"],
  ]);
});

describe("a change", () => {
  const change = (body: object) => async (env: Environment) => {
    const { id } = await create(env, { ...guests(JOHN, ROBIN), location: "Room 3" }, "");
    return await mailsOf(env, () => call(env, "PATCH", `${EVENTS}/${id}${ALL}`, body));
  };
  const when = "Thu Jan 8, 2026 12pm - 1:30pm (GMT)";
  const berlin = "Thu Jan 8, 2026 1pm - 2:30pm (GMT+1)";

  test.each([
    [
      "of the time",
      timed("2026-01-12T12:00:00Z", "2026-01-12T13:00:00Z"),
      "Mon Jan 12, 2026 12pm - 1pm (GMT)",
      "Mon Jan 12, 2026 1pm - 2pm (GMT+1)",
    ],
    ["of the place", { location: "Room 4" }, when, berlin],
  ])("%s is told to all guests", async (_what, body, inLondon, inBerlin) => {
    expect(await change(body)(await environment())).toEqual([
      [JOHN, `Updated invitation: Lunch @ ${inLondon} (${JOHN})`],
      [ROBIN, `Updated invitation: Lunch @ ${inBerlin} (${ROBIN})`],
    ]);
  });

  test("of the organizer is told to all guests", async () => {
    const env = await environment();
    const { id } = await create(env, guests(JOHN), "");
    const query = "?destination=c_team@group.calendar.google.com&sendUpdates=all";
    const mails = await mailsOf(env, () => call(env, "POST", `${EVENTS}/${id}/move${query}`, {}));

    expect(mails).toEqual([[JOHN, `Updated invitation: Lunch @ ${when} (${JOHN})`]]);
  });

  test("is the next version of the event in calendars elsewhere", async () => {
    const env = await environment();
    const { id } = await create(env, guests(JOHN), "");
    await call(env, "PATCH", `${EVENTS}/${id}${ALL}`, { location: "Room 4" });
    await call(env, "DELETE", `${EVENTS}/${id}${ALL}`);

    const texts = await calendarsOf(env, JOHN, "lunch");
    const fields = texts.map((text) =>
      /METHOD:(\w+)[\s\S]*SEQUENCE:(\d+)\r\nSTATUS:(\w+)/.exec(text),
    );
    expect(fields.map((found) => found?.slice(1))).toEqual([
      ["CANCEL", "2", "CANCELLED"],
      ["REQUEST", "1", "CONFIRMED"],
    ]);
  });

  test("of what guests do not see is told to nobody", async () => {
    expect(
      await change({ colorId: "5", reminders: { useDefault: false } })(await environment()),
    ).toEqual([]);
  });

  test("of the guests is told to those who come and go", async () => {
    const people = guests(JOHN, "tess@northwind.test");

    expect(await change(people)(await environment())).toEqual([
      [ROBIN, `Canceled event: Lunch @ ${berlin} (${ROBIN})`],
    ]);
    expect(await change(guests(JOHN, ROBIN, AGENT))(await environment())).toEqual([]);
  });

  test("of one instance is told with its time", async () => {
    const env = await environment();
    const series = {
      ...guests(JOHN),
      recurrence: ["RRULE:FREQ=WEEKLY;COUNT=3"],
      start: { ...NOON.start, timeZone: "Europe/London" },
      end: { ...NOON.end, timeZone: "Europe/London" },
    };
    const { id } = await create(env, series, "");
    const { items } = await call(env, "GET", `${EVENTS}/${id}/instances`);
    const mails = await mailsOf(env, () =>
      call(env, "PATCH", `${EVENTS}/${items[1].id}${ALL}`, { location: "Room 4" }),
    );

    expect(mails).toEqual([
      [JOHN, `Updated invitation: Lunch @ Thu Jan 15, 2026 12pm - 1:30pm (GMT) (${JOHN})`],
    ]);
  });
});

describe("the end of an event", () => {
  test("is told to its guests", async () => {
    const env = await environment();
    const { id } = await create(env, guests(JOHN), "");
    const mails = await mailsOf(env, () => call(env, "DELETE", `${EVENTS}/${id}${ALL}`));

    expect(mails).toEqual([
      [JOHN, `Canceled event: Lunch @ Thu Jan 8, 2026 12pm - 1:30pm (GMT) (${JOHN})`],
    ]);
  });

  test("of whole days names the days", async () => {
    const env = await environment();
    const days = { start: { date: "2026-01-08" }, end: { date: "2026-01-10" } };
    const mails = await mailsOf(env, () => create(env, { ...guests(JOHN), ...days }));

    expect(mails).toEqual([
      [JOHN, `Invitation: Lunch @ Thu Jan 8, 2026 - Fri Jan 9, 2026 (${JOHN})`],
    ]);
  });
});

describe("an answer", () => {
  test.each([
    ["accepted", "Accepted"],
    ["declined", "Declined"],
    ["tentative", "Tentative"],
  ])("%s is told to the organizer", async (responseStatus, title) => {
    const env = await environment();
    const attendees = [{ email: AGENT, responseStatus }];
    const mails = await mailsOf(env, () =>
      call(env, "PATCH", `${EVENTS}/logincheck${ALL}`, { attendees }),
    );

    const when = "Tue Jan 6, 2026 3pm - 3:30pm (GMT)";
    expect(mails).toEqual([[JOHN, `${title}: Login review (ENG-2) @ ${when} (${AGENT})`]]);
  });

  test("is a decline if a guest deletes the event", async () => {
    const env = await environment();
    const mails = await mailsOf(env, () => call(env, "DELETE", `${EVENTS}/logincheck${ALL}`));

    expect(mails.map(([mailbox, subject]) => [mailbox, subject.split(":")[0]])).toEqual([
      [JOHN, "Declined"],
    ]);
  });
});

test("a rejected call sends nothing", async () => {
  const env = await environment();
  const { inserts, updates } = await changesOf(env, async () => {
    const url = `${program.url}/api/env/${env.environmentId}/services/${EVENTS}${ALL}`;
    const headers = { Authorization: `Bearer ${AGENT}` };
    const { status } = await restCall(url, "POST", headers, { ...NOON, ...guests("x") });
    expect(status).toBe(400);
  });

  expect([...inserts, ...updates]).toEqual([]);
});
