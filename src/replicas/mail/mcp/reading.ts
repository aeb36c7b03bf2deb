/** Tools that read. */
import { searchDrafts } from "~/replicas/mail/api/drafts";
import { requireDraft } from "~/replicas/mail/drafts";
import { invalid, notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import { SYSTEM_LABELS } from "~/replicas/mail/labels";
import { type Format, labelShape, messageShapes } from "~/replicas/mail/mcp/shapes";
import type { Tools } from "~/replicas/mail/mcp/tool";
import type { MailCall } from "~/replicas/mail/operation";
import { searchMail } from "~/replicas/mail/search/search";
import { type Head, listHeads } from "~/replicas/mail/store/heads";
import { listLabels } from "~/replicas/mail/store/labels";
import { countByLabel } from "~/replicas/mail/store/messages";

type Page = {
  readonly query?: string;
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly view?: string;
};

const pageOf = ({ query, pageSize, pageToken }: Page) => ({
  ...{ q: query, maxResults: pageSize, pageToken, byLabelId: true },
});

type Labelled = Pick<Head, "labelIds">;
const isDraft = ({ labelIds }: Labelled) => labelIds.includes("DRAFT");

async function searchThreads(args: Page & { readonly includeTrash?: boolean }, call: MailCall) {
  const { entries, nextPageToken, resultSizeEstimate } = await searchMail(call, {
    ...pageOf(args),
    ...{ byThread: true, withoutDrafts: true, withTrash: args.includeTrash ?? false },
  });
  if (entries.length === 0) return {};
  const threadIds = entries.map(({ threadId }) => threadId);
  const rows = await listHeads(call.session, call.mailbox, { threadIds });
  const byThread = Map.groupBy(
    rows.filter((row) => !isDraft(row)),
    ({ threadId }) => threadId,
  );
  const format = args.view === "METADATA_ONLY" ? "METADATA_ONLY" : "MINIMAL";
  const threads = [];
  for (const id of threadIds)
    threads.push({ id, messages: await messageShapes(call, byThread.get(id) ?? [], format) });
  return { threads, nextPageToken, resultCountEstimate: `${resultSizeEstimate}` };
}

type Wanted = { readonly messageFormat?: Format };

async function getThread(
  { threadId, messageFormat: format = "FULL_CONTENT" }: Wanted & { readonly threadId: string },
  call: MailCall,
) {
  if (format === "RAW") throw invalid("RAW is not supported for threads");
  const id = readId(threadId);
  const rows = await listHeads(call.session, call.mailbox, { threadIds: [id] });
  const shown = rows.filter((row) => !isDraft(row));
  if (shown.length === 0) throw notFound();
  return { id, messages: await messageShapes(call, shown, format) };
}

/** One message. Throws for a draft. */
export async function requireHead({ session, mailbox }: MailCall, messageId: string) {
  const [row] = await listHeads(session, mailbox, { ids: [readId(messageId)] });
  if (!row || isDraft(row)) throw notFound();
  return row;
}

/** The answer about one message, which another call may just have deleted. */
async function shapeOf(call: MailCall, row: Head, format: Format = "FULL_CONTENT") {
  const [shape] = await messageShapes(call, [row], format);
  if (!shape) throw notFound();
  return shape;
}

async function draftShapes(
  call: MailCall,
  drafts: readonly { readonly id: string; readonly message: { readonly id: string } }[],
  format: Format = "FULL_CONTENT",
) {
  const ids = drafts.map(({ message }) => message.id);
  const rows = await listHeads(call.session, call.mailbox, { ids });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const shapes = [];
  for (const { id, message } of drafts) {
    const row = byId.get(message.id);
    if (row) shapes.push({ ...(await shapeOf(call, row, format)), id, threadId: row.threadId });
  }
  return shapes;
}

async function listDrafts(args: Page, call: MailCall) {
  const { drafts, page } = await searchDrafts(call, pageOf(args));
  const format = args.view === "METADATA_ONLY" ? "METADATA_ONLY" : "PLAIN_TEXT";
  return {
    drafts: await draftShapes(call, drafts, format),
    nextPageToken: page.nextPageToken,
  };
}

async function allLabels({ session, mailbox }: MailCall) {
  const own = await listLabels(session, mailbox);
  const counts = await countByLabel(session, mailbox);
  const all = [...SYSTEM_LABELS.map((id) => ({ id, name: id, color: null })), ...own];
  return { labels: all.map((label) => labelShape(label, counts.get(label.id))) };
}

export const reading: Tools = {
  search_threads: searchThreads,
  get_thread: getThread,
  get_message: async (
    { messageId, messageFormat }: Wanted & { readonly messageId: string },
    call,
  ) => await shapeOf(call, await requireHead(call, messageId), messageFormat),
  list_drafts: listDrafts,
  async get_draft({ draftId, messageFormat }: Wanted & { readonly draftId: string }, call) {
    const found = await requireDraft(call, draftId, { withRaw: false });
    const kept = { id: found.draft.id, message: found.message };
    const [shape] = await draftShapes(call, [kept], messageFormat);
    if (!shape) throw notFound();
    return shape;
  },
  list_labels: (_, call) => allLabels(call),
};
