/** How the services of a company tell its facts: who writes what, where and when. */
import type { Fact, Person, Story } from "~/generation/story";
import { capital } from "~/generation/words";

/** A text of a service. `id`: under which a file of prose may replace it. */
type Told = {
  readonly id: string;
  readonly by: Person;
  readonly day: number;
  readonly text: string;
};

export type Telling =
  | (Told & { readonly in: "chat"; readonly channel: string; readonly replies: readonly Told[] })
  | (Told & {
      readonly in: "tracker";
      readonly team: Person["team"];
      readonly title: string;
      readonly assignee: Person;
      readonly project?: string;
      /** In days; undefined: it is open. */
      readonly doneAfter?: number;
    })
  | (Omit<Told, "by"> & {
      readonly in: "mail";
      readonly from: string;
      readonly to: readonly string[];
      readonly subject: string;
    })
  | (Told & {
      readonly in: "calendar";
      readonly summary: string;
      readonly guests: readonly Person[];
      /** For the whole of so many days; undefined: an hour. */
      readonly days?: number;
    });

/** The date of a day: the last one is the day before environments begin. */
export const dateOf = ({ days }: Pick<Story, "days">, day: number): Date =>
  new Date(NOW - (days - day) * DAY_MS);

const DAY_MS = 86_400_000;
const DAYS_UNTIL_MOVED = 5;
/** When environments of generated companies begin. */
export const NOW = Date.UTC(2026, 2, 31, 10);

const SPOKEN = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
/** `6 March`. */
export const spokenDate = (date: Date) => SPOKEN.format(date);
const spoken = (story: Story, day: number) => spokenDate(dateOf(story, day));

export function tellingsOf(story: Story, fact: Fact): Telling[] {
  const { id, day, team } = fact;
  const told = (name: string, by: Person, text: string, later = 0): Told => ({
    ...{ id: `${id}/${name}`, by, text, day: Math.min(day + later, story.days - 1) },
  });
  const channel = team.name.toLowerCase();
  switch (fact.kind) {
    case "incident": {
      const { part, lead, cause, minutes } = fact;
      return [
        {
          ...told("page", lead, `${capital(part)} does not answer. I look.`),
          ...{ in: "chat", channel: "incidents" },
          replies: [
            told("cause", lead, `Found: ${cause}.`),
            told("end", lead, `${capital(part)} is back after ${minutes} minutes.`),
          ],
        },
        {
          ...told("issue", lead, `It took ${minutes} minutes. The cause: ${cause}.`),
          ...{ in: "tracker", team, title: `Outage of ${part} on ${spoken(story, day)}` },
          ...{ assignee: lead, doneAfter: 3 },
        },
      ];
    }
    case "decision": {
      const { topic, choice, rejected, by } = fact;
      return [
        {
          ...told("question", by, `We have to decide ${topic}: ${choice}, or ${rejected}?`),
          ...{ in: "chat", channel },
          replies: [told("answer", by, `Decided: ${choice}.`, 1)],
        },
        {
          ...told("issue", by, `Decided in #${channel}: ${choice}, and not: ${rejected}.`, 1),
          ...{ in: "tracker", team, title: capital(topic), assignee: by },
        },
      ];
    }
    case "absence": {
      const { who, days, stand } = fact;
      return [
        {
          ...told("days", who, `I am away. ${stand.name} stands in for me.`),
          ...{ in: "calendar", summary: `${who.name} is away`, guests: [stand], days },
        },
        {
          ...told("note", who, `I am away for ${days} days from today. Please ask ${stand.name}.`),
          ...{ in: "chat", channel: who.team.name.toLowerCase(), replies: [] },
        },
      ];
    }
    case "request": {
      const { customer, part, taken } = fact;
      const from = `${customer.contact} <hello@${customer.domain}>`;
      const text = `Hello,\n\n${part} does not do what we need. Who can help us?\n\n${customer.contact}\n${customer.name}`;
      return [
        {
          ...{
            id: `${id}/mail`,
            day,
            text,
            in: "mail",
            from,
            subject: `${capital(part)}: a question`,
          },
          to: ["assistant", customer.owner.handle],
        },
        {
          ...told("issue", customer.owner, `${customer.name} asks about ${part}.`),
          ...{ in: "tracker", team, title: `${customer.name}: ${part}`, assignee: taken },
        },
      ];
    }
    default: {
      const { name, lead, due, first } = fact;
      const moved = `It moves from ${spoken(story, first)} to ${spoken(story, due)}.`;
      return [
        {
          ...told("start", lead, `${name} begins. It has to be done by ${spoken(story, first)}.`),
          ...{ in: "chat", channel },
          replies: due === first ? [] : [told("move", lead, moved, DAYS_UNTIL_MOVED)],
        },
        {
          ...told("meeting", lead, `The beginning of ${name}.`),
          ...{ in: "calendar", summary: `${name}: kick-off`, guests: [story.agent] },
        },
        {
          ...told("issue", lead, `Done by ${spoken(story, due)}.`),
          ...{ in: "tracker", team, title: `${name}: plan`, assignee: lead, project: name },
        },
      ];
    }
  }
}
