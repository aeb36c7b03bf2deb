/** Tier 3: remote files, calls, lists, invitations, agents, workflows. */
import { AGENT, GENERAL, GUEST, HELLO, JOHN, LUNCH, type Scene } from "../scene";
import { by, type Case, type Refusals } from "./case";
import { archived, foreign } from "./chat";

const NOWHERE = "C99NOWHERE";

const remote = { title: "Plan", external_url: "https://docs.test/plan", external_id: "plan-1" };
const whichRefusals: Readonly<Record<string, Case>> = {
  too_many_ids: { file: "F1", external_id: "plan-1" },
  invalid_args: {},
  file_not_found: { external_id: "none" },
};

async function added({ agent }: Scene): Promise<string> {
  const { file }: any = await agent.files.remote.add(remote);
  return file.id;
}

const meeting = { external_unique_id: "meet-1", join_url: "https://meet.test/1" };

async function ended({ agent }: Scene): Promise<string> {
  const { call }: any = await agent.calls.add(meeting as never);
  await agent.calls.end({ id: call.id });
  return call.id;
}

const participantsRefusals: Readonly<Record<string, Case>> = {
  missing_argument: { id: "R99" },
  bad_users: { id: "R99", users: [{}] },
  user_not_found: { id: "R99", users: [{ slack_id: "U99NOBODY" }] },
  invalid_call_id: { id: "R99", users: [{ slack_id: JOHN }] },
  inactive_call: async (scene) => ({ id: await ended(scene), users: [{ slack_id: JOHN }] }),
};

const asking = {
  title: "Ask",
  callback_id: "c",
  elements: [{ type: "text", label: "A", name: "a" }],
};

const primary = { key: "task", name: "Task", type: "text", is_primary_column: true };
const NO_LIST = { list_id: "F99NOTHING" };

async function listed({ agent }: Scene): Promise<string> {
  const { list_id: id = "" } = await agent.slackLists.create({ name: "Errands" });
  return id;
}

const ofList =
  (args: object): Case =>
  async (scene) => ({ list_id: await listed(scene), ...args });

async function invited({ agent }: Scene): Promise<string> {
  const { invite_id: id = "" } = await agent.conversations.inviteShared({
    channel: GENERAL,
    emails: ["ann@other.test"],
  });
  return id;
}

const invitation = { channel: GENERAL, emails: ["ann@other.test"] };
const dialog = { title: "Ask", callback_id: "c", elements: [] };
const outsider =
  (args: object): Case =>
  async (scene) => ({ channel_id: await foreign(scene), ...args });

export const keptRefusals: Refusals = {
  "files.remote.add": {
    bad_title: { ...remote, title: " " },
    invalid_external_id: async (scene) => {
      await added(scene);
      return { ...remote, title: "Other" };
    },
    invalid_url: { ...remote, external_url: "plan" },
    bad_image: { ...remote, preview_image: Buffer.from("x") },
    too_large: { ...remote, preview_image: Buffer.alloc(1024 * 1024 + 1) },
  },
  "files.remote.info": whichRefusals,
  "files.remote.remove": whichRefusals,
  "files.remote.update": {
    ...whichRefusals,
    invalid_type: async (scene) => ({ file: await added(scene), filetype: "No Type" }),
    invalid_title: async (scene) => ({ file: await added(scene), title: "" }),
    invalid_url: async (scene) => ({ file: await added(scene), title: "New", external_url: "x" }),
  },
  "files.remote.share": {
    too_many_ids: { channels: GENERAL, file: "F1", external_id: "plan-1" },
    invalid_args: { channels: GENERAL },
    file_not_found: { channels: GENERAL, external_id: "none" },
    not_in_channel: async (scene) => ({
      file: await added(scene),
      channels: `${GENERAL},${await foreign(scene)}`,
    }),
    channel_not_found: async (scene) => ({
      file: await added(scene),
      channels: `${GENERAL},${NOWHERE}`,
    }),
  },
  "files.remote.list": { invalid_cursor: { cursor: "garbage" } },

  "calls.add": {
    user_not_found: { ...meeting, users: [{ slack_id: "U99NOBODY" }] },
    invalid_created_by: { ...meeting, created_by: "U99NOBODY" },
    invalid_start_time: { ...meeting, date_start: -1 },
  },
  "calls.info": { invalid_call_id: { id: "R99" } },
  "calls.update": { invalid_call_id: { id: "R99", title: "x" } },
  "calls.end": {
    invalid_call_id: { id: "R99" },
    inactive_call: async (scene) => ({ id: await ended(scene) }),
  },
  "calls.participants.add": participantsRefusals,
  "calls.participants.remove": participantsRefusals,

  "slackLists.create": {
    invalid_schema: { name: "x", schema: "x" },
    invalid_column_type: { name: "x", schema: [{ ...primary, type: "sound" }] },
    invalid_primary_column: { name: "x", schema: [{ ...primary, is_primary_column: false }] },
    invalid_copy_and_schema_args: { name: "x", schema: [primary], copy_from_list_id: "F1" },
    missing_arg_copy_from_list_id: { name: "x", include_copied_list_records: true },
    over_title_length_maximum: { name: "x".repeat(256) },
    over_column_maximum: {
      name: "x",
      schema: [
        primary,
        ...Array.from({ length: 50 }, (_, n) => ({ key: `${n}`, name: "x", type: "number" })),
      ],
    },
    permission_denied: by(GUEST, { name: "x" }),
    list_not_found: { name: "x", copy_from_list_id: "F99NOTHING" },
  },
  "slackLists.update": {
    list_not_found: { id: "F99NOTHING", name: "x" },
    missing_arguments: async (scene) => ({ id: await listed(scene) }),
    over_title_length_maximum: async (scene) => ({
      id: await listed(scene),
      name: "x".repeat(256),
    }),
  },
  "slackLists.items.create": {
    list_not_found: NO_LIST,
    duplicated_item_not_found: ofList({ duplicated_item_id: "Rec99" }),
    invalid_args: ofList({ parent_item_id: "Rec99" }),
    invalid_column_id: ofList({ initial_fields: [{ column_id: "Col99", number: [1] }] }),
  },
  "slackLists.items.list": {
    list_not_found: NO_LIST,
    invalid_cursor: ofList({ cursor: "garbage" }),
  },
  "slackLists.items.info": {
    list_not_found: { ...NO_LIST, id: "Rec99" },
    record_not_found: ofList({ id: "Rec99" }),
  },
  "slackLists.items.delete": {
    list_not_found: { ...NO_LIST, id: "Rec99" },
    record_not_found: ofList({ id: "Rec99" }),
  },
  "slackLists.items.deleteMultiple": { list_not_found: { ...NO_LIST, ids: "Rec99" } },
  "slackLists.access.set": {
    list_not_found: { ...NO_LIST, access_level: "read", user_ids: [JOHN] },
    invalid_parameters: ofList({ access_level: "owner", channel_ids: [GENERAL] }),
    user_not_found: ofList({ access_level: "read", user_ids: [JOHN, "U99NOBODY"] }),
    channel_not_found: ofList({ access_level: "read", channel_ids: [NOWHERE] }),
  },
  "slackLists.access.delete": {
    list_not_found: { ...NO_LIST, user_ids: [JOHN] },
    invalid_parameters: ofList({}),
  },
  "slackLists.download.start": { list_not_found: NO_LIST },
  "slackLists.download.get": {
    list_not_found: { ...NO_LIST, job_id: "I99" },
    job_not_found: ofList({ job_id: "I99" }),
  },

  "team.accessLogs": { restricted_action: {}, invalid_limit: { limit: -1 } },
  "team.billableInfo": {
    restricted_action: {},
    user_not_found: by(JOHN, { user: "U99NOBODY" }),
    invalid_cursor: { cursor: "garbage" },
  },
  "team.externalTeams.list": {
    restricted_action: {},
    invalid_workspace_filter: by(JOHN, { workspace_filter: "T99" }),
  },
  "team.externalTeams.disconnect": {
    restricted_action: { target_team: "T99" },
    invalid_target_team: by(JOHN, { target_team: "T99" }),
    missing_argument: by(JOHN, {}),
  },

  "conversations.inviteShared": {
    recipients_not_specified: { channel: GENERAL },
    invalid_email: { channel: GENERAL, emails: ["ann"] },
    too_many_emails: {
      channel: GENERAL,
      emails: Array.from({ length: 21 }, (_, n) => `a${n}@b.test`),
    },
    channel_not_found: { ...invitation, channel: NOWHERE },
    not_in_channel: async (scene) => ({ ...invitation, channel: await foreign(scene) }),
    channel_archived: async (scene) => ({ ...invitation, channel: await archived(scene) }),
    user_not_found: { channel: GENERAL, user_ids: "U99NOBODY" },
    invalid_channel_type: async ({ agent }) => {
      const { channel } = await agent.conversations.open({ users: JOHN });
      return { ...invitation, channel: channel?.id };
    },
  },
  "conversations.acceptSharedInvite": {
    invite_not_found: { channel_name: "x", invite_id: "I99" },
    invite_from_same_org: async (scene) => ({ channel_name: "x", invite_id: await invited(scene) }),
  },
  "conversations.approveSharedInvite": {
    invite_not_found: { invite_id: "I99" },
    already_approved: async (scene) => {
      const id = await invited(scene);
      await scene.agent.conversations.approveSharedInvite({ invite_id: id });
      return { invite_id: id };
    },
    approval_inactive: async (scene) => {
      const id = await invited(scene);
      await scene.agent.conversations.declineSharedInvite({ invite_id: id });
      return { invite_id: id };
    },
  },
  "conversations.declineSharedInvite": {
    invite_not_found: { invite_id: "I99" },
    inactive_invite: async (scene) => {
      const id = await invited(scene);
      await scene.agent.conversations.declineSharedInvite({ invite_id: id });
      return { invite_id: id };
    },
  },
  "conversations.externalInvitePermissions.set": {
    channel_not_found: { channel: NOWHERE, target_team: "T99", action: "upgrade" },
    invalid_target_team: { channel: GENERAL, target_team: "T01ACMECORP", action: "upgrade" },
  },
  "conversations.requestSharedInvite.approve": {
    invite_not_found: { invite_id: "I99" },
    channel_not_found: { invite_id: "I99", channel_id: NOWHERE },
  },
  "conversations.requestSharedInvite.deny": {
    invite_not_found: { invite_id: "I99" },
    message_too_long: { invite_id: "I99", message: "x".repeat(561) },
  },
  "conversations.requestSharedInvite.list": { invalid_cursor: { cursor: "garbage" } },

  "agents.conversations.create": {
    name_taken: { name: "random" },
    message_not_found: { name: "roof", origin_channel_id: GENERAL, origin_message_ts: LUNCH },
    restricted_action: by(GUEST, { name: "roof" }),
  },
  "agents.conversations.archive": {
    cant_archive_general: { channel_id: GENERAL },
    not_in_channel: outsider({}),
    message_not_found: async ({ agent }) => {
      const { channel } = await agent.conversations.create({ name: "roof" });
      return { channel_id: channel?.id, summary_message_ts: HELLO };
    },
  },
  "agents.conversations.setProperties": {
    invalid_arguments: { channel_id: GENERAL, agent_resource: "x" },
    not_in_channel: outsider({}),
  },
  "agents.conversations.setCommands": {
    invalid_arguments: { channel_id: GENERAL, commands: [{}] },
    not_in_channel: outsider({ commands: [] }),
  },
  "agents.conversations.setView": {
    not_in_channel: outsider({}),
    canvas_not_found: { channel_id: GENERAL, canvas_id: "F99NOTHING" },
    invalid_blocks: { channel_id: GENERAL, blocks: [{ type: "section" }] },
  },
  "agents.conversations.removeView": { view_not_found: { channel_id: GENERAL, view_key: "plan" } },
  "agents.conversations.setCanvasContent": {
    canvas_not_found: { channel: GENERAL, canvas_id: "F99NOTHING", content: "x" },
  },
  "agents.sessions.setStatus": {
    channel_not_found: { channel_id: NOWHERE, status: "working" },
    user_not_found: { channel_id: GENERAL, status: "working", initiator_user_id: "U99NOBODY" },
  },
  "agents.sessions.rename": {
    invalid_thread_ts: { channel_id: GENERAL, title: "Roof", thread_ts: "noon" },
  },

  "dialog.open": {
    missing_trigger: { dialog },
    missing_dialog: { trigger_id: "t" },
    cannot_create_dialog: { trigger_id: "t", dialog: [] },
    validation_errors: { trigger_id: "t", dialog },
    invalid_trigger: { trigger_id: "made.up", dialog: asking },
    trigger_expired: async ({ trigger }) => ({
      trigger_id: await trigger(AGENT, 0.001),
      dialog: asking,
    }),
  },
  "entity.presentDetails": {
    invalid_trigger_id: { trigger_id: "made.up" },
    invalid_metadata: { trigger_id: "t", metadata: { title: "x" } },
    user_auth_url_missing: { trigger_id: "t", user_auth_required: true },
  },
  "functions.completeSuccess": {
    function_execution_not_found: { function_execution_id: "x", outputs: {} },
    parameter_validation_failed: { function_execution_id: "Fx01", outputs: "x" },
  },
  "functions.completeError": {
    function_execution_not_found: { function_execution_id: "x", error: "no" },
    execution_not_in_running_state: async ({ agent }) => {
      await agent.functions.completeSuccess({ function_execution_id: "Fx01", outputs: {} });
      return { function_execution_id: "Fx01", error: "no" };
    },
  },
  "workflows.featured.add": {
    error_modifying_workflows: { channel_id: GENERAL, trigger_ids: "x" },
    not_in_channel: outsider({ trigger_ids: "Ft01" }),
  },
  "workflows.featured.set": {
    error_modifying_workflows: {
      channel_id: GENERAL,
      trigger_ids: Array.from({ length: 16 }, (_, n) => `Ft${n}`).join(),
    },
  },
  "workflows.featured.list": { channel_not_found: { channel_ids: NOWHERE } },
  "migration.exchange": {
    too_many_users: { users: Array.from({ length: 401 }, (_, n) => `U${n}`).join() },
  },
};
