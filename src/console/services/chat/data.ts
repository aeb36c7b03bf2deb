/** A chat environment through its own API, as one of its users sees it. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { CallError, errorOf, jsonOf, send, VIEW } from "~/console/api";
import { shortName } from "~/console/names";

export type ChatUser = {
  readonly id: string;
  readonly name: string;
  readonly real_name?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly profile?: { readonly display_name?: string; readonly real_name?: string };
};
export type Conversation = {
  readonly id: string;
  readonly name?: string;
  readonly is_im?: boolean;
  readonly is_mpim?: boolean;
  readonly is_private?: boolean;
  readonly is_archived?: boolean;
  readonly is_member?: boolean;
  readonly user?: string;
  readonly topic?: { readonly value: string };
  readonly purpose?: { readonly value: string };
  readonly num_members?: number;
};
export type ChatFile = {
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly size?: number;
  readonly mimetype?: string;
};
export type ChatMessage = {
  readonly ts: string;
  readonly text: string;
  readonly user?: string;
  readonly username?: string;
  readonly subtype?: string;
  readonly bot_id?: string;
  readonly thread_ts?: string;
  readonly reply_count?: number;
  readonly edited?: { readonly ts: string };
  readonly blocks?: readonly unknown[];
  readonly attachments?: readonly Readonly<Record<string, unknown>>[];
  readonly files?: readonly ChatFile[];
  readonly reactions?: readonly {
    readonly name: string;
    readonly users: readonly string[];
    readonly count: number;
  }[];
  readonly pinned_to?: readonly string[];
};

type Page = { response_metadata?: { next_cursor?: string } };

const PER_PAGE = 999;
/** Enough for 20,000 users or conversations. */
const PAGES_MAX = 20;

export type Chat = ReturnType<typeof createChat>;

/** `as`: id of the user; the environment's own if empty. */
export function createChat(environment: EnvironmentDetail, as: string) {
  const headers = { ...VIEW, ...(as && { Authorization: `Bearer xoxp-${as}` }) };

  /** Calls a method. Throws CallError, also for errors of the service. */
  async function call<Answer>(method: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const address = `${environment.environmentUrl}/${method}`;
    const response = await send("POST", address, { body, headers, signal });
    const answer = await jsonOf<Answer & { ok?: boolean; error?: string }>(response);
    if (!response.ok || !answer) throw errorOf(response, answer);
    if (answer.ok === false) throw new CallError(answer.error ?? "unknown", response.status);
    return answer;
  }

  async function all<Answer extends Page, Item>(
    method: string,
    body: object,
    items: (answer: Answer) => readonly Item[],
    signal: AbortSignal,
  ): Promise<Item[]> {
    const found: Item[] = [];
    let cursor = "";
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer = await call<Answer>(
        method,
        { ...body, limit: PER_PAGE, ...(cursor && { cursor }) },
        signal,
      );
      found.push(...items(answer));
      cursor = answer.response_metadata?.next_cursor ?? "";
      if (!cursor) break;
    }
    return found;
  }

  return {
    users: (signal: AbortSignal) =>
      all<Page & { members: ChatUser[] }, ChatUser>(
        "users.list",
        {},
        (page) => page.members,
        signal,
      ),

    conversations: (signal: AbortSignal) =>
      all<Page & { channels: Conversation[] }, Conversation>(
        "conversations.list",
        { types: "public_channel,private_channel,mpim,im" },
        (page) => page.channels,
        signal,
      ),

    /** The newest messages before `latest`, oldest first. */
    async history(
      channel: string,
      latest: string | undefined,
      limit: number,
      signal?: AbortSignal,
    ) {
      const answer = await call<{ messages: ChatMessage[]; has_more: boolean }>(
        "conversations.history",
        { channel, limit, ...(latest && { latest }) },
        signal,
      );
      return { messages: answer.messages.toReversed(), hasMore: answer.has_more };
    },

    /** The messages of a thread, including its first one. */
    async replies(channel: string, ts: string, signal?: AbortSignal) {
      const answer = await call<{ messages: ChatMessage[] }>(
        "conversations.replies",
        { channel, ts, limit: PER_PAGE },
        signal,
      );
      return answer.messages;
    },
  };
}

const display = (user: ChatUser) =>
  shortName(user.profile?.real_name || user.real_name || user.name);

/** Names of users and conversations by id. */
export function chatNames(
  users: readonly ChatUser[],
  conversations: readonly Conversation[],
): ReadonlyMap<string, string> {
  const names = new Map(users.map((user) => [user.id, display(user)]));
  const handles = new Map(users.map((user) => [user.name, display(user)]));
  for (const { id, name, is_im, is_mpim, user } of conversations) {
    if (is_im) names.set(id, names.get(user ?? "") ?? user ?? id);
    else if (is_mpim) names.set(id, groupName(name ?? id, handles));
    else names.set(id, `#${name}`);
  }
  return names;
}

/** `mpdm-ann--bob-1` contains the handles of the group's members. */
const groupName = (name: string, handles: ReadonlyMap<string, string>) =>
  name
    .replace(/^mpdm-/, "")
    .replace(/-\d+$/, "")
    .split("--")
    .map((handle) => handles.get(handle) ?? handle)
    .join(", ");
