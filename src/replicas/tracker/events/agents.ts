/** Events of agent sessions: opened for an app, and prompted by people. */
import type { EventRow } from "~/replicas/events";
import { ACTIVITY, SESSION } from "~/replicas/tracker/events/agent-shapes";
import { type Derived, isoTime, onlyOf, type Transition } from "~/replicas/tracker/events/change";
import { asChild, shapedRow } from "~/replicas/tracker/events/children";
import type { Context } from "~/replicas/tracker/events/context";
import { commentsBeside, promptContext } from "~/replicas/tracker/events/prompt-context";
import type { View } from "~/replicas/tracker/events/view";
import { MICROS } from "~/source";

const eventOf = (
  { number, micros }: Transition,
  session: EventRow,
  fields: Derived["fields"],
  view: View,
): Derived => ({
  change: number,
  type: "AgentSessionEvent",
  fields: {
    createdAt: isoTime(micros / MICROS),
    agentSession: shapedRow(SESSION, "AgentSession", session, view),
    ...fields,
  },
  audience: onlyOf(session["appUserId"]),
});

/** A session that somebody has opened for an app. Of one that the app opens itself it knows already. */
export function sessionCreated(transition: Transition, context: Context): Derived | undefined {
  const { before, after, end } = transition;
  if (before !== null || !after || after["creatorId"] === after["appUserId"]) return undefined;
  const view = context.viewAt(end);
  const { sourceCommentId } = after;
  const fields = {
    action: "created",
    promptContext: promptContext(after, view),
    // A mention in a reply follows on from the thread.
    ...(sourceCommentId != null && {
      previousComments: commentsBeside(after, view).map((row) => asChild("Comment", row, view)),
    }),
  };
  return eventOf(transition, after, fields, view);
}

/** A prompt of a session by anybody but its app. */
export function sessionPrompted(transition: Transition, context: Context): Derived | undefined {
  const { before, after, end } = transition;
  const { type } = (after?.["content"] ?? {}) as { type?: string };
  if (before !== null || !after || type !== "prompt") return undefined;
  const view = context.viewAt(end);
  const session = view.row("AgentSession", after["agentSessionId"]);
  if (!session || session["appUserId"] === after["userId"]) return undefined;
  const agentActivity = shapedRow(ACTIVITY, "AgentActivity", after, view);
  return eventOf(transition, session, { action: "prompted", agentActivity }, view);
}
