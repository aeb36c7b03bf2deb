/** The rows that a batch of changes refers to: read together, and shown as they were when each change was made. */
import {
  type Audience,
  type Change,
  changesOf,
  rowOf,
  stampOf,
} from "~/replicas/chat/events/change";
import type { ChatSession, TableName } from "~/replicas/chat/method";
import {
  countPins,
  listBots,
  listChannelsById,
  listMemberships,
  listMessagesAt,
  listShares,
  listThreads,
  type Member,
  type Place,
  type ThreadPlace,
  type ThreadState,
} from "~/replicas/chat/store/events";
import { type FileRow, findFiles } from "~/replicas/chat/store/files";
import type { Bot } from "~/replicas/chat/store/messages";
import type { Rows } from "~/replicas/chat/store/rows";
import { findTeam, type TeamRow } from "~/replicas/chat/store/team";
import type { EventApp, RowChange } from "~/replicas/events";
import { createTimeline } from "~/replicas/kit/timeline";

type AnyChange = RowChange<TableName>;
export type Channel = Rows["channels"];
export type Message = Rows["messages"];

export type Context = {
  readonly team: TeamRow;
  readonly apps: readonly EventApp[];
  readonly bots: ReadonlyMap<string, Bot>;
  readonly channels: ReadonlyMap<string, Channel>;
  /** The changes of a table in the transaction of a change. */
  readonly beside: <N extends TableName>(change: { transaction: string }, table: N) => Change<N>[];
  /** The number of the last change of the transaction of a change; of the change before it. */
  readonly endOf: (change: { transaction: string }) => number;
  readonly startOf: (change: { transaction: string }) => number;
  readonly message: (place: Place, at: number) => Message | undefined;
  readonly files: ReadonlyMap<string, FileRow>;
  readonly filesOf: (place: Place, at: number) => FileRow[];
  readonly sharesOf: (file: string, at: number) => Rows["file_shares"][];
  /** The thread of the root that a change is about. */
  readonly threadOf: (change: { number: number }) => ThreadState | undefined;
  readonly pinsOf: (channel: string, at: number) => number;
  readonly isMember: (channel: string, user: string, at: number) => boolean;
};

const placeKey = ({ channel_id: channel, ts }: Place) => `${channel} ${ts}`;
const shareKey = (share: Rows["file_shares"]) => `${placeKey(share)} ${share.file_id}`;
const memberKey = ({ channel_id: channel, user_id: user }: Member) => `${channel} ${user}`;

const distinct = (values: readonly (string | null | undefined)[]): string[] => [
  ...new Set(values.filter((value) => typeof value === "string")),
];

/** Both images of each change. */
const images = <N extends TableName>(changes: readonly Change<N>[]) =>
  changes.flatMap(({ before, after }) => [before, after].filter((row) => row !== null));

/** The messages that these changes are about or refer to. */
function placesOf(changes: readonly AnyChange[]): Place[] {
  const places: Place[] = [
    ...images(changesOf(changes, "messages")).flatMap(({ channel_id, ts, thread_ts: root }) => [
      { channel_id, ts },
      ...(root === null ? [] : [{ channel_id, ts: root }]),
    ]),
    ...images(changesOf(changes, "reactions")),
    ...images(changesOf(changes, "pins")),
    ...images(changesOf(changes, "stars")).filter(({ ts }) => ts !== ""),
    ...images(changesOf(changes, "file_shares")),
  ];
  return [...new Map(places.map((place) => [placeKey(place), place])).values()];
}

/** The threads that are shown with these changes: of a broadcast reply, and of a changed root. */
const threadsOf = (changes: readonly AnyChange[]): (ThreadPlace & { number: number })[] =>
  changesOf(changes, "messages").flatMap((change) => {
    const { number, micros, before } = change;
    const { channel_id, ts, thread_ts: root } = rowOf(change);
    if (root !== null) return [{ number, channel_id, ts: root, until: ts }];
    return before === null ? [] : [{ number, channel_id, ts, until: stampOf(micros) }];
  });

/** The first and the last number of each transaction. */
function spansOf(changes: readonly AnyChange[]) {
  const spans = new Map<string, { first: number; last: number }>();
  for (const { transaction, number } of changes) {
    const first = spans.get(transaction)?.first ?? number;
    spans.set(transaction, { first, last: number });
  }
  return spans;
}

/** The channels as they were before later changes. */
function channelsBefore(
  current: readonly Channel[],
  later: readonly Change<"channels">[],
): ReadonlyMap<string, Channel> {
  const channels = new Map(current.map((channel) => [channel.id, channel]));
  for (const change of later.toReversed()) {
    const { before } = change;
    if (before) channels.set(before.id, before);
    else channels.delete(rowOf(change).id);
  }
  return channels;
}

/**
 * `changes`: of whole transactions, in their order. `later`: changes of a table after them, which the rows that are read
 * have by then.
 */
export async function readContext(
  session: ChatSession,
  changes: readonly AnyChange[],
  apps: readonly EventApp[],
  later: <N extends TableName>(table: N) => Promise<readonly Change<N>[]>,
): Promise<Context> {
  const places = placesOf(changes);
  const fileIds = [
    ...images(changesOf(changes, "files")).map(({ id }) => id),
    ...images(changesOf(changes, "file_shares")).map(({ file_id: file }) => file),
    ...images(changesOf(changes, "canvases")).map(({ file_id: file }) => file),
  ];
  const [team, readMessages, readShares] = await Promise.all([
    findTeam(session),
    listMessagesAt(session, places),
    listShares(session, places, distinct(fileIds)),
  ]);
  const [laterMessages, laterShares] = await Promise.all([later("messages"), later("file_shares")]);
  const messages = createTimeline(
    [...changesOf(changes, "messages"), ...laterMessages],
    readMessages,
    placeKey,
  );
  const shares = createTimeline(
    [...changesOf(changes, "file_shares"), ...laterShares],
    readShares,
    shareKey,
  );

  const members = changesOf(changes, "channel_members");
  const pins = changesOf(changes, "pins");
  const channelIds = distinct([
    ...places.map((place) => place.channel_id),
    ...shares.rows.map((share) => share.channel_id),
    ...members.map((change) => rowOf(change).channel_id),
    ...changesOf(changes, "channels").map((change) => rowOf(change).id),
  ]);
  const roots = threadsOf(changes);
  const botIds = [...images(changesOf(changes, "messages")), ...readMessages];
  const users = apps.map(({ user }) => user);
  const [channels, memberships, bots, files, threads, pinCounts] = await Promise.all([
    listChannelsById(session, channelIds),
    listMemberships(session, users, channelIds),
    listBots(session, distinct(botIds.map((message) => message.bot_id))),
    findFiles(session, "", distinct([...fileIds, ...shares.rows.map(({ file_id: id }) => id)])),
    listThreads(session, roots),
    countPins(session, distinct(pins.map((change) => rowOf(change).channel_id))),
  ]);

  const [laterChannels, laterMembers, laterPins] = await Promise.all([
    later("channels"),
    later("channel_members"),
    later("pins"),
  ]);
  const allPins = [...pins, ...laterPins];
  const spans = spansOf(changes);
  const transactions = Map.groupBy(changes, ({ transaction }) => transaction);
  const fileRows = new Map(files.map((file) => [file.id, file]));
  const byPlace = Map.groupBy(shares.rows, placeKey);
  const byFile = Map.groupBy(shares.rows, ({ file_id: file }) => file);
  const threadRows = new Map(roots.map(({ number }, place) => [number, threads[place]]));
  const membership = createTimeline<Member>([...members, ...laterMembers], memberships, memberKey);
  const existing = (rows: readonly Rows["file_shares"][] | undefined, at: number) =>
    (rows ?? []).flatMap((share) => shares.at(shareKey(share), at) ?? []);
  return {
    team,
    apps,
    bots: new Map(bots.map((bot) => [bot.bot_id, bot])),
    channels: channelsBefore(channels, laterChannels),
    beside: ({ transaction }, table) => changesOf(transactions.get(transaction) ?? [], table),
    endOf: ({ transaction }) => spans.get(transaction)?.last ?? 0,
    startOf: ({ transaction }) => (spans.get(transaction)?.first ?? 1) - 1,
    files: fileRows,
    message: (place, at) => messages.at(placeKey(place), at),
    filesOf: (place, at) =>
      existing(byPlace.get(placeKey(place)), at)
        .sort((a, b) => a.place - b.place)
        .flatMap(({ file_id: file }) => fileRows.get(file) ?? []),
    sharesOf: (file, at) => existing(byFile.get(file), at),
    threadOf: ({ number }) => threadRows.get(number) ?? undefined,
    pinsOf: (channel, at) =>
      allPins
        .filter((change) => change.number > at && rowOf(change).channel_id === channel)
        .reduce(
          (count, { before }) => count + (before === null ? -1 : 1),
          pinCounts.get(channel) ?? 0,
        ),
    isMember: (channel, user, at) =>
      membership.at(memberKey({ channel_id: channel, user_id: user }), at) !== undefined,
  };
}

/** The apps whose bots are in the channel after the transaction of a change. */
export const membersOf =
  (context: Context, channel: string, change: { transaction: string }): Audience =>
  ({ user }) =>
    context.isMember(channel, user, context.endOf(change))
      ? undefined
      : "its bot is not in the channel";
