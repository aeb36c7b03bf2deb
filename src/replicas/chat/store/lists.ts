import type { Cell, Column } from "~/replicas/chat/lists";
import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros, nowSeconds } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";

export type ListRow = {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly description_blocks: unknown;
  readonly schema: readonly Column[];
  readonly todo_mode: boolean;
  readonly created_at: string;
  readonly team_id: string;
  readonly team_url: string;
  readonly row_count: number;
  readonly access: "read" | "write" | "owner" | null;
};

/** A list, whether or not the viewer may see it. The viewer's highest level of access applies. */
export async function findList(
  { sql, t }: ChatSession,
  viewer: string,
  id: string,
): Promise<ListRow | undefined> {
  const [list] = await sql<ListRow[]>`
    select l.*, w.id as team_id, w.url as team_url,
      (select count(*)::int from ${t.list_items} i where i.list_id = l.id) as row_count,
      case when l.user_id = ${viewer} then 'owner' else (
        select (array['read', 'write', 'owner'])[max(array_position(array['read', 'write', 'owner'], a.access_level))]
        from ${t.file_access} a
        left join ${t.channel_members} m on m.channel_id = a.entity_id and m.user_id = ${viewer}
        where a.file_id = l.id and (a.entity_id = ${viewer} or m.user_id is not null)
      ) end as access
    from ${t.lists} l cross join ${t.teams} w where l.id = ${id}
  `;
  return list;
}

export async function insertList(
  session: ChatSession,
  list: Pick<ListRow, "id" | "user_id" | "name" | "description_blocks" | "schema" | "todo_mode">,
): Promise<void> {
  const { sql, t } = session;
  await sql`
    insert into ${t.lists} (id, user_id, name, description_blocks, schema, todo_mode, created_at)
    values (${list.id}, ${list.user_id}, ${list.name}, ${json(session, list.description_blocks)},
      ${json(session, list.schema)}, ${list.todo_mode}, ${nowMicros(session)})
  `;
}

/** Changes the given columns. */
export async function updateList(
  session: ChatSession,
  id: string,
  change: { name: string | null; description_blocks: unknown; todo_mode: boolean | null },
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.lists} set name = coalesce(${change.name}, name), todo_mode = coalesce(${change.todo_mode}, todo_mode),
      description_blocks = coalesce(${json(session, change.description_blocks)}, description_blocks)
    where id = ${id}
  `;
}

export type ItemRow = {
  readonly id: string;
  readonly list_id: string;
  readonly parent_item_id: string | null;
  readonly fields: readonly Cell[];
  readonly archived: boolean;
  readonly created_by: string;
  readonly updated_by: string;
  readonly created_at: string;
  readonly updated_timestamp: number;
};
type NewItem = Pick<ItemRow, "id" | "parent_item_id" | "fields">;

/** Adds items in the given order. */
export async function insertItems(
  session: ChatSession,
  list: string,
  user: string,
  items: readonly NewItem[],
): Promise<void> {
  const { sql, t } = session;
  await sql`
    insert into ${t.list_items} (
      list_id, id, parent_item_id, fields, archived, created_by, updated_by, created_at, updated_timestamp
    )
    select ${list}, i.item->>'id', i.item->>'parent_item_id', i.item->'fields', false, ${user}, ${user},
      ${nowMicros(session)} + i.place, ${nowSeconds(session)}
    from jsonb_array_elements(${json(session, items)}) with ordinality as i (item, place)
  `;
}

export async function listItems(
  { sql, t }: ChatSession,
  list: string,
  wanted: { archived: boolean | null; offset: number; limit: number; parent?: string },
): Promise<ItemRow[]> {
  return await sql<ItemRow[]>`
    select * from ${t.list_items}
    where list_id = ${list} and archived = coalesce(${wanted.archived}, archived)
      and (${wanted.parent ?? null}::text is null or parent_item_id = ${wanted.parent ?? null})
    order by created_at, id limit ${wanted.limit + 1} offset ${wanted.offset}
  `;
}

/** The existing items among these, locked until the caller's transaction ends. */
export async function lockItems(
  { sql, t }: ChatSession,
  list: string,
  ids: readonly string[],
): Promise<Map<string, ItemRow>> {
  const rows = await sql<ItemRow[]>`
    select * from ${t.list_items} where list_id = ${list} and id = any(${[...ids]}) order by id for update
  `;
  return new Map(rows.map((item) => [item.id, item]));
}

export async function findItem(
  { sql, t }: ChatSession,
  list: string,
  id: string,
): Promise<ItemRow | undefined> {
  const [item] = await sql<ItemRow[]>`
    select * from ${t.list_items} where list_id = ${list} and id = ${id}
  `;
  return item;
}

/** Gives items other fields. */
export async function updateItems(
  session: ChatSession,
  list: string,
  user: string,
  items: readonly Pick<ItemRow, "id" | "fields">[],
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.list_items} x set fields = i.item->'fields', updated_by = ${user},
      updated_timestamp = ${nowSeconds(session)}
    from jsonb_array_elements(${json(session, items)}) as i (item)
    where x.list_id = ${list} and x.id = i.item->>'id'
  `;
}

/** Deletes items with their children. Returns how many of the named items existed. */
export async function deleteItems(
  { sql, t }: ChatSession,
  list: string,
  ids: readonly string[],
): Promise<number> {
  const rows = await sql<{ id: string }[]>`
    delete from ${t.list_items}
    where list_id = ${list} and (id = any(${[...ids]}) or parent_item_id = any(${[...ids]})) returning id
  `;
  return rows.filter(({ id }) => ids.includes(id)).length;
}
