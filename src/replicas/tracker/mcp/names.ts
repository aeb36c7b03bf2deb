/** References in arguments: an id, or a name in one of the forms that an entity has. */
import { isInputObjectType } from "graphql";
import type { RowObject } from "~/graphql/page";
import { isUuid } from "~/graphql/uuid";
import { slugIdOf } from "~/replicas/tracker/ids";
import { notThere, Rejected, type Work } from "~/replicas/tracker/mcp/tool";
import { trackerSchema } from "~/replicas/tracker/schema";
import { having } from "~/replicas/tracker/store/lookups";

/** One form of a name: the filter that finds it, and the column with its value in lower case. */
type Form = { readonly filter: object; readonly column: string; readonly value: string };
type Reading = (text: string) => Form | undefined;

const text =
  (column: string): Reading =>
  (given) => ({
    filter: { [column]: { eqIgnoreCase: given } },
    column,
    value: given.toLowerCase(),
  });
const slug: Reading = (given) => {
  const value = slugIdOf(given);
  return value === undefined
    ? undefined
    : { filter: { slugId: { eq: value } }, column: "slugId", value };
};
const identifier: Reading = (given) => ({
  filter: { id: { eq: given } },
  column: "identifier",
  value: given.toLowerCase(),
});
const number: Reading = (given) =>
  /^\d{1,9}$/.test(given)
    ? { filter: { number: { eq: Number(given) } }, column: "number", value: String(Number(given)) }
    : undefined;
const oneOf =
  (column: string, values: readonly string[]): Reading =>
  (given) => {
    const value = values.find((one) => one === given.toLowerCase());
    return value === undefined ? undefined : { filter: { [column]: { eq: value } }, column, value };
  };

const STATE_TYPES = [
  ...["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"],
] as const;
const PROJECT_TYPES = ["backlog", "planned", "started", "paused", "completed", "canceled"];
const STAGE_TYPES = ["planned", "started", "completed", "canceled"];

/** The noun in messages, and the forms of a name, most specific first. */
const NAMED = {
  Cycle: ["cycle", [text("name"), number]],
  Document: ["document", [slug, text("title")]],
  Initiative: ["initiative", [identifier, slug, text("name")]],
  InitiativeLabel: ["label", [text("name")]],
  IssueLabel: ["label", [text("name")]],
  Project: ["project", [identifier, slug, text("name")]],
  ProjectLabel: ["label", [text("name")]],
  ProjectMilestone: ["milestone", [text("name")]],
  ProjectStatus: ["state", [text("name"), oneOf("type", PROJECT_TYPES)]],
  Release: ["release", [text("name")]],
  ReleaseNote: ["release note", [slug]],
  ReleasePipeline: ["pipeline", [text("name")]],
  ReleaseStage: ["stage", [text("name"), oneOf("type", STAGE_TYPES)]],
  Team: ["team", [text("key"), text("name")]],
  User: ["user", [text("email"), text("name"), text("displayName")]],
  WorkflowState: ["state", [text("name"), oneOf("type", STATE_TYPES)]],
} as const satisfies Record<string, readonly [string, readonly Reading[]]>;
type NamedType = keyof typeof NAMED;

/** Types whose filters have no key for the slug. */
const SLUGGED: ReadonlySet<NamedType> = new Set(["Release", "ReleasePipeline"]);

const formsOf = (type: NamedType, given: string): readonly Form[] =>
  NAMED[type][1].flatMap((read: Reading) => read(given) ?? []);

/** The filter of rows with this id or name, for a list: an unknown name matches nothing. */
export function whereNamed(type: NamedType, given: string): object {
  if (isUuid(given)) return { id: { eq: given } };
  if (type === "User" && given === "me") return { isMe: { eq: true } };
  return { or: formsOf(type, given).map(({ filter }) => filter) };
}

/** The parts of a filter whose argument was given. */
export const filterOf = (parts: Readonly<Record<string, object | undefined>>) =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));

/** The filter for a reference, if it was given. */
export const named = (type: NamedType, given: string | undefined) =>
  given === undefined ? undefined : whereNamed(type, given);

export type Among = {
  /** The rows to choose from. */
  readonly filter?: object;
  readonly where?: Readonly<Record<string, string>>;
  /** Of several rows with a name, the one of this team, then the one without a team. */
  readonly teamId?: string;
};

/** Rows with one name that are read before it counts as ambiguous. */
const MATCHES_MAX = 20;

/** The id for a reference. Throws Rejected for an unknown name; an id is left to the operation that uses it. */
export async function resolve(
  { context }: Work,
  type: NamedType,
  given: string,
  { filter = {}, where, teamId }: Among = {},
): Promise<string> {
  const { read, viewer } = context;
  const [noun] = NAMED[type];
  if (isUuid(given)) return given.toLowerCase();
  if (type === "User" && given === "me") return viewer.id;
  const slugId = SLUGGED.has(type) ? slugIdOf(given) : undefined;
  const slugged = slugId === undefined ? undefined : await read.find(type, having({ slugId }));
  if (slugged) return slugged.id;
  const forms = formsOf(type, given);
  const filterType = trackerSchema().getType(`${type}Filter`);
  if (!isInputObjectType(filterType)) throw new Error(`${type} has no filter`);
  const { nodes } = await read.page(type, {
    args: { first: MATCHES_MAX, filter: { ...filter, or: forms.map((form) => form.filter) } },
    filterType,
    ...(where && { where: having(where) }),
  });
  for (const { column, value } of forms) {
    const rows = (nodes as readonly RowObject[]).filter(
      (row) => String(row[column] ?? "").toLowerCase() === value,
    );
    const [only] = chosen(rows, teamId);
    if (only && chosen(rows, teamId).length === 1) return only.id;
    if (only)
      throw new Rejected(`There are ${rows.length} of the ${noun} "${given}": use an ID instead`);
  }
  throw new Rejected(`Could not find ${noun} "${given}"`);
}

function chosen(rows: readonly RowObject[], teamId: string | undefined): readonly RowObject[] {
  if (rows.length < 2 || teamId === undefined) return rows;
  const own = rows.filter((row) => row["teamId"] === teamId);
  return own.length > 0 ? own : rows.filter((row) => row["teamId"] === null);
}

type Reference = string | null | undefined;

/** As `resolve`; null and undefined stay. */
export const resolveGiven = async <R extends Reference>(
  work: Work,
  type: NamedType,
  given: R,
  among?: Among,
): Promise<string | Exclude<R, string>> =>
  typeof given === "string"
    ? await resolve(work, type, given, among)
    : (given as Exclude<R, string>);

export const resolveAll = async (
  work: Work,
  type: NamedType,
  given: readonly string[] | undefined,
  among?: Among,
): Promise<string[] | undefined> =>
  given && (await Promise.all(given.map((one) => resolve(work, type, one, among))));

/** The id for a reference to a row that must exist. Throws Rejected. */
export async function requireId(work: Work, type: NamedType, given: string): Promise<string> {
  const id = await resolve(work, type, given);
  if (isUuid(given) && !(await work.context.read.one(type, id))) throw notThere(type);
  return id;
}
