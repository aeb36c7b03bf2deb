/** Sessions of agents: opened by a mention or a delegation, prompted by replies, and left by their last activity. */
import type { RowObject } from "~/graphql/page";
import { changeRow, createRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { newSlugId } from "~/replicas/tracker/ids";
import { richText } from "~/replicas/tracker/rich-text";
import { listApps, listSessionsIn } from "~/replicas/tracker/store/agents";
import type { Row, Values } from "~/replicas/tracker/store/entities";

/** The status of a session after an activity. */
export const STATUS_AFTER: Readonly<Record<string, string>> = {
  action: "active",
  elicitation: "awaitingInput",
  error: "error",
  prompt: "active",
  response: "complete",
  thought: "active",
};

/** Opens a session of the app that `values` name. */
export const openSession = (context: Context, values: Values): Promise<RowObject> =>
  createRow(context, "AgentSession", {
    creatorId: context.viewer.id,
    slugId: newSlugId(context.session),
    status: "pending",
    type: "commentThread",
    context: {},
    externalLinks: [],
    ...values,
  });

/** Writes the status of a session after an activity of this type. Returns the new row. */
export async function writeStatus(
  context: Context,
  session: RowObject,
  type: string,
): Promise<RowObject> {
  const status = STATUS_AFTER[type];
  return await changeRow(context, "AgentSession", session, {
    status,
    startedAt: session["startedAt"] ?? context.now,
    endedAt: status === "complete" || status === "error" ? context.now : null,
  });
}

/** Prompts the agents of a thread with a reply, and opens sessions of other apps that the comment mentions. */
export async function addressAgents(
  context: Context,
  comment: Row<"Comment">,
  mentioned: readonly string[],
): Promise<void> {
  const { session, viewer } = context;
  const { id, issueId, parentId, body, bodyData } = comment;
  if (issueId === null) return;
  const others = parentId === null ? [] : await listSessionsIn(session, parentId);
  for (const each of others.filter(({ appUserId }) => appUserId !== viewer.id)) {
    await createRow(context, "AgentActivity", {
      agentSessionId: each.id,
      content: { type: "prompt", body, bodyData: JSON.parse(bodyData) },
      ephemeral: false,
      queued: false,
      sourceCommentId: id,
      userId: viewer.id,
    });
    await writeStatus(context, each, "prompt");
  }
  const prompted = others.map(({ appUserId }) => appUserId);
  const apps = await listApps(session, mentioned, { issueId, actor: viewer.id });
  for (const appUserId of apps.filter((app) => !prompted.includes(app)))
    await openSession(context, {
      appUserId,
      issueId,
      commentId: parentId ?? id,
      ...(parentId !== null && { sourceCommentId: id }),
    });
}

/** Opens sessions of the apps that issues are delegated to. */
export async function delegate(
  context: Context,
  delegations: readonly { readonly id: string; readonly delegateId?: string | null | undefined }[],
): Promise<void> {
  for (const { id: issueId, delegateId } of delegations) {
    if (delegateId == null) continue;
    const of = { issueId, actor: context.viewer.id };
    for (const appUserId of await listApps(context.session, [delegateId], of))
      await openSession(context, { appUserId, issueId });
  }
}

/** The tree of a text in an activity. */
export const bodyDataOf = (body: unknown) =>
  typeof body === "string" ? { bodyData: JSON.parse(richText(body)) } : {};
