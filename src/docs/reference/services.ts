/** The state of simulation of each method and operation of the services. */
import { code, page, table } from "~/docs/reference/markdown";
import { coverage as calendarCoverage } from "~/replicas/calendar/coverage";
import { type Coverage, coverage as chatCoverage } from "~/replicas/chat/coverage";
import { coverage as mailCoverage } from "~/replicas/mail/coverage";
import { BREAKING_CHANGES } from "~/replicas/tracker/changed-since";
import { type Operation, coverage as trackerCoverage } from "~/replicas/tracker/coverage";

/** The part of a method's name before the last dot. */
const familyOf = ({ method }: Pick<Coverage, "method">) =>
  method.slice(0, Math.max(method.lastIndexOf("."), 0));

const methodRow = ({ method, summary, arguments: args, limits, userOnly, appOnly }: Coverage) => [
  code(method),
  summary,
  args.map(({ name, required }) => code(required ? name : `${name}?`)).join(" "),
  [userOnly && "Not for bots.", appOnly && "Only with the token of an app.", limits]
    .filter(Boolean)
    .join(" "),
];

export function chatPage(): string {
  const all = chatCoverage();
  const of = (state: Coverage["state"]) => all.filter((one) => one.state === state);
  const simulated = Map.groupBy([...of("full"), ...of("limited")], familyOf);
  const families = [...simulated].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return page(
    "# Methods of chat",
    `${of("full").length} methods behave like the service's, ${of("limited").length} within the limits named below, ${of("refused").length} are [rejected](#rejected-methods) with an error of the service. A \`?\` marks an optional argument.`,
    ...families.flatMap(([family, methods]) => [
      `## ${family}`,
      table(
        ["Method", "Summary", "Arguments", "Limits"],
        methods.toSorted((a, b) => (a.method < b.method ? -1 : 1)).map(methodRow),
      ),
    ]),
    "## Rejected methods",
    table(
      ["Method", "Error"],
      of("refused").map(({ method, error = "" }) => [code(method), code(error)]),
    ),
  );
}

const KINDS = ["query", "mutation"] as const;

function operationTable(operations: readonly Operation[]): string | undefined {
  const named = (members: readonly Operation[], kind: Operation["kind"]) =>
    members
      .filter((one) => one.kind === kind)
      .map(({ operation }) => code(operation))
      .join(" ");
  const byEntity = Map.groupBy(operations, ({ entity }) => entity);
  return table(
    ["About", "Queries", "Mutations"],
    [...byEntity].map(([entity, members]) => [
      entity,
      ...KINDS.map((kind) => named(members, kind)),
    ]),
  );
}

export function trackerPage(): string {
  const all = trackerCoverage();
  const of = (state: Operation["state"]) => all.filter((one) => one.state === state);
  return page(
    "# Operations of tracker",
    `${of("simulated").length} operations behave like the service's, ${of("kept").length} store what they receive and return it, ${of("refused").length} are rejected with an error of the service.`,
    "## Simulated",
    operationTable(of("simulated")),
    "## Stored and returned",
    operationTable(of("kept")),
    "## Rejected operations",
    operationTable(of("refused")),
    "## Older clients",
    "The documents of the official clients are valid in every version, but for those that the service rejects too since it changed its schema. The types of webhooks and subscriptions are not part of the schema: nothing is delivered.",
    table(
      ["Client since", "Change", "Rejected documents of older clients"],
      BREAKING_CHANGES.map(({ since, change, documents }) => [
        since,
        change,
        documents.map(code).join(" "),
      ]),
    ),
  );
}

type RestCoverage = {
  readonly method: string;
  readonly verb: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly string[];
  readonly state: "full" | "kept" | "refused";
};

const numberOf = (all: readonly RestCoverage[], state: RestCoverage["state"]) =>
  all.filter((one) => one.state === state).length;

/** A table for each family of methods that are not rejected. */
const restTables = (all: readonly RestCoverage[], usual: string) =>
  [
    ...Map.groupBy(
      all.filter(({ state }) => state !== "refused"),
      familyOf,
    ),
  ].flatMap(([family, methods]) => [
    `## ${family || usual}`,
    table(
      ["Method", "Path", "Summary", "Parameters"],
      methods.map(({ method, verb, path, summary, parameters, state }) => [
        ...[code(method), code(`${verb} ${path}`)],
        state === "kept" ? `${summary}. Has no effect.` : summary,
        parameters.map(code).join(" "),
      ]),
    ),
  ]);

export function mailPage(): string {
  const all = mailCoverage();
  return page(
    "# Methods of mail",
    `${numberOf(all, "full")} methods behave like the service's, ${numberOf(all, "kept")} store what they receive and return it, with no effect, ${numberOf(all, "refused")} are [rejected](#rejected-methods) as for everyone who is not an administrator. Paths begin with \`/gmail/v1/users/{userId}/\`; \`userId\` is \`me\` or the caller's own address.`,
    ...restTables(all, "users"),
    "## Rejected methods",
    table(
      ["Method", "Path"],
      all
        .filter(({ state }) => state === "refused")
        .map(({ method, verb, path }) => [code(method), code(`${verb} ${path}`)]),
    ),
  );
}

export function calendarPage(): string {
  const all = calendarCoverage();
  return page(
    "# Methods of calendar",
    `${numberOf(all, "full")} methods behave like the service's, ${numberOf(all, "kept")} store what they receive and return it, with no effect. Paths begin with \`/calendar/v3/\`; \`calendarId\` is \`primary\`, an address, or the id of another calendar.`,
    ...restTables(all, "calendar"),
  );
}
