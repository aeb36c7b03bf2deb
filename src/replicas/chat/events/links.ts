/**
 * Links in new messages, for the apps that preview links of their domains. Apps receive none of their own messages
 * (docs.slack.dev/reference/events/link_shared).
 */
import { type Change, type Derived, derived, rowOf } from "~/replicas/chat/events/change";
import { type Channel, type Context, membersOf } from "~/replicas/chat/events/context";
import { newUnfurlId } from "~/replicas/chat/ids";
import { SYSTEM_SUBTYPES } from "~/replicas/chat/store/posting";
import type { EventApp } from "~/replicas/events";

/** `domain`: as the app has it. `url`: as the text has it, with `&amp;`. */
type Link = { readonly domain: string; readonly url: string };

const LINK = /<(https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>/gi;

/** The host of each address in a text, in lower case. */
function hostsIn(text: string): ReadonlyMap<string, string> {
  const hosts = new Map<string, string>();
  for (const [, url = ""] of text.matchAll(LINK)) {
    const parsed = URL.parse(url.replaceAll("&amp;", "&"));
    if (parsed) hosts.set(url, parsed.hostname);
  }
  return hosts;
}

/** The links of some domains, each of which stands for its subdomains, too. */
const linksOf = (domains: readonly string[], hosts: ReadonlyMap<string, string>): Link[] =>
  Array.from(hosts).flatMap(([url, host]) => {
    const domain = domains.find((each) => host === each || host.endsWith(`.${each}`));
    return domain === undefined ? [] : [{ domain, url }];
  });

/** One event for the apps that receive the same. */
export function links(context: Context, change: Change<"messages">, channel: Channel): Derived[] {
  const { text, subtype, user_id: user, app_id: author, ts, thread_ts: thread } = rowOf(change);
  if (subtype !== null && SYSTEM_SUBTYPES.includes(subtype)) return [];
  const isOwn = (app: EventApp) => app.user === user || app.id === author;
  const apps = context.apps.filter((app) => app.domains.length > 0 && !isOwn(app));
  if (apps.length === 0) return [];
  const hosts = hostsIn(text);
  const isIn = membersOf(context, channel.id, change);
  const received = apps.flatMap((app) => {
    const own = linksOf(app.domains, hosts);
    const part = { links: own, is_bot_user_member: isIn(app) === undefined };
    return own.length > 0 ? [{ id: app.id, part, key: JSON.stringify(part) }] : [];
  });
  return [...Map.groupBy(received, ({ key }) => key).values()].map((alike) => {
    const fields = {
      ...{ channel: channel.id, user, message_ts: ts, thread_ts: thread ?? undefined },
      ...{ unfurl_id: newUnfurlId(channel.id, ts), source: "conversations_history" },
      ...alike[0]?.part,
    };
    const ids = new Set(alike.map(({ id }) => id));
    return derived("link_shared", change, fields, ({ id }) =>
      ids.has(id) ? undefined : "it receives other links, or none",
    );
  });
}
