import { isObject } from "~/input/json";
import { Choice, Flag, Json, Maybe, Text } from "~/replicas/chat/arguments";
import { METADATA_ARG, readBlocks, readMetadata, requireShort } from "~/replicas/chat/compose";
import { ChatError } from "~/replicas/chat/errors";
import { isTs, readUnfurlId } from "~/replicas/chat/ids";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { requireChannel } from "~/replicas/chat/require";
import { updateMessage } from "~/replicas/chat/store/editing";
import { insertEphemeral } from "~/replicas/chat/store/ephemeral";
import type { Json as JsonObject } from "~/replicas/chat/store/json";
import { findMessage, type MessageRow } from "~/replicas/chat/store/messages";
import { normalizeText } from "~/replicas/chat/text";
import type { Sourced } from "~/source";

type Unfurls = Readonly<Record<string, JsonObject>>;

function readUnfurls(sourced: Sourced, given: unknown): Unfurls {
  if (!isObject(given) || !Object.values(given).every(isObject))
    throw new ChatError("invalid_unfurls_format");
  for (const { blocks } of Object.values(given as Unfurls)) readBlocks(sourced, blocks);
  return given as Unfurls;
}

type Target = { readonly [part in "channel" | "ts" | "unfurl_id" | "source"]?: string | undefined };

/** The place that is given, or that the id of an event of links names. */
function placeOf({ channel, ts, unfurl_id: unfurl, source }: Target): Target {
  if (channel || ts || !unfurl) return { channel, ts };
  if (!source) throw new ChatError("missing_source");
  const place = readUnfurlId(unfurl);
  if (!place) throw new ChatError("invalid_unfurl_id");
  return place;
}

/** The message at that place. */
async function requireTarget(call: ChatCall, given: Target): Promise<MessageRow> {
  const { channel, ts } = placeOf(given);
  if (!channel) throw new ChatError("missing_channel");
  if (!ts) throw new ChatError("missing_ts");
  await requireChannel(call, channel, "cannot_find_channel");
  const message = isTs(ts) && (await findMessage(call.session, call.actor, channel, ts));
  if (!message || message.subtype === "tombstone") throw new ChatError("cannot_find_message");
  return message;
}

/** The attachments of a message, where these replace earlier ones of the same addresses. */
function unfurled({ text, attachments }: MessageRow, unfurls: Unfurls): JsonObject[] {
  const kept = (attachments ?? []).filter(
    (attachment) => !Object.hasOwn(unfurls, String(attachment["original_url"])),
  );
  const added = Object.entries(unfurls).map(([url, unfurl]) => {
    if (!text.includes(url.replace(/&(?!amp;)/g, "&amp;")))
      throw new ChatError("cannot_unfurl_url");
    return { from_url: url, original_url: url, fallback: url, ...unfurl, is_app_unfurl: true };
  });
  return [...kept, ...added].map((attachment, place) => ({ ...attachment, id: place + 1 }));
}

export const chatUnfurl = [
  method("chat.unfurl", {
    tier: 2,
    summary: "Sets the previews of a message's links, or asks its author to sign in.",
    args: {
      channel: Maybe(Text()),
      ts: Maybe(Text()),
      unfurls: Maybe(Json<unknown>("invalid_unfurls_format", "Attachments by address.")),
      unfurl_id: Maybe(Text("Of an event of links: with source, instead of channel and ts.")),
      source: Maybe(Choice("composer", "conversations_history")),
      ...METADATA_ARG,
      user_auth_required: Maybe(Flag("The author must sign in first.")),
      user_auth_url: Maybe(Text()),
      user_auth_message: Maybe(Text()),
      user_auth_blocks: Maybe(Json<unknown>("invalid_blocks")),
    },
    async handle(args, call) {
      const unfurls = args.unfurls === undefined ? {} : readUnfurls(call.session, args.unfurls);
      const metadata = readMetadata(args.metadata);
      const blocks = readBlocks(call.session, args.user_auth_blocks) ?? null;
      const { user_auth_url: url, user_auth_message: note } = args;
      const asks = args.user_auth_required || url || note || blocks;
      if (args.unfurls === undefined && !metadata && !asks) throw new ChatError("missing_unfurls");
      const message = await requireTarget(call, args);
      const attachments = unfurled(message, unfurls);
      requireShort({ attachments });
      const { channel_id: channel, ts } = message;
      await call.session.transaction(async (session: ChatSession) => {
        if (args.unfurls !== undefined || metadata)
          await updateMessage(session, channel, ts, call.actor, {
            text: undefined,
            blocks: undefined,
            attachments,
            metadata,
            broadcast: false,
          });
        if (!asks) return;
        await insertEphemeral(session, {
          channel,
          user: message.user_id,
          author: call.actor,
          text: normalizeText(note ?? url ?? "Sign in to see what this link shows."),
          threadTs: message.thread_ts,
          username: null,
          icons: null,
          blocks,
          attachments: note && url ? [{ id: 1, title_link: url, title: url, fallback: url }] : null,
        });
      });
      return {};
    },
  }),
];
