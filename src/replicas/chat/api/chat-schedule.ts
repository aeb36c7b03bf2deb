import { Cursor, Flag, Maybe, Text } from "~/replicas/chat/arguments";
import {
  CONTENT_ARGS,
  contentColumns,
  METADATA_ARG,
  requireContent,
} from "~/replicas/chat/compose";
import { resolveDestination } from "~/replicas/chat/destination";
import { ChatError, rejectedTime } from "~/replicas/chat/errors";
import { isChannelId } from "~/replicas/chat/ids";
import { method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import { readThreadTs, requirePostable } from "~/replicas/chat/posting";
import { requireActor, requireChannel } from "~/replicas/chat/require";
import { deleteScheduled, insertScheduled, listScheduled } from "~/replicas/chat/store/scheduled";
import { present } from "~/replicas/chat/views/wire";
import { type Sourced, secondsOf } from "~/source";

const AHEAD_DAYS_MAX = 120;
const PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000;
const SECONDS_MAX = 2 ** 31 - 1;

/** A time in the future, within the service's limit. */
function readPostAt(given: string, { source }: Sourced): number {
  if (!/^\d{1,10}$/.test(given)) throw new ChatError("invalid_time");
  const [at, now] = [Number(given), secondsOf(source)];
  if (at <= now) throw rejectedTime("time_in_past", source);
  if (at > now + AHEAD_DAYS_MAX * 86_400) throw rejectedTime("time_too_far", source);
  return at;
}

/** A bound of post_at in seconds; fractions are ignored. */
function readBound(given: string | undefined, fallback: number): number {
  if (given === undefined || given === "") return fallback;
  const seconds = Number(/^(\d{1,10})(?:\.\d*)?$/.exec(given)?.[1] ?? fallback);
  return Math.min(seconds, SECONDS_MAX);
}

export const chatSchedule = [
  method("chat.scheduleMessage", {
    tier: 1,
    summary: "Schedules a message.",
    limits:
      "It is posted when the clock is moved past that time, or somebody reads its channel after it.",
    args: {
      channel: Text(),
      post_at: Text("When to post it: a Unix time in seconds, at most 120 days ahead."),
      ...CONTENT_ARGS,
      ...METADATA_ARG,
      thread_ts: Maybe(Text()),
      reply_broadcast: Maybe(Flag()),
      as_user: Maybe(Flag()),
      unfurl_links: Maybe(Flag()),
      unfurl_media: Maybe(Flag()),
    },
    async handle(args, call) {
      const content = contentColumns(await requireContent(call, args));
      const threadTs = readThreadTs(args.thread_ts);
      const postAt = readPostAt(args.post_at, call.session);
      const { user } = await requireActor(call);
      const { id, channel } = await call.session.transaction(async (session) => {
        const to = await resolveDestination(session, call.actor, args.channel);
        await requirePostable({ ...call, session }, to, threadTs);
        const id = await insertScheduled(session, {
          ...content,
          channel: to,
          user: call.actor,
          postAt,
          threadTs,
          broadcast: args.reply_broadcast ?? false,
        });
        if (id === undefined) throw new ChatError("restricted_too_many");
        return { id, channel: to };
      });
      return {
        channel,
        scheduled_message_id: id,
        post_at: postAt,
        message: present({
          text: content.text,
          type: "delayed_message",
          subtype: user.is_bot ? "bot_message" : null,
          user: user.id,
          team: user.team_id,
          bot_id: user.bot_id,
          app_id: user.app_id,
          blocks: content.blocks,
          attachments: content.attachments,
          metadata: content.metadata,
        }),
      };
    },
  }),

  method("chat.deleteScheduledMessage", {
    tier: 1,
    summary: "Deletes a scheduled message.",
    args: { channel: Text(), scheduled_message_id: Text(), as_user: Maybe(Flag()) },
    async handle({ channel, scheduled_message_id: id }, call) {
      await requireChannel(call, channel);
      if (!(await deleteScheduled(call.session, call.actor, channel, id)))
        throw new ChatError("invalid_scheduled_message_id");
      return {};
    },
  }),

  method("chat.scheduledMessages.list", {
    tier: 1,
    summary: "Lists the caller's scheduled messages by time.",
    args: {
      channel: Maybe(Text()),
      oldest: Maybe(Text("Only messages for this time or later.")),
      latest: Maybe(Text("Only messages for this time or earlier.")),
      cursor: Maybe(Cursor()),
      limit: LIMIT,
      team_id: Maybe(Text()),
    },
    async handle({ channel, oldest, latest, cursor, limit }, call) {
      const [postAt = "0", id = ""] =
        decodeCursor(cursor, "scheduled", /^\d{1,10}-Q[A-Z0-9]+$/)?.split("-") ?? [];
      const size = clampLimit(limit, PAGE_DEFAULT, PAGE_MAX);
      if (channel) {
        if (!isChannelId(channel)) throw new ChatError("invalid_channel");
        await requireChannel(call, channel, "invalid_channel");
      }
      const rows = await listScheduled(call.session, call.actor, {
        channel: channel || null,
        oldest: readBound(oldest, 0),
        latest: readBound(latest, SECONDS_MAX),
        after: { postAt: Number(postAt), id },
        limit: size,
      });
      const { page, metadata } = cut(rows, size, (last) =>
        encodeCursor("scheduled", `${last.post_at}-${last.id}`),
      );
      const messages = page.map(({ user_id: _, ...message }) => message);
      return { scheduled_messages: messages, ...metadata };
    },
  }),
];
