/** The seed of a generated company: a world of four services that tell the facts of its story, and much besides. */
import { calendarSeed, chatSeed, mailSeed, trackerSeed } from "~/generation/members";
import { createRandom } from "~/generation/random";
import { createStory, type Fact, type Story } from "~/generation/story";
import { dateOf, NOW, type Telling, tellingsOf } from "~/generation/telling";

/** The sizes of a company, and how much of each an import takes. */
export const SIZES = { messages: 10_000, issues: 2_000, mails: 5_000, events: 3_000 } as const;
type Size = keyof typeof SIZES;
const ALL = Object.keys(SIZES) as Size[];

export type Wanted = {
  readonly seed: number;
  readonly people: number;
  readonly months: number;
} & { readonly [size in Size]?: number };

/** A text that a file of prose may replace. */
export type Prose = { readonly id: string; readonly kind: Fact["kind"]; readonly text: string };

export type Company = {
  /** To import as a template. */
  readonly seed: object;
  /** All that is true, and where it is told. */
  readonly facts: readonly object[];
  readonly prose: readonly Prose[];
};

/** In a month, of each person, if the number is not given. */
const USUAL: Readonly<Record<Size, number>> = { messages: 20, issues: 4, mails: 10, events: 6 };
const SIZE_OF: Readonly<Record<Telling["in"], Size>> = {
  chat: "messages",
  tracker: "issues",
  mail: "mails",
  calendar: "events",
};

export class TooFew extends Error {
  override readonly name = "TooFew";

  constructor(size: Size, least: number) {
    super(`--${size}: at least ${least}, so that every fact is told`);
  }
}

/** The same for the same arguments. `replaced`: texts by their ids. Throws TooFew. */
export function generateCompany(wanted: Wanted, replaced: ReadonlyMap<string, string>): Company {
  const story = createStory(wanted.seed, wanted);
  const told = story.facts.map((fact) => ({
    fact,
    tellings: tellingsOf(story, fact).map((telling) => withProse(telling, replaced)),
  }));
  const tellings = told.flatMap(({ tellings: each }) => each);
  const counts = countsOf(wanted, tellings);
  const random = createRandom(wanted.seed + 1);
  const part = (size: Size) => ({ story, tellings, count: counts[size], random });
  const members = {
    chat: chatSeed(part("messages")),
    tracker: trackerSeed(part("issues")),
    mail: mailSeed(part("mails")),
    calendar: calendarSeed(part("events")),
  };
  const all = [story.agent, ...story.people];
  return {
    seed: {
      template: `company_${wanted.seed}`,
      service: "world",
      description: `${story.name}, a generated company of ${all.length} people`,
      now: new Date(NOW).toISOString().replace(".000", ""),
      people: all.map(({ email, name, title, zone }) => ({ email, name, title, zone })),
      members,
    },
    facts: told.map(({ fact, tellings: each }) => ({
      ...plain(story, fact),
      told: each.map(({ id, in: service }) => ({ id, service })),
    })),
    prose: told.flatMap(({ fact, tellings: each }) =>
      each.flatMap((telling) => textsOf(telling).map((text) => ({ ...text, kind: fact.kind }))),
    ),
  };
}

const textsOf = (telling: Telling) => {
  const replies = telling.in === "chat" ? telling.replies : [];
  return [telling, ...replies].map(({ id, text }) => ({ id, text }));
};

function withProse(telling: Telling, replaced: ReadonlyMap<string, string>): Telling {
  const text = replaced.get(telling.id) ?? telling.text;
  if (telling.in !== "chat") return { ...telling, text };
  const replies = telling.replies.map((reply) => ({
    ...reply,
    text: replaced.get(reply.id) ?? reply.text,
  }));
  return { ...telling, text, replies };
}

/** Throws TooFew. */
function countsOf(wanted: Wanted, tellings: readonly Telling[]): Record<Size, number> {
  const told: Record<Size, number> = { messages: 0, issues: 0, mails: 0, events: 0 };
  for (const telling of tellings) told[SIZE_OF[telling.in]] += textsOf(telling).length;
  for (const size of ALL) {
    const usual = Math.min(USUAL[size] * wanted.people * wanted.months, SIZES[size]);
    const count = wanted[size] ?? Math.max(told[size], usual);
    if (count < told[size]) throw new TooFew(size, told[size]);
    told[size] = count;
  }
  return told;
}

/** A fact as a line of JSON: people by address, customers by name, days as dates. */
function plain(story: Story, fact: Fact): object {
  const dayOf = (day: number) => dateOf(story, day).toISOString().slice(0, 10);
  return Object.fromEntries(
    Object.entries(fact).map(([name, value]) => {
      if (name === "day" || name === "due" || name === "first")
        return [name, dayOf(value as number)];
      if (name === "team") return [name, (value as Fact["team"]).key];
      if (name === "customer") return [name, (value as { name: string }).name];
      return [name, typeof value === "object" ? (value as { email: string }).email : value];
    }),
  );
}
