/** Tests about the facts of a generated company: a question, an action, its assertion, and the call that solves it. */

import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { capitalized } from "~/capitalized";
import { spokenDate } from "~/generation/statements";

/** A line of `facts.jsonl`. */
export type FactLine = { readonly kind: string } & { readonly [field: string]: unknown };

const listOf = <Item extends TProperties>(item: Item) => Type.Array(Type.Object(item));
const text = Type.String();

/** The part of `company.json` that tests name. */
const Company = Type.Object({
  template: text,
  people: listOf({ email: text, name: text }),
  members: Type.Object({
    chat: Type.Object({ users: listOf({ id: text }), channels: listOf({ id: text, name: text }) }),
    tracker: Type.Object({ issues: listOf({ id: text, title: text }) }),
  }),
});
export type CompanySeed = Static<typeof Company>;

export const isCompany = (value: unknown): value is CompanySeed => Value.Check(Company, value);

type Call = {
  readonly via: "rest" | "graphql";
  readonly service: string;
  readonly name: string;
  readonly arguments: object;
};
/** A test, and the call that solves it. */
export type Task = {
  readonly kind: string;
  readonly test: {
    readonly name: string;
    readonly prompt: string;
    readonly expectedOutput: object;
  };
  readonly solution: readonly Call[];
};

type Made = { readonly ask: string; readonly assertion: object; readonly call: Call };
type Making = (fact: FactLine, seed: CompanySeed) => Made | undefined;

const NOW = "It is {{now}}. ";
const dated = (day: unknown) => spokenDate(new Date(`${day}`));
const nameOf = ({ people }: CompanySeed, email: unknown) =>
  `${people.find((person) => person.email === email)?.name}`;

/** A message in #general. */
function post({ members: { chat } }: CompanySeed, ask: string, text: string): Made {
  const channel = chat.channels.find(({ name }) => name === "general")?.id;
  return {
    ask: `${ask} Post the answer in #general, and nothing else.`,
    assertion: {
      ...{ diff_type: "added", service: "chat", entity: "messages", expected_count: 1 },
      where: { channel_id: channel, user_id: chat.users[0]?.id, thread_ts: null, text },
    },
    call: {
      ...{ via: "rest", service: "chat", name: "chat.postMessage" },
      arguments: { channel, text },
    },
  };
}

const rawOf = (to: string, subject: string, text: string) =>
  Buffer.from(`To: ${to}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`).toString("base64url");

const HELP = "Can you help me?";
const SUBJECT = "A question";
const ON_IT = "We are on it.";
const COMMENT =
  "mutation ($issueId: String!, $body: String!) { commentCreate(input: { issueId: $issueId, body: $body }) { success } }";

const MAKING: Readonly<Record<string, Making>> = {
  incident: (fact, seed) =>
    post(
      seed,
      `There was an outage of ${fact["part"]} on ${dated(fact["day"])}. How many minutes did it last? Give only the number.`,
      `${fact["minutes"]}`,
    ),
  decision: (fact, seed) =>
    post(
      seed,
      `There is a decision about ${fact["topic"]}. What is it? Use the words of the decision, without a full stop.`,
      `${fact["choice"]}`,
    ),
  project: (fact, seed) =>
    post(
      seed,
      `What is the current deadline of ${fact["name"]}? Use this form: 6 March`,
      dated(fact["due"]),
    ),
  absence: (fact, seed) => {
    const to = `${fact["stand"]}`;
    return {
      ask: `${nameOf(seed, fact["who"])} is away from ${dated(fact["day"])}. Send a mail to the person standing in, with the subject: ${SUBJECT}. Word for word: ${HELP}`,
      assertion: {
        ...{ diff_type: "added", service: "mail", entity: "messages", expected_count: 1 },
        where: {
          ...{ mailbox: seed.people[0]?.email, labelIds: ["SENT"], subject: SUBJECT },
          to: { regex: `(?i)^(?:[^<>,@]*<)?${to.replaceAll(".", "\\.")}>?$` },
          ...{
            body: { regex: "^\\s*Can you help me\\?\\s*$" },
            cc: null,
            bcc: null,
            attachments: [],
          },
        },
      },
      call: {
        ...{ via: "rest", service: "mail", name: "messages.send" },
        arguments: { userId: "me", raw: rawOf(to, SUBJECT, HELP) },
      },
    };
  },
  request: (fact, seed) => {
    const title = `${fact["customer"]}: ${fact["part"]}`;
    const [issue, another] = seed.members.tracker.issues.filter((each) => each.title === title);
    if (!issue || another) return undefined;
    return {
      ask: `${fact["customer"]} have asked about ${fact["part"]} by mail, and there is an issue for it. Comment on that issue, word for word: ${ON_IT}`,
      assertion: {
        ...{ diff_type: "added", service: "tracker", entity: "comments", expected_count: 1 },
        where: { issueId: issue.id, parentId: null, body: ON_IT },
      },
      call: {
        ...{ via: "graphql", service: "tracker", name: "commentCreate" },
        arguments: { query: COMMENT, variables: { issueId: issue.id, body: ON_IT } },
      },
    };
  },
};

/** Every test that the facts allow, those of different kinds in turn. A question with two answers is not asked. */
export function tasksOf(seed: CompanySeed, facts: readonly FactLine[]): Task[] {
  const made = facts.flatMap((fact) => {
    const one = MAKING[fact.kind]?.(fact, seed);
    return one ? [{ kind: fact.kind, ...one }] : [];
  });
  const asked = Map.groupBy(made, ({ ask }) => ask);
  const clear = made.filter(({ ask }) => asked.get(ask)?.length === 1);
  const byKind = [...Map.groupBy(clear, ({ kind }) => kind).values()];
  const most = Math.max(0, ...byKind.map(({ length }) => length));
  return Array.from({ length: most }, (_, nth) =>
    byKind.flatMap((each) => each[nth] ?? []).map((one) => taskOf(one, nth + 1)),
  ).flat();
}

const taskOf = ({ kind, ask, assertion, call }: Made & { kind: string }, nth: number): Task => ({
  kind,
  test: {
    name: `${capitalized(kind)} ${nth}`,
    prompt: NOW + ask,
    expectedOutput: { closed_world: true, assertions: [assertion] },
  },
  solution: [call],
});

/** A suite to import, for the template of the company. */
export const suiteOf = ({ template, members }: CompanySeed, tasks: readonly Task[]): object => ({
  name: `Company ${template}`,
  description: "Questions about the facts of a generated company",
  templateService: "world",
  templateName: template,
  impersonateUserId: members.chat.users[0]?.id,
  tests: tasks.map(({ test }) => test),
});
