/**
 * The mutations that most entities have, made from what is particular about each. What follows from the schema and the
 * tables is done here: references are looked up, unknown columns are left out, the payload is filled.
 */
import { type GraphQLResolveInfo, getNamedType, isNonNullType, isObjectType } from "graphql";
import { type Model, requireModel } from "~/graphql/model";
import type { RowObject } from "~/graphql/page";
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import {
  archiveRow,
  changeRow,
  createRow,
  type Given,
  restoreRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { newId, newSlugId } from "~/replicas/tracker/ids";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { markdownOf, richText } from "~/replicas/tracker/rich-text";
import { MODELS } from "~/replicas/tracker/store/models/index";
import { findEdge } from "~/replicas/tracker/store/sort-order";
import { REQUIRED } from "~/replicas/tracker/store/tables";
import { deleteRows, lockWorkspace, type Values } from "~/replicas/tracker/store/write";

type Operation = "create" | "update" | "delete" | "archive" | "unarchive";
// An input is as the schema has checked it; each rule says what it reads.
// biome-ignore lint/suspicious/noExplicitAny: resolvers are typed so too.
type Input = any;
type Result<T> = T | Promise<T>;

/** What is particular about an entity. Rules may refuse; what they return overrides what was given. */
export type Rules = {
  readonly operations: readonly Operation[];
  /** Where a new row goes among the others, unless it says so itself. */
  readonly place?: "top" | "bottom";
  /** References that the rules look up themselves, because they take more than ids. */
  readonly keyed?: readonly string[];
  /** Holds for every write: `row` is undefined for a new one. */
  readonly check?: (input: Input, context: Context, row?: RowObject) => Result<Values | undefined>;
  readonly create?: (input: Input, context: Context) => Result<Values | undefined>;
  readonly update?: (row: RowObject, input: Input, context: Context) => Result<Values | undefined>;
  /** What else is written with the row; `before` is undefined for a new one. */
  readonly written?: (
    row: RowObject,
    input: Input,
    context: Context,
    before?: RowObject,
  ) => Result<void>;
  /** Before a row is archived or trashed; refuses. */
  readonly leaves?: (row: RowObject, context: Context) => Result<void>;
  /** Before a row is removed. */
  readonly removed?: (row: RowObject, context: Context) => Result<void>;
};

/** The resolvers of `<stem>Create`, `<stem>Update` and so on. */
export function mutationsOf(type: string, rules: Rules): Record<string, Resolver<Context>> {
  const model = requireModel(MODELS, type);
  const stem = type.charAt(0).toLowerCase() + type.slice(1);
  const resolvers: Record<Operation, Resolver<Context>> = {
    create: (_source, { input }: Given<Input>, context, info) =>
      create(model, rules, input, context, info).then((row) => payloadOf(row, type, info)),
    update: async (_source, { id, input }: Target & Given<Input>, context, info) => {
      const row = await requireRow(context, type, id);
      return payloadOf(await update(model, rules, row, input, context, info), type, info);
    },
    delete: async (_source, { id }: Target, context, info) => {
      const row = await requireRow(context, type, id);
      return payloadOf(await remove(model, rules, row, context), type, info);
    },
    archive: async (_source, { id, trash }: Target & { trash?: boolean }, context, info) => {
      const row = await requireRow(context, type, id);
      await rules.leaves?.(row, context);
      const archived =
        trash === true ? await trashRow(context, type, row) : await archiveRow(context, type, row);
      return payloadOf(archived, type, info);
    },
    unarchive: async (_source, { id }: Target, context, info) => {
      const row = await requireRow(context, type, id);
      const restored = model.columns.has("trashed")
        ? await changeRow(context, type, row, { archivedAt: null, trashed: null })
        : await restoreRow(context, type, row);
      return payloadOf(restored, type, info);
    },
  };
  return Object.fromEntries(
    rules.operations.map((operation) => [
      stem + operation.charAt(0).toUpperCase() + operation.slice(1),
      resolvers[operation],
    ]),
  );
}

/**
 * The families with mutations that happen one at a time in an environment. Their rules read what another could be
 * writing: a name, a number, a tree. Waiting costs a round trip; a constraint for each rule would cost every environment.
 */
export const oneAtATime = (
  families: readonly Resolvers<Context>[],
): readonly Resolvers<Context>[] =>
  families.map(({ Mutation = {}, ...types }) => ({
    ...types,
    Mutation: Object.fromEntries(
      Object.entries(Mutation).map(([name, resolve]): [string, Resolver<Context>] => [
        name,
        async (source, args, context, info) => {
          await lockWorkspace(context.session);
          return await resolve(source, args, context, info);
        },
      ]),
    ),
  }));

/** A row with what every row of its kind has. */
export async function create(
  model: Model,
  rules: Omit<Rules, "operations">,
  input: Input,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<RowObject> {
  requireWords(input);
  const given = {
    ...input,
    ...textOf(model, input),
    ...(await referencesOf(model, rules, input, context)),
  };
  const values = {
    ...own(model, context),
    ...given,
    ...(await rules.check?.(given, context)),
    ...(await rules.create?.(given, context)),
  };
  if (rules.place && (values.sortOrder ?? null) === null)
    values.sortOrder = await findEdge(context.session, model, rules.place);
  const row = await createRow(context, model.name, columnsOf(model, values, info));
  await rules.written?.(row, given, context);
  return row;
}

export async function update(
  model: Model,
  rules: Omit<Rules, "operations">,
  row: RowObject,
  input: Input,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<RowObject> {
  requireWords(input);
  const given = {
    ...input,
    ...textOf(model, input),
    ...(await referencesOf(model, rules, input, context)),
  };
  const values = {
    ...given,
    ...trashOf(model, input, context),
    ...(await rules.check?.(given, context, row)),
    ...(await rules.update?.(row, given, context)),
  };
  const changes = columnsOf(model, values, info);
  for (const [name, value] of Object.entries(changes))
    if (value === null && isRequired(model, name, info))
      throw invalidArgument(name, null, "isDefined", `${name} must not be null`);
  const edited =
    given.body !== undefined && given.body !== row["body"] && model.columns.has("editedAt");
  const changed = await changeRow(context, model.name, row, {
    ...changes,
    ...(edited && { editedAt: context.now }),
  });
  await rules.written?.(changed, given, context, row);
  return changed;
}

async function remove(
  model: Model,
  { leaves, removed }: Pick<Rules, "leaves" | "removed">,
  row: RowObject,
  context: Context,
): Promise<RowObject> {
  await leaves?.(row, context);
  if (model.columns.has("trashed")) return await trashRow(context, model.name, row);
  await removed?.(row, context);
  await deleteRows(context.session, model.name, [row.id]);
  return row;
}

export const trashRow = (context: Context, type: string, row: RowObject): Promise<RowObject> =>
  changeRow(context, type, row, { trashed: true, archivedAt: row["archivedAt"] ?? context.now });

/** A row under each name that a payload may have for it. */
export function payloadOf(row: RowObject, type: string, { returnType }: GraphQLResolveInfo) {
  const payload = getNamedType(returnType);
  const fields = "getFields" in payload ? Object.values(payload.getFields()) : [];
  const name = fields.find((field) => getNamedType(field.type).name === type)?.name;
  return { entityId: row.id, [name ?? "entity"]: row };
}

/** What a row has without being told. */
const own = ({ columns, name, shared }: Model, { viewer }: Context): Values => ({
  ...(columns.has("creatorId") && { creatorId: viewer.id }),
  ...((columns.has("slugId") || (shared && SLUGGED.has(name))) && { slugId: newSlugId() }),
  ...(columns.has("documentContentId") && { documentContentId: newId() }),
});

/** Records with a page of their own. */
const SLUGGED = new Set([
  "Customer",
  "Release",
  "ReleaseNote",
  "Roadmap",
  "AgentSession",
  "AgentSkill",
]);

/** What others are told apart by is not left empty. */
function requireWords(input: Input): void {
  for (const name of ["name", "title", "label"])
    if (typeof input[name] === "string" && input[name].trim() === "")
      throw invalidArgument(name, input[name], "isNotEmpty", `${name} should not be empty`);
}

/** A text and its tree, whichever was given. */
function textOf({ columns }: Model, { body, bodyData }: Input): Values {
  if (!columns.has("bodyData")) return {};
  const text =
    body ?? (bodyData === undefined || bodyData === null ? undefined : markdownOf(bodyData));
  return text === undefined ? {} : { body: text, bodyData: richText(text) };
}

/** Types whose fields in an input take more than an id. */
const NAMED = new Set(["Issue", "Project", "Initiative", "Document"]);

/** The ids of the rows that an input names. Refuses what is not there. */
async function referencesOf(
  model: Model,
  { keyed }: Pick<Rules, "keyed">,
  input: Input,
  context: Context,
): Promise<Values> {
  const found = await Promise.all(
    [...model.one.values()].map(async ({ to, key }) => {
      const value = input[key];
      if (typeof value !== "string" || keyed?.includes(key)) return [];
      const row = NAMED.has(to)
        ? await requireRow(context, to, value)
        : await requireGiven(context, to, key, value);
      return row ? [[key, row.id] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** Trash is an archive of its own. */
const trashOf = ({ columns }: Model, { trashed }: Input, { now }: Context): Values => {
  if (trashed === undefined || !columns.has("trashed")) return {};
  return trashed === true ? { trashed, archivedAt: now } : { trashed: null, archivedAt: null };
};

/** Whether a row must have a value: its column, or in a shared table its type in the API, says so. */
function isRequired(
  { table, shared, name: type }: Model,
  name: string,
  { schema }: GraphQLResolveInfo,
): boolean {
  if (!shared) return REQUIRED.get(table)?.has(name) ?? false;
  const found = schema.getType(type);
  const fields = isObjectType(found) ? found.getFields() : {};
  return isNonNullType((fields[name] ?? fields[name.replace(/Id$/, "")])?.type);
}

/** What of the values has a place in the row. A shared table keeps what the type in the API has. */
function columnsOf(
  { columns, shared, name }: Model,
  values: Values,
  { schema }: GraphQLResolveInfo,
): Values {
  const type = schema.getType(name);
  const fields = isObjectType(type) ? type.getFields() : {};
  const kept = (key: string) =>
    key === "id" ||
    key === "createdAt" ||
    columns.has(key) ||
    (shared && (key in fields || key.replace(/Id$/, "") in fields));
  return Object.fromEntries(Object.entries(values).filter(([key]) => kept(key)));
}
