/** The story of a generated company: people, customers, and and facts in the order of their days. */
import { createRandom, type Random } from "~/generation/random";
import {
  CAUSES,
  COMPANIES,
  FIRST_NAMES,
  LAST_NAMES,
  PARTS,
  QUESTIONS,
  ROLES,
  TEAMS,
  TRADES,
  ZONES,
} from "~/generation/words";

export type Person = {
  readonly handle: string;
  readonly name: string;
  readonly email: string;
  readonly title: string;
  readonly zone: string;
  readonly team: (typeof TEAMS)[number];
};

export type Customer = {
  readonly name: string;
  readonly domain: string;
  readonly contact: string;
  readonly owner: Person;
  /** A year, in euros. */
  readonly amount: number;
};

/** A fact. `day`: when it became one, counted from the first day. */
export type Fact = { readonly id: string; readonly day: number; readonly team: Person["team"] } & (
  | {
      readonly kind: "incident";
      readonly part: string;
      readonly cause: string;
      readonly minutes: number;
      readonly lead: Person;
    }
  | {
      readonly kind: "decision";
      readonly topic: string;
      readonly choice: string;
      readonly rejected: string;
      readonly by: Person;
    }
  | {
      readonly kind: "absence";
      readonly who: Person;
      readonly days: number;
      readonly stand: Person;
    }
  | {
      readonly kind: "request";
      readonly customer: Customer;
      readonly part: string;
      readonly taken: Person;
    }
  | {
      readonly kind: "project";
      readonly name: string;
      readonly lead: Person;
      /** The day on which it has to be done, and the one that was said first. */
      readonly due: number;
      readonly first: number;
    }
);

export type Story = {
  readonly name: string;
  readonly domain: string;
  readonly people: readonly Person[];
  readonly agent: Person;
  readonly customers: readonly Customer[];
  readonly facts: readonly Fact[];
  /** From the first day to the day on which environments begin. */
  readonly days: number;
};

const DAYS_OF_MONTH = 30;
/** Of each kind, in a month. */
const FACTS_OF_MONTH = { incident: 4, decision: 4, absence: 5, request: 8, project: 2 } as const;
const CUSTOMERS_MIN = 6;

function* peopleOf(random: Random, domain: string): Generator<Person> {
  const names = new Set<string>();
  for (;;) {
    const first = random.pick(FIRST_NAMES);
    const last = random.pick(LAST_NAMES);
    const name = `${first} ${last}`;
    if (names.has(name)) continue;
    names.add(name);
    const handle = `${first}.${last}`.toLowerCase();
    yield {
      ...{ handle, name, email: `${handle}@${domain}`, title: random.pick(ROLES) },
      ...{ zone: random.pick(ZONES), team: random.pick(TEAMS) },
    };
  }
}

function customersOf(random: Random, people: readonly Person[]): Customer[] {
  const count = Math.max(CUSTOMERS_MIN, Math.floor(people.length / 4));
  return random.some(COMPANIES, count).map((word) => {
    const name = `${word} ${random.pick(TRADES)}`;
    const domain = `${name.toLowerCase().replace(" ", "-")}.test`;
    const contact = `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
    return {
      name,
      domain,
      contact,
      owner: random.pick(people),
      amount: 1_000 * (5 + random.below(200)),
    };
  });
}

/** The story of a seed. `people`: besides the agent. */
export function createStory(
  seed: number,
  { people: count, months }: { people: number; months: number },
): Story {
  const random = createRandom(seed);
  const word = random.pick(COMPANIES);
  const domain = `${word.toLowerCase()}-works.test`;
  const making = peopleOf(random, domain);
  const people = Array.from({ length: count }, () => making.next().value as Person);
  const agent: Person = {
    ...{ handle: "assistant", name: `${word} Assistant`, email: `assistant@${domain}` },
    ...{ title: "Assistant", zone: "Europe/Berlin", team: TEAMS[0] },
  };
  const customers = customersOf(random, people);
  const days = months * DAYS_OF_MONTH;
  const facts = factsOf(random, { people, customers, days, months });
  return { name: `${word} Works`, domain, people, agent, customers, facts, days };
}

type World = Pick<Story, "people" | "customers" | "days"> & { readonly months: number };

function factsOf(random: Random, world: World): Fact[] {
  const made: Omit<Fact, "id">[] = [];
  for (const [kind, each] of Object.entries(FACTS_OF_MONTH))
    for (let n = 0; n < each * world.months; n++)
      made.push(factOf(random, kind as Fact["kind"], world, n));
  return made
    .toSorted((a, b) => a.day - b.day)
    .map((fact, index) => ({ ...fact, id: `fact-${index + 1}` }) as Fact);
}

function factOf(
  random: Random,
  kind: Fact["kind"],
  { people, customers, days }: World,
  nth: number,
) {
  const common = { kind, day: random.below(days - 1), team: random.pick(TEAMS) };
  const [one, other] = random.some(people, 2) as [Person, Person];
  switch (kind) {
    case "incident":
      return {
        ...{ ...common, part: random.pick(PARTS), cause: random.pick(CAUSES) },
        ...{ minutes: 5 + random.below(300), lead: one },
      };
    case "decision": {
      // Each question about each part once: a decision is not taken back.
      const [question, first, second] = QUESTIONS[nth % QUESTIONS.length] ?? QUESTIONS[0];
      const part = PARTS[Math.floor(nth / QUESTIONS.length) % PARTS.length] ?? PARTS[0];
      const [choice, rejected] = random.below(2) === 0 ? [first, second] : [second, first];
      return { ...common, topic: question.replace("{part}", part), choice, rejected, by: one };
    }
    case "absence":
      return { ...common, who: one, stand: other, days: 1 + random.below(10) };
    case "request":
      return { ...common, customer: random.pick(customers), part: random.pick(PARTS), taken: one };
    default: {
      const first = common.day + 20 + random.below(40);
      const due = first + (random.below(2) === 0 ? 0 : 7 * (1 + random.below(3)));
      return { ...common, name: `${random.pick(COMPANIES)} ${nth + 1}`, lead: one, first, due };
    }
  }
}
