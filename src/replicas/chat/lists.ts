/** Lists: their columns, and the values that a cell of each kind may hold. */

import { isObject } from "~/input/json";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import type { Json } from "~/replicas/chat/store/json";
import type { Sourced } from "~/source";

export type Column = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly is_primary_column: boolean;
  readonly options?: Json;
};
/** The value of a cell, under the name of its kind: `{column_id, key, user: ["U1"]}`. */
export type Cell = Json & { readonly column_id: string };

const COLUMNS_MAX = 50;
const NAME_MAX = 255;
const CELL_ITEMS_MAX = 100;
const CHOICES_MAX = 100;

type Kind = {
  readonly field: string;
  readonly valid: (value: unknown, column: Column) => boolean;
  readonly code: string;
};

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 10_000;
const optionsOf = ({ options }: Column) => options ?? {};
const isChoice = (value: unknown, column: Column) =>
  ((optionsOf(column)["choices"] ?? []) as Json[]).some((choice) => choice["value"] === value);
const input = (field: string, valid: Kind["valid"], code = "invalid_input_type"): Kind => ({
  field,
  valid,
  code,
});

/** By the type of the column. */
const KINDS: Readonly<Record<string, Kind>> = {
  text: input(
    "rich_text",
    (value) => isObject(value) && value["type"] === "rich_text",
    "invalid_text_block",
  ),
  message: input(
    "message",
    (value) => isText(value) && /^https?:\/\//.test(value),
    "invalid_message",
  ),
  number: input("number", (value) => typeof value === "number" && Number.isFinite(value)),
  select: input("select", isChoice, "invalid_option_id"),
  multi_select: input("select", isChoice, "invalid_option_id"),
  date: input(
    "date",
    (value) => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
    "invalid_date",
  ),
  user: input("user", isText),
  todo_assignee: input("user", isText),
  todo_due_date: input(
    "date",
    (value) => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value),
    "invalid_date",
  ),
  attachment: input("attachment", isText, "invalid_attachment"),
  checkbox: input("checkbox", (value) => typeof value === "boolean"),
  todo_completed: input("checkbox", (value) => typeof value === "boolean"),
  email: input(
    "email",
    (value) => isText(value) && /^[^@\s]+@[^@\s]+$/.test(value),
    "invalid_email",
  ),
  phone: input(
    "phone",
    (value) => isText(value) && /^[+()\d][\d\s()./-]{2,}$/.test(value),
    "invalid_phone_number",
  ),
  channel: input("channel", isText),
  rating: input(
    "rating",
    (value, column) =>
      Number.isInteger(value) &&
      Number(value) >= 0 &&
      Number(value) <= Number(optionsOf(column)["max"] ?? 5),
    "invalid_vote_value",
  ),
  vote: input("vote", isText, "invalid_vote_value"),
  link: input(
    "link",
    (value) => isObject(value) && /^https?:\/\//.test(String(value["original_url"])),
    "invalid_link",
  ),
  canvas: input("canvas", isText),
  reference: input("reference", (value) => isObject(value) && isObject(value["file"])),
  timestamp: input("timestamp", (value) => Number.isInteger(value)),
};
/** Kinds that the service fills in. */
const COMPUTED: readonly string[] = [
  "created_by",
  "created_time",
  "last_edited_by",
  "last_edited_time",
];

const textColumn = { key: "name", name: "Name", type: "text", is_primary_column: true };
const TODO_COLUMNS = [
  { key: "todo_completed", name: "Completed", type: "todo_completed" },
  { key: "todo_assignee", name: "Assignee", type: "todo_assignee" },
  { key: "todo_due_date", name: "Due date", type: "todo_due_date" },
];

/** The columns of a new list. Throws the service's codes for an invalid schema. */
export function readSchema(sourced: Sourced, given: unknown, todo: boolean): Column[] {
  if (given !== undefined && !Array.isArray(given)) throw new ChatError("invalid_schema");
  const wanted: unknown[] = given?.length ? given : [textColumn];
  const columns = [...wanted, ...(todo ? TODO_COLUMNS : [])].map((column) =>
    readColumn(sourced, column),
  );
  if (columns.length > COLUMNS_MAX) throw new ChatError("over_column_maximum");
  if (new Set(columns.map(({ key }) => key)).size < columns.length)
    throw new ChatError("invalid_schema");
  const primary = columns.filter((column) => column.is_primary_column);
  if (primary.length !== 1 || primary[0]?.type !== "text")
    throw new ChatError("invalid_primary_column");
  return columns;
}

function readColumn(sourced: Sourced, given: unknown): Column {
  const { key, name, type, is_primary_column: isPrimary = false, options } = (given ?? {}) as Json;
  if (!isText(key) || key === "" || !isText(name) || name === "" || name.length > NAME_MAX)
    throw new ChatError("invalid_schema");
  if (!isText(type) || !(Object.hasOwn(KINDS, type) || COMPUTED.includes(type)))
    throw new ChatError("invalid_column_type");
  if (typeof isPrimary !== "boolean" || (options !== undefined && !isObject(options)))
    throw new ChatError("invalid_schema");
  const choices = options?.["choices"] ?? [];
  if (
    !Array.isArray(choices) ||
    choices.length > CHOICES_MAX ||
    !choices.every((choice) => isText(choice?.value))
  )
    throw new ChatError("invalid_schema");
  const id = newId(sourced, "Col");
  return { id, key, name, type, is_primary_column: isPrimary, ...(options ? { options } : {}) };
}

/** A cell from a client. Throws the service's codes for a value that does not fit its column. */
export function readCell(columns: readonly Column[], given: unknown): Cell {
  const cell = (given ?? {}) as Json;
  const id = cell["column_id"];
  if (!isText(id) || id === "") throw new ChatError("column_id_not_provided");
  const column = columns.find((known) => known.id === id || known.key === id);
  if (!column) throw new ChatError("invalid_column_id");
  const kind = KINDS[column.type];
  if (!kind) throw new ChatError("uneditable_column");
  const value = cell[kind.field];
  if (value === undefined) throw new ChatError("invalid_input_type");
  const items = Array.isArray(value) ? value : [value];
  if (items.length > CELL_ITEMS_MAX) throw new ChatError("over_cell_fields_limit");
  if (!items.every((item) => kind.valid(item, column))) throw new ChatError(kind.code);
  return {
    key: column.key,
    column_id: column.id,
    [kind.field]: value,
    value: kind.field === "rich_text" ? JSON.stringify(value) : items.join(","),
    ...(kind.field === "rich_text" ? { text: items.map(plainText).join("\n") } : {}),
  };
}

/** The words of rich text. */
function plainText(value: unknown): string {
  if (!isObject(value)) return "";
  if (isText(value["text"])) return value["text"];
  return Array.isArray(value["elements"]) ? value["elements"].map(plainText).join("") : "";
}

/** The users, channels, files and so on that cells refer to. */
export const referencesOf = (cells: readonly Cell[]) => {
  const ids = (field: string) =>
    cells.flatMap((cell) => (cell[field] === undefined ? [] : [cell[field]].flat())).filter(isText);
  return {
    users: ids("user"),
    channels: ids("channel"),
    files: [...ids("attachment"), ...ids("canvas")],
  };
};

/** A list as a table of text, its columns in their order. */
export function toCsv(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((cells) =>
    columns.map(({ id }) => {
      const cell = cells.find(({ column_id: column }) => column === id);
      return quoted(String(cell?.["text"] ?? cell?.["value"] ?? ""));
    }),
  );
  const head = columns.map(({ name }) => quoted(name));
  return `${[head, ...lines].map((line) => line.join(",")).join("\n")}\n`;
}
