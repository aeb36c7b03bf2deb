/**
 * Builds the mutations that most entities have from the rules of each entity. Everything that follows from the schema
 * and the tables happens here: references are looked up, fields without a column are dropped, the payload is filled.
 */
import { getNamedType } from "graphql";
import type { FieldInfo } from "~/graphql/info";
import { type Model, requireModel } from "~/graphql/model";
import type { RowObject } from "~/graphql/page";
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { isRequired, requireStored, storedOf } from "~/replicas/tracker/api/stored";
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
import { deleteRows, lockWorkspace } from "~/replicas/tracker/store/write";

type EntityModel = Model & { readonly name: Entity };
export const modelOf = (type: Entity) => requireModel(MODELS, type) as EntityModel;

type Operation = "create" | "update" | "delete" | "archive" | "unarchive";
// The schema has validated the input; each rule declares the fields it reads.
// biome-ignore lint/suspicious/noExplicitAny: resolvers are typed so too.
type Input = any;
type Result<T> = T | Promise<T>;

/** The rules of an entity. They can throw; the values they return override the input. */
export type Rules<E extends Entity = Entity> = {
  readonly operations: readonly Operation[];
  /** Where a new row is placed among the others, unless the input says so. */
  readonly place?: "top" | "bottom";
  /** References that the rules look up, because they accept more than ids. */
  readonly keyed?: readonly string[];
  /** Checks every write: `row` is undefined for a new one. */
  readonly check?: (
    input: Input,
    context: Context,
    row?: Row<E>,
  ) => Result<NewValues<E> | undefined>;
  readonly create?: (input: Input, context: Context) => Result<NewValues<E> | undefined>;
  readonly update?: (row: Row<E>, input: Input, context: Context) => Result<Changes<E> | undefined>;
  /** Writes more after the row; `before` is undefined for a new one. */
  readonly written?: (row: Row<E>, input: Input, context: Context, before?: Row<E>) => Result<void>;
  /** Runs before a row is archived or trashed; can throw. */
  readonly leaves?: (row: Row<E>, context: Context) => Result<void>;
  /** Runs before a row is deleted. */
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
 * Families whose mutations run one at a time in an environment. Their rules read what a concurrent mutation could
 * write: a name, a number, a tree. A lock costs a round trip; constraints for these rules would cost every environment.
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

/** Creates a row with the defaults of every entity. */
export async function create(
  model: EntityModel,
  rules: Omit<Rules, "operations">,
  input: Input,
  context: Context,
  info: FieldInfo,
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
  info: FieldInfo,
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

const trashRow = (context: Context, type: Entity, row: RowObject): Promise<RowObject> =>
  changeRow(context, type, row, { trashed: true, archivedAt: row["archivedAt"] ?? context.now });

/** The payload, with the row under the name that its type has there. */
export function payloadOf(row: RowObject, type: string, { returnType }: FieldInfo) {
  const payload = getNamedType(returnType);
  const fields = "getFields" in payload ? Object.values(payload.getFields()) : [];
  const name = fields.find((field) => getNamedType(field.type).name === type)?.name;
  return { entityId: row.id, [name ?? "entity"]: row };
}

/** Default values of a new row. */
const own = ({ columns, name, shared }: Model, { session, viewer }: Context): Values => ({
  ...(columns.has("creatorId") && { creatorId: viewer.id }),
  ...((columns.has("slugId") || (shared && SLUGGED.has(name))) && { slugId: newSlugId(session) }),
  ...(columns.has("documentContentId") && { documentContentId: newId(session) }),
});

/** Records with a page. */
const SLUGGED = new Set([
  "Customer",
  "Release",
  "ReleaseNote",
  "Roadmap",
  "AgentSession",
  "AgentSkill",
]);

/** Names and titles must not be empty. */
function requireWords(input: Input): void {
  for (const name of ["name", "title", "label"])
    if (typeof input[name] === "string" && input[name].trim() === "")
      throw invalidArgument(name, input[name], "isNotEmpty", `${name} should not be empty`);
}

/** A text and its tree, from either. */
function textOf({ columns }: Model, { body, bodyData }: Input): Values {
  if (!columns.has("bodyData")) return {};
  const text =
    body ?? (bodyData === undefined || bodyData === null ? undefined : markdownOf(bodyData));
  return text === undefined ? {} : { body: text, bodyData: richText(text) };
}

/** Types that inputs can refer to by more than an id. */
const NAMED = new Set(["Issue", "Project", "Initiative", "Document"]);

/** The ids of the rows that an input refers to. Throws when one is missing. */
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

/** The trash is a kind of archive. */
const trashOf = ({ columns }: Model, { trashed }: Input, { now }: Context): Values => {
  if (trashed === undefined || !columns.has("trashed")) return {};
  return trashed === true ? { trashed, archivedAt: now } : { trashed: null, archivedAt: null };
};
