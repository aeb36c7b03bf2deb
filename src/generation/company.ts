/** The seed of a generated company: a world of four services whose contents state the facts of its story, among others. */
import { calendarSeed, chatSeed, mailSeed, trackerSeed } from "~/generation/members";
import { createRandom } from "~/generation/random";
import { SIZES, type Size } from "~/generation/sizes";
import { dateOf, NOW, type Statement, statementsOf } from "~/generation/statements";
import { createStory, type Fact, type Story } from "~/generation/story";

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
  /** The facts, and where each is stated. */
  readonly facts: readonly object[];
  readonly prose: readonly Prose[];
};

/** In a month, of each person, if the number is not given. */
const USUAL: Readonly<Record<Size, number>> = { messages: 20, issues: 4, mails: 10, events: 6 };
const SIZE_OF: Readonly<Record<Statement["in"], Size>> = {
  chat: "messages",
  tracker: "issues",
  mail: "mails",
  calendar: "events",
};

export class TooFew extends Error {
  override readonly name = "TooFew";

  constructor(size: Size, least: number) {
    super(`--${size}: at least ${least}, so that every fact is stated`);
  }
}

/** The same for the same arguments. `replaced`: texts by their ids. Throws TooFew. */
export function generateCompany(wanted: Wanted, replaced: ReadonlyMap<string, string>): Company {
  const story = createStory(wanted.seed, wanted);
  const stated = story.facts.map((fact) => ({
    fact,
    of: statementsOf(story, fact).map((statement) => withProse(statement, replaced)),
  }));
  const statements = stated.flatMap(({ of }) => of);
  const counts = countsOf(wanted, statements);
  const random = createRandom(wanted.seed + 1);
  const part = (size: Size) => ({ story, statements, count: counts[size], random });
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
    facts: stated.map(({ fact, of }) => ({
      ...plain(story, fact),
      statements: of.map(({ id, in: service }) => ({ id, service })),
    })),
    prose: stated.flatMap(({ fact: { kind }, of }) =>
      of.flatMap(textsOf).map((text) => ({ ...text, kind })),
    ),
  };
}

const textsOf = (statement: Statement) => {
  const replies = statement.in === "chat" ? statement.replies : [];
  return [statement, ...replies].map(({ id, text }) => ({ id, text }));
};

function withProse(statement: Statement, replaced: ReadonlyMap<string, string>): Statement {
  const text = replaced.get(statement.id) ?? statement.text;
  if (statement.in !== "chat") return { ...statement, text };
  const replies = statement.replies.map((reply) => ({
    ...reply,
    text: replaced.get(reply.id) ?? reply.text,
  }));
  return { ...statement, text, replies };
}

/** Throws TooFew. */
function countsOf(wanted: Wanted, statements: readonly Statement[]): Record<Size, number> {
  const counts: Record<Size, number> = { messages: 0, issues: 0, mails: 0, events: 0 };
  for (const statement of statements) counts[SIZE_OF[statement.in]] += textsOf(statement).length;
  for (const size of ALL) {
    const least = counts[size];
    const usual = Math.min(USUAL[size] * wanted.people * wanted.months, SIZES[size]);
    counts[size] = wanted[size] ?? Math.max(least, usual);
    if (counts[size] < least) throw new TooFew(size, least);
  }
  return counts;
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
