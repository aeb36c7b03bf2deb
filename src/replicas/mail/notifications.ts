/**
 * Notifications of changed mailboxes, as Pub/Sub pushes them (Gmail API guide "Push notifications", Pub/Sub guide "Push
 * subscriptions"): an app is a subscription to the topic of its user's watch.
 */
import { createHmac } from "node:crypto";
import type { EventApp, Events, RowChange } from "~/replicas/events";
import { acknowledging, missedBy, schedule, transactionsOf } from "~/replicas/kit/google/push";
import type { TableName } from "~/replicas/mail/operation";
import { listWatches, type Watch } from "~/replicas/mail/store/mailboxes";
import { MICROS } from "~/source";

const TYPE = "notification";
const SUBSCRIPTION = /^projects\/[\w.:-]+\/subscriptions\/[\w.~+%-]+$/;
export const WATCH_MS = 7 * 24 * 3_600_000;
const ID_DIGITS = 16;

type Change = RowChange<TableName>;

const isoTime = (micros: number) => new Date(micros / MICROS).toISOString();

/** The mailbox of a change that causes a notification: of a history record, or a watch that begins. */
function mailboxOf({ table, before, after }: Change): string | undefined {
  if (table === "history") return before === null && after ? String(after["mailbox"]) : undefined;
  return isWatchChanged({ before, after }) && after?.["watch"]
    ? String(after["emailAddress"])
    : undefined;
}

const isWatchChanged = ({ before, after }: Pick<Change, "before" | "after">) =>
  JSON.stringify(before?.["watch"] ?? null) !== JSON.stringify(after?.["watch"] ?? null);

type Named = { readonly [column: string]: unknown };
const labelsOf = (row: Named) =>
  [row["labelIds"], row["messageLabelIds"]].flatMap((ids) => (ids as string[] | null) ?? []);

/** Whether a watch is for these changes of its mailbox. One that begins is. */
function isFor({ labelIds = [], ...watch }: Watch, changes: readonly Change[]): boolean {
  if (labelIds.length === 0) return true;
  const filter = watch.labelFilterBehavior ?? watch.labelFilterAction ?? "include";
  const isWanted = filter.toLowerCase() !== "exclude";
  return changes.some(
    ({ table, after }) =>
      table !== "history" ||
      labelsOf(after ?? {}).some((label) => labelIds.includes(label)) === isWanted,
  );
}

/** Why nobody is notified; undefined: there is no reason. */
function silenceOf(
  watch: Watch | null,
  changes: readonly Change[],
  micros: number,
): string | undefined {
  const now = Math.floor(micros / MICROS);
  if (!watch || Number(watch.expiration) - WATCH_MS > now) return "its mailbox is not watched";
  if (Number(watch.expiration) <= now) return "the watch of its mailbox has expired";
  return isFor(watch, changes) ? undefined : "the watch of its mailbox is for other labels";
}

const missed = (apps: readonly EventApp[], mailbox: string, silence?: string) =>
  missedBy(apps, TYPE, ({ user }) => (user === mailbox ? silence : "another mailbox"));

export const events: Events<TableName> = {
  tables: ["history", "mailboxes"],
  types: { [TYPE]: [] },
  isAppId: (text) => SUBSCRIPTION.test(text),
  appIdExample: "projects/acme/subscriptions/agent",
  findBot: async () => undefined,
  schedule,

  request: {
    ...acknowledging,
    isLast: () => false,
    request(secret, { app, payload, number }) {
      const { publishTime, ...data } = payload as { readonly publishTime: string };
      const digest = createHmac("sha256", secret).update(`message ${app.id} ${number}`).digest();
      const id = digest.readBigUInt64BE().toString().padStart(ID_DIGITS, "0").slice(-ID_DIGITS);
      const message = {
        data: Buffer.from(JSON.stringify(data)).toString("base64"),
        ...{ messageId: id, message_id: id, publishTime, publish_time: publishTime },
      };
      return {
        headers: { "content-type": "application/json", "user-agent": "CloudPubSub-Google" },
        body: JSON.stringify({ message, subscription: app.id }),
      };
    },
  },

  raise: async (_, { type, event, micros }, apps) => {
    const mailbox = String(event["emailAddress"] ?? "");
    const payload = { ...event, publishTime: isoTime(micros) };
    return {
      type,
      payload,
      missed: mailbox ? missed(apps, mailbox) : missedBy(apps, type, () => undefined),
    };
  },

  async derive(session, changes, apps, later) {
    const given = changes as readonly Change[];
    const mailboxes = new Set(given.flatMap((change) => mailboxOf(change) ?? []));
    /** As they are before the next change. */
    const watches = new Map(await listWatches(session, [...mailboxes]));
    const all = [...given, ...((await later("mailboxes")) as readonly Change[])];
    for (const { table, before } of all.toReversed())
      if (table === "mailboxes" && before)
        watches.set(String(before["emailAddress"]), before["watch"] as Watch | null);
    return transactionsOf(given).flatMap((transaction) => {
      for (const { table, after } of transaction)
        if (table === "mailboxes" && after)
          watches.set(String(after["emailAddress"]), after["watch"] as Watch | null);
      const changed = Map.groupBy(transaction, mailboxOf);
      return [...changed].flatMap(([mailbox, own]) => {
        const last = own.at(-1);
        if (mailbox === undefined || !last) return [];
        const watch = watches.get(mailbox) ?? null;
        const ids = own.map(({ after }) => Number(after?.["id"] ?? watch?.historyId ?? 0));
        return {
          change: last.number,
          type: TYPE,
          payload: {
            emailAddress: mailbox,
            historyId: Math.max(...ids),
            publishTime: isoTime(last.micros),
          },
          missed: missed(apps, mailbox, silenceOf(watch, own, last.micros)),
        };
      });
    });
  },
};
