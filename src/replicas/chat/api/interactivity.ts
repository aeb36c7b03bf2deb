/** Apps' answers to clicks and workflows. There are no clicks here: the answers are stored. */
import { isObject } from "~/input/json";
import { Flag, Json, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireChannel, requireMembership } from "~/replicas/chat/require";
import { findChannels } from "~/replicas/chat/store/channels";
import type { Json as JsonObject } from "~/replicas/chat/store/json";
import { findRecord, listRecords, mergeRecord } from "~/replicas/chat/store/records";
import { readTrigger } from "~/replicas/chat/triggers";

const DIALOG = "dialog";
const ENTITY = "entity_details";
const EXECUTION = "function_execution";
const FEATURED = "featured_workflows";
const FEATURED_MAX = 15;
const ELEMENTS_MAX = 10;
const TITLE_MAX = 24;
const OUTPUTS_MAX = 100_000;

/** Keeps the answer to a trigger that this environment issued. It is used once. */
async function answerTrigger(
  { session, secret }: ChatCall,
  type: string,
  trigger: string,
  data: JsonObject,
  codes: { invalid: string; expired: string; used: string },
): Promise<void> {
  const issued = readTrigger(secret, trigger, session.source);
  if (!issued) throw new ChatError(codes.invalid);
  if (issued.isExpired) throw new ChatError(codes.expired);
  if (await findRecord(session, type, trigger)) throw new ChatError(codes.used);
  await mergeRecord(session, type, trigger, data);
}

/** The problems of a dialog, in the service's own form. */
function dialogProblems(dialog: JsonObject): { name: string; error: string }[] {
  const { title, callback_id: callback, elements } = dialog;
  const isTitle = typeof title === "string" && title !== "" && title.length <= TITLE_MAX;
  const isCallback = typeof callback === "string" && callback !== "";
  const areElements =
    Array.isArray(elements) &&
    elements.length >= 1 &&
    elements.length <= ELEMENTS_MAX &&
    elements.every(
      (element) => isObject(element) && element["name"] && element["label"] && element["type"],
    );
  return [
    ...(isTitle ? [] : [{ name: "title", error: "invalid_title" }]),
    ...(isCallback ? [] : [{ name: "callback_id", error: "invalid_callback_id" }]),
    ...(areElements ? [] : [{ name: "elements", error: "invalid_elements" }]),
  ];
}

/** Ends the execution of a function. Nothing here starts one, so any id is accepted, once. */
async function complete({ session }: ChatCall, id: string, data: JsonObject): Promise<JsonObject> {
  if (!/^Fx[A-Z0-9]+$/.test(id)) throw new ChatError("function_execution_not_found");
  if (await findRecord(session, EXECUTION, id))
    throw new ChatError("execution_not_in_running_state");
  await mergeRecord(session, EXECUTION, id, data);
  return {};
}

/** Changes which workflows a channel features. */
async function feature(
  call: ChatCall,
  channel: string,
  ids: readonly string[],
  change: (featured: readonly string[], ids: readonly string[]) => readonly string[],
) {
  await requireMembership(call, channel);
  if (!ids.every((id) => /^Ft[A-Z0-9]+$/.test(id)))
    throw new ChatError("error_modifying_workflows");
  const known = await findRecord(call.session, FEATURED, channel);
  const triggers = change((known?.["triggers"] ?? []) as string[], ids);
  if (triggers.length > FEATURED_MAX) throw new ChatError("error_modifying_workflows");
  await mergeRecord(call.session, FEATURED, channel, { triggers });
  return {};
}

const FEATURED_ARGS = { channel_id: Text(), trigger_ids: List("Ids of workflows' triggers, Ft….") };

export const interactivity = [
  method("dialog.open", {
    tier: 3,
    summary: "Opens a dialog, the predecessor of modals.",
    args: { trigger_id: Maybe(Text()), dialog: Maybe(Json<unknown>("invalid_arguments")) },
    async handle({ trigger_id: trigger, dialog }, call) {
      if (trigger === undefined) throw new ChatError("missing_trigger");
      if (dialog === undefined) throw new ChatError("missing_dialog");
      if (!isObject(dialog)) throw new ChatError("cannot_create_dialog");
      const problems = dialogProblems(dialog);
      if (problems.length > 0)
        throw new ChatError("validation_errors", {
          dialog_errors: problems,
          response_metadata: {
            messages: problems.map(({ name, error }) => `[ERROR] ${error} [json-pointer:/${name}]`),
          },
        });
      const codes = {
        invalid: "invalid_trigger",
        expired: "trigger_expired",
        used: "trigger_exchanged",
      };
      await answerTrigger(call, DIALOG, trigger, { dialog, user_id: call.actor }, codes);
      return {};
    },
  }),

  method("entity.presentDetails", {
    tier: 3,
    summary: "Shows the details of an entity behind a link.",
    args: {
      trigger_id: Text(),
      metadata: Maybe(Json<unknown>("invalid_metadata")),
      user_auth_required: Maybe(Flag()),
      user_auth_url: Maybe(Text()),
      error: Maybe(Json<unknown>("invalid_arguments", "What went wrong, instead.")),
    },
    async handle({ trigger_id: trigger, metadata, ...shown }, call) {
      if (shown.user_auth_required && !shown.user_auth_url)
        throw new ChatError("user_auth_url_missing");
      const isEntity = metadata === undefined || (isObject(metadata) && metadata["entity_type"]);
      if (!isEntity) throw new ChatError("invalid_metadata");
      const invalid = "invalid_trigger_id";
      const codes = { invalid, expired: invalid, used: invalid };
      await answerTrigger(
        call,
        ENTITY,
        trigger,
        { ...shown, metadata, user_id: call.actor },
        codes,
      );
      return {};
    },
  }),

  method("functions.completeSuccess", {
    tier: 3,
    summary: "Ends a step of a workflow with its outputs.",
    args: { function_execution_id: Text(), outputs: Json<unknown>("parameter_validation_failed") },
    async handle({ function_execution_id: id, outputs }, call) {
      if (!isObject(outputs) || JSON.stringify(outputs).length > OUTPUTS_MAX)
        throw new ChatError("parameter_validation_failed");
      return await complete(call, id, { state: "success", outputs });
    },
  }),

  method("functions.completeError", {
    tier: 3,
    summary: "Ends a failed step of a workflow.",
    args: { function_execution_id: Text(), error: Text() },
    async handle({ function_execution_id: id, error }, call) {
      return await complete(call, id, { state: "error", error });
    },
  }),

  method("workflows.featured.add", {
    tier: 3,
    summary: "Features workflows in a channel.",
    args: FEATURED_ARGS,
    async handle({ channel_id: channel, trigger_ids: ids }, call) {
      return await feature(call, channel, ids, (known, more) => [...new Set([...known, ...more])]);
    },
  }),

  method("workflows.featured.remove", {
    tier: 3,
    summary: "Stops featuring workflows in a channel.",
    args: FEATURED_ARGS,
    async handle({ channel_id: channel, trigger_ids: ids }, call) {
      return await feature(call, channel, ids, (known, gone) =>
        known.filter((id) => !gone.includes(id)),
      );
    },
  }),

  method("workflows.featured.set", {
    tier: 3,
    summary: "Sets the featured workflows of a channel.",
    args: FEATURED_ARGS,
    async handle({ channel_id: channel, trigger_ids: ids }, call) {
      return await feature(call, channel, ids, (_, wanted) => [...new Set(wanted)]);
    },
  }),

  method("workflows.featured.list", {
    tier: 3,
    summary: "Lists the workflows that channels feature.",
    args: { channel_ids: List() },
    async handle({ channel_ids: ids }, call) {
      if (ids.length === 1) await requireChannel(call, ids[0] ?? "");
      const wanted = [...new Set(ids)];
      const visible = new Set(
        (await findChannels(call.session, call.actor, wanted)).map(({ id }) => id),
      );
      const featured = new Map(
        (await listRecords(call.session, FEATURED)).map(({ id, data }) => [id, data["triggers"]]),
      );
      return {
        featured_workflows: wanted
          .filter((id) => visible.has(id))
          .map((id) => ({
            channel_id: id,
            triggers: ((featured.get(id) ?? []) as string[]).map((trigger) => ({
              id: trigger,
              title: trigger,
            })),
          })),
        invalid_channel_ids: wanted.filter((id) => !visible.has(id)),
      };
    },
  }),
];
