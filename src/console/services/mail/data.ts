/** A mailbox through its own API, as its owner sees it. */
import { errorOf, jsonOf, send, VIEW } from "~/console/api";
import type { ServiceEnvironment } from "~/console/services/member";

export type Part = {
  readonly partId: string;
  readonly mimeType: string;
  readonly filename: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: { readonly size: number; readonly data?: string };
  readonly parts?: readonly Part[];
};
export type MailMessage = {
  readonly id: string;
  readonly threadId: string;
  readonly labelIds?: readonly string[];
  readonly snippet: string;
  /** In milliseconds since 1970. */
  readonly internalDate: string;
  readonly payload: Part;
};
export type Thread = { readonly id: string; readonly messages: readonly MailMessage[] };
export type Label = {
  readonly id: string;
  readonly name: string;
  readonly type: "system" | "user";
  readonly color?: { readonly backgroundColor?: string };
  readonly threadsUnread?: number;
};

type Page = { threads?: { id: string; historyId: string }[]; nextPageToken?: string };
type Query = Readonly<Record<string, string | readonly string[]>>;

/** Threads of a page. */
const PER_PAGE = 25;
/** Labels whose unread threads are counted. */
const COUNTED_MAX = 20;
const LISTED_HEADERS = ["From", "To", "Subject"];
/** Labels whose messages a list without them leaves out. */
const APART = ["SPAM", "TRASH"];

/** A list of threads. `label`: empty for all mail. `text`: a search in the words of the service. */
export type Search = { readonly label: string; readonly text: string; readonly pages: number };
export type Found = { readonly threads: readonly Thread[]; readonly hasMore: boolean };

export type Mail = ReturnType<typeof createMail>;

/** `as`: address of the mailbox; the environment's own user's if empty. */
export function createMail({ environmentUrl }: ServiceEnvironment, as: string) {
  const headers = { ...VIEW, ...(as && { Authorization: `Bearer ${as}` }) };
  /** The last list, by id and state of the history: threads that have not changed are not read again. */
  let known: ReadonlyMap<string, Promise<Thread>> = new Map();

  async function read<Answer>(path: string, query: Query, signal: AbortSignal): Promise<Answer> {
    const fields = new URLSearchParams({ prettyPrint: "false" });
    for (const [name, value] of Object.entries(query))
      for (const each of [value].flat()) fields.append(name, each);
    const address = `${environmentUrl}/gmail/v1/users/me/${path}?${fields}`;
    const response = await send("GET", address, { headers, signal });
    const answer = await jsonOf<Answer & { error?: { message: string } }>(response);
    if (response.ok && answer) return answer;
    throw errorOf(response, { error: answer?.error?.message });
  }

  const readHeaders = (id: string, signal: AbortSignal) =>
    read<Thread>(`threads/${id}`, { format: "metadata", metadataHeaders: LISTED_HEADERS }, signal);

  return {
    /** The labels of the mailbox, those that are counted with their unread threads. */
    async labels(signal: AbortSignal): Promise<readonly Label[]> {
      const { labels } = await read<{ labels: Label[] }>("labels", {}, signal);
      const counted = labels
        .filter(({ id, type }) => id === "INBOX" || type === "user")
        .slice(0, COUNTED_MAX);
      const counts = await Promise.all(
        counted.map(({ id }) => read<Label>(`labels/${encodeURIComponent(id)}`, {}, signal)),
      );
      return labels.map((label) => counts.find(({ id }) => id === label.id) ?? label);
    },

    /** The threads of some pages, the newest first, each with the headers that a list shows. */
    async threads({ label, text, pages }: Search, signal: AbortSignal): Promise<Found> {
      const query = {
        maxResults: String(PER_PAGE),
        ...(label && { labelIds: label }),
        ...(text && { q: text }),
        ...(APART.includes(label) && { includeSpamTrash: "true" }),
      };
      const refs: { id: string; historyId: string }[] = [];
      let pageToken: string | undefined;
      for (let page = 0; page < pages; page++) {
        const next = pageToken ? { pageToken } : {};
        const answer: Page = await read<Page>("threads", { ...query, ...next }, signal);
        refs.push(...(answer.threads ?? []));
        pageToken = answer.nextPageToken;
        if (!pageToken) break;
      }
      const listed = new Map(
        refs.map(({ id, historyId }) => {
          const state = `${id} ${historyId}`;
          return [state, known.get(state) ?? readHeaders(id, signal)] as const;
        }),
      );
      const threads = await Promise.all(listed.values());
      known = listed;
      return { threads, hasMore: pageToken !== undefined };
    },

    thread: (id: string, signal: AbortSignal) =>
      read<Thread>(`threads/${encodeURIComponent(id)}`, {}, signal),
  };
}

export const headerOf = ({ payload }: MailMessage, name: string): string =>
  payload.headers.find((each) => each.name.toLowerCase() === name)?.value ?? "";

export const hasLabel = ({ labelIds = [] }: MailMessage, id: string) => labelIds.includes(id);

/** The name in `Ann Lee <ann@example.test>`, or its address. */
export function correspondent(header: string): { readonly name: string; readonly address: string } {
  const [, name = "", address = header] = /^\s*"?(.*?)"?\s*<([^<>]*)>\s*$/.exec(header) ?? [];
  return { name: name || address, address: address.toLowerCase() };
}

const partsOf = (part: Part): readonly Part[] => [part, ...(part.parts ?? []).flatMap(partsOf)];

/** Parts that are shown as files. */
export const filesOf = ({ payload }: MailMessage) =>
  partsOf(payload).filter(({ filename }) => filename !== "");

/** The text of a message: its HTML if it has one. */
export function contentOf({ payload }: MailMessage): {
  readonly html?: string;
  readonly text: string;
} {
  const parts = partsOf(payload).filter(({ filename }) => filename === "");
  const read = (type: string) => {
    const data = parts.find(({ mimeType }) => mimeType === type)?.body.data;
    return data === undefined ? undefined : decoded(data);
  };
  const html = read("text/html");
  return { text: read("text/plain") ?? "", ...(html !== undefined && { html }) };
}

function decoded(base64url: string): string {
  const characters = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(characters, (each) => each.charCodeAt(0)));
}
