/** Calls to mailboxes and calendars, and large states of both. */
import type { Answer, Bench } from "./server";

export const MAILBOX = "agent@acme.test";
/** The assistant of calendar_bench_default, whose calendars are of a whole company. */
const COMPANY = "harborline.test";

async function fill(
  bench: Bench,
  environment: Answer,
  tables: readonly string[],
  text: (schema: string) => string,
): Promise<void> {
  const schema = `"${environment["schemaName"]}"`;
  const sql = bench.connect();
  try {
    await sql.unsafe(text(schema));
    for (const table of tables) await sql.unsafe(`vacuum analyze ${schema}.${table}`);
  } finally {
    await sql.end();
  }
}

/** Messages to one mailbox, a minute after each other. */
export const growMails = (bench: Bench, environment: Answer, count: number) =>
  fill(
    bench,
    environment,
    ["messages"],
    (schema) => `
      insert into ${schema}.messages
      select copy.* from
        (select * from ${schema}.messages where mailbox = '${MAILBOX}' and 'INBOX' = any("labelIds") order by id limit 1) one,
        generate_series(1, ${count}) n,
        to_hex(x'1c0000000000000'::bigint + n) hex,
        jsonb_populate_record(null::${schema}.messages, (to_jsonb(one) - 'raw') || jsonb_build_object(
          'id', lpad(hex, 16, '0'), 'threadId', lpad(hex, 16, '0'), 'subject', 'message ' || n, 'body', 'text of message ' || n,
          'messageId', '<' || n || '@grown.test>', 'raw', one.raw, 'internalDate', one."internalDate" + n::bigint * 60000
        )) copy
    `,
  );

/** The moment of the nth event: one every two hours, so that a week has as many in any state. */
const EVENT_AT = `timestamptz '2027-01-01 00:00Z' + n * interval '2 hours'`;
const timeOf = (moment: string) =>
  `jsonb_build_object('dateTime', to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'timeZone', 'UTC')`;

const eventRows = (count: number, name: string, more: string) => (schema: string) =>
  `
  insert into ${schema}.events
  select copy.* from
    (select * from ${schema}.events where "calendarId" = '${MAILBOX}' and recurrence is null order by id limit 1) one,
    generate_series(1, ${count}) n,
    lateral (select ${EVENT_AT} as begins) at,
    jsonb_populate_record(null::${schema}.events, to_jsonb(one) || jsonb_build_object(
      'id', '${name}' || n, 'iCalUID', '${name}' || n || '@google.com', 'summary', 'event ' || n,
      'startAt', begins, 'endAt', begins + interval '1 hour',
      'start', ${timeOf("begins")}, 'end', ${timeOf("(begins + interval '1 hour')")} ${more}
    )) copy
`;

const EVENT_TABLES = ["events"];
export const growEvents = (bench: Bench, environment: Answer, count: number) =>
  fill(bench, environment, EVENT_TABLES, eventRows(count, "grown", ""));
/** Series that recur every week, without an end. */
export const growSeries = (bench: Bench, environment: Answer, count: number) =>
  fill(
    bench,
    environment,
    EVENT_TABLES,
    eventRows(count, "weekly", `, 'endAt', null, 'recurrence', array['RRULE:FREQ=WEEKLY']`),
  );

export type Ask = (environment: Answer) => Promise<unknown>;

const call =
  (bench: Bench, verb: string, path: string, body?: object): Ask =>
  (environment) =>
    bench.call(verb, `${environment["environmentUrl"]}/${path}`, body);

const RAW = Buffer.from(
  `To: john@acme.test\r\nSubject: hello\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhello\r\n`,
).toString("base64url");
const GROWN = "01c0000000000001";

/** Calls to a mailbox with the messages of growMails. A search reads what it searches. */
export function mailCalls(bench: Bench) {
  const mail = (verb: string, path: string, body?: object) =>
    call(bench, verb, `gmail/v1/users/me/${path}`, body);
  return {
    send: mail("POST", "messages/send", { raw: RAW }),
    get: mail("GET", `messages/${GROWN}`),
    list: mail("GET", "messages?maxResults=50"),
    threads: mail("GET", "threads?maxResults=20"),
    modify: mail("POST", `messages/${GROWN}/modify`, { addLabelIds: ["STARRED"] }),
    search: mail("GET", `messages?maxResults=50&q=${encodeURIComponent('subject:"message 77"')}`),
  };
}

const WEEK = "timeMin=2027-01-01T00:00:00Z&timeMax=2027-01-08T00:00:00Z";
const EVENTS = "calendars/primary/events";
const HOUR_OF_DAY = {
  start: { dateTime: "2026-06-01T09:00:00Z" },
  end: { dateTime: "2026-06-01T10:00:00Z" },
};
/** People of the company of calendar_bench_default. */
const PEOPLE = [
  ...["assistant", "maya.chen", "maya.cheng", "sam.rivera", "samir.patel", "samantha.ribeiro"],
  ...["chris.park", "kris.parker", "christine.parks", "alex.morgan", "alexandra.moran"],
  ...["daniel.okafor", "dani.okoro", "priya.nair", "priyanka.nayar", "tom.becker"],
  ...["lena.hoffmann", "yuki.tanaka", "omar.haddad", "ines.duarte"],
];

/** Calls to calendars with the events of growEvents. */
export function calendarCalls(bench: Bench) {
  const calendar = (verb: string, path: string, body?: object) =>
    call(bench, verb, `calendar/v3/${path}`, body);
  return {
    insert: calendar("POST", EVENTS, { summary: "hello", ...HOUR_OF_DAY }),
    get: calendar("GET", `${EVENTS}/grown1`),
    week: calendar("GET", `${EVENTS}?singleEvents=true&orderBy=startTime&${WEEK}`),
    freeBusy: calendar("POST", "freeBusy", {
      ...{ timeMin: "2026-03-01T00:00:00Z", timeMax: "2026-04-01T00:00:00Z" },
      items: PEOPLE.map((name) => ({ id: `${name}@${COMPANY}` })),
    }),
  };
}

export const COMPANY_USER = `assistant@${COMPANY}`;
