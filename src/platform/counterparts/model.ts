/** Shapes of the counterparts of an environment: simulated colleagues who act by rules. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, ServiceName, Timestamp } from "~/http/model";

const COUNTERPARTS_MAX = 50;
const NAME_MAX = 100;
const TEXT_MAX = 10_000;
const PATHS_MAX = 10;
const DURATION_LENGTH_MAX = 64;
/** Actions of an environment, by all rules together. */
export const ACTIONS_MAX = 1_000;

const Path = t.String({ minLength: 1, maxLength: NAME_MAX, examples: ["thread_ts"] });
const FromTrigger = t.Object(
  {
    $trigger: t.Union([Path, t.Array(Path, { minItems: 1, maxItems: PATHS_MAX })], {
      description: "A path, or several",
    }),
  },
  {
    title: "FromTrigger",
    description:
      "A value of the row that set off the rule: of a column, or of a part of one (`extra.topic`). Of a call, its fields in `where` (`arguments.channel`). Of several paths, the first that is not null",
    examples: [{ $trigger: ["thread_ts", "ts"] }],
  },
);

const FromKept = t.Object(
  {
    $kept: t.String({
      minLength: 1,
      maxLength: NAME_MAX,
      description: "The name that `keep` gives it",
      examples: ["question"],
    }),
  },
  {
    title: "FromKept",
    description: "A value that the last action of a rule with `keep` has kept; null if none has",
    examples: [{ $kept: "question" }],
  },
);

const When = t.Object(
  {
    diff_type: t.Union(
      [t.Literal("added"), t.Literal("changed"), t.Literal("removed"), t.Literal("called")],
      {
        title: "TriggerType",
        description: "What happens to the row. `called`: the agent makes a call",
      },
    ),
    entity: t.String({
      minLength: 1,
      maxLength: NAME_MAX,
      description:
        "The table. For `called`: a method, a field of a query or mutation, or a tool, and `*` at its end for any rest",
      examples: ["messages"],
    }),
    service: t.Optional({
      ...ServiceName,
      description: "Of the table, or the call. Omitted: the rule's",
    }),
    where: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          "Which rows, as in assertions, or which calls, without `retry`. Omitted: every one",
        examples: [{ text: { i_contains: "approve" } }],
      }),
    ),
    expected_changes: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description: "For `changed`: columns with their old and new values, as in assertions",
        examples: [{ topic: { to: "Launch" } }],
      }),
    ),
    from: t.Optional(
      t.Union([t.Literal("agent"), t.Literal("any")], {
        title: "TriggerOrigin",
        description:
          "Whose changes: the agent's, if omitted, or anybody's, also those of the clock and of counterparts. A rule that anybody sets off has `after`",
        examples: ["any"],
      }),
    ),
  },
  {
    title: "CounterpartTrigger",
    description:
      "An assertion without a count, on the changes that one transaction has committed, or on a call of the agent that has just ended",
  },
);

const textOrTrigger = (description: string) =>
  t.Optional(
    t.Union([t.String({ minLength: 1, maxLength: NAME_MAX }), FromTrigger, FromKept], {
      description,
    }),
  );

const Say = t.Object(
  {
    text: t.String({
      minLength: 1,
      maxLength: TEXT_MAX,
      description: "The message",
      examples: ["Go ahead."],
    }),
    channel: textOrTrigger("Omitted: that of the row"),
    thread_ts: textOrTrigger("Omitted: no thread"),
  },
  { title: "CounterpartWords", description: "Posts a message, where people talk" },
);

const name = (description: string, example: string) =>
  t.Optional(t.String({ minLength: 1, maxLength: NAME_MAX, description, examples: [example] }));

const Call = t.Object(
  {
    method: name("A method of the service's API", "reactions.add"),
    operation: name("A field of a mutation, for a service with GraphQL", "commentCreate"),
    tool: name("A tool of the service's own MCP server", "save_issue"),
    arguments: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          'By name. Any value in them can be taken from the row: `{"$trigger": "ts"}`, or be one that was kept: `{"$kept": "question"}`',
        examples: [{ name: "eyes", timestamp: { $trigger: "ts" } }],
      }),
    ),
  },
  { title: "CounterpartCall", description: "Calls the service: one of method, operation, tool" },
);

const duration = (description: string, example: string) =>
  t.Optional(
    t.String({ minLength: 2, maxLength: DURATION_LENGTH_MAX, description, examples: [example] }),
  );

const Rule = t.Object(
  {
    name: t.String({
      minLength: 1,
      maxLength: NAME_MAX,
      description: "Of the rule, unique in the environment",
      examples: ["dana-approves"],
    }),
    as: t.String({
      minLength: 1,
      maxLength: 255,
      description: "The person who acts: id or email of a user of the service",
      examples: ["U02JOHNADOE"],
    }),
    service: t.Optional({
      ...ServiceName,
      description: "Where the person acts. Needed if the environment has several services",
    }),
    when: t.Optional(When),
    at: duration(
      "In place of `when`, an ISO 8601 duration, at most P10Y: the person acts once, so long after the environment has got its counterparts, by its clock",
      "PT10M",
    ),
    quiet: duration(
      "In place of `when`, an ISO 8601 duration, at most P10Y: the person acts whenever the agent has made no call for so long, by the environment's clock, `times` times",
      "PT5M",
    ),
    after: duration(
      "An ISO 8601 duration, at most P10Y: the person acts so much later, by the environment's clock. Omitted: before the call that sets it off is answered",
      "PT2M",
    ),
    unless: t.Optional({
      ...When,
      title: "CounterpartExcuse",
      description:
        'With `after` or `at`: the person does not act if a later transaction, or a call that begins later, meets this before the action is due. Written as `when`; a column can be compared with a value of the row that set off the rule: `{"$trigger": "ts"}`',
      examples: [
        {
          diff_type: "added",
          entity: "messages",
          where: { thread_ts: { $trigger: ["thread_ts", "ts"] } },
        },
      ],
    }),
    say: t.Optional(Say),
    call: t.Optional(Call),
    act: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          "In place of `say` and `call`: something that a person does without a call, as in events by hand, without `user`. Values as in `call`",
      }),
    ),
    keep: t.Optional(
      t.Record(t.String({ pattern: `^.{1,${NAME_MAX}}$` }), FromTrigger, {
        additionalProperties: false,
        maxProperties: PATHS_MAX,
        description:
          'Values of the row, by name, that later actions of all rules can use: `{"$kept": "question"}`. They are kept when the action is done, and the service accepts it',
        examples: [{ question: { $trigger: "ts" } }],
      }),
    ),
    // biome-ignore lint/suspicious/noThenProperty: the field of the rule; nothing awaits one.
    then: name(
      "The rule that this action sets off, if the service accepts it: one without `when`, `at` and `quiet`, which has the same row. A rule is named once, and at most 10 follow each other",
      "dana-announces",
    ),
    times: t.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ACTIONS_MAX,
        description: `With \`when\` or \`quiet\`: so many times, then no more. Omitted: once. All rules together: at most ${ACTIONS_MAX} times`,
        examples: [1],
      }),
    ),
  },
  {
    title: "Counterpart",
    description:
      "A rule by which a simulated colleague acts: `say`, `call` or `act`, between the call that sets it off and the answer to that, or some time after it",
  },
);
export type Counterpart = Static<typeof Rule>;
export type Action = Pick<Counterpart, "say" | "call" | "act">;

const { as, service, say, call } = Rule.properties;
export const NewAct = t.Object(
  { as, service, say, call },
  {
    title: "PersonAct",
    description: "A person, and what they do: either `say`, with its channel, or `call`",
    examples: [
      { as: "U02JOHNADOE", say: { channel: "C01GENERAL", text: "Any news on the launch?" } },
    ],
  },
);
export type NewAct = Static<typeof NewAct>;

export const ActDone = t.Object(
  { environmentId: Id },
  { title: "PersonActed", description: "The environment in which the person has acted" },
);
export type ActDone = Static<typeof ActDone>;

const EXAMPLE: Counterpart = {
  name: "dana-approves",
  as: "U02JOHNADOE",
  when: { diff_type: "added", entity: "messages", where: { text: { i_contains: "approve" } } },
  say: { text: "Go ahead.", thread_ts: { $trigger: ["thread_ts", "ts"] } },
};

export const Counterparts = t.Array(Rule, {
  maxItems: COUNTERPARTS_MAX,
  description: "In this order: several can be set off by the same change",
  examples: [[EXAMPLE]],
});

export const NewCounterparts = t.Object(
  { counterparts: Counterparts },
  {
    title: "NewCounterparts",
    description: "The counterparts of the environment from now on; an empty list for none",
    examples: [{ counterparts: [EXAMPLE] }],
  },
);

const RuleState = t.Object(
  {
    ...Rule.properties,
    fired: Type.Integer({ ...Count, description: "How often it has acted", examples: [1] }),
    dropped: Type.Integer({
      ...Count,
      description: "How often it has not acted, because of `unless`",
      examples: [0],
    }),
    lastError: t.Nullable(t.String({ examples: ["not_in_channel"] }), {
      description:
        "Why its last action was rejected, in the words of the service; null if it was not. A rejected action changes nothing",
    }),
  },
  { title: "CounterpartState", description: "A rule, and what it has done" },
);

const Pending = t.Object(
  {
    name: { ...Rule.properties.name, description: "Of its rule" },
    due: { ...Timestamp, description: "When it is due, by the environment's clock" },
  },
  { title: "PendingAction", description: "An action that waits for the environment's clock" },
);

export const CounterpartList = t.Object(
  {
    environmentId: Id,
    counterparts: t.Array(RuleState, { description: "In their order" }),
    pending: t.Array(Pending, {
      description: "What they will do, in order: rules with `after` have been set off",
      examples: [[{ name: "dana-approves", due: "2026-03-11T09:02:00.000Z" }]],
    }),
  },
  { title: "CounterpartList", description: "The counterparts of an environment" },
);
export type CounterpartList = Static<typeof CounterpartList>;
