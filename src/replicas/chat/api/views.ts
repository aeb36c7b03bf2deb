import { createHash } from "node:crypto";
import { Json, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { requireActor, requireUser } from "~/replicas/chat/require";
import { lockWorkspace } from "~/replicas/chat/store/team";
import type { UserRow } from "~/replicas/chat/store/users";
import {
  findTopModal,
  findView,
  insertView,
  isExternalIdTaken,
  isTriggerUsed,
  type NewView,
  updateView,
} from "~/replicas/chat/store/views";
import { readTrigger } from "~/replicas/chat/triggers";
import { readView, VIEW_BYTES_MAX, type ViewContent } from "~/replicas/chat/view-payload";
import { appOf, viewView } from "~/replicas/chat/views/views";
import { hexOf, type Sourced, secondsOf } from "~/source";

export const STACK_MAX = 3;

const HASH_BYTES = 4;
const newHash = ({ source }: Sourced) => `${secondsOf(source)}.${hexOf(source, HASH_BYTES)}`;

/** Constant for a user and an app: each pair has one home tab. */
const homeId = (user: string, app: string) =>
  `V${createHash("md5").update(`${user} ${app}`).digest("hex").slice(0, 10).toUpperCase()}`;

async function shown(call: ChatCall, app: string, id: string) {
  const view = await findView(call.session, app, { id });
  if (!view) throw new ChatError("not_found");
  return { view: viewView(view) };
}

/** Checks that this environment issued the trigger, and that it is fresh and unused. Returns it with its user. */
async function requireTrigger(
  { session, secret }: ChatCall,
  given: { trigger_id?: string; interactivity_pointer?: string },
) {
  const trigger = (given.trigger_id ?? given.interactivity_pointer)?.trim();
  if (trigger === undefined) throw invalidArguments("missing required field: trigger_id");
  const issued = readTrigger(secret, trigger, session.source);
  if (!issued) throw new ChatError("invalid_trigger_id");
  if (issued.isExpired) throw new ChatError("expired_trigger_id");
  if (await isTriggerUsed(session, trigger)) throw new ChatError("exchanged_trigger_id");
  return { trigger_id: trigger, user_id: issued.user };
}

/** Shows a modal of the calling app to a user, as the first of a stack or on top of another one. */
export async function showModal(
  call: ChatCall,
  app: UserRow,
  modal: Pick<NewView, "content" | "trigger_id" | "user_id">,
  below?: { id: string; root_view_id: string },
) {
  const id = newId(call.session, "V");
  await writeView(call, id, modal.content, async (session) => {
    if (modal.trigger_id !== null && (await isTriggerUsed(session, modal.trigger_id)))
      throw new ChatError("exchanged_trigger_id");
    await insertView(session, {
      ...modal,
      id,
      app_id: appOf(app),
      bot_id: app.bot_id,
      hash: newHash(session),
      previous_view_id: below?.id ?? null,
      root_view_id: below?.root_view_id ?? id,
    });
  });
  return await shown(call, appOf(app), id);
}

/** Runs a write of one view at a time. Its external id must not belong to another one. */
async function writeView(
  { session }: ChatCall,
  id: string,
  { external_id: externalId }: ViewContent,
  write: (inside: ChatSession) => Promise<void>,
): Promise<void> {
  await session.transaction(async (inside) => {
    await lockWorkspace(inside);
    if (externalId !== null && (await isExternalIdTaken(inside, externalId, id)))
      throw new ChatError("duplicate_external_id");
    await write(inside);
  });
}

/** Replaces the content of a view. `expected`: its hash, if the caller knows it. */
export async function replaceView(
  call: ChatCall,
  id: string,
  content: ViewContent,
  expected: string | null = null,
): Promise<void> {
  await writeView(call, id, content, async (session) => {
    if (!(await updateView(session, id, content, { hash: newHash(session), expected })))
      throw new ChatError("hash_conflict");
  });
}

const VIEW_ARG = {
  view: Json<unknown>("invalid_arguments", "The view.", {
    max: VIEW_BYTES_MAX,
    tooLong: "view_too_large",
  }),
};
const TRIGGER_ARGS = {
  trigger_id: Maybe(Text("The trigger of a user's click, issued by the platform.")),
  interactivity_pointer: Maybe(Text("Alias of the previous argument.")),
};
const HASH_ARG = { hash: Maybe(Text("Only if the view still has this hash.")) };

export const views = [
  method("views.publish", {
    tier: 2,
    summary: "Publishes the home tab of the calling app for a user.",
    args: { user_id: Text(), ...VIEW_ARG, ...HASH_ARG },
    async handle({ user_id: userId, view, hash }, call) {
      const content = readView(call.session, view, ["home"]);
      const { user: actor } = await requireActor(call);
      if (actor.is_bot && !actor.home_tab_enabled) throw new ChatError("not_enabled");
      await requireUser(call, userId);
      const app = appOf(actor);
      const id = homeId(userId, app);
      await writeView(call, id, content, async (session) => {
        const known = await findView(session, app, { id });
        if (hash && hash !== known?.hash) throw new ChatError("hash_conflict");
        if (known) {
          await updateView(session, id, content, { hash: newHash(session), expected: null });
          return;
        }
        await insertView(session, {
          id,
          content,
          user_id: userId,
          app_id: app,
          bot_id: actor.bot_id,
          trigger_id: null,
          hash: newHash(session),
          previous_view_id: null,
          root_view_id: id,
        });
      });
      return await shown(call, app, id);
    },
  }),

  method("views.open", {
    tier: 2,
    summary: "Opens a modal for the user whose click gave the trigger.",
    limits:
      "Nobody clicks: `POST /api/platform/env/{envId}/triggers` issues trigger ids, and no other is accepted.",
    args: { ...TRIGGER_ARGS, ...VIEW_ARG },
    async handle({ view, ...given }, call) {
      const content = readView(call.session, view, ["modal", "workflow_step"]);
      const trigger = await requireTrigger(call, given);
      const { user: app } = await requireActor(call);
      return await showModal(call, app, { content, ...trigger });
    },
  }),

  method("views.push", {
    tier: 2,
    summary:
      "Puts a modal on top of the one that the user of the trigger sees. A stack has at most three.",
    args: { ...TRIGGER_ARGS, ...VIEW_ARG },
    async handle({ view, ...given }, call) {
      const content = readView(call.session, view, ["modal"]);
      const trigger = await requireTrigger(call, given);
      const { user: app } = await requireActor(call);
      const top = await findTopModal(call.session, appOf(app), trigger.user_id);
      if (!top) throw new ChatError("not_found");
      if (top.height >= STACK_MAX) throw new ChatError("push_limit_reached");
      return await showModal(call, app, { content, ...trigger }, top);
    },
  }),

  method("views.update", {
    tier: 2,
    summary: "Changes a view, named by its id or its external id.",
    args: {
      ...VIEW_ARG,
      view_id: Maybe(Text()),
      external_id: Maybe(Text("Instead of view_id.")),
      ...HASH_ARG,
    },
    async handle({ view, view_id: id, external_id: externalId, hash }, call) {
      if (!id && !externalId) throw invalidArguments("missing required field: view_id");
      const { user } = await requireActor(call);
      const app = appOf(user);
      const known = await findView(
        call.session,
        app,
        id ? { id } : { externalId: externalId ?? "" },
      );
      if (!known) throw new ChatError("not_found");
      const content = readView(call.session, view, [known.type]);
      if (hash && hash !== known.hash) throw new ChatError("hash_conflict");
      await replaceView(call, known.id, content, hash || null);
      return await shown(call, app, known.id);
    },
  }),
];
