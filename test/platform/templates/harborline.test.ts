/** The facts of the world `harborline` agree across its services. */
import { describe, expect, test } from "bun:test";
import { factsOf, membersOf, textsOf } from "../../../scripts/contents";

type Issue = {
  readonly identifier: string;
  readonly title: string;
  readonly assignee?: string;
  readonly labels?: readonly string[];
  readonly createdAt: string;
  readonly dueDate?: string;
};
type Mail = {
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly at: string;
};
type Post = { readonly ts: string; readonly user: string; readonly text: string };
type Event = { readonly summary: string; readonly organizer?: string; readonly start: unknown };

const members = membersOf("harborline") as any;
const texts = textsOf(members);
const issues: readonly Issue[] = members.tracker.issues;
const mails: readonly Mail[] = members.mail.messages;
const posts: readonly Post[] = members.chat.messages;
const events: readonly Event[] = members.calendar.events;
const addresses = new Map<string, string>(
  members.tracker.users.map(({ displayName, email }: any) => [displayName, email]),
);

/** In milliseconds, of a moment in either form. */
const at = (moment: unknown) => Date.parse(`${moment}`);
const MINUTE_MS = 60_000;

test("each issue of which a mailbox has a notification is as the mail says", () => {
  const notified = mails.filter(({ from }) => from.includes("notifications@tracker.test"));
  expect(notified).toHaveLength(9);
  for (const { subject, to, at: sent } of notified) {
    const issue = issues.find(({ identifier }) => subject.startsWith(`[${identifier}] `));
    expect(`[${issue?.identifier}] ${issue?.title}`).toBe(subject);
    const [local] = `${addresses.get(`${issue?.assignee}`)}`.split("@");
    expect(to).toContain(`${local}`);
    expect(at(issue?.createdAt)).toBeLessThanOrEqual(at(sent));
  }
});

test("each page is in the chat, in the mail and in the tracker", () => {
  const pages = posts.filter(({ user, text }) => user === "pagerline" && text.startsWith("*P"));
  expect(pages.length).toBeGreaterThan(4);
  const near = (ts: string, moment: string) => Math.abs(at(moment) - at(ts)) <= 3 * MINUTE_MS;
  for (const { ts, text } of pages) {
    const severity = text.slice(1, 3);
    const sent = mails.filter(
      ({ subject, at: moment }) => subject.startsWith(`[${severity}]`) && near(ts, moment),
    );
    expect([text, sent.length]).toEqual([text, 1]);
    const filed = issues.filter(
      ({ labels = [], createdAt }) =>
        labels.includes("Incident") && labels.includes(severity) && near(ts, createdAt),
    );
    expect([text, filed.length]).toEqual([text, 1]);
  }
});

test("each ticket of which the tracker speaks is in the chat", () => {
  const tickets = issues.flatMap(({ title }) => title.match(/#\d{4}|EU-\d+/g) ?? []);
  expect(tickets.length).toBeGreaterThan(7);
  const chat = texts.get("chat")?.join("\n");
  for (const ticket of tickets) expect(chat).toContain(ticket);
});

test("each customer of the tracker has a name and addresses in the other services", () => {
  const known = factsOf("harborline").get("customers");
  for (const { name, domains } of members.tracker.customers) {
    expect([name, known?.get(name)?.has("mail")]).toEqual([name, true]);
    expect([name, known?.get(name)?.has("chat")]).toEqual([name, true]);
    for (const domain of domains) expect(texts.get("mail")?.join("\n")).toContain(`@${domain}>`);
  }
});

test.each([
  ["the outage", "3 hours and 38 minutes", "3 h 38 min", "3 hours and 38 minutes"],
  ["the duplicates", "18,204", "18,204", "18,204"],
  ["the announcement", "4,120", "4,120", "4,120"],
  ["writes during the upgrade", "41 seconds without writes", "41 seconds", "41 seconds"],
  ["Meridian's bookings", "11,000", "11,000", "11,000"],
  ["vessel classes", "94 %", "94 %", "94 %"],
  ["the day", "10 March", "10 March", "10 March"],
])("%s: the tracker, the chat and the mail have the same number", (_, tracker, chat, mail) => {
  expect(texts.get("tracker")?.join("\n")).toContain(tracker);
  expect(texts.get("chat")?.join("\n")).toContain(chat);
  expect(texts.get("mail")?.join("\n")).toContain(mail);
});

describe("the calendar has", () => {
  const starts = (summary: string) =>
    events.filter((event) => event.summary === summary).map(({ start }) => `${start}`);

  test("the opening, which the project of the tracker has as its target", () => {
    const { targetDate } = members.tracker.projects.find(({ name }: any) => name === "Tidewater");
    expect(starts("Tidewater opens")).toEqual([`${targetDate}T08:00`]);
  });

  test("the training of the second wave, on the day of its milestone", () => {
    const { milestones } = members.tracker.projects.find(({ name }: any) => name === "Tidewater");
    expect(milestones.at(-1).description).toBe("The training is on 16 March");
    expect(starts("Carrier training, second wave")).toContain("2026-03-16T11:00");
  });

  test("the audit of access on the day on which it is due", () => {
    const { dueDate } = issues.find(({ title }) => title === "Audit of access") as Issue;
    expect(starts("Audit of access")).toEqual([`${dueDate}T13:00`]);
  });
});

test("nobody real is named: all domains are reserved", () => {
  const domains = [...texts.values()]
    .flat()
    .flatMap((text) => text.match(/@[\w-]+(\.[\w-]+)+/g) ?? []);
  expect(domains.filter((domain) => !/\.(test|google\.com|googlemail\.com)$/.test(domain))).toEqual(
    [],
  );
});
