/** Seeds of the services of a generated company: the statements of its facts, and random contents up to the wanted size. */
import { capitalized } from "~/capitalized";
import type { Random } from "~/generation/random";
import { dateOf, type Statement } from "~/generation/statements";
import type { Person, Story } from "~/generation/story";
import { FLAWS, PARTS, SMALL_TALK, TEAMS, WISHES } from "~/generation/words";
import { derivedId } from "~/replicas/tracker/ids";

type Of<Service extends Statement["in"]> = Extract<Statement, { in: Service }>;
/** Statements of one service, and the number of its messages, issues, mails or events. */
type Given = {
  readonly story: Story;
  readonly statements: readonly Statement[];
  readonly count: number;
  readonly random: Random;
};

const of = <Service extends Statement["in"]>({ statements }: Given, service: Service) =>
  statements.filter((statement): statement is Of<Service> => statement.in === service);

const everybody = ({ agent, people }: Story): readonly Person[] => [agent, ...people];
const numbered = (prefix: string, index: number) => `${prefix}${String(index).padStart(8, "0")}`;

const FIRST_HOUR = 8;
/** Between two moments of a day. */
const STEP_MS = 40_000;

/** Different moments, each a little later than the one before on the same day. */
function createMoments(story: Story): (day: number) => string {
  const taken = new Map<number, number>();
  return (day) => {
    const nth = (taken.get(day) ?? 0) + 1;
    taken.set(day, nth);
    const date = dateOf(story, day);
    const time = date.setUTCHours(FIRST_HOUR, 0, 0, 0) + nth * STEP_MS;
    return new Date(time).toISOString().replace(".000", "");
  };
}

const dayText = (story: Story, day: number) => dateOf(story, day).toISOString().slice(0, 10);

export function chatSeed(given: Given): object {
  const { story, count, random } = given;
  const moment = createMoments(story);
  const all = everybody(story).map(({ handle }) => handle);
  const [creator = ""] = story.people.map(({ handle }) => handle);
  const names = ["general", "random", "incidents", ...TEAMS.map(({ name }) => name.toLowerCase())];
  const stated = of(given, "chat").map(({ channel, day, by, text, replies }) => ({
    ...{ channel, ts: moment(day), user: by.handle, text },
    replies: replies.map((reply) => ({
      ...{ ts: moment(reply.day), user: reply.by.handle, text: reply.text },
    })),
  }));
  const left = count - stated.reduce((sum, { replies }) => sum + 1 + replies.length, 0);
  const talk = Array.from({ length: left }, () => {
    const isSmall = random.below(4) === 0;
    return {
      channel: isSmall ? "random" : random.pick(names.slice(3)),
      ts: moment(random.below(story.days)),
      user: random.pick(story.people).handle,
      text: isSmall
        ? random.pick(SMALL_TALK)
        : `${capitalized(random.pick(PARTS))} ${random.pick(random.below(2) ? FLAWS : WISHES)}. Does anybody look at it?`,
    };
  });
  return {
    team: { id: "T00000001", name: story.name, domain: story.domain.replace(".test", "") },
    users: everybody(story).map(({ handle, email }, index) => ({
      ...{ id: numbered("U", index + 1), name: handle, email },
    })),
    channels: names.map((name, index) => ({
      ...{ id: numbered("C", index + 1), name, creator, created: moment(-1), members: all },
      ...(index === 0 && { is_general: true }),
    })),
    messages: [...stated, ...talk],
  };
}

const PRIORITIES = 5;

export function trackerSeed(given: Given): object {
  const { story, count, random } = given;
  const moment = createMoments(story);
  const all = everybody(story).map(({ handle }) => handle);
  const [owner = ""] = story.people.map(({ handle }) => handle);
  const stated = of(given, "tracker").map((statement) => ({
    ...statement,
    priority: random.below(PRIORITIES),
    doneOn: statement.doneAfter === undefined ? undefined : statement.day + statement.doneAfter,
  }));
  const others = Array.from({ length: count - stated.length }, () => {
    const day = random.below(story.days);
    const isDone = random.below(2) === 0;
    return {
      ...{ day, team: random.pick(TEAMS), by: random.pick(story.people) },
      title: `${capitalized(random.pick(PARTS))} ${random.pick(random.below(2) ? FLAWS : WISHES)}`,
      ...{
        assignee: random.pick(story.people),
        priority: random.below(PRIORITIES),
        text: undefined,
      },
      ...{ project: undefined, doneOn: isDone ? day + 1 + random.below(20) : undefined },
    };
  });
  const numbers = new Map<string, number>();
  const issues = [...stated, ...others]
    .toSorted((a, b) => a.day - b.day)
    .map(({ day, team, title, text, by, assignee, priority, project, doneOn }) => {
      const number = (numbers.get(team.key) ?? 0) + 1;
      numbers.set(team.key, number);
      const isDone = doneOn !== undefined && doneOn < story.days;
      const createdAt = moment(day);
      return {
        ...{ id: derivedId(story.domain, `${team.key}-${number}`) },
        ...{ identifier: `${team.key}-${number}`, title },
        ...(text !== undefined && { description: text }),
        ...{ state: isDone ? "Done" : "Todo", priority, creator: by.handle },
        ...{ assignee: assignee.handle, createdAt, ...(project !== undefined && { project }) },
        ...(isDone && { startedAt: moment(day), completedAt: moment(doneOn) }),
      };
    });
  const started = moment(-1);
  return {
    organization: {
      id: derivedId(story.domain),
      name: story.name,
      urlKey: story.domain.replace(".test", ""),
      createdAt: started,
    },
    users: everybody(story).map(({ handle, email }) => ({
      id: derivedId("user", email),
      displayName: handle,
      email,
    })),
    teams: TEAMS.map(({ key, name, about }) => ({
      ...{ id: derivedId(story.domain, key), key, name, description: about },
      ...{ color: "#5e6ad2", members: all, owners: [owner] },
    })),
    projects: story.facts.flatMap((fact) =>
      fact.kind !== "project"
        ? []
        : [
            {
              ...{ name: fact.name, teams: [fact.team.key], lead: fact.lead.handle },
              ...{ members: [fact.lead.handle], creator: fact.lead.handle, status: "In Progress" },
              ...{ startDate: dayText(story, fact.day), targetDate: dayText(story, fact.due) },
              ...{ startedAt: moment(fact.day), createdAt: started },
            },
          ],
    ),
    issues,
    customers: story.customers.map(({ name, domain, owner: person, amount }) => ({
      ...{ name, domains: [domain], owner: person.handle, revenue: amount },
    })),
  };
}

export function mailSeed(given: Given): object {
  const { story, count, random } = given;
  const moment = createMoments(story);
  const stated = of(given, "mail").map(({ day, from, to, subject, text }) => ({
    ...{ at: moment(day), from, to: [...new Set(to)], subject, body: text },
  }));
  const others = Array.from({ length: count - stated.length }, () => {
    const [from, to] = random.some(story.people, 2) as [Person, Person];
    const part = random.pick(PARTS);
    const flaw = random.pick(random.below(2) ? FLAWS : WISHES);
    const greeting = `Hello ${to.name.split(" ")[0]},`;
    return {
      ...{ at: moment(random.below(story.days)), from: from.handle },
      to: [random.below(3) === 0 ? story.agent.handle : to.handle],
      ...{
        subject: capitalized(part),
        body: `${greeting}\n\n${part} ${flaw}. Can you look at it?\n\n${from.name}\n`,
      },
    };
  });
  return {
    users: everybody(story).map(({ email }) => ({ email })),
    messages: [...stated, ...others],
  };
}

/** Events lie up to so many days ahead. */
const AHEAD = 14;

export function calendarSeed(given: Given): object {
  const { story, count, random } = given;
  const moment = createMoments(story);
  const stated = of(given, "calendar").map((statement) => ({ ...statement, hour: FIRST_HOUR + 2 }));
  const others = Array.from({ length: count - stated.length }, () => {
    const [by, guest] = random.some(story.people, 2) as [Person, Person];
    return {
      ...{ day: random.below(story.days + AHEAD), hour: FIRST_HOUR + random.below(9), by },
      ...{ summary: `About ${random.pick(PARTS)}`, text: undefined, days: undefined },
      guests: random.below(5) === 0 ? [guest, story.agent] : [guest],
    };
  });
  const hourText = (day: number, hour: number) =>
    `${dayText(story, day)}T${String(hour).padStart(2, "0")}:00`;
  return {
    users: everybody(story).map(({ email }) => ({ email })),
    events: [...stated, ...others].map(({ day, hour, by, summary, text, guests, days }, index) => ({
      ...{ id: numbered("event", index + 1), calendar: by.handle, summary },
      start: days === undefined ? hourText(day, hour) : dayText(story, day),
      end: days === undefined ? hourText(day, hour + 1) : dayText(story, day + days),
      guests: Object.fromEntries(guests.map(({ handle }) => [handle, "accepted"])),
      created: moment(Math.max(0, Math.min(day, story.days) - 1)),
      ...(text !== undefined && { fields: { description: text } }),
    })),
  };
}
