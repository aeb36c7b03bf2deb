import { metadataView, ROWS_MAX, requireList } from "~/replicas/chat/api/lists";
import {
  COLUMN_MAX,
  Cursor,
  Flag,
  Json,
  List,
  Maybe,
  requireRoom,
  Text,
} from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type Cell, readCell, referencesOf } from "~/replicas/chat/lists";
import { type ChatCall, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import { requireFiles } from "~/replicas/chat/require";
import { findChannels } from "~/replicas/chat/store/channels";
import {
  deleteItems,
  findItem,
  type ItemRow,
  insertItems,
  type ListRow,
  listItems,
  lockItems,
  updateItems,
} from "~/replicas/chat/store/lists";
import { findUsers } from "~/replicas/chat/store/users";
import { seconds } from "~/replicas/chat/views/files";
import { present, type Wire } from "~/replicas/chat/views/wire";

const PAGE_DEFAULT = 100;
const CELLS_MAX = 500;
const CELLS = { max: COLUMN_MAX };

const itemView = (item: ItemRow): Wire =>
  present({
    id: item.id,
    list_id: item.list_id,
    date_created: seconds(item.created_at),
    created_by: item.created_by,
    updated_by: item.updated_by,
    fields: item.fields,
    updated_timestamp: String(item.updated_timestamp),
    parent_record_id: item.parent_item_id,
    archived: item.archived || null,
  });

const listView = (list: ListRow): Wire => ({
  id: list.id,
  created: seconds(list.created_at),
  name: list.name,
  title: list.name,
  filetype: "list",
  mode: "list",
  user: list.user_id,
  user_team: list.team_id,
  access: list.access,
  permalink: `${list.team_url}lists/${list.team_id}/${list.id}`,
  list_metadata: metadataView(list),
  list_limits: {
    row_count: list.row_count,
    row_count_limit: ROWS_MAX,
    over_row_maximum: list.row_count >= ROWS_MAX,
    column_count: list.schema.length,
  },
});

/** Throws when a cell names a user or an object that does not exist. */
async function requireReferences(call: ChatCall, cells: readonly Cell[]): Promise<void> {
  const { users, channels, files } = referencesOf(cells);
  if (users.length > 0) {
    const known = await findUsers(call.session, users);
    if (users.some((id) => !known.has(id))) throw new ChatError("user_not_found");
  }
  if (channels.length > 0) {
    const known = await findChannels(call.session, call.actor, [...new Set(channels)]);
    if (known.length < new Set(channels).size) throw new ChatError("channel_not_found");
  }
  if (files.length > 0) await requireFiles(call, files);
}

/** The cells of a row, where these replace those of the same columns. */
function replaced(fields: readonly Cell[], cells: readonly Cell[]): Cell[] {
  const row = [...new Map([...fields, ...cells].map((cell) => [cell.column_id, cell])).values()];
  requireRoom(row, "over_cell_fields_limit");
  return row;
}

async function requireItem(call: ChatCall, list: string, id: string, code: string) {
  const item = await findItem(call.session, list, id);
  if (!item) throw new ChatError(code);
  return item;
}

type Update = { readonly row: string; readonly isNew: boolean; readonly cell: Cell };

/** The cells to set by row. The client names new rows itself. */
function readUpdates(list: ListRow, given: unknown): Update[] {
  if (!Array.isArray(given) || given.length > CELLS_MAX) throw new ChatError("invalid_input_type");
  return given.map((cell) => {
    const { row_id: row, row_id_to_create: fresh } = (cell ?? {}) as Record<string, unknown>;
    const id = row ?? (fresh === true ? "" : fresh);
    if (id === undefined) throw new ChatError("row_id_not_provided");
    if (typeof id !== "string") throw new ChatError("invalid_row_id");
    return { row: id, isNew: row === undefined, cell: readCell(list.schema, cell) };
  });
}

export const listsItems = [
  method("slackLists.items.create", {
    tier: 3,
    summary: "Adds a row to a list: empty, filled, or as a copy.",
    args: {
      list_id: Text(),
      initial_fields: Maybe(Json<unknown>("invalid_args", "Cells: column_id, and a value.", CELLS)),
      duplicated_item_id: Maybe(Text()),
      parent_item_id: Maybe(Text("The parent row.")),
    },
    async handle(args, call) {
      const { list_id: list, duplicated_item_id: original, parent_item_id: parent } = args;
      const found = await requireList(call, list, "write");
      if (found.row_count >= ROWS_MAX) throw new ChatError("over_row_maximum");
      const given = args.initial_fields ?? [];
      if (!Array.isArray(given) || given.length > CELLS_MAX) throw new ChatError("invalid_args");
      const cells = given.map((cell) => readCell(found.schema, cell));
      await requireReferences(call, cells);
      const copied = original
        ? (await requireItem(call, list, original, "duplicated_item_not_found")).fields
        : [];
      if (parent) await requireItem(call, list, parent, "invalid_args");
      const id = newId(call.session, "Rec");
      const fields = replaced(copied, cells);
      await insertItems(call.session, list, call.actor, [
        { id, parent_item_id: parent || null, fields },
      ]);
      return { item: itemView(await requireItem(call, list, id, "list_not_found")) };
    },
  }),

  method("slackLists.items.update", {
    tier: 3,
    summary: "Changes cells of a list: all of them, or none.",
    args: {
      list_id: Text(),
      cells: Json<unknown>("invalid_input_type", "row_id, column_id, value.", CELLS),
    },
    async handle({ list_id: list, cells: given }, call) {
      const found = await requireList(call, list, "write");
      const updates = readUpdates(found, given);
      await requireReferences(
        call,
        updates.map(({ cell }) => cell),
      );
      const rows = Map.groupBy(updates, ({ row, isNew }) => `${isNew} ${row}`);
      await call.session.transaction(async (session) => {
        const known = updates.filter(({ isNew }) => !isNew).map(({ row }) => row);
        const items = await lockItems(session, list, known);
        if (known.some((id) => !items.has(id))) throw new ChatError("row_not_found");
        const fieldsOf = (group: readonly Update[], fields: readonly Cell[] = []) =>
          replaced(
            fields,
            group.map(({ cell }) => cell),
          );
        const groups = [...rows.values()];
        const changed = groups.filter(([first]) => !first?.isNew);
        const added = groups.filter(([first]) => first?.isNew);
        if (found.row_count + added.length > ROWS_MAX) throw new ChatError("over_row_maximum");
        await updateItems(
          session,
          list,
          call.actor,
          changed.map((group) => {
            const id = group[0]?.row ?? "";
            return { id, fields: fieldsOf(group, items.get(id)?.fields) };
          }),
        );
        await insertItems(
          session,
          list,
          call.actor,
          added.map((group) => ({
            id: newId(call.session, "Rec"),
            parent_item_id: null,
            fields: fieldsOf(group),
          })),
        );
      });
      return {};
    },
  }),

  method("slackLists.items.info", {
    tier: 3,
    summary: "Shows a row with its list and its children.",
    args: { list_id: Text(), id: Text(), include_is_subscribed: Maybe(Flag()) },
    async handle({ list_id: list, id, include_is_subscribed: withSubscription }, call) {
      const found = await requireList(call, list, "read");
      const item = await requireItem(call, list, id, "record_not_found");
      const below = { archived: false, offset: 0, limit: ROWS_MAX, parent: id };
      const subtasks = await listItems(call.session, list, below);
      return {
        list: listView(found),
        record: {
          ...itemView(item),
          ...(withSubscription ? { is_subscribed: item.created_by === call.actor } : {}),
        },
        subtasks: subtasks.map(itemView),
      };
    },
  }),

  method("slackLists.items.list", {
    tier: 3,
    summary: "Lists the rows of a list in the order in which they were added.",
    args: {
      list_id: Text(),
      limit: LIMIT,
      cursor: Maybe(Cursor()),
      archived: Maybe(Flag("Only archived rows.")),
    },
    async handle({ list_id: list, limit, cursor, archived = false }, call) {
      const offset = Number(decodeCursor(cursor, "offset", /^\d{1,9}$/) ?? 0);
      const size = clampLimit(limit, PAGE_DEFAULT, ROWS_MAX);
      await requireList(call, list, "read");
      const rows = await listItems(call.session, list, { archived, offset, limit: size });
      const { page, metadata } = cut(rows, size, () =>
        encodeCursor("offset", String(offset + size)),
      );
      return { items: page.map(itemView), ...metadata };
    },
  }),

  method("slackLists.items.delete", {
    tier: 3,
    summary: "Deletes a row and its children.",
    args: { list_id: Text(), id: Text() },
    async handle({ list_id: list, id }, call) {
      await requireList(call, list, "write");
      if ((await deleteItems(call.session, list, [id])) === 0)
        throw new ChatError("record_not_found");
      return {};
    },
  }),

  method("slackLists.items.deleteMultiple", {
    tier: 3,
    summary: "Deletes several rows; unknown ones are ignored.",
    args: { list_id: Text(), ids: List() },
    async handle({ list_id: list, ids }, call) {
      await requireList(call, list, "write");
      await deleteItems(call.session, list, ids);
      return {};
    },
  }),
];
