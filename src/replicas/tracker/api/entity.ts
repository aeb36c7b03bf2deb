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
import type { Changes, Entity, NewValues, Row, Values } from "~/replicas/tracker/store/entities";
import { MODELS } from "~/replicas/tracker/store/models/index";
import { findEdge } from "~/replicas/tracker/store/sort-order";
import { TABLES } from "~/replicas/tracker/store/tables";
import { deleteRows, lockWorkspace } from "~/replicas/tracker/store/write";

type EntityModel = Model & { readonly name: Entity };
export const modelOf = (type: Entity) => requireModel(MODELS, type) as EntityModel;

type Operation = "create" | "update" | "delete" | "archive" | "unarchive";
// An input is as the schema has checked it; each rule says what it reads.
// biome-ignore lint/suspicious/noExplicitAny: resolvers are typed so too.
type Input = any;
type Result<T> = T | Promise<T>;

/** What is particular about an entity. Rules may refuse; what they return overrides what was given. */
export type Rules<E extends Entity = Entity> = {
  readonly operations: readonly Operation[];
  /** Where a new row goes among the others, unless it says so itself. */
  readonly place?: "top" | "bottom";
  /** References that the rules look up themselves, because they take more than ids. */
  readonly keyed?: readonly string[];
  /** Holds for every write: `row` is undefined for a new one. */
  readonly check?: (
    input: Input,
    context: Context,
    row?: Row<E>,
  ) => Result<NewValues<E> | undefined>;
  readonly create?: (input: Input, context: Context) => Result<NewValues<E> | undefined>;
  readonly update?: (row: Row<E>, input: Input, context: Context) => Result<Changes<E> | undefined>;
  /** What else is written with the row; `before` is undefined for a new one. */
  readonly written?: (row: Row<E>, input: Input, context: Context, before?: Row<E>) => Result<void>;
  /** Before a row is archived or trashed; refuses. */
  readonly leaves?: (row: Row<E>, context: Context) => Result<void>;
  /** Before a row is removed. */
  readonly removed?: (row: Row<E>, context: Context) => Result<void>;
};

/** The resolvers of `<stem>Create`, `<stem>Update` and so on. */
export function mutationsOf<E extends Entity>(
  type: E,
  rules: Rules<E>,
): Record<string, Resolver<Context>> {
  return untypedMutations(type, rules as unknown as Rules);
}

function untypedMutations(type: Entity, rules: Rules): Record<string, Resolver<Context>> {
  const model = modelOf(type);
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
  model: EntityModel,
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
  const values: Record<string, unknown> = {
    ...own(model, context),
    ...storedOf(model, given, info),
    ...(await rules.check?.(given, context)),
    ...(await rules.create?.(given, context)),
  };
  if (rules.place && (values["sortOrder"] ?? null) === null)
    values["sortOrder"] = await findEdge(context.session, model, rules.place);
  requireStored(model, values, info);
  const row = await createRow(context, model.name, values);
  await rules.written?.(row, given, context);
  return row;
}

export async function update(
  model: EntityModel,
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
  const changes: Record<string, unknown> = {
    ...storedOf(model, given, info),
    ...trashOf(model, input, context),
    ...(await rules.check?.(given, context, row)),
    ...(await rules.update?.(row, given, context)),
  };
  requireStored(model, changes, info);
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
  model: EntityModel,
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

export const trashRow = (context: Context, type: Entity, row: RowObject): Promise<RowObject> =>
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
  model: EntityModel,
  { keyed }: Pick<Rules, "keyed">,
  input: Input,
  context: Context,
): Promise<Values> {
  const found = await Promise.all(
    [...model.one.values()].map(async (relation) => {
      const { key } = relation;
      const to = relation.to as Entity;
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
  if (!shared) return TABLES.get(table)?.get(name)?.required ?? false;
  const found = schema.getType(type);
  const fields = isObjectType(found) ? found.getFields() : {};
  return isNonNullType((fields[name] ?? fields[name.replace(/Id$/, "")])?.type);
}

/** The values of an input that its row stores. */
function storedOf(model: Model, input: Values, info: GraphQLResolveInfo): Values {
  const isStored = storedIn(model, info);
  return Object.fromEntries(Object.entries(input).filter(([name]) => isStored(name)));
}

/** A rule that misspells a column would lose its write. */
function requireStored(model: Model, values: Values, info: GraphQLResolveInfo): void {
  const isStored = storedIn(model, info);
  const unknown = Object.keys(values).find((name) => !isStored(name));
  if (unknown !== undefined) throw new Error(`${model.name} has no column ${unknown}`);
}

/** Whether a row has a place for a value. A shared table stores the fields of the type in the API. */
function storedIn({ columns, shared, name: type }: Model, { schema }: GraphQLResolveInfo) {
  const found = schema.getType(type);
  const fields = isObjectType(found) ? found.getFields() : {};
  return (name: string): boolean =>
    name === "id" ||
    name === "createdAt" ||
    columns.has(name) ||
    (shared && (name in fields || name.replace(/Id$/, "") in fields));
}
