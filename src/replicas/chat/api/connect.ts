/** Invitations of other organizations into channels. They are stored; nobody accepts them. */
import { Choice, Cursor, Flag, Json, List, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor } from "~/replicas/chat/paging";
import { requireActor, requireChannel, requireMembership } from "~/replicas/chat/require";
import type { Json as JsonObject } from "~/replicas/chat/store/json";
import { findRecord, listRecords, mergeRecord } from "~/replicas/chat/store/records";
import { findTeam } from "~/replicas/chat/store/team";
import { findUsers } from "~/replicas/chat/store/users";
import { channelView } from "~/replicas/chat/views/channels";
import { secondsOf } from "~/source";

const INVITE = "shared_invite";
const PERMISSION = "external_permission";
const EMAILS_MAX = 20;
const MESSAGE = { max: 560, tooLong: "message_too_long" };
const PAGE_DEFAULT = 100;
const INVITE_SECONDS = 14 * 86_400;

const isEmail = (text: string) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text);

/** An invitation from this workspace. */
async function requireInvite({ session }: ChatCall, id: string | undefined): Promise<JsonObject> {
  const invite = id ? await findRecord(session, INVITE, id) : undefined;
  if (!invite) throw new ChatError("invite_not_found");
  return invite;
}

function requireEmails(emails: readonly string[]): void {
  if (emails.length > EMAILS_MAX) throw new ChatError("too_many_emails");
  if (!emails.every(isEmail)) throw new ChatError("invalid_email");
}

/** There are no requests to approve an invitation: nobody needs approval. */
const noRequest = () => new ChatError("invite_not_found");

export const connect = [
  method("conversations.inviteShared", {
    tier: 3,
    summary: "Invites people of another organization into a channel.",
    limits: "The invitation is kept; nobody accepts it.",
    args: {
      channel: Text(),
      emails: Maybe(List("Addresses of the people to invite.")),
      user_ids: Maybe(List()),
      external_limited: Maybe(Flag("They may only post messages.")),
    },
    async handle(
      { channel, emails = [], user_ids: users = [], external_limited: limited = true },
      call,
    ) {
      requireEmails(emails);
      if (emails.length + users.length === 0) throw new ChatError("recipients_not_specified");
      const found = await requireMembership(call, channel);
      if (found.is_im || found.is_mpim) throw new ChatError("invalid_channel_type");
      if (found.is_archived) throw new ChatError("channel_archived");
      const known = await findUsers(call.session, users);
      if (users.some((id) => !known.has(id))) throw new ChatError("user_not_found");
      const id = newId(call.session, "I");
      const { url } = await findTeam(call.session);
      const invite = {
        channel_id: channel,
        inviter: call.actor,
        emails,
        user_ids: users,
        external_limited: limited,
        status: "pending",
        date_created: secondsOf(call.session.source),
      };
      await mergeRecord(call.session, INVITE, id, invite);
      return {
        invite_id: id,
        conf_code: id.slice(-6).toLowerCase(),
        url: `${url}shared/${id}`,
        is_legacy_shared_channel: false,
      };
    },
  }),

  method("conversations.listConnectInvites", {
    tier: 3,
    summary: "Lists invitations of other organizations by id.",
    args: { count: Maybe(Whole()), cursor: Maybe(Cursor()), team_id: Maybe(Text()) },
    async handle({ count, cursor }, call) {
      const after = decodeCursor(cursor, "invite", /^I[A-Z0-9]+$/) ?? "";
      const size = clampLimit(count, PAGE_DEFAULT, PAGE_DEFAULT);
      const { team } = await requireActor(call);
      const invites = (await listRecords(call.session, INVITE)).filter(({ id }) => id > after);
      const { page, metadata } = cut(invites, size, ({ id }) => encodeCursor("invite", id));
      const shown = page.map(({ id, data }) => {
        const created = Number(data["date_created"]);
        return {
          direction: "outgoing",
          status: data["status"],
          date_last_updated: created,
          invite_type: "channel",
          invite: {
            id,
            date_created: created,
            date_invalid: created + INVITE_SECONDS,
            inviting_team: { id: team.id, name: team.name, domain: team.domain },
            inviting_user: { id: data["inviter"] },
            recipient_email: (data["emails"] as string[])[0],
          },
          channel: { id: data["channel_id"] },
          acceptances: [],
        };
      });
      return { invites: shown, ...metadata };
    },
  }),

  method("conversations.acceptSharedInvite", {
    tier: 3,
    summary: "Accepts an invitation of another organization.",
    args: {
      channel_name: Text(),
      channel_id: Maybe(Text()),
      invite_id: Maybe(Text()),
      is_private: Maybe(Flag()),
      free_trial_accepted: Maybe(Flag()),
      team_id: Maybe(Text()),
    },
    async handle({ invite_id: id }, call) {
      await requireInvite(call, id);
      throw new ChatError("invite_from_same_org");
    },
  }),

  method("conversations.approveSharedInvite", {
    tier: 3,
    summary: "Approves an invitation.",
    args: { invite_id: Text(), target_team: Maybe(Text()) },
    async handle({ invite_id: id }, call) {
      const { status } = await requireInvite(call, id);
      if (status === "approved") throw new ChatError("already_approved");
      if (status !== "pending") throw new ChatError("approval_inactive");
      await mergeRecord(call.session, INVITE, id, { status: "approved" });
      return {};
    },
  }),

  method("conversations.declineSharedInvite", {
    tier: 3,
    summary: "Declines an invitation.",
    args: { invite_id: Text(), target_team: Maybe(Text()) },
    async handle({ invite_id: id }, call) {
      const { status } = await requireInvite(call, id);
      if (status === "declined") throw new ChatError("inactive_invite");
      await mergeRecord(call.session, INVITE, id, { status: "declined" });
      return {};
    },
  }),

  method("conversations.externalInvitePermissions.set", {
    tier: 3,
    summary: "Sets the permissions of another organization in a channel.",
    args: { channel: Text(), target_team: Text(), action: Choice("upgrade", "downgrade") },
    async handle({ channel, target_team: team, action }, call) {
      const found = await requireChannel(call, channel);
      if (!/^[TE][A-Z0-9]+$/.test(team) || team === found.team_id)
        throw new ChatError("invalid_target_team");
      await mergeRecord(call.session, PERMISSION, `${channel} ${team}`, { action });
      return { channel: channelView(found) };
    },
  }),

  method("conversations.requestSharedInvite.list", {
    tier: 3,
    summary: "Lists requests to approve invitations: there are none.",
    args: {
      invite_ids: Maybe(List()),
      user_id: Maybe(Text()),
      include_approved: Maybe(Flag()),
      include_denied: Maybe(Flag()),
      include_expired: Maybe(Flag()),
      limit: Maybe(Whole()),
      cursor: Maybe(Cursor()),
    },
    async handle({ cursor }) {
      decodeCursor(cursor, "request", /^(?!)/);
      return { invite_requests: [], response_metadata: { next_cursor: "" } };
    },
  }),

  method("conversations.requestSharedInvite.approve", {
    tier: 3,
    summary: "Approves a request for an invitation; there are none.",
    args: {
      invite_id: Text(),
      channel_id: Maybe(Text()),
      is_external_limited: Maybe(Flag()),
      message: Maybe(Json<unknown>("invalid_arguments")),
    },
    async handle({ channel_id: channel }, call) {
      if (channel) await requireChannel(call, channel);
      throw noRequest();
    },
  }),

  method("conversations.requestSharedInvite.deny", {
    tier: 3,
    summary: "Denies a request for an invitation; there are none.",
    args: { invite_id: Text(), message: Maybe(Text(undefined, MESSAGE)) },
    async handle() {
      throw noRequest();
    },
  }),
];
