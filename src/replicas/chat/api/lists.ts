import { ENTITY_ARGS, grantAccess, LEVEL_ARG, revokeAccess } from "~/replicas/chat/access";
import { Flag, Json, Maybe, Text } from "~/replicas/chat/arguments";
import { readBlocks } from "~/replicas/chat/compose";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { readSchema, toCsv } from "~/replicas/chat/lists";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireFile, requireFullMember } from "~/replicas/chat/require";
import { putContent } from "~/replicas/chat/store/contents";
import { insertFile } from "~/replicas/chat/store/files";
import {
  findList,
  insertItems,
  insertList,
  type ListRow,
  listItems,
  updateList,
} from "~/replicas/chat/store/lists";
import { findRecord, mergeRecord } from "~/replicas/chat/store/records";
import { fileView } from "~/replicas/chat/views/files";

const NAME = { max: 255, tooLong: "over_title_length_maximum" };
export const ROWS_MAX = 1_000;
const EXPORT = "list_export";
const LEVELS = ["read", "write", "owner"];

/** A list that the caller may read, write or own. Without read access it does not exist. */
export async function requireList(
  { session, actor }: ChatCall,
  id: string,
  level: "read" | "write" | "owner",
): Promise<ListRow> {
  const list = await findList(session, actor, id);
  if (!list?.access) throw new ChatError("list_not_found");
  if (LEVELS.indexOf(list.access) < LEVELS.indexOf(level)) throw new ChatError("permission_denied");
  return list;
}

export const metadataView = ({ schema, todo_mode: todo, description_blocks: blocks }: ListRow) => ({
  schema,
  subtask_schema: schema.filter(({ is_primary_column: isPrimary }) => isPrimary),
  views: [],
  integrations: [],
  todo_mode: todo,
  ...(blocks ? { description_blocks: blocks } : {}),
});

/** All rows of a list, including archived ones. Lists have at most a thousand rows. */
const everything = { archived: null, offset: 0, limit: ROWS_MAX };

const ABOUT_ARGS = {
  description_blocks: Maybe(Json<unknown>("invalid_blocks", "Rich text below the title.")),
  todo_mode: Maybe(Flag("Add the columns of a to-do list: done, assignee, due date.")),
};

export const lists = [
  method("slackLists.create", {
    tier: 3,
    summary: "Creates a list with its own columns or those of another list.",
    args: {
      name: Text(undefined, NAME),
      ...ABOUT_ARGS,
      schema: Maybe(Json<unknown>("invalid_schema", "Columns: key, name, type, options.")),
      copy_from_list_id: Maybe(Text()),
      include_copied_list_records: Maybe(Flag("Copy the rows too.")),
    },
    async handle(args, call) {
      const { user } = await requireFullMember(call, "permission_denied");
      const { copy_from_list_id: from, include_copied_list_records: withRecords } = args;
      if (from && args.schema !== undefined) throw new ChatError("invalid_copy_and_schema_args");
      if (withRecords && !from) throw new ChatError("missing_arg_copy_from_list_id");
      const source = from ? await requireList(call, from, "read") : undefined;
      const list = {
        id: newId(call.session, "F"),
        user_id: user.id,
        name: args.name,
        description_blocks: readBlocks(call.session, args.description_blocks) ?? null,
        schema: source?.schema ?? readSchema(call.session, args.schema, args.todo_mode ?? false),
        todo_mode: args.todo_mode ?? source?.todo_mode ?? false,
      };
      await call.session.transaction(async (session) => {
        await insertList(session, list);
        if (!source || !withRecords) return;
        const items = (await listItems(session, source.id, everything)).map((item) => ({
          ...item,
          copy: newId(call.session, "Rec"),
        }));
        const copies = new Map(items.map(({ id, copy }) => [id, copy]));
        await insertItems(
          session,
          list.id,
          user.id,
          items.map(({ copy, parent_item_id: parent, fields }) => ({
            id: copy,
            parent_item_id: copies.get(parent ?? "") ?? null,
            fields,
          })),
        );
      });
      const created = await requireList(call, list.id, "read");
      return { list_id: list.id, list_metadata: metadataView(created) };
    },
  }),

  method("slackLists.update", {
    tier: 3,
    summary: "Renames a list.",
    args: { id: Text(), name: Maybe(Text(undefined, NAME)), ...ABOUT_ARGS },
    async handle({ id, name, description_blocks: blocks, todo_mode: todo }, call) {
      await requireList(call, id, "write");
      if (name === undefined && blocks === undefined && todo === undefined)
        throw new ChatError("missing_arguments");
      await updateList(call.session, id, {
        name: name ?? null,
        description_blocks: readBlocks(call.session, blocks) ?? null,
        todo_mode: todo ?? null,
      });
      return {};
    },
  }),

  method("slackLists.access.set", {
    tier: 3,
    summary: "Grants users or the members of channels access to a list.",
    args: { list_id: Text(), ...LEVEL_ARG, ...ENTITY_ARGS },
    async handle({ list_id: id, access_level: level, ...entities }, call) {
      await requireList(call, id, "write");
      return await grantAccess(call, id, level, entities);
    },
  }),

  method("slackLists.access.delete", {
    tier: 3,
    summary: "Revokes access to a list.",
    args: { list_id: Text(), ...ENTITY_ARGS },
    async handle({ list_id: id, ...entities }, call) {
      await requireList(call, id, "write");
      return await revokeAccess(call, id, entities);
    },
  }),

  method("slackLists.download.start", {
    tier: 3,
    summary: "Exports a list to a file of comma-separated values.",
    args: { list_id: Text(), include_archived: Maybe(Flag()) },
    async handle({ list_id: id, include_archived: withArchived }, call) {
      const list = await requireList(call, id, "read");
      const archived = withArchived ? null : false;
      const items = await listItems(call.session, id, { ...everything, archived });
      const text = toCsv(
        list.schema,
        items.map(({ fields }) => fields),
      );
      const bytes = Buffer.from(text);
      const fileId = newId(call.session, "F");
      const job = newId(call.session, "I");
      await call.session.transaction(async (session) => {
        await insertFile(
          session,
          {
            id: fileId,
            user_id: call.actor,
            name: `${list.name}.csv`,
            title: list.name,
            mimetype: "text/csv",
            filetype: "csv",
            mode: "hosted",
            size: bytes.byteLength,
            alt_txt: null,
            upload_token: null,
          },
          Number.MAX_SAFE_INTEGER,
        );
        await putContent(session, fileId, {
          bytes,
          mode: "hosted",
          plainText: text,
          preview: null,
          lines: null,
        });
        await mergeRecord(session, EXPORT, job, { list_id: id, file_id: fileId });
      });
      return { job_id: job };
    },
  }),

  method("slackLists.download.get", {
    tier: 3,
    summary: "Returns the address of an exported list.",
    args: { list_id: Text(), job_id: Text() },
    async handle({ list_id: id, job_id: job }, call) {
      await requireList(call, id, "read");
      const record = await findRecord(call.session, EXPORT, job);
      if (record?.["list_id"] !== id) throw new ChatError("job_not_found");
      const file = await requireFile(call, String(record["file_id"]), { deleted: "job_not_found" });
      return { status: "COMPLETED", download_url: fileView(file, call)["url_private_download"] };
    },
  }),
];
