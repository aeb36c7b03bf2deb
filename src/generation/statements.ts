/** Statements of the facts of a company: who writes what, in which service and when. */
import { capitalized } from "~/capitalized";
import type { Fact, Person, Story } from "~/generation/story";

/** A text of a service. `id`: under which a file of prose may replace it. */
type Written = {
  readonly id: string;
  readonly by: Person;
  readonly day: number;
  readonly text: string;
};

export type Statement =
  | (Written & {
      readonly in: "chat";
      readonly channel: string;
      readonly replies: readonly Written[];
    })
  | (Written & {
      readonly in: "tracker";
      readonly team: Person["team"];
      readonly title: string;
      readonly assignee: Person;
      readonly project?: string;
      /** In days; undefined: it is open. */
      readonly doneAfter?: number;
    })
  | (Omit<Written, "by"> & {
      readonly in: "mail";
      readonly from: string;
      readonly to: readonly string[];
      readonly subject: string;
    })
  | (Written & {
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

export function statementsOf(story: Story, fact: Fact): Statement[] {
  const { id, day, team } = fact;
  const written = (name: string, by: Person, text: string, later = 0): Written => ({
    ...{ id: `${id}/${name}`, by, text, day: Math.min(day + later, story.days - 1) },
  });
  const channel = team.name.toLowerCase();
  switch (fact.kind) {
    case "incident": {
      const { part, lead, cause, minutes } = fact;
      return [
        {
          ...written("page", lead, `${capitalized(part)} does not answer. I look.`),
          ...{ in: "chat", channel: "incidents" },
          replies: [
            written("cause", lead, `Found: ${cause}.`),
            written("end", lead, `${capitalized(part)} is back after ${minutes} minutes.`),
          ],
        },
        {
          ...written("issue", lead, `It took ${minutes} minutes. The cause: ${cause}.`),
          ...{ in: "tracker", team, title: `Outage of ${part} on ${spoken(story, day)}` },
          ...{ assignee: lead, doneAfter: 3 },
        },
      ];
    }
    case "decision": {
      const { topic, choice, rejected, by } = fact;
      return [
        {
          ...written("question", by, `We have to decide ${topic}: ${choice}, or ${rejected}?`),
          ...{ in: "chat", channel },
          replies: [written("answer", by, `Decided: ${choice}.`, 1)],
        },
        {
          ...written("issue", by, `Decided in #${channel}: ${choice}, and not: ${rejected}.`, 1),
          ...{ in: "tracker", team, title: capitalized(topic), assignee: by },
        },
      ];
    }
    case "absence": {
      const { who, days, stand } = fact;
      return [
        {
          ...written("days", who, `I am away. ${stand.name} stands in for me.`),
          ...{ in: "calendar", summary: `${who.name} is away`, guests: [stand], days },
        },
        {
          ...written(
            "note",
            who,
            `I am away for ${days} days from today. Please ask ${stand.name}.`,
          ),
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
            subject: `${capitalized(part)}: a question`,
          },
          to: ["assistant", customer.owner.handle],
        },
        {
          ...written("issue", customer.owner, `${customer.name} asks about ${part}.`),
          ...{ in: "tracker", team, title: `${customer.name}: ${part}`, assignee: taken },
        },
      ];
    }
    default: {
      const { name, lead, due, first } = fact;
      const moved = `It moves from ${spoken(story, first)} to ${spoken(story, due)}.`;
      return [
        {
          ...written(
            "start",
            lead,
            `${name} begins. It has to be done by ${spoken(story, first)}.`,
          ),
          ...{ in: "chat", channel },
          replies: due === first ? [] : [written("move", lead, moved, DAYS_UNTIL_MOVED)],
        },
        {
          ...written("meeting", lead, `The beginning of ${name}.`),
          ...{ in: "calendar", summary: `${name}: kick-off`, guests: [story.agent] },
        },
        {
          ...written("issue", lead, `Done by ${spoken(story, due)}.`),
          ...{ in: "tracker", team, title: `${name}: plan`, assignee: lead, project: name },
        },
      ];
    }
  }
}
