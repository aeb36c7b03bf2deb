/** Writes rows of any entity. */
import { errorCode, UNIQUE_VIOLATION } from "~/db/connect";
import { together } from "~/db/session";
import { flatten, type Model, requireModel } from "~/graphql/model";
import type { RowObject } from "~/graphql/page";
import { sizeOf } from "~/input/json";
import { insertConflict, invalidArgument } from "~/replicas/tracker/errors";
import { COLUMN_MAX } from "~/replicas/tracker/lengths";
import type { Changes, Entity, NewValues, Row, Values } from "~/replicas/tracker/store/entities";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { Rows } from "~/replicas/tracker/store/rows";
import { requireColumns, type TrackerSession, WITHOUT_KEY } from "~/replicas/tracker/store/tables";

const OWN = ["id", "createdAt", "updatedAt", "archivedAt"] as const;

/** The fields of an input that are columns of the entity, with the columns' types. */
export function columnsIn<E extends Entity>(type: E, input: object): Changes<E> {
  const { columns } = requireModel(MODELS, type);
  return Object.fromEntries(
    Object.entries(input).filter(([name]) => columns.has(name)),
  ) as Changes<E>;
}

/** Inserts a row and returns it with its defaults. Throws when its id, or a unique value, is taken. */
export async function insertRow<E extends Entity>(
  session: TrackerSession,
  type: E,
  values: NewValues<E>,
): Promise<Row<E>> {
  const { sql, t } = session;
  const model = requireModel(MODELS, type);
  const columns = columnsOf(model, values);
  requireRoom(columns);
  if (WITHOUT_KEY.has(model.table)) await requireFreeId(session, type, values["id"]);
  try {
    const [row] = await sql`
      insert into ${t[model.table as keyof typeof t]} ${sql(columns as never)} returning *
    `;
    return flatten(model, row ?? {}) as Row<E>;
  } catch (error) {
    if (errorCode(error) === UNIQUE_VIOLATION) throw insertConflict(type, values["id"]);
    throw error;
  }
}

/** Keeps ids unique where no index does: the id stays free until the transaction ends. */
async function requireFreeId(session: TrackerSession, type: Entity, id: unknown): Promise<void> {
  const { sql, t } = session;
  const { table } = requireModel(MODELS, type);
  const [, taken] = await together([
    lockWorkspace(session),
    sql`select from ${t[table as keyof typeof t]} where id = ${id as string}`.execute(),
  ]);
  if (taken.length > 0) throw insertConflict(type, id);
}

/** Client input can grow when it is stored: a text gets a tree, a list gathers values. */
function requireRoom(columns: Values): void {
  for (const [name, value] of Object.entries(columns))
    if (sizeOf(value, COLUMN_MAX) > COLUMN_MAX)
      throw invalidArgument(name, undefined, "maxLength", `${name} is too long to be stored`);
}

/** Columns without a value take their defaults. */
function columnsOf(model: Model, values: Values): Values {
  if (!model.shared) requireColumns(model.table as keyof Rows, values);
  const given = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );
  if (!model.shared) return given;
  const own = Object.fromEntries(
    OWN.flatMap((name) => (name in given ? [[name, given[name]]] : [])),
  );
  const data = Object.fromEntries(
    Object.entries(given).filter(([name]) => !(OWN as readonly string[]).includes(name)),
  );
  return { ...own, type: model.name, data };
}

/** The changes that differ from the row. `undefined` is not a change. */
export function differences<C extends Values>(row: RowObject, changes: C): Partial<C> {
  return Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => value !== undefined && !isSame(row[name] ?? null, value),
    ),
  ) as Partial<C>;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date || other instanceof Date)
    return one !== null && other !== null && Number(one) === Number(other);
  return Bun.deepEquals(one, other);
}

/**
 * Writes the values that differ, and the time of the change. Returns the new row, or the same row when nothing differs.
 */
export async function updateRow<E extends Entity>(
  { sql, t }: TrackerSession,
  type: E,
  row: Row<E>,
  changes: Changes<E>,
  now: Date,
): Promise<Row<E>> {
  const model = requireModel(MODELS, type);
  if (!model.shared) requireColumns(model.table as keyof Rows, changes);
  const different = differences(row, changes);
  if (Object.keys(different).length === 0) return row;
  const set = model.shared
    ? {
        ...("archivedAt" in different && { archivedAt: different["archivedAt"] }),
        data: dataAfter(row, different),
      }
    : different;
  requireRoom(set);
  const [written] = await sql`
    update ${t[model.table as keyof typeof t]} set ${sql({ ...set, updatedAt: now } as never)}
    where id = ${row.id} returning *
  `;
  return flatten(model, written ?? {}) as Row<E>;
}

function dataAfter(row: RowObject, changes: Values): Values {
  const merged = { ...row, ...changes };
  return Object.fromEntries(
    Object.entries(merged).filter(
      ([name, value]) => !(OWN as readonly string[]).includes(name) && value !== null,
    ),
  );
}

/** Deletes rows; returns their number. */
export async function deleteRows(
  { sql, t }: TrackerSession,
  type: Entity,
  ids: readonly string[],
): Promise<number> {
  const { table } = requireModel(MODELS, type);
  const rows = await sql`
    delete from ${t[table as keyof typeof t]} where id = any(${ids}::uuid[])
  `;
  return rows.count;
}

/** Serializes changes of this kind in the environment until the end of the transaction. */
export const lockWorkspace = async ({ sql, t }: TrackerSession): Promise<void> => {
  await sql`select from ${t.organizations} for update`;
};

/** Increments the environment's sync id. */
export async function nextSyncId(session: TrackerSession): Promise<number> {
  const [row] = await session.sql`select nextval(${sequence(session)}::regclass)::float8 as id`;
  return row?.["id"];
}

/** The current sync id, for operations that change nothing. */
export async function currentSyncId(session: TrackerSession): Promise<number> {
  const [row] = await session.sql`
    select coalesce(pg_sequence_last_value(${sequence(session)}::regclass), 0)::float8 as id
  `;
  return row?.["id"];
}

/** For statements that increment the sync id themselves, which saves a round trip. */
export const sequence = ({ schema, prefix }: TrackerSession) => `"${schema}".${prefix}last_sync_id`;
